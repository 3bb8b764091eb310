"""The study's standalone scorer: labels one response, given with its question, and shows the evidence.

Works on the names and fields that a caller uses; independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from harness.scorers.given import ToolOutput
from harness.scorers.tool import Grader, Tool
from harness.studies.reliability.standalone.by_row import BENCHMARKS, BenchmarkRow, labelled
from harness.studies.reliability.terms import SUBTYPES

MORE = "anagram: right by another accepted word; locality: cities mentioned"


class OutcomeOutput(ToolOutput):
    """Output: the label of one response, and the evidence to check it by eye."""

    label: Literal["c", "a", "i"] = Field(description="c, a or i")
    avoidance: Literal["ethical", "epistemic", "non_conforming"] | None = Field(
        description=f"{', '.join(SUBTYPES[:-1])} or {SUBTYPES[-1]} where the label is a, else null"
    )
    rule_set: str = Field(description="the rules the label was given under")
    matched_span: tuple[int, int] | None = Field(
        description="[start, end] of what decided, in the response as the rules read it"
    )
    candidates: list[str] = Field(description="the first 20 distinct answers it could be read as")
    n_candidates: int = Field(description="how many distinct answers it could be read as")
    alternate_used: bool | None = Field(default=None, description=MORE)
    rule: int | None = Field(
        default=None,
        description="science: which rule decided, of 1 to 5 (OURS-v1) or 1 to 6 (OURS-v2); null if none did",
    )
    n_cities: int | None = Field(default=None, description=MORE)


SCORERS: Mapping[str, Tool] = {
    "reliability.outcome": Tool(
        about="Labels a response correct (c), avoidant (a) or incorrect (i) by the rule set OURS-v2, or the one named.",
        takes=BenchmarkRow,
        gives=OutcomeOutput,
        run=labelled,
        grader=Grader(tuple(f"harness.studies.reliability.scoring.{name}:score" for name in sorted(BENCHMARKS)), "c"),
    ),
}
