"""One cell of a table: a mean with its quartiles, interval and runs, or the median of a distance.

Rule: docs/curie.md#paper-averages. The intervals are OURS: percentiles of resamples of records, with what simulation
found of their coverage beside them. It knows numbers; it must never know a task, a model or a file.
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
# How often a nominal 95 % interval of a task mean held the truth in simulations: docs/curie.md#paper-coverage.
COVERAGE = ((15, (0.91, 0.94)), (8, (0.88, 0.90)))
HEAVY = (0.48, 0.69)  # of the heavy-tailed distance means: too few to show an interval
NO_INTERVAL = {"missing": "heavy tails: simulated intervals held the truth in .48 to .69 of cases, not .95"}
UNSIMULATED = {"missing": "not simulated for fewer than 8 records"}


@dataclass(frozen=True)
class RecordDraws:
    """Bootstrap resamples of one task's records: how often each stands in each resample."""

    places: Mapping[str, int]
    weights: Any  # [resample, record]

    @staticmethod
    def of(items: Sequence[str], stratum: str, seed: int, resamples: int) -> RecordDraws:
        """Draw from a seed and the stratum's name: tasks of one domain that have as many records share their draws."""
        import numpy as np  # noqa: PLC0415

        drawn = multiplicities(seed, resamples, {stratum: range(len(items))})
        return RecordDraws({item: place for place, item in enumerate(items)}, drawn.astype(np.float64))

    def means(self, values: Mapping[str, float]) -> Any:
        """Give the mean of the records' values in each resample; nan where none of them was drawn."""
        import numpy as np  # noqa: PLC0415

        there, known = np.zeros(len(self.places)), np.zeros(len(self.places))
        for item, value in values.items():
            there[self.places[item]], known[self.places[item]] = 1.0, value
        return resample.ratio(self.weights @ known, self.weights @ there)


def coverage(records: int) -> dict[str, Any]:
    """Give the simulated coverage that stands beside an interval over so many records.

    It is that of the largest simulated number that is not above theirs.
    """
    for size, found in COVERAGE:
        if records >= size:
            return {"nominal": resample.LEVEL, "simulated": list(found), "at_records": size}
    return UNSIMULATED


def cell(column: Column, statistic: str, draws: RecordDraws | None) -> dict[str, Any]:
    """Give value, n of N, quartiles and runs of one metric; with an interval where there are draws and it is finite.

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
    """Give the 25th, 50th and 75th percentile, interpolated between neighbours: spread, and no uncertainty."""
    ends = percentiles(values, (25, 50, 75))
    return {name: plain(end) for name, end in zip(("q25", "median", "q75"), ends, strict=True)}


def median(values: Sequence[float]) -> float:
    """Give the median, the mean of the middle two where there are two."""
    return percentiles(values, (50,))[0]


def _runs(column: Column) -> dict[str, Any]:
    """Give the runs' means and their spread, where there is more than one run."""
    means = column.by_run()
    if len(means) < 2:
        return {}
    return {"runs": {"n": len(means), "means": list(map(plain, means)), "spread": deviation(means)}}


def plain(value: float) -> float | str:
    """Give a number as a document may hold it: what is not finite is a text."""
    return value if math.isfinite(value) else str(value)
