"""The desk of one attempt: reads arguments strictly, answers from the view, writes each call down before its reply.

It knows neither the protocol that brings a call nor a store, and no right answer is in its reach.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from harness.attempts.arguments import checked, digest_of
from harness.attempts.calls import AgentReply, CallFacts, CallOutcome, accepted, attempted, began
from harness.attempts.codes import AttemptError
from harness.attempts.reads import Data, Listing
from harness.attempts.shapes import SubmitAnswersRequest
from harness.attempts.submission import submit
from harness.attempts.transcript import CALL, EXPIRED, FINISHED, REOPENED, Transcript
from harness.attempts.view import ViewReader
from harness.clock import after
from harness.errors import DamageError

FINISH, SCORE = "finish_attempt", "score_text"
TOOLS = ("list_items", "get_item", "submit_answers", FINISH)
_HEADED = ("submit_answers", FINISH)  # their data name the transcript's head, and their replies wait for the disk
POLL = "Call finish_attempt again to read the outcome."


class DeskClosedError(Exception):
    """Call to a desk whose attempt is closed, or whose files are: it writes nothing any more."""


class Desk:
    """The desk of one attempt; thread-safe. Calls are answered one after the other, in the order they are written.

    It owns the transcript and the view. DamageError where the view is not the one that the transcript names.
    """

    def __init__(self, transcript: Transcript, view: ViewReader) -> None:
        self.transcript = transcript
        self._view = view
        state = transcript.state
        if view.sha256 != state.header["view"]:
            raise DamageError("this view is not the attempt's", next="have the operator restore the view")
        self._listing = Listing(state, view)
        budget, started = state.header["budget"], state.header["at"]
        self._until = after(started, budget["seconds"])
        self._lock = threading.Lock()
        self._shut = False
        self._scoring = 0  # texts that are being scored: each is a call that is not written down yet
        self._work: dict[str, Callable[[dict[str, Any], Any], CallOutcome]] = {
            "list_items": self._list,
            "get_item": self._get,
            "submit_answers": self._submit,
            FINISH: self._finish,
        }

    @property
    def closed(self) -> bool:
        """Whether the attempt has ended: nothing is written to its transcript any more."""
        return self.transcript.state.closed is not None

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a call of one of `TOOLS`, and write it down. DeskClosedError, and no line, where it has ended."""
        with self._lock:
            if self._shut or self.closed:
                raise DeskClosedError
            since = began()
            return self._written(tool, attempted(args, lambda: self._answered(tool, args)), facts, since)

    def score(self, args: object, facts: CallFacts, work: Callable[[Data], Data]) -> AgentReply:
        """Have a text scored by `work`, and write the call down as any other; the desk is free meanwhile.

        Refused, too, where its time is over when it has been scored. DeskClosedError, and no line, where the attempt
        has ended before it is scored.
        """
        with self._lock:
            if self._shut or self.closed:
                raise DeskClosedError
            since = began()
            refused = attempted(args, lambda: self._scorable(args))
            if refused.error is not None:
                return self._written(SCORE, refused, facts, since)
            self._scoring += 1
        outcome = attempted(args, lambda: accepted(refused.args, work(dict(refused.args))))
        with self._lock:
            self._scoring -= 1
            if self._shut or self.closed:
                raise DeskClosedError
            late = attempted(args, lambda: self._scorable(args))
            return self._written(SCORE, outcome if late.error is None else late, facts, since)

    def _written(self, tool: str, outcome: CallOutcome, facts: CallFacts, since: float) -> AgentReply:
        """Write a call down, and its end of the attempt where it is one; gives its reply."""
        log = self.transcript
        left = max(0, log.state.calls_left - 1)
        fields = {**outcome.fields(tool, facts, since), "calls_left": left}
        durable = log.add(CALL, fields, durable=tool in _HEADED)
        if outcome.error is None and tool == FINISH:
            durable = log.end(EXPIRED if self._expired() else FINISHED)
        elif outcome.error is not None and outcome.error.name == "E_EXPIRED":
            durable = log.end(EXPIRED)
        data = outcome.data
        if data is not None and tool in _HEADED:
            data = {**data, "transcript_head": log.head}
        return AgentReply(data, outcome.error, log.head, outcome.images, durable)

    def note_resumed(self) -> None:
        """Write down that the attempt was taken up again by its key; nothing where it is closed."""
        with self._lock:
            if not self._shut and not self.closed:
                self.transcript.add(REOPENED, {"cut": 0})

    def abandon(self, reason: str) -> None:
        """Close the attempt without a call, durably; nothing where it is closed."""
        with self._lock:
            self.transcript.end(reason).result()

    def outcome(self) -> Data:
        """Give the counts of an attempt, as finish_attempt tells them."""
        return {f"n_{name}": count for name, count in self.transcript.state.counts().items()}

    def shut(self) -> None:
        """Close the files; calls that come later meet DeskClosedError."""
        with self._lock:
            if not self._shut:
                self._shut = True
                self.transcript.close()
                self._view.close()

    def _expired(self) -> bool:
        return self.transcript.now() > str(self.transcript.state.header["expires"])

    def _answered(self, tool: str, args: object) -> CallOutcome:
        """Answer a call, or raise what is against it."""
        if tool != FINISH:
            self._require_budget()
        request = checked(tool, args)
        return self._work[tool](request.model_dump(exclude_none=True), request)

    def _require_budget(self) -> None:
        if self._expired():
            raise AttemptError("E_EXPIRED", "this attempt has expired and is closed")
        if self.transcript.state.calls_left <= self._scoring:
            raise AttemptError("E_BUDGET", "this attempt has no calls left")
        if self.transcript.now() > self._until:
            raise AttemptError("E_BUDGET", "this attempt has no time left")

    def _scorable(self, args: object) -> CallOutcome:
        """Read what score_text asks for, or raise what is against it: an item without an answer, too."""
        self._require_budget()
        asked = checked(SCORE, args).model_dump(exclude_none=True)
        self._listing.row(asked["item_id"])
        if asked["item_id"] not in self.transcript.state.answers:
            raise AttemptError(
                "E_ARGUMENT", "this item is still open in its attempt", "Submit your answer to it first: it is final."
            )
        return CallOutcome(asked, digest_of(asked))

    def _list(self, args: dict[str, Any], request: Any) -> CallOutcome:
        return accepted(args, self._listing.page(self.transcript.state, args))

    def _get(self, args: dict[str, Any], request: Any) -> CallOutcome:
        data, images = self._listing.item(self.transcript.state, args)
        return accepted(args, data, images)

    def _submit(self, args: dict[str, Any], request: SubmitAnswersRequest) -> CallOutcome:
        state, log = self.transcript.state, self.transcript.log
        made = submit(state, self._listing, request.answers, log.count)
        new = [receipt["item_id"] for receipt in made.receipts if receipt["status"] == "recorded"]
        remaining = state.remaining - len(set(new) - {state.canary})
        kept = {**args, "answers": made.recorded}
        data: Data = {
            "receipts": made.receipts,
            "remaining": remaining,
            "calls_left": max(0, state.calls_left - 1),
            "next": "Call list_items for open items." if remaining else "Call finish_attempt.",
        }
        return CallOutcome(kept, digest_of(kept), data, None, (), made.logged)

    def _finish(self, args: dict[str, Any], request: Any) -> CallOutcome:
        hidden = self.transcript.state.header["hidden"]
        data: Data = {"status": "sealed" if hidden else "scoring", **self.outcome(), "next": POLL}
        if hidden:
            data["next"] = "Nothing: the scores of a hidden split are read by operators."
        return accepted(args, data)
