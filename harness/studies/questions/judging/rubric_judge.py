"""The judge of one rubric: a plan's record of it, one for each scorer `judge` of a manifest.

All are the instrument `judge`, asked apart; the name of the scorer tells them apart. It does not know an answer.
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
    """A judge that goes by the name of its scorer, since one instrument may judge by several rubrics."""

    called: str = ROLE

    @property
    def name(self) -> str:
        """Return the name that its judgements carry."""
        return self.called


def rubric_judge(entry: Mapping[str, Any]) -> RubricJudge:
    """Return the judge of one scorer, with what it is told."""
    params = {name: entry[name] for name in TOLD}
    return RubricJudge(ROLE, f"{KIND}:ask", f"{KIND}:read", rounds=ROUNDS, params=params, called=str(entry["name"]))
