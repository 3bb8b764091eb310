"""The meaning of the numbers in a score: which of them are metrics, what each measures, and its bounds.

A study defines this for its own scorers, and a table of scores is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from harness.rowtypes import Score

MAIN = ""  # the name of a scorer's main metric: the score's own value
Direction = Literal["higher", "lower", "neither"]


class MeaningRow(TypedDict):
    """A `Meaning` as plain data; what is not known is left out."""

    about: str
    direction: Direction
    floor: NotRequired[float]
    ceiling: NotRequired[float]
    baseline: NotRequired[float]
    baseline_of: NotRequired[str]


@dataclass(frozen=True)
class Meaning:
    """What a metric measures, whether higher or lower is better, its bounds, and the value of guessing."""

    about: str
    direction: Direction = "higher"
    floor: float | None = None
    ceiling: float | None = None
    baseline: float | None = None  # the value of the trivial answer that `baseline_of` describes
    baseline_of: str = ""

    def document(self) -> MeaningRow:
        """Return the meaning as plain data; unknown fields are left out."""
        said: MeaningRow = {"about": self.about, "direction": self.direction}
        if self.floor is not None:
            said["floor"] = self.floor
        if self.ceiling is not None:
            said["ceiling"] = self.ceiling
        if self.baseline is not None:
            said["baseline"] = self.baseline
        if self.baseline_of:
            said["baseline_of"] = self.baseline_of
        return said


def plain_metrics(row: Score) -> dict[str, Any]:
    """Return the metrics of a score as most studies write them: its value, and those under `metrics` in its detail."""
    metrics = row["detail"].get("metrics")
    return {MAIN: row["value"], **metrics} if isinstance(metrics, Mapping) else {MAIN: row["value"]}
