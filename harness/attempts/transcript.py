"""Transcripts: the log that is all there is of an attempt, and the state that its lines fold to.

One process writes a transcript at a time. The fold (answers, budget, end) is the same while it grows and when it is
read again. A line may come from any copy of a store: what no desk writes is a flaw, or for the first line a
DamageError. Items and cursors have names that are HMACs under the attempt's own secret, and say nothing of an item.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.attempts.chain_log import ChainLog, create, done
from harness.attempts.codes import AttemptError
from harness.clock import Clock, after
from harness.digest import MAX_INT, canonical, sha256
from harness.errors import DamageError
from harness.store.journal import Event
from harness.store.tree import StoreTree

_MARK = 16  # bytes of a cursor's code


def item_key(item: str, template: int) -> str:
    """Key of a prompt in a view: the digest of its item and wording."""
    return sha256(canonical({"item": item, "template": template}))


def item_id(secret: bytes, key: str) -> str:
    """Name a prompt for the agent of one attempt: 16 hex digits that no other attempt shares."""
    return hmac.digest(secret, key.encode(), "sha256").hex()[:16]


def make_cursor(secret: bytes, query: Mapping[str, str | int], last: str) -> str:
    """Make the cursor that goes on after an item, for the same attempt and query only."""
    return base64.urlsafe_b64encode(_code(secret, query, last) + last.encode()).decode().rstrip("=")


def read_cursor(secret: bytes, query: Mapping[str, str | int], cursor: str) -> str:
    """Read after which item a cursor goes on; AttemptError for one that this attempt did not make for this query."""
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        last = data[_MARK:].decode("ascii")
    except (ValueError, binascii.Error):
        data, last = b"", ""
    if not hmac.compare_digest(data[:_MARK], _code(secret, query, last)) or make_cursor(secret, query, last) != cursor:
        raise AttemptError("E_CURSOR", "this cursor was not made for this attempt and these arguments")
    return last


def _code(secret: bytes, query: Mapping[str, str | int], last: str) -> bytes:
    return hmac.digest(secret, canonical({"cursor": last, "query": dict(query)}), "sha256")[:_MARK]


RECORDED = "recorded"
SUBMIT = "submit_answers"


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The one answer to an item: its text, what the agent said of it, and the record that holds it."""

    text: str
    abstain: bool
    confidence: str | None
    record: int

    @property
    def sha256(self) -> str:
        """Digest of the answer with all that was said of it: what a receipt names."""
        return answer_digest(self.text, self.abstain, self.confidence)


def answer_digest(text: str, abstain: bool, confidence: str | None) -> str:
    """Digest of an answer: equal answers have equal ones, however they were sent."""
    return sha256(canonical({"abstain": abstain, "answer": text, "confidence": confidence}))


def answer_text(answer: str | int) -> str:
    """Return the text that is scored: of a whole number its decimal digits."""
    return answer if isinstance(answer, str) else str(answer)


@dataclass
class AttemptState:
    """State of an attempt after some of its events."""

    header: Mapping[str, Any]
    answers: dict[str, RecordedAnswer] = field(default_factory=dict)
    calls: int = 0
    closed: Event | None = None
    flaws: list[str] = field(default_factory=list)  # what no desk writes, though each line is well formed

    def __post_init__(self) -> None:
        """Name the secret of the attempt and the control item, which nothing counts; DamageError for no header."""
        if not _sound(self.header):
            raise DamageError("this transcript does not begin as a desk begins one", next="restore it from a copy")
        self.secret = bytes.fromhex(self.header["secret"])
        self.canary = item_id(self.secret, self.header["canary"]["key"])

    def apply(self, event: Event) -> None:
        """Take the next event in."""
        if self.closed is not None:
            self.flaws.append(f"record {event['n']} follows the end")
        if event["event"] == "call":
            self.calls += 1
            if event["calls_left"] != self.calls_left:
                self.flaws.append(f"record {event['n']} miscounts the calls left")
            self._answers(event)
        elif event["event"] == "attempt.closed":
            self.closed = event
            if {name: event[name] for name in ("answered", "abstained", "missing")} != self.counts():
                self.flaws.append(f"record {event['n']} miscounts the answers")
        elif event["event"] == "attempt.started":
            self.flaws.append(f"record {event['n']} starts the attempt again")

    def _answers(self, event: Event) -> None:
        """Take the answers of a call in that its receipts say were recorded."""
        receipts = event.get("receipts", [])
        if not receipts:
            return
        given = event["args"].get("answers")
        if event["tool"] != SUBMIT or event["is_error"] or not isinstance(given, list) or len(given) != len(receipts):
            self.flaws.append(f"record {event['n']} has receipts that are of no answers")
            return
        for answer, receipt in zip(given, receipts, strict=True):
            if not isinstance(receipt, dict) or receipt.get("status") != RECORDED:
                continue
            name, recorded = receipt.get("item_id"), _recorded(answer, event["n"])
            if recorded is None or not isinstance(name, str) or answer.get("item_id") != name:
                self.flaws.append(f"record {event['n']} has a receipt that is not of its answer")
                continue
            if name in self.answers or receipt.get("answer_sha256") != recorded.sha256:
                self.flaws.append(f"record {event['n']} records an answer twice, or another than its receipt says")
            self.answers.setdefault(name, recorded)

    @property
    def calls_left(self) -> int:
        """Calls that may still be made."""
        return max(0, int(self.header["budget"]["calls"]) - self.calls)

    @property
    def remaining(self) -> int:
        """Items without an answer, the control item aside."""
        return int(self.header["items"]) - (len(self.answers) - (self.canary in self.answers))

    def counts(self) -> dict[str, int]:
        """Count answers, abstentions among them, and items without one; the control item is in none."""
        counted = [answer for name, answer in self.answers.items() if name != self.canary]
        abstained = sum(answer.abstain for answer in counted)
        return {"answered": len(counted), "abstained": abstained, "missing": self.remaining}


def fold(events: Iterable[Event]) -> AttemptState:
    """Fold the events of a transcript, the first of which starts the attempt."""
    first, *rest = events
    state = AttemptState(first)
    for event in rest:
        state.apply(event)
    return state


def _recorded(answer: Any, record: int) -> RecordedAnswer | None:
    """Read an answer as a desk records one; None for what none writes."""
    if not isinstance(answer, dict):
        return None
    text, abstain, confidence = answer.get("answer"), answer.get("abstain"), answer.get("confidence")
    if isinstance(text, bool) or not isinstance(text, str | int):
        return None
    if not isinstance(abstain, bool) or not isinstance(confidence, str | None):
        return None
    return RecordedAnswer(answer_text(text), abstain, confidence, record)


def _sound(header: Mapping[str, Any]) -> bool:
    """Whether the parts of a first line that the state rests on are what a desk writes there."""
    budget, canary = header["budget"], header["canary"]
    counts = (budget.get("calls"), budget.get("seconds"), header["items"])
    try:
        bytes.fromhex(header["secret"])
        after(header["at"], budget["seconds"])
    except (ValueError, LookupError, TypeError, OverflowError):
        return False
    words = (canary.get("key"), canary.get("sha256"))
    return all(type(count) is int and 0 <= count <= MAX_INT for count in counts) and all(
        isinstance(word, str) for word in words
    )


KIND = "transcript/1"
STARTED, CALL, REOPENED, CLOSED = "attempt.started", "call", "reopened", "attempt.closed"
FINISHED, ABANDONED, EXPIRED = "finished", "abandoned", "expired"


def begin(path: Path, fields: Mapping[str, Any], tree: StoreTree | None = None) -> str:
    """Write the first line of an attempt's transcript durably; gives its digest, which the list of runs names."""
    return create(path, KIND, STARTED, fields, tree)


class Transcript:
    """The transcript behind a descriptor and the state it folds to; each event is folded as it is written.

    Opening one that was written to before says so in it, with the bytes of a torn line that were cut off; a closed
    one is read and never written to. AttemptError (E_BUSY) where another process holds it, DamageError where its
    chain is broken; then the descriptor stays the caller's, else it is closed with the transcript.
    """

    def __init__(self, handle: int, clock: Clock | None = None) -> None:
        self.log = ChainLog(handle, KIND, clock)
        if self.log.found[0]["event"] != STARTED:
            raise DamageError("this transcript does not begin with a start", next="restore it from a copy")
        self.state: AttemptState = fold(self.log.found)
        reopened, self.log.found = len(self.log.found) > 1 or self.log.torn > 0, ()
        if self.state.flaws:
            raise DamageError(
                f"this transcript was not written by a desk: {self.state.flaws[0]}", next="restore it from a copy"
            )
        if self.state.closed is None and reopened:
            self.add(REOPENED, {"cut": self.log.mend()})

    @property
    def head(self) -> str:
        """Digest of the last line."""
        return self.log.head

    def now(self) -> str:
        """Return the time, as the next line would tell it."""
        return self.log.clock.now()

    def add(self, event: str, fields: Mapping[str, Any], *, durable: bool = False) -> Future[None]:
        """Write an event and fold it; gives a future that is done when it is durable."""
        body, future = self.log.add(event, fields, durable=durable)
        self.state.apply(body)
        return future

    def end(self, reason: str) -> Future[None]:
        """Write the last event, with the counts; nothing follows it. Done at once where it was written before."""
        if self.state.closed is not None:
            return done()
        return self.add(CLOSED, {"reason": reason, **self.state.counts()}, durable=True)

    def close(self) -> None:
        """Close the descriptor."""
        self.log.close()
