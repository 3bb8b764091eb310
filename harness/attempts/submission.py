"""Answers as they are taken in: one an item, the first counts, the same again has the same receipt.

What is wrong with one answer is told in its receipt and leaves the others alone. It must never know a right answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.attempts.arguments import rejected
from harness.attempts.codes import AttemptError
from harness.attempts.fold import RECORDED, AttemptState, RecordedAnswer, answer_text
from harness.attempts.limits import ANSWER_BYTES
from harness.attempts.reads import Data, Listing
from harness.attempts.shapes import SubmittedAnswer
from harness.digest import MAX_INT

_REPLY_ONLY = ("reason", "record")


@dataclass(frozen=True)
class Submission:
    """The answers of a call as they are recorded, and their receipts as the reply and the record hold them."""

    recorded: list[Data]
    receipts: list[Data]

    @property
    def logged(self) -> list[Data]:
        """Give the receipts as the record holds them."""
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
    """Give the text of an answer; AttemptError for what is neither text nor a whole number, or too long."""
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
