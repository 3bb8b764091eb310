"""What a transcript says so far: answers, budget, end. A fold over its lines, the same while it grows and when reread.

It must never know a file: it takes events and gives values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.attempts.ids import item_id
from harness.digest import canonical, sha256
from harness.store.journal import Event

RECORDED = "recorded"


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
    """Give the text that is scored: of a whole number its decimal digits."""
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
        """Name the attempt's own secret and the control item, which nothing counts."""
        self.secret = bytes.fromhex(self.header["secret"])
        canary = self.header["canary"].get("key")
        self.canary = item_id(self.secret, canary) if canary else ""

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
        given = event["args"].get("answers", []) if receipts else []
        if len(given) != len(receipts):
            self.flaws.append(f"record {event['n']} has {len(given)} answers and {len(receipts)} receipts")
            return
        for answer, receipt in zip(given, receipts, strict=True):
            if receipt.get("status") != RECORDED:
                continue
            recorded = RecordedAnswer(
                answer_text(answer["answer"]), answer["abstain"], answer.get("confidence"), event["n"]
            )
            if answer["item_id"] in self.answers or receipt.get("answer_sha256") != recorded.sha256:
                self.flaws.append(f"record {event['n']} records an answer twice, or another than its receipt says")
            self.answers.setdefault(answer["item_id"], recorded)

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
