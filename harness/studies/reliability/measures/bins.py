"""Equal-size bins (quantile bins): items sorted by difficulty and cut into about equal numbers.

Rule: docs/reliability-rules.md#bins. Works on ids and difficulties; sees no labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.stats import bin_mean, equal_sized_bins
from harness.studies.reliability.terms import BINS


@dataclass(frozen=True)
class Bins:
    """The difficulty bins of a benchmark: each item's bin and each bin's difficulty; the same for all models."""

    of_item: list[int]
    members: list[list[int]]  # indices of the items of each bin
    difficulty: list[float]  # mean over the items of each bin
    low: list[float]
    high: list[float]

    def span(self, place: int) -> dict[str, float]:
        """Return one bin's mean, lowest and highest difficulty, as fields for a document."""
        return {"difficulty": self.difficulty[place], "low": self.low[place], "high": self.high[place]}


def cut(ids: Sequence[str], difficulties: Sequence[float], bins: int = BINS) -> Bins:
    """Cut items into `bins` bins of equal size by difficulty, ties by id as text; no bin is empty."""
    found = equal_sized_bins(ids, difficulties, bins)
    members: list[list[int]] = [[] for _ in range(max(found, default=-1) + 1)]
    for item, place in enumerate(found):
        members[place].append(item)
    inside = [[difficulties[item] for item in each] for each in members]
    return Bins(found, members, [bin_mean(each) for each in inside], list(map(min, inside)), list(map(max, inside)))
