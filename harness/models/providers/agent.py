"""The provider `agent`: answers that an agent gave in an attempt, read from its transcript; no model is called.

A lock pins the bytes of the transcript. Its hash chain is checked, and recorded answers are collected by item. Every
prompt of the run gets a row: the recorded text, `unanswered` if the agent was asked and gave no answer, `not-asked` if
the prompt was not part of the attempt. The last two are error rows, which are counted and never scored.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from harness import rows, texts
from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.models.provider import CheckedText, Imported, Line, Settings, UnsupportedSetting
from harness.rowtypes import Prompt

TRANSCRIPT, STARTED, CALL, CLOSED = "transcript/1", "attempt.started", "call", "attempt.closed"
SUBMIT, RECORDED = "submit_answers", "recorded"
BEGIN = "0" * 64  # the first line's digest of the line before it
SHORT = 16  # hex digits of an item's id in an attempt
RESTORE = "`harness attempts verify ATTEMPT` says what is wrong with it"


class GivenAnswer(NamedTuple):
    """One recorded answer: its text, and whether the agent said that it abstains."""

    text: str
    abstained: bool


@dataclass(frozen=True)
class AttemptAnswers:
    """The answers of a closed attempt by the ids of its items, and the secret from which those ids were made."""

    secret: bytes
    canary: str  # the id of the control record, which is not an item
    answers: Mapping[str, GivenAnswer]

    def of(self, item: str, template: int) -> GivenAnswer | None:
        """Return the answer to an item in one template, or None."""
        return self.answers.get(item_id(self.secret, item_key(item, template)))


def item_key(item: str, template: int) -> str:
    """Return the key of an item in one template; the same in every attempt, and not telling of the item's id."""
    return sha256(canonical_json({"item": item, "template": template}))


def item_id(secret: bytes, key: str) -> str:
    """Return the id of an item in one attempt; without the attempt's secret, attempts cannot be matched by ids."""
    return hmac.digest(secret, key.encode(), "sha256").hex()[:SHORT]


def read_answers(path: Path) -> AttemptAnswers:
    """Return the answers of a closed attempt; InputError if its chain is broken or it was not closed."""
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
    """Parse the lines, each of which must name its number and the digest of the line before it."""
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
        if not sound or event.get("event") is None or canonical_json(event) != line:
            raise _refuse(f"line {number + 1} of this transcript does not follow the line before it")
        events.append(event)
        head = sha256(line + b"\n")
    return events


def _refuse(what: str) -> InputError:
    return InputError(what, next=RESTORE)


SHA256 = texts.matching_validator(texts.HEX64, "a SHA-256: 64 hex digits")
UNANSWERED, NOT_ASKED, ABSTAINED = "unanswered", "not-asked", "abstained"
SAID = {UNANSWERED: "agent: the attempt holds no answer to this item", NOT_ASKED: "agent: this was not asked"}
SAMPLES = "samples"
SHOWN = 5  # number of ids that a count lists
NOTHING: dict[str, Any] = {"keys": 0, "first": []}


@dataclass(frozen=True, kw_only=True)
class AgentSettings(Settings):
    """Settings of an agent's answers: the attempt, the digest of its transcript, and the templates it was asked in."""

    attempt: Line
    transcript: Annotated[str, CheckedText(SHA256)]
    split: Line | None = None
    templates: tuple[int, ...] = ()  # ids of the templates; empty: all

    def answer_params(self) -> dict[str, Any]:
        """Return the templates, if not all were asked; the transcript itself is pinned separately."""
        return {"templates": list(self.templates)} if self.templates else {}

    def unsupported(self, generation: Mapping[str, Any]) -> UnsupportedSetting | None:
        """Accept every generation setting: the answers exist already."""
        return None

    @property
    def imported(self) -> Imported:
        """The source of the answers: the attempt, by its name and the digest of its transcript."""
        return Imported(f"attempt {self.attempt}", self.transcript)


PROVIDER = AgentSettings


@dataclass(frozen=True)
class AskedRow:
    """One response that the run needs: item, template and sample, and the recorded answer or why there is none."""

    item: str
    template: int
    sample: int
    answer: GivenAnswer | None
    why: str = ""

    def row(self, model: str) -> dict[str, Any]:
        """Return the response row."""
        whose = {
            "item": self.item,
            "template": self.template,
            "sample": self.sample,
            "model": model,
            "imported": True,
        }
        if self.answer is None:
            return {**whose, "text": "", "finish": self.why, "error": SAID[self.why]}
        return {**whose, "text": self.answer.text, "finish": ABSTAINED if self.answer.abstained else "stop"}


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the output `responses`, one row per prompt and sample in their order: the recorded answer or an error."""
    answers = read_answers(inputs["imported"])
    rows.write(out / "responses", (one.row(params["model"]) for one in _asked(params, inputs, answers)))


def account(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the output `imported`: counts of answers recorded, taken, abstained, missing, and without a prompt."""
    answers = read_answers(inputs["imported"])
    asked = list(_asked(params, inputs, answers))
    taken = {item_id(answers.secret, item_key(one.item, one.template)) for one in asked if one.answer}
    strange = sorted(set(answers.answers) - taken - {answers.canary})
    counts = {
        "rows": len(set(answers.answers) - {answers.canary}),
        "taken": len(taken),
        "errors": 0,
        "other_models": 0,
        "missing": sum(one.why == UNANSWERED for one in asked),
        "not_asked": sum(one.why == NOT_ASKED for one in asked),
        "abstained": sum(one.answer is not None and one.answer.abstained for one in asked),
        "refused": {"no_prompt": {"keys": len(strange), "first": strange[:SHOWN]}, "twice": NOTHING},
    }
    rows.write_one(out / "imported", {params["model"]: counts})


def _asked(params: Mapping[str, Any], inputs: Mapping[str, Path], answers: AttemptAnswers) -> Iterator[AskedRow]:
    """Yield the needed rows in the order of the prompts; an attempt answers each prompt once, the first sample."""
    wordings = params.get("templates")
    parts = rows.parts(inputs["prompts"])
    often = params.get(SAMPLES) or [len(params["seeds"])] * len(parts)
    for part, times in zip(parts, often, strict=True):
        for prompt in rows.read(part, Prompt):
            item, template = prompt["item"], prompt["template"]
            in_split = wordings is None or template in wordings
            for sample in range(times):
                found = answers.of(item, template) if in_split and not sample else None
                why = "" if found else UNANSWERED if in_split and not sample else NOT_ASKED
                yield AskedRow(item, template, sample, found, why)
