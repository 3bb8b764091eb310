"""Facts of a run that its page rests on: models, scorers, wordings, how often and how each was asked.

It knows what a manifest says; it must never know a value, a question or an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.kit.meaning import Meaning
from harness.studies.questions.meaning import MEANINGS

REPORT = "report.html"
FIGURE = "figure-scores"
FIGURES = (f"{FIGURE}.svg", f"{FIGURE}.png")
WORDINGS = "wordings"  # the input that holds a file of wordings
SHARE = (0, 1)  # bounds of what is told in per cent


@dataclass(frozen=True)
class QuestionsFacts:
    """What was asked: models by name, scorers by the name of their rows, wordings, and how it was asked."""

    models: Mapping[str, Mapping[str, Any]]
    scorers: Mapping[str, Mapping[str, Any]]
    wordings: Sequence[Mapping[str, Any]]
    asking: Mapping[str, Any]  # seeds, samples, generation
    instruments: Mapping[str, str]  # models by role

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> QuestionsFacts:
        """Read a step's parameters."""
        return cls(
            params["models"],
            params["scorers"],
            params["wordings"],
            params["asking"],
            params["instruments"],
        )

    def is_stand_in(self, name: str) -> bool:
        """Whether a model of this name is a stand-in, which answers by a rule."""
        return self.models.get(name, {}).get("stand_in") is True

    def meaning(self, scorer: str) -> Meaning | None:
        """Say what the numbers of a scorer mean; None where nobody says."""
        return MEANINGS.get(str(self.scorers.get(scorer, {}).get("scorer", "")))

    def in_percent(self, scorer: str) -> bool:
        """Whether a scorer's values lie between 0 and 1, and are told in per cent."""
        meaning = self.meaning(scorer)
        return meaning is not None and (meaning.floor, meaning.ceiling) == SHARE
