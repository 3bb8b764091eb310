"""Facts about a run that its page shows: models, scorers, wordings, and how the models were asked.

Holds facts of the manifest only; sees no values, questions or answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.kit.meaning import Meaning
from harness.kit.report import MANIFEST
from harness.studies.questions.meaning import MEANINGS, kind_of

REPORT = "report.html"
FIGURE = "figure-scores"
FIGURES = (f"{FIGURE}.svg", f"{FIGURE}.png")
COMPARISON = "comparison"  # the input that holds the comparison of two models
WORDINGS = "wordings"  # the input that holds a file of wordings
SHARE = (0, 1)  # bounds of values that are shown in per cent


@dataclass(frozen=True)
class QuestionsFacts:
    """Facts about a run: models by name, scorers by the name of their rows, wordings, and settings of asking."""

    models: Mapping[str, Mapping[str, Any]]
    scorers: Mapping[str, Mapping[str, Any]]
    wordings: Sequence[Mapping[str, Any]]
    asking: Mapping[str, Any]  # seeds, samples, generation
    instruments: Mapping[str, str]  # models by role
    manifest: Mapping[str, Any] = field(default_factory=dict)  # its `name`, and `models` as `-m` takes them, by name

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> QuestionsFacts:
        """Build an instance from a step's parameters."""
        return cls(
            params["models"],
            params["scorers"],
            params["wordings"],
            params["asking"],
            params["instruments"],
            params.get(MANIFEST) or {},
        )

    def kinds(self) -> dict[str, str]:
        """Return the kind of each scorer, by the name of its rows."""
        return {name: kind_of(entry) for name, entry in self.scorers.items()}

    def is_stand_in(self, name: str) -> bool:
        """Whether the model of this name is a stand-in, which answers by a rule."""
        return self.models.get(name, {}).get("stand_in") is True

    def meaning(self, scorer: str) -> Meaning | None:
        """Return the meaning of a scorer's numbers; None if none is known."""
        return MEANINGS.get(str(self.scorers.get(scorer, {}).get("scorer", "")))

    def in_percent(self, scorer: str) -> bool:
        """Whether a scorer's values lie between 0 and 1 and are shown in per cent."""
        meaning = self.meaning(scorer)
        return meaning is not None and (meaning.floor, meaning.ceiling) == SHARE
