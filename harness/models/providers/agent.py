"""The provider `agent`: answers that an agent gave in an attempt, read from its transcript; no model is called.

Every prompt of the run gets a row: the recorded text, `unanswered` where the agent was asked and gave none, `not-asked`
where the prompt was no part of the attempt. The last two are error rows, so that they are counted and never scored. It
never knows an item's gold answer, a manifest or a store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from harness import rows, texts
from harness.models.provider import Checked, Imported, Line, Settings, UnsupportedSetting
from harness.models.providers.agent_answers import AttemptAnswers, GivenAnswer, item_id, item_key, read_answers
from harness.rowtypes import Prompt

SHA256 = texts.matching(texts.HEX64, "a SHA-256: 64 hex digits")
UNANSWERED, NOT_ASKED, ABSTAINED = "unanswered", "not-asked", "abstained"
SAID = {UNANSWERED: "agent: the attempt holds no answer to this item", NOT_ASKED: "agent: this was not asked"}
SAMPLES = "samples"
SHOWN = 5  # ids that a count names
NOTHING: dict[str, Any] = {"keys": 0, "first": []}


@dataclass(frozen=True, kw_only=True)
class AgentSettings(Settings):
    """Settings of an agent's answers: the attempt, the digest of its transcript, and the wordings it was asked in."""

    attempt: Line
    transcript: Annotated[str, Checked(SHA256)]
    split: Line | None = None
    templates: tuple[int, ...] = ()  # numbers of the wordings; none: all

    def answer_params(self) -> dict[str, Any]:
        """Select the wordings, if not all were asked; the transcript itself is pinned apart."""
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
    """One response that the run needs: item, wording and sample, and the recorded answer or why there is none."""

    item: str
    template: int
    sample: int
    answer: GivenAnswer | None
    why: str = ""

    def row(self, model: str) -> dict[str, Any]:
        """Make the response row."""
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
    """Write the output `imported`: how many answers were recorded, taken, abstained, are missing or match no prompt."""
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
    """Give what the run needs in the order of the prompts; an attempt answers each prompt once, the first sample."""
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
