"""A session: the one door for every call of an agent, whoever brings it: a server, the command line, Python.

It finds the desk of an attempt, answers what concerns none, and has each call written down exactly once: in the
transcript while the attempt is open, else in the log of the session. It does not know a protocol or a store.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping

from harness.attempts.calls import AgentReply, Backend, CallFacts, CallOutcome, accepted, attempted, began
from harness.attempts.chain_log import ChainLog
from harness.attempts.codes import AttemptError, nearest
from harness.attempts.desk import FINISH, POLL, SCORE, TOOLS, Desk, DeskClosedError, Desks, EndedAttempt
from harness.attempts.reads import Data
from harness.attempts.shapes import REQUESTS, checked
from harness.attempts.transcript import CALL
from harness.clock import Clock
from harness.errors import HarnessError

UNKNOWN = "there is no attempt of this id"
_ATTEMPT = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{32}")
_AGAIN = 3  # times that a call looks for its desk, where others close it meanwhile


class Session:
    """Calls of one principal through one server or command; thread-safe. `tools` is the fingerprint of the tools."""

    def __init__(self, log: ChainLog, backend: Backend, tools: str, clock: Clock | None = None) -> None:
        self._log = log
        self._backend = backend
        self._tools = tools
        self._desks = Desks(clock)
        self._own: dict[str, Callable[[Data], Data]] = {
            "list_studies": self._studies,
            "start_attempt": self._start,
            SCORE: self._score,
        }

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a call and write it down. It may wait: for the backend, and in finish_attempt for the disk."""
        try:
            desked = tool in TOOLS or tool == SCORE
            return self._at_desk(tool, args, facts) if desked else self._here(tool, args, facts)
        except HarnessError:  # no log takes a line: the reply says so, since it cannot be written down
            error = AttemptError("E_INTERNAL", "this call could not be written down, so that it does not count")
            return AgentReply(None, error, self._log.head)

    def refuse(self, refusal: AttemptError, seen: object, facts: CallFacts) -> AgentReply:
        """Write down a message that is no call, such as a line that nobody can parse: as a call of no tool."""
        return self._here("", seen, facts, refusal)

    def close(self) -> None:
        """Close every desk and the log."""
        self._desks.close()
        self._log.close()

    def _at_desk(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Have the desk of an open attempt answer; where there is none, the session does."""
        for _ in range(_AGAIN):
            try:
                desk = self._find(args)
            except HarnessError as refusal:
                return self._here(tool, args, facts, refusal)
            if not isinstance(desk, Desk):
                break
            with contextlib.suppress(DeskClosedError):
                scores = tool == SCORE
                reply = desk.score(args, facts, self._scored) if scores else desk.call(tool, args, facts)
                if desk.closed:
                    self._end(str(desk.transcript.state.header["attempt"]), desk, reply)
                return reply
        return self._here(tool, args, facts)

    def _end(self, attempt_id: str, desk: Desk, reply: AgentReply) -> None:
        """Give up the files of an attempt that a call has closed, once all is durable, and have it scored."""
        reply.durable.result()
        self._desks.end(attempt_id, desk)
        with contextlib.suppress(HarnessError):  # a poll begins it again, and says what came of it
            self._backend.finish(attempt_id, wait=False)

    def _find(self, args: object) -> Desk | EndedAttempt | None:
        """Return the desk that the arguments name; None where they name none, HarnessError where there is none."""
        name = args.get("attempt_id") if isinstance(args, Mapping) else None
        if not isinstance(name, str):
            return None
        if not _ATTEMPT.fullmatch(name):
            raise AttemptError("E_UNKNOWN_ATTEMPT", UNKNOWN)
        return self._desks.get(name, self._backend.reopen)

    def _here(self, tool: str, args: object, facts: CallFacts, refusal: HarnessError | None = None) -> AgentReply:
        """Answer a call that concerns no open attempt, or refuse it, and write it into the session's log."""

        def work() -> CallOutcome:
            if refusal is not None:
                raise refusal
            return self._answered(tool, args)

        since = began()
        outcome = attempted(args, work)
        _, durable = self._log.add(CALL, outcome.fields(tool, facts, since), durable=tool == "start_attempt")
        return AgentReply(outcome.data, outcome.error, self._log.head, outcome.images, durable)

    def _answered(self, tool: str, args: object) -> CallOutcome:
        if tool not in REQUESTS:
            raise AttemptError("E_UNKNOWN_TOOL", "there is no tool of this name", nearest(tool, REQUESTS))
        request = checked(tool, args).model_dump(exclude_none=True)
        work = self._own.get(tool) or (lambda given: self._ended(tool, given))
        return accepted(request, work(request))

    def _studies(self, request: Data) -> Data:
        studies = dict(self._backend.catalogue())
        return {**studies, "tools_fingerprint": self._tools, "next": "Call start_attempt with a study and a split."}

    def _start(self, request: Data) -> Data:
        opened = self._backend.open(request, self._tools)
        desk = self._desks.take(opened)
        if isinstance(desk, EndedAttempt):
            raise AttemptError("E_FINISHED", f"this key opened the attempt {opened.attempt_id}, which has ended")
        if opened.more.get("resumed"):
            desk.note_resumed()
        header = desk.transcript.state.header
        return {
            "attempt_id": header["attempt"],
            "manifest_sha256": header["manifest"],
            "n_items": header["items"],
            "budget": dict(header["budget"]),
            **opened.more,
            "transcript_head": desk.transcript.head,
            "next": "Call list_items with this attempt_id.",
        }

    def _scored(self, request: Data) -> Data:
        return {**self._backend.score_text(request), "next": "Go on with the next item."}

    def _score(self, request: Data) -> Data:
        """Score a text after the end of its attempt, where no budget is left to count it: one session, one more."""
        ended = self._find(request)
        if not isinstance(ended, EndedAttempt):  # its desk was closed again and again while this call looked for it
            raise AttemptError("E_INTERNAL", "this attempt is in too much use")
        if not ended.may_score():
            raise AttemptError(
                "E_BUDGET", "as many texts were scored as the attempt had calls", "Nothing: this is all."
            )
        return self._scored(request)

    def _ended(self, tool: str, request: Data) -> Data:
        """Answer a call about an attempt that has ended: how its scoring stands, and nothing else."""
        ended = self._find(request)
        if not isinstance(ended, EndedAttempt):  # its desk was closed again and again while this call looked for it
            raise AttemptError("E_INTERNAL", "this attempt is in too much use")
        if tool != FINISH:
            raise AttemptError("E_FINISHED", "this attempt has ended")
        told = dict(self._backend.finish(request["attempt_id"]))
        more = POLL if told["status"] == "scoring" else "Nothing: this is all."
        return {**told, **ended.counts, "transcript_head": ended.head, "next": more}
