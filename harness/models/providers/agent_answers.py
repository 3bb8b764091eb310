"""Reader of an attempt's transcript for its answers: the chain is checked, and what was recorded is folded by item.

It is handed bytes that a lock pins, and never knows a prompt, the right answers or the store. Whatever else stands in a
transcript (calls that only read, calls that were refused) is evidence and no answer.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from harness.digest import canonical, sha256
from harness.errors import InputError

TRANSCRIPT, STARTED, CALL, CLOSED = "transcript/1", "attempt.started", "call", "attempt.closed"
SUBMIT, RECORDED = "submit_answers", "recorded"
BEGIN = "0" * 64  # what the first line names as the line before it
SHORT = 16  # hex digits of an item's id in an attempt
RESTORE = "`harness attempts verify ATTEMPT` says what is wrong with it"


class GivenAnswer(NamedTuple):
    """One answer as it was recorded: its text, and whether the agent said beside it that it abstains."""

    text: str
    abstained: bool


@dataclass(frozen=True)
class AttemptAnswers:
    """The answers of a closed attempt by the ids that its items had, and the secret those ids were made with."""

    secret: bytes
    canary: str  # the id of the control record, which is no item
    answers: Mapping[str, GivenAnswer]

    def of(self, item: str, template: int) -> GivenAnswer | None:
        """Find the answer to an item in one wording."""
        return self.answers.get(item_id(self.secret, item_key(item, template)))


def item_key(item: str, template: int) -> str:
    """Name an item in one wording, the same in every attempt; the item's own id cannot be read from it."""
    return sha256(canonical({"item": item, "template": template}))


def item_id(secret: bytes, key: str) -> str:
    """Give the id that an item has in one attempt: without the attempt's secret no two attempts can be matched."""
    return hmac.digest(secret, key.encode(), "sha256").hex()[:SHORT]


def read_answers(path: Path) -> AttemptAnswers:
    """Read the answers of a closed attempt; refuse a transcript whose chain is broken, or that was never closed."""
    events = _chain(path.read_bytes())
    if not events or events[0]["event"] != STARTED or events[-1]["event"] != CLOSED:
        raise _refuse("this transcript is not that of a closed attempt")
    secret = bytes.fromhex(events[0]["secret"])
    answers: dict[str, GivenAnswer] = {}
    for event in events:
        if event["event"] == CALL and event["tool"] == SUBMIT:
            for given, receipt in zip(event["args"].get("answers", ()), event.get("receipts", ()), strict=False):
                if receipt["status"] == RECORDED:
                    answers.setdefault(receipt["item_id"], GivenAnswer(str(given["answer"]), _abstains(given)))
    canary = events[0].get("canary", {}).get("key")
    return AttemptAnswers(secret, item_id(secret, canary) if canary else "", answers)


def _abstains(given: Mapping[str, Any]) -> bool:
    return given.get("abstain") is True


def _chain(data: bytes) -> list[dict[str, Any]]:
    """Parse the lines, each of which must name its place and the digest of the line before it."""
    events: list[dict[str, Any]] = []
    head = BEGIN
    lines = data.split(b"\n")
    if lines.pop():
        raise _refuse("the last line of this transcript was cut short")
    for number, line in enumerate(lines):
        try:
            event = json.loads(line)
            sound = (event["type"], event["n"], event["prev"]) == (TRANSCRIPT, number, head)
        except (ValueError, LookupError, TypeError, RecursionError):
            sound = False
        if not sound or event.get("event") is None or canonical(event) != line:
            raise _refuse(f"line {number + 1} of this transcript does not follow the line before it")
        events.append(event)
        head = sha256(line + b"\n")
    return events


def _refuse(what: str) -> InputError:
    return InputError(what, next=RESTORE)
