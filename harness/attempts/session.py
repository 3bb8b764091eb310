"""A session: the entry point for all calls of an agent, from a server, the command line or Python.

It finds the desk of an attempt, and answers calls that concern no attempt. Each call is recorded exactly once: in the
transcript while the attempt is open, else in the log of the session. It is independent of protocol and store.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.attempts import shapes
from harness.attempts.calls import AgentReply, Backend, CallFacts, CallOutcome, accept_call, arrival_time, attempt_call
from harness.attempts.codes import AttemptError, suggest_name
from harness.attempts.desk import FINISH, POLL, SCORE, TOOLS, Desk, DeskClosedError, Desks, EndedAttempt
from harness.attempts.reads import Data
from harness.attempts.transcript import CALL, ChainLog
from harness.clock import Clock
from harness.errors import HarnessError

UNKNOWN = "there is no attempt of this id"
_ATTEMPT = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{32}")
_AGAIN = 3  # times that a call searches its desk, if other calls close it meanwhile


class Session:
    """Calls of one principal through one server or command; thread-safe. `tools` is the fingerprint of the tools."""

    def __init__(self, log: ChainLog, backend: Backend, tools: str, clock: Clock | None = None) -> None:
        self._log = log
        self._backend = backend
        self._tools = tools
        self._desks = Desks(clock)
        self._own: dict[str, Callable[[Any], Data]] = {
            "list_studies": self._studies,
            "start_attempt": self._start,
            SCORE: self._score,
        }

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a call and record it. It may wait for the backend, and in finish_attempt for the disk."""
        try:
            desked = tool in TOOLS or tool == SCORE
            return self._at_desk(tool, args, facts) if desked else self._here(tool, args, facts)
        except HarnessError:  # no log takes a line, so the call cannot be recorded, which the reply says
            error = AttemptError("E_INTERNAL", "this call could not be written down, so that it does not count")
            return AgentReply(None, error, self._log.head)

    def refuse(self, refusal: AttemptError, seen: object, facts: CallFacts) -> AgentReply:
        """Record a message that is not a call, such as a line that cannot be parsed, as a call without a tool."""
        return self._here("", seen, facts, refusal)

    def holds(self, attempt_id: str) -> bool:
        """Whether the desk of an attempt is open, so that its calls need not wait."""
        return self._desks.holds(attempt_id)

    def close(self) -> None:
        """Close every desk and the log."""
        self._desks.close()
        self._log.close()

    def _at_desk(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer by the desk of an open attempt; without one, the session answers."""
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
        """Release the files of an attempt that a call has closed, after all data are durable, and start its scoring."""
        reply.durable.result()
        self._desks.end(attempt_id, desk)
        with contextlib.suppress(HarnessError):  # a poll starts it again, and reports the result
            self._backend.finish(attempt_id, wait=False)

    def _find(self, args: object) -> Desk | EndedAttempt | None:
        """Return the desk that the arguments name; None if they name none. HarnessError for an unknown one."""
        name = args.get("attempt_id") if isinstance(args, Mapping) else None
        if not isinstance(name, str):
            return None
        if not _ATTEMPT.fullmatch(name):
            raise AttemptError("E_UNKNOWN_ATTEMPT", UNKNOWN)
        found = self._desks.get(name, self._backend.reopen)
        # A call at the same time may have closed it, and not have released its files yet.
        return self._desks.end(name, found) if isinstance(found, Desk) and found.closed else found

    def _here(self, tool: str, args: object, facts: CallFacts, refusal: HarnessError | None = None) -> AgentReply:
        """Answer a call that concerns no open attempt, or refuse it, and record it in the session's log."""

        def work() -> CallOutcome:
            if refusal is not None:
                raise refusal
            return self._answered(tool, args)

        since = arrival_time()
        outcome = attempt_call(args, work)
        _, durable = self._log.add(CALL, outcome.fields(tool, facts, since), durable=tool == "start_attempt")
        return AgentReply(outcome.data, outcome.error, self._log.head, outcome.images, durable)

    def _answered(self, tool: str, args: object) -> CallOutcome:
        if tool not in shapes.REQUESTS:
            raise AttemptError("E_UNKNOWN_TOOL", "there is no tool of this name", suggest_name(tool, shapes.REQUESTS))
        request: Any = shapes.parse_arguments(tool, args).model_dump(exclude_none=True)
        work = self._own.get(tool) or (lambda given: self._ended(tool, given))
        return accept_call(request, work(request))

    def _studies(self, _: object) -> Data:
        return {
            **self._backend.catalogue(),
            "tools_fingerprint": self._tools,
            "next": "Call start_attempt with a study and a split.",
        }

    def _start(self, request: shapes.StartAttemptArgs) -> Data:
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
            "n_items": desk.transcript.state.asked,
            "budget": dict(header["budget"]),
            **opened.more,
            "transcript_head": desk.transcript.head,
            "next": "Call get_item with this attempt_id.",
        }

    def _scored(self, request: shapes.ScoreTextArgs) -> Data:
        return {**self._backend.score_text(request), "next": "Go on with the next item."}

    def _score(self, request: shapes.ScoreTextArgs) -> Data:
        """Score a text after the end of its attempt; a session may score as many as the attempt had calls."""
        ended = self._find(request)
        if not isinstance(ended, EndedAttempt):  # its desk was closed repeatedly during this call
            raise AttemptError("E_INTERNAL", "this attempt is in too much use")
        if not ended.may_score():
            raise AttemptError(
                "E_BUDGET", "as many texts were scored as the attempt had calls", "Nothing: this is all."
            )
        return self._scored(request)

    def _ended(self, tool: str, request: Any) -> Data:
        """Answer a call about an ended attempt: the progress of its scoring, or an error."""
        ended = self._find(request)
        if not isinstance(ended, EndedAttempt):  # its desk was closed repeatedly during this call
            raise AttemptError("E_INTERNAL", "this attempt is in too much use")
        if tool != FINISH:
            raise AttemptError("E_FINISHED", "this attempt has ended")
        told = self._backend.finish(request["attempt_id"])
        more = POLL if told["status"] == "scoring" else "Nothing: this is all."
        return {**told, **ended.counts, "transcript_head": ended.head, "next": more}
