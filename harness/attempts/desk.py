"""`Desk` answers the calls of one attempt: strict arguments, answers from the view, each call recorded first.

A session keeps desks open. A desk is opened when a call needs it, and closed when the attempt ends or too many are
open. Of several answers to one item the first counts; the same answer again gets the same receipt. An error in one
answer is reported in its receipt and does not affect the others. Right answers are not accessible here.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from harness.attempts import shapes
from harness.attempts.calls import (
    AgentReply,
    CallFacts,
    CallOutcome,
    OpenedAttempt,
    accept_call,
    arrival_time,
    attempt_call,
)
from harness.attempts.codes import ANSWER_BYTES, AttemptError
from harness.attempts.reads import Data, Listing, ViewReader
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
from harness.clock import Clock, time_after
from harness.digest import MAX_INT
from harness.errors import DamageError
from harness.store.journal import AttemptFields

_REPLY_ONLY = ("reason", "record")


@dataclass(frozen=True)
class Submission:
    """The answers of a call as they are recorded, and their receipts for the reply and for the record."""

    recorded: list[Data]
    receipts: list[Data]

    @property
    def logged(self) -> list[Mapping[str, Any]]:
        """The receipts without the fields that only the reply has, as the transcript keeps them."""
        return [{name: each for name, each in receipt.items() if name not in _REPLY_ONLY} for receipt in self.receipts]


def receive_answers(
    state: AttemptState, listing: Listing, answers: Sequence[shapes.SubmittedAnswer], record: int
) -> Submission:
    """Check the answers of one call, and return what is to be recorded of them and a receipt for each.

    `record` is the number of that call's line in the transcript. The state changes only when the line is written.
    """
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
            fields["answer"] = shapes.describe_rejected(given.answer)
            receipts.append({"item_id": given.item_id, "status": "rejected", "code": bad.name, "reason": bad.text})
        recorded.append(fields)
    return Submission(recorded, receipts)


def _receipt(name: str, answer: RecordedAnswer, status: str) -> Data:
    return {"item_id": name, "status": status, "answer_sha256": answer.sha256, "record": answer.record}


def _text(answer: Any) -> str:
    """Return the text of an answer; raises AttemptError if it is not text or a whole number, or too long."""
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
    """Check an answer against the item's public schema: its enumeration and its length."""
    if "enum" in schema and text not in schema["enum"]:
        raise AttemptError("E_FORMAT", "the answer is none of those that answer_schema enumerates")
    if not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text)):
        raise AttemptError("E_FORMAT", "the answer has not the length that answer_schema asks for")


FINISH, SCORE = "finish_attempt", "score_text"
TOOLS = ("list_items", "get_item", "submit_answers", FINISH)
_HEADED = ("submit_answers", FINISH)  # their data contain the transcript's head, and their replies wait for the disk
POLL = "Call finish_attempt again to read the outcome."


class DeskClosedError(Exception):
    """Call to a desk whose attempt or files are closed, which records nothing any more."""


class Desk:
    """Answers the calls of one attempt and records each before its reply; thread-safe, one call after the other.

    It owns the transcript and the view. Raises DamageError if the view is not the one that the transcript names.
    """

    def __init__(self, transcript: Transcript, view: ViewReader) -> None:
        self.transcript = transcript
        self._view = view
        state = transcript.state
        if view.sha256 != state.header["view"]:
            raise DamageError("this view is not the attempt's", next="have the operator restore the view")
        self._listing = Listing(state, view)
        budget, started = state.header["budget"], state.header["at"]
        self._until = time_after(started, budget["seconds"])
        self._lock = threading.Lock()
        self._shut = False
        self._scoring = 0  # texts being scored; each is a call that is not recorded yet
        self._work: dict[str, Callable[[dict[str, Any], Any], CallOutcome]] = {
            "list_items": self._list,
            "get_item": self._get,
            "submit_answers": self._submit,
            FINISH: self._finish,
        }

    @property
    def closed(self) -> bool:
        """Whether the attempt has ended, so that nothing is written to its transcript any more."""
        return self.transcript.state.closed is not None

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer and record a call of one of `TOOLS`; raises DeskClosedError, and records nothing, if it has ended."""
        with self._lock:
            if self._shut or self.closed:
                raise DeskClosedError
            since = arrival_time()
            return self._written(tool, attempt_call(args, lambda: self._answered(tool, args)), facts, since)

    def score(self, args: object, facts: CallFacts, work: Callable[[shapes.ScoreTextArgs], Data]) -> AgentReply:
        """Score a text by `work`, and record the call like any other; the desk can answer other calls meanwhile.

        The call is also refused if the attempt's time is over when the text has been scored. Raises DeskClosedError,
        and records nothing, if the attempt ends before the text is scored.
        """
        with self._lock:
            if self._shut or self.closed:
                raise DeskClosedError
            since = arrival_time()
            refused = attempt_call(args, lambda: self._scorable(args))
            if refused.error is not None:
                return self._written(SCORE, refused, facts, since)
            self._scoring += 1
        outcome = attempt_call(args, lambda: accept_call(refused.args, work(cast(shapes.ScoreTextArgs, refused.args))))
        with self._lock:
            self._scoring -= 1
            if self._shut or self.closed:
                raise DeskClosedError
            late = attempt_call(args, lambda: self._scorable(args))
            return self._written(SCORE, outcome if late.error is None else late, facts, since)

    def _written(self, tool: str, outcome: CallOutcome, facts: CallFacts, since: float) -> AgentReply:
        """Record a call, and the end of the attempt if the call ends it; return the reply."""
        log = self.transcript
        left = max(0, log.state.calls_left - 1)
        fields: AttemptFields = {**outcome.fields(tool, facts, since), "calls_left": left}
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
        """Record that the attempt was resumed by its key; does nothing if it is closed."""
        with self._lock:
            if not self._shut and not self.closed:
                self.transcript.add(REOPENED, {"cut": 0})

    def abandon(self, reason: str) -> None:
        """Close the attempt without a call, durably; does nothing if it is closed."""
        with self._lock:
            self.transcript.end(reason).result()

    def outcome(self) -> Data:
        """Return the numbers of items answered, abstained and missing, as finish_attempt tells them to the agent."""
        return {f"n_{name}": count for name, count in self.transcript.state.told().items()}

    def shut(self) -> None:
        """Close the files; later calls get DeskClosedError."""
        with self._lock:
            if not self._shut:
                self._shut = True
                self.transcript.close()
                self._view.close()

    def _expired(self) -> bool:
        return self.transcript.now() > str(self.transcript.state.header["expires"])

    def _answered(self, tool: str, args: object) -> CallOutcome:
        """Answer a call, or raise the reason for its refusal."""
        if tool != FINISH:
            self._require_budget()
        request = shapes.parse_arguments(tool, args)
        return self._work[tool](request.model_dump(exclude_none=True), request)

    def _require_budget(self) -> None:
        if self._expired():
            raise AttemptError("E_EXPIRED", "this attempt has expired and is closed")
        if self.transcript.state.calls_left <= self._scoring:
            raise AttemptError("E_BUDGET", "this attempt has no calls left")
        if self.transcript.now() > self._until:
            raise AttemptError("E_BUDGET", "this attempt has no time left")

    def _scorable(self, args: object) -> CallOutcome:
        """Return the arguments of score_text, or raise the reason for a refusal, such as an item without an answer."""
        self._require_budget()
        asked = shapes.parse_arguments(SCORE, args).model_dump(exclude_none=True)
        self._listing.row(asked["item_id"])
        if asked["item_id"] not in self.transcript.state.answers:
            raise AttemptError(
                "E_ARGUMENT", "this item is still open in its attempt", "Submit your answer to it first: it is final."
            )
        return CallOutcome(asked, shapes.call_digest(asked))

    def _list(self, args: dict[str, Any], request: Any) -> CallOutcome:
        return accept_call(args, self._listing.page(self.transcript.state, cast(shapes.ListItemsArgs, args)))

    def _get(self, args: dict[str, Any], request: Any) -> CallOutcome:
        data, images = self._listing.read(self.transcript.state, cast(shapes.GetItemArgs, args))
        if "item_ids" not in args and data["items"]:  # what was read is recorded
            args = {**args, "item_ids": [one["item_id"] for one in data["items"]]}
        return accept_call(args, data, images)

    def _submit(self, args: dict[str, Any], request: shapes.SubmitAnswersRequest) -> CallOutcome:
        state, log = self.transcript.state, self.transcript.log
        made = receive_answers(state, self._listing, request.answers, log.count)
        new = [receipt["item_id"] for receipt in made.receipts if receipt["status"] == "recorded"]
        remaining = state.unanswered - len(set(new))
        kept = {**args, "answers": made.recorded}
        data: Data = {
            "receipts": [
                {name: value for name, value in receipt.items() if (name, value) != ("record", log.count)}
                for receipt in made.receipts
            ],
            "record": log.count,
            "remaining": remaining,
            "calls_left": max(0, state.calls_left - 1),
            **({} if remaining else {"next": "Call finish_attempt."}),
        }
        return CallOutcome(kept, shapes.call_digest(kept), data, None, (), made.logged)

    def _finish(self, args: dict[str, Any], request: Any) -> CallOutcome:
        hidden = self.transcript.state.header["hidden"]
        data: Data = {"status": "sealed" if hidden else "scoring", **self.outcome(), "next": POLL}
        if hidden:
            data["next"] = "Nothing: the scores of a hidden split are read by operators."
        return accept_call(args, data)


MOST = 64  # most desks open at a time


@dataclass(frozen=True)
class EndedAttempt:
    """What is kept of a closed attempt: its counts, the head of its transcript, and the remaining texts to score."""

    counts: Data
    head: str
    texts: Iterator[int]

    def may_score(self) -> bool:
        """Count one more text to score; return False once as many were scored as the attempt had calls."""
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
        """Return the desk of an attempt, reopened if it is not open, or the kept data of an ended attempt."""
        if found := self._known(attempt_id):
            return found
        with self._opening:  # of two calls at the same time, one opens it
            return self._known(attempt_id) or self.take(reopen(attempt_id))

    def take(self, opened: OpenedAttempt) -> Desk | EndedAttempt:
        """Return a desk for an attempt that was handed over; if one exists, return that and close the files."""
        with self._opening:
            if found := self._known(opened.attempt_id):
                _close(opened)
                return found
            return self._seat(opened)

    def _seat(self, opened: OpenedAttempt) -> Desk | EndedAttempt:
        try:
            desk = take_over_desk(opened, self._clock)
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
        """Close the files of an attempt that has ended, and keep its counts, once however many calls ask for it.

        Everything is durable when it returns.
        """
        budget = desk.transcript.state.header["budget"]
        kept = EndedAttempt(desk.outcome(), desk.transcript.head, iter(range(budget["calls"])))
        with self._lock:
            self._open.pop(attempt_id, None)
            ended = self._ended.setdefault(attempt_id, kept)
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

    def holds(self, attempt_id: str) -> bool:
        """Whether the desk of an attempt is open in this process."""
        with self._lock:
            return attempt_id in self._open

    def _known(self, attempt_id: str) -> Desk | EndedAttempt | None:
        with self._lock:
            if attempt_id in self._open:
                self._open.move_to_end(attempt_id)
                return self._open[attempt_id]
            return self._ended.get(attempt_id)


def take_over_desk(opened: OpenedAttempt, clock: Clock | None = None) -> Desk:
    """Return the desk of an attempt that was handed over; the caller owns the files until it returns."""
    view = ViewReader(opened.items, opened.media)
    return Desk(Transcript(opened.transcript, clock), view)


def _close(opened: OpenedAttempt) -> None:
    for handle in (opened.transcript, opened.items, opened.media):
        if handle is not None:
            os.close(handle)
