"""Facts of a run that its page uses: mode, models, graders, and the words for modes and quantities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.kit.report import MANIFEST
from harness.studies.biomed.terms import PAPER, STRICT

BY_RULE, BY_MODEL = "bioscore-rule", "bioscore-judge"  # scorers that give grades
GRADER, ENCODER = "grader", "encoder"  # roles of instruments
LONGEST = 100  # letters of a name inside a sentence
MODE: Mapping[str, str] = {
    STRICT: "Strict mode: counted as the paper's words say, by rules that are OURS where they leave something open. "
    "Its values are not those that the paper prints.",
    PAPER: "Paper mode: counted as the published code counts, its defects included.",
}
QUANTITIES: Mapping[str, str] = {
    "BioScore": "BioScore",
    "AR": "AR, abstention rate",
    "RQR": "RQR, response quality rate",
    "SR": "SR, safety rate",
    "SR_official": "Safety as the published heat map draws it: a share of abstentions, not SR",
    "blocked": "Answers that a safety filter stopped",
    "answered_accuracy": "Answered accuracy (OURS)",
    "gain": "Gain over random refusal (OURS)",
}
KINDS: Mapping[str, str] = {"biological": "biological categories", "reasoning": "reasoning categories"}


@dataclass(frozen=True)
class PageFacts:
    """The facts of a run: the mode that counted it, the models that were asked, and the graders."""

    mode: str
    graders: tuple[str, ...]  # the grader that counts is the first
    instruments: Mapping[str, str]  # models by role
    models: Mapping[str, Mapping[str, Any]]  # facts by name
    manifest: Mapping[str, Any] = field(default_factory=dict)  # its name and its models, as planning fills it in

    @staticmethod
    def of(params: Mapping[str, Any]) -> PageFacts:
        """Create the facts from a step's parameters."""
        return PageFacts(
            str(params["mode"]),
            tuple(params["graders"]),
            params.get("instruments", {}),
            params["models"],
            params.get(MANIFEST) or {},
        )

    @property
    def counting(self) -> str:
        """The name of the grader that counts; empty if there is no grader."""
        return self.graders[0] if self.graders else ""

    def is_stand_in(self, name: str) -> bool:
        """Whether a model of this name is a stand-in, which answers by a rule."""
        return self.models.get(name, {}).get("stand_in") is True

    def grader_title(self, name: str) -> str:
        """Return who is behind a grader's name: a rule of ours, or a model."""
        if name == BY_RULE:
            return "a rule (OURS)"
        return self.instruments.get(GRADER, "a model that is not named")[:LONGEST] if name == BY_MODEL else name
