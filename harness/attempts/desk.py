"""The desk of one attempt: reads arguments strictly, answers from the view, writes each call down before its reply.

A session keeps desks open: one is opened when a call needs it, and closed when the attempt ends or room is short. Of
answers to one item the first counts, and the same again has the same receipt; what is wrong with one answer is told in
its receipt and leaves the others alone. No right answer is in reach, and neither the protocol nor a store is known.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.attempts.calls import AgentReply, CallFacts, CallOutcome, OpenedAttempt, accepted, attempted, began
from harness.attempts.codes import ANSWER_BYTES, AttemptError
from harness.attempts.reads import Data, Listing, ViewReader
from harness.attempts.shapes import SubmitAnswersRequest, SubmittedAnswer, checked, digest_of, rejected
from harness.attempts.transcript import (
    CALL,
    EXPIRED,
    FINISHED,
    RECORDED,
    REOPENED,
    AttemptState,
    RecordedAnswer,
    Transcript,
    answer_text,
)
from harness.clock import Clock, after
from harness.digest import MAX_INT
from harness.errors import DamageError

_REPLY_ONLY = ("reason", "record")


@dataclass(frozen=True)
class Submission:
    """The answers of a call as they are recorded, and their receipts as the reply and the record hold them."""

    recorded: list[Data]
    receipts: list[Data]

    @property
    def logged(self) -> list[Data]:
        """Return the receipts as the record holds them."""
        return [{name: each for name, each in receipt.items() if name not in _REPLY_ONLY} for receipt in self.receipts]


def submit(state: AttemptState, listing: Listing, answers: Sequence[SubmittedAnswer], record: int) -> Submission:
    """Judge the answers of the call that will be `record`; the state stays as it is until that is written."""
    taken: dict[str, RecordedAnswer] = {}
    recorded, receipts = [], []
    for given in answers:
        fields: Data = {"item_id": given.item_id, "abstain": given.abstain}
        if given.confidence is not None:
            fields["confidence"] = repr(given.confidence).removesuffix(".0")
        try:
            row = listing.row(given.item_id)
            text = _text(given.answer)
            answer = RecordedAnswer(text, given.abstain, fields.get("confidence"), record)
            before = taken.get(given.item_id) or state.answers.get(given.item_id)
            if before is None:
                _require_schema(text, row.get("answer_schema") or {})
                taken[given.item_id] = answer
            elif before.sha256 != answer.sha256:
                raise AttemptError("E_ALREADY_SUBMITTED", "this item has another answer already")
            receipts.append(_receipt(given.item_id, before or answer, RECORDED if before is None else "duplicate"))
            fields["answer"] = given.answer
        except AttemptError as bad:
            fields["answer"] = rejected(given.answer)
            receipts.append({"item_id": given.item_id, "status": "rejected", "code": bad.name, "reason": bad.text})
        recorded.append(fields)
    return Submission(recorded, receipts)


def _receipt(name: str, answer: RecordedAnswer, status: str) -> Data:
    return {"item_id": name, "status": status, "answer_sha256": answer.sha256, "record": answer.record}


def _text(answer: Any) -> str:
    """Return the text of an answer; AttemptError for what is neither text nor a whole number, or too long."""
    if isinstance(answer, bool) or not isinstance(answer, str | int):
        kind = "a number with a point" if isinstance(answer, float) else "no text"
        raise AttemptError("E_FORMAT", f"the answer is {kind}")
    if isinstance(answer, int) and abs(answer) > MAX_INT:
        raise AttemptError("E_FORMAT", "the answer is a number of more digits than JSON keeps everywhere")
    text = answer_text(answer)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise AttemptError("E_ENCODING", "the answer is not text in Unicode") from None
    if size > ANSWER_BYTES:
        raise AttemptError("E_TOO_LONG", f"the answer has {size} bytes in UTF-8")
    return text


def _require_schema(text: str, schema: Mapping[str, Any]) -> None:
    """Hold an answer against the item's public schema: what it enumerates, and its length."""
    if "enum" in schema and text not in schema["enum"]:
        raise AttemptError("E_FORMAT", "the answer is none of those that answer_schema enumerates")
    if not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text)):
        raise AttemptError("E_FORMAT", "the answer has not the length that answer_schema asks for")


FINISH, SCORE = "finish_attempt", "score_text"
TOOLS = ("list_items", "get_item", "submit_answers", FINISH)
_HEADED = ("submit_answers", FINISH)  # their data name the transcript's head, and their replies wait for the disk
POLL = "Call finish_attempt again to read the outcome."


class DeskClosedError(Exception):
    """Call to a desk whose attempt is closed, or whose files are: it writes nothing any more."""


class Desk:
    """Answers the calls of one attempt and writes each down first; thread-safe, one call after the other.

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
        """Return the counts of an attempt, as finish_attempt tells them."""
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


MOST = 32  # desks open at a time


@dataclass(frozen=True)
class EndedAttempt:
    """What is remembered of a closed attempt: its counts, the head of its transcript, and texts that may be scored."""

    counts: Data
    head: str
    texts: Iterator[int]

    def may_score(self) -> bool:
        """Whether one more text may be scored; counts it."""
        return next(self.texts, None) is not None


class Desks:
    """Open desks by attempt; thread-safe."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Desk] = OrderedDict()
        self._ended: OrderedDict[str, EndedAttempt] = OrderedDict()
        self._opening = threading.RLock()
        self._lock = threading.Lock()

    def get(self, attempt_id: str, reopen: Callable[[str], OpenedAttempt]) -> Desk | EndedAttempt:
        """Return the desk of an attempt, opened again where it is not open, or what is known of it once it ended."""
        if found := self._known(attempt_id):
            return found
        with self._opening:  # of two calls at once one opens it
            return self._known(attempt_id) or self.take(reopen(attempt_id))

    def take(self, opened: OpenedAttempt) -> Desk | EndedAttempt:
        """Seat a desk at an attempt that was handed over; where one sits there, that one, and the files are closed."""
        with self._opening:
            if found := self._known(opened.attempt_id):
                _close(opened)
                return found
            return self._seat(opened)

    def _seat(self, opened: OpenedAttempt) -> Desk | EndedAttempt:
        try:
            desk = seat(opened, self._clock)
        except BaseException:
            _close(opened)
            raise
        if desk.closed:
            return self.end(opened.attempt_id, desk)
        with self._lock:
            self._open[opened.attempt_id] = desk
            old = [self._open.popitem(last=False)[1] for _ in range(len(self._open) - MOST)]
        for each in old:
            each.shut()
        return desk

    def end(self, attempt_id: str, desk: Desk) -> EndedAttempt:
        """Close the files of an attempt that has ended, and remember its counts."""
        budget = desk.transcript.state.header["budget"]
        ended = EndedAttempt(desk.outcome(), desk.transcript.head, iter(range(budget["calls"])))
        with self._lock:
            self._open.pop(attempt_id, None)
            self._ended[attempt_id] = ended
            while len(self._ended) > 100 * MOST:
                self._ended.popitem(last=False)
        desk.shut()
        return ended

    def close(self) -> None:
        """Close every desk."""
        with self._lock:
            desks = list(self._open.values())
            self._open.clear()
        for desk in desks:
            desk.shut()

    def _known(self, attempt_id: str) -> Desk | EndedAttempt | None:
        with self._lock:
            if attempt_id in self._open:
                self._open.move_to_end(attempt_id)
                return self._open[attempt_id]
            return self._ended.get(attempt_id)


def seat(opened: OpenedAttempt, clock: Clock | None = None) -> Desk:
    """Make the desk of an attempt that was handed over; the files are the caller's until it is made."""
    view = ViewReader(opened.items, opened.media)
    return Desk(Transcript(opened.transcript, clock), view)


def _close(opened: OpenedAttempt) -> None:
    for handle in (opened.transcript, opened.items, opened.media):
        if handle is not None:
            os.close(handle)
