"""The meaning of the numbers in a score: which of them are metrics, what each measures, and its bounds.

A study defines this for its own scorers, and a table of scores is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from harness.rowtypes import Score

MAIN = ""  # the name of a scorer's main metric: the score's own value
Direction = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class Meaning:
    """What a metric measures, whether higher or lower is better, its bounds, and the value of guessing."""

    about: str
    direction: Direction = "higher"
    floor: float | None = None
    ceiling: float | None = None
    baseline: float | None = None  # the value of the trivial answer that `baseline_of` describes
    baseline_of: str = ""

    def document(self) -> dict[str, Any]:
        """Return the meaning as plain data; unknown fields are left out."""
        said = {
            "about": self.about,
            "direction": self.direction,
            "floor": self.floor,
            "ceiling": self.ceiling,
            "baseline": self.baseline,
            "baseline_of": self.baseline_of or None,
        }
        return {name: value for name, value in said.items() if value is not None}


def plain_metrics(row: Score) -> dict[str, Any]:
    """Return the metrics of a score as most studies write them: its value, and those under `metrics` in its detail."""
    metrics = row["detail"].get("metrics")
    return {MAIN: row["value"], **metrics} if isinstance(metrics, Mapping) else {MAIN: row["value"]}
