"""Estimates of one label table with bootstrap resamples (docs/reliability-rules.md#uncertainty).

Works on tables of labels; independent of the layout of the analysis documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.kit.resample import Array, absent, beside, multiplicities
from harness.studies.reliability.measures import coverage
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.defined import degenerate
from harness.studies.reliability.measures.recentred import CURVED, recentred
from harness.studies.reliability.measures.replicate import replicate, sorted_counts
from harness.studies.reliability.measures.table import Table
from harness.studies.reliability.measures.values import flat, measures
from harness.studies.reliability.terms import NOTHING_SCORED

NEVER_WRONG = "neither avoidant nor incorrect responses"
# With more items each bin's rate is less noisy and the correlation nears 1: an interval would have no fixed target.
MOVES = "over bins the expected value moves with the number of items: the correlation over items has an interval"


@dataclass(frozen=True)
class AnalysisOptions:
    """The options of the analysis: number of bins and of resamples, seed, and guessing discounts by benchmark."""

    bins: int
    resamples: int
    seed: int
    discount: Mapping[str, float]  # by benchmark: the share of non-avoidant answers that guessing gets right


@dataclass(frozen=True)
class TableEstimates:
    """Every model's values on one label table: the point estimates, and those in each bootstrap resample."""

    table: Table
    points: dict[str, dict[str, Any]]  # by model: the result of `measures`
    again: dict[str, Array]  # by value: [resample, model]
    units: int  # instances of the largest stratum, within which instances are resampled

    def value(self, model: str, name: str) -> float | None:
        """Return the point estimate of a model's value by its name; None if it is undefined."""
        return flat(self.points[model])[name]

    def resampled(self, model: str, name: str) -> Array:
        """Return a model's value in each bootstrap resample, by name; bias of two indicators is corrected."""
        return self.again[name][:, list(self.points).index(model)]

    def degenerate(self, model: str, name: str) -> bool:
        """Whether an indicator has its value by definition alone: equal labels, one item or wording, none scored."""
        return degenerate(self.points[model], name)

    def statistic(self, model: str, name: str, missing: str = NOTHING_SCORED) -> dict[str, Any]:
        """Return a model's value with its interval or, if it is undefined, the reason `missing`.

        A correlation over bins has no interval. `coverage` is added if an interval is based on too few items.
        """
        value = self.value(model, name)
        if name not in self.again:
            return absent(missing) if value is None else {"value": value, "interval": {"missing": MOVES}}
        found = beside(value, self.resampled(model, name), self.units, missing)
        return {**found, **coverage.note(name, len(self.table.items))} if isinstance(found["interval"], list) else found


def estimate(table: Table, asked: AnalysisOptions) -> TableEstimates:
    """Return every value of every model on one label table, with values in the same bootstrap resamples."""
    ids, difficulties, discount = table.ids, table.difficulties, asked.discount.get(table.benchmark, 0.0)
    bins, counts = cut(ids, difficulties, asked.bins), {model: table.counts(model) for model in table.labels}
    points = {model: measures(bins, difficulties, counts[model], discount) for model in counts}
    strata = {f"{table.benchmark}/{subset}": places for subset, places in table.strata().items()}
    drawn = multiplicities(asked.seed, asked.resamples, strata)
    given = sorted_counts(ids, difficulties, counts.values())
    again = recentred(_arrays(points.values()), replicate(given, drawn, asked.bins, discount))
    return TableEstimates(table, points, again, max(map(len, strata.values())))


def _arrays(points: Iterable[Mapping[str, Any]]) -> dict[str, Array]:
    """Return the values of all models as arrays, NaN for undefined ones."""
    values = [flat(point) for point in points]
    return {name: np.array([each[name] for each in values], np.float64) for name in CURVED}
