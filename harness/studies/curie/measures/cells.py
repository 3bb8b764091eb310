"""One cell of a table: a mean with its quartiles, interval and runs, or the median of a distance.

Rule: docs/curie.md#paper-averages. The intervals are OURS: percentiles of resamples of records, with their coverage
from simulations. Handles numbers only, no tasks, models or files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.kit import resample
from harness.kit.resample import multiplicities
from harness.studies.curie.measures.meta_results import deviation, percentiles
from harness.studies.curie.measures.meta_results import mean as average
from harness.studies.curie.measures.results import Column

NOBODY = "no record has a value"
MEAN, MEDIAN = "mean", "median"
# How often a nominal 95 % interval of a task mean held the true value in simulations: docs/curie.md#paper-coverage.
COVERAGE = ((15, (0.91, 0.94)), (8, (0.88, 0.90)))
HEAVY = (0.48, 0.69)  # coverage for the heavy-tailed distance means: too low to show an interval
NO_INTERVAL = {"missing": "heavy tails: simulated intervals held the truth in .48 to .69 of cases, not .95"}
UNSIMULATED = {"missing": "not simulated for fewer than 8 records"}


@dataclass(frozen=True)
class RecordDraws:
    """Bootstrap resamples of one task's records: how often each record occurs in each resample."""

    places: Mapping[str, int]
    weights: Any  # [resample, record]

    @staticmethod
    def of(items: Sequence[str], stratum: str, seed: int, resamples: int) -> RecordDraws:
        """Draw bootstrap resamples from a seed; tasks of one domain with equally many records share them."""
        import numpy as np  # noqa: PLC0415

        drawn = multiplicities(seed, resamples, {stratum: range(len(items))})
        return RecordDraws({item: place for place, item in enumerate(items)}, drawn.astype(np.float64))

    def means(self, values: Mapping[str, float]) -> Any:
        """Return the mean of the records' values in each resample; nan if a resample has none of these records."""
        import numpy as np  # noqa: PLC0415

        there, known = np.zeros(len(self.places)), np.zeros(len(self.places))
        for item, value in values.items():
            there[self.places[item]], known[self.places[item]] = 1.0, value
        return resample.ratio(self.weights @ known, self.weights @ there)


def coverage(records: int) -> dict[str, Any]:
    """Return how often an interval over so many records covers the true value, by simulation.

    It is that of the largest simulated number of records that does not exceed `records`.
    """
    for size, found in COVERAGE:
        if records >= size:
            return {"nominal": resample.LEVEL, "simulated": list(found), "at_records": size}
    return UNSIMULATED


def cell(column: Column, statistic: str, draws: RecordDraws | None) -> dict[str, Any]:
    """Return a metric's mean or median over records, with quartiles, counts and a bootstrap interval, as plain data.

    `statistic` says whether the value is the mean or the median of the records' means over runs.
    """
    found = column.by_record()
    counts: dict[str, Any] = {"n": len(found), "N": column.total}
    if len(found) < column.total:
        counts["records"] = f"{len(found)} of {column.total}"
    if not found:
        return {**resample.absent(NOBODY), **counts}
    return {
        **_estimate(found, statistic, draws),
        **counts,
        "statistic": statistic,
        **quartiles(list(found.values())),
        **_runs(column),
    }


def _estimate(found: Mapping[str, float], statistic: str, draws: RecordDraws | None) -> dict[str, Any]:
    values = list(found.values())
    value = median(values) if statistic == MEDIAN else average(values)
    if draws is None:
        return {"value": plain(value), "interval": NO_INTERVAL}
    if not all(map(math.isfinite, values)):
        return {"value": plain(value), "interval": {"missing": "a value is not finite"}}
    return {**resample.beside(value, draws.means(found), len(values), NOBODY), "coverage": coverage(len(values))}


def quartiles(values: Sequence[float]) -> dict[str, Any]:
    """Return the 25th, 50th and 75th percentile, interpolated: they show spread, not uncertainty."""
    ends = percentiles(values, (25, 50, 75))
    return {name: plain(end) for name, end in zip(("q25", "median", "q75"), ends, strict=True)}


def median(values: Sequence[float]) -> float:
    """Return the median, which is the mean of the middle two values if their number is even."""
    return percentiles(values, (50,))[0]


def _runs(column: Column) -> dict[str, Any]:
    """Return the means of the runs and their spread, if there is more than one run."""
    means = column.by_run()
    if len(means) < 2:
        return {}
    return {"runs": {"n": len(means), "means": list(map(plain, means)), "spread": deviation(means)}}


def plain(value: float) -> float | str:
    """Return a number as a JSON document can hold it: infinities and NaN become texts."""
    return value if math.isfinite(value) else str(value)
