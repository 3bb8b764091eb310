"""Estimates of one label table with bootstrap resamples, and means over several tables (reliability 6.6, 6.9).

It knows tables of labels; it must never know how a document of the analysis is laid out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from harness.studies.intervals import absent, beside, ratio
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.replicate import replicate, sorted_counts
from harness.studies.reliability.measures.table import Table
from harness.studies.reliability.measures.values import flat, measures
from harness.studies.reliability.terms import NAMES, NOTHING_SCORED, SIX
from harness.studies.resample import Array, multiplicities

NEVER_WRONG = "neither avoidant nor incorrect responses"


@dataclass(frozen=True)
class AnalysisOptions:
    """The options of the analysis: number of bins and of resamples, seed, and guessing discounts by benchmark."""

    bins: int
    resamples: int
    seed: int
    discount: Mapping[str, float]  # a benchmark: the share of non-avoidant answers that guessing finds


@dataclass(frozen=True)
class TableEstimates:
    """Estimates of one label table: of all its models' labels as they are, and of each bootstrap resample."""

    table: Table
    points: dict[str, dict[str, Any]]  # a model: `measures`
    again: dict[str, Array]  # a value: [resample, model]
    units: int  # instances of the largest stratum: how many can stand for one another

    def value(self, model: str, name: str) -> float | None:
        """Give a model's point estimate of a value by its name in `values.flat`; None where it is undefined."""
        return flat(self.points[model])[name]

    def resampled(self, model: str, name: str) -> Array:
        """Give a model's value, by its name, in each bootstrap resample."""
        return self.again[name][:, list(self.points).index(model)]

    def degenerate(self, model: str, name: str) -> bool:
        """Whether one of the six indicators is degenerate: labels all alike, one item or wording, nothing scored."""
        point, (kind, _, what) = self.points[model], name.partition("_")
        few: bool = point["degenerate"]
        if what == "proportion":
            return few
        found = point[what][kind]
        return few or found["degenerate"] or (what == "stability" and found["corrected"] is None)

    def statistic(self, model: str, name: str, missing: str = NOTHING_SCORED) -> dict[str, Any]:
        """Give a model's value with its interval, or where it is undefined the reason `missing`."""
        return beside(self.value(model, name), self.resampled(model, name), self.units, missing)


def estimate(table: Table, asked: AnalysisOptions) -> TableEstimates:
    """Estimate every value of every model of one label table, all on the same bootstrap resamples."""
    ids, difficulties, discount = table.ids, table.difficulties, asked.discount.get(table.benchmark, 0.0)
    bins, counts = cut(ids, difficulties, asked.bins), {model: table.counts(model) for model in table.labels}
    points = {model: measures(bins, difficulties, counts[model], discount) for model in counts}
    strata = {f"{table.benchmark}/{subset}": places for subset, places in table.strata().items()}
    drawn = multiplicities(asked.seed, asked.resamples, strata)
    again = replicate(sorted_counts(ids, difficulties, counts.values()), drawn, asked.bins, discount)
    return TableEstimates(table, points, again, max(map(len, strata.values())))


def means(found: Sequence[TableEstimates], model: str) -> dict[str, Any]:
    """Give a model's indicators and shares, with intervals, as unweighted means over benchmarks that define each."""
    entry = {}
    for name in (*SIX, *NAMES.values()):
        defined = _defined(found, model, name)
        entry[name] = {**_stated(defined, model, name), "benchmarks": len(defined)}
        if name in SIX:
            entry[name]["degenerate"] = any(each.degenerate(model, name) for each in defined)
    # 6.7: of a model, the ratio of the means; not the mean of the ratios.
    defined = _defined(found, model, "incorrect")
    entry["ultracrepidarianism"] = {**_overreach(defined, model), "benchmarks": len(defined)}
    return entry


def _defined(found: Sequence[TableEstimates], model: str, name: str) -> list[TableEstimates]:
    return [each for each in found if each.value(model, name) is not None]


def _stated(found: Sequence[TableEstimates], model: str, name: str) -> dict[str, Any]:
    if not found:
        return absent(NOTHING_SCORED)
    value, again = _averaged(found, model, name)
    return beside(value, again, _units(found), NOTHING_SCORED)


def _overreach(found: Sequence[TableEstimates], model: str) -> dict[str, Any]:
    if not found:
        return absent(NOTHING_SCORED)
    (avoidant, avoided), (incorrect, failed) = (_averaged(found, model, name) for name in ("avoidant", "incorrect"))
    value = incorrect / (avoidant + incorrect) if avoidant + incorrect else None
    return beside(value, ratio(failed, avoided + failed), _units(found), NEVER_WRONG)


def _averaged(found: Sequence[TableEstimates], model: str, name: str) -> tuple[float, Array]:
    """Average a value over benchmarks: of the labels as they are, and in each resample."""
    values = [value for each in found if (value := each.value(model, name)) is not None]
    again = sum(each.resampled(model, name) for each in found)
    return fsum(values) / len(values), again / len(found)


def _units(found: Sequence[TableEstimates]) -> int:
    return min(each.units for each in found)
