"""The judge of one rubric as a plan records it; a manifest has one for each scorer `judge`.

All of them use the instrument `judge` and are asked separately; they differ by the name of their scorer. Sees no
answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.kit.judge import Judge

KIND = "harness.studies.questions.judging.rubric"
ROLE = "judge"
ROUNDS = 2  # a reply that cannot be read is asked for once more
TOLD = ("name", "rubric", "best", "target")


@dataclass(frozen=True)
class RubricJudge(Judge):
    """A judge model with a rubric; it has its scorer's name, since one model may judge by several rubrics."""

    called: str = ROLE

    @property
    def name(self) -> str:
        """The name in the rows of its judgements: that of its scorer."""
        return self.called


def rubric_judge(entry: Mapping[str, Any]) -> RubricJudge:
    """Return the judge model for a scorer `judge` of the manifest, with the scorer's rubric and settings."""
    params = {name: entry[name] for name in TOLD}
    return RubricJudge(ROLE, f"{KIND}:ask", f"{KIND}:read", rounds=ROUNDS, params=params, called=str(entry["name"]))
