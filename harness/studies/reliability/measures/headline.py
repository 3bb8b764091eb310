"""Headline means over benchmarks: of every model, of stand-ins separately, and of two models that are compared.

Means leave out undefined and degenerate values. Means that are shown side by side cover the same benchmarks, which the
document names (docs/reliability-rules.md#aggregation). Works on estimates of label tables and facts of models;
independent of how a page shows a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import combinations
from math import fsum
from operator import add
from typing import Any

from harness.kit.resample import Array, absent, beside, ratio
from harness.studies.reliability.measures import coverage
from harness.studies.reliability.measures.common_set import CommonSet, of_members, of_table
from harness.studies.reliability.measures.defined import why_undefined
from harness.studies.reliability.measures.estimates import NEVER_WRONG, TableEstimates
from harness.studies.reliability.terms import NAMES, SIX, is_stand_in

U = "ultracrepidarianism"
MEANS = (*SIX, *NAMES.values(), U)
NOWHERE = "no benchmark where all models are defined"
Facts = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Averages:
    """Unweighted means of models' values over benchmarks; each is computed once."""

    found: Mapping[str, TableEstimates]  # by benchmark
    made: dict[tuple[str, str, tuple[str, ...]], dict[str, Any]] = field(default_factory=dict)

    def defined(self, name: str, benchmark: str, model: str) -> bool:
        """Whether a model's value on a benchmark may enter a mean."""
        return not self.why(name, benchmark, model)

    def why(self, name: str, benchmark: str, model: str) -> str:
        """Return why a model's value on a benchmark may not enter a mean; an empty text if it may."""
        point = self.found[benchmark].points.get(model)
        # A mean i / (a + i) is the ratio of two means, which are defined if anything was scored.
        return "no labels" if point is None else why_undefined(point, "incorrect" if name == U else name)

    def mean(self, name: str, model: str, over: tuple[str, ...]) -> dict[str, Any]:
        """Return a model's mean over benchmarks on which it is defined, with its interval.

        The result is `missing` without benchmarks.
        """
        if not over:
            return absent(NOWHERE)
        key = (name, model, over)
        if key not in self.made:
            self.made[key] = self._beside(name, over, *self._values(name, model, over))
        return self.made[key]

    def difference(self, name: str, pair: tuple[str, str], over: tuple[str, ...]) -> dict[str, Any]:
        """Return the first model's mean minus the second's over the same benchmarks, both in the same resamples."""
        if not over:
            return absent(NOWHERE)
        (one, ones), (other, others) = (self._values(name, model, over) for model in pair)
        value = None if one is None or other is None else one - other
        return self._beside(name, over, value, ones - others)

    def _beside(self, name: str, over: tuple[str, ...], value: float | None, again: Array) -> dict[str, Any]:
        """Return a value with its interval and, if there are few items, with the interval's measured coverage."""
        tables = [self.found[each] for each in over]
        found = beside(value, again, min(each.units for each in tables), NEVER_WRONG)
        few = coverage.note(name, min(len(each.table.items) for each in tables))
        return {**found, **few} if isinstance(found["interval"], list) else found

    def _values(self, name: str, model: str, over: tuple[str, ...]) -> tuple[float | None, Array]:
        """Return the mean of a value over benchmarks: of the labels as they are, and in each resample.

        A resample in which a benchmark has no value is NaN.
        """
        if name == U:
            (avoidant, avoided), (incorrect, failed) = (
                self._values(each, model, over) for each in ("avoidant", "incorrect")
            )
            short = (avoidant or 0) + (incorrect or 0)
            return ((incorrect or 0) / short if short else None), ratio(failed, avoided + failed)
        tables = [self.found[each] for each in over]
        values = [value for each in tables if (value := each.value(model, name)) is not None]
        return fsum(values) / len(over), reduce(add, (each.resampled(model, name) for each in tables)) / len(over)


def headline(found: Mapping[str, TableEstimates], facts: Facts) -> dict[str, Any]:
    """Return means over benchmarks of each model's values, differences of model pairs, and what is left out."""
    averages = Averages(found)
    everybody = sorted({model for each in found.values() for model in each.points})
    real = [model for model in everybody if not is_stand_in(facts.get(model, {}))]
    chosen = {name: _chosen(averages, name, real) for name in MEANS}
    return {
        "means": {name: _said(averages, name, each) for name, each in chosen.items()},
        "models": {model: {name: _of_model(averages, name, model, chosen[name]) for name in MEANS} for model in real},
        "stand_ins": {
            model: {name: _of_stand_in(averages, name, model, chosen[name]) for name in MEANS}
            for model in everybody
            if model not in real
        },
        "pairs": _pairs(averages, real, facts),
    }


def _chosen(averages: Averages, name: str, models: list[str]) -> CommonSet:
    return of_table(tuple(averages.found), models, partial(averages.defined, name))


def _said(averages: Averages, name: str, chosen: CommonSet) -> dict[str, Any]:
    """Return the benchmarks of a mean and, for each one left out, the models that are undefined there and why."""
    total = len(averages.found)
    return {
        "over": list(chosen.over),
        "left_out": _left_out(averages, name, chosen),
        "dropped": {model: _fewer(count, total) for model, count in chosen.dropped.items()},
    }


def _left_out(averages: Averages, name: str, chosen: CommonSet) -> dict[str, Any]:
    return {each: {model: averages.why(name, each, model) for model in who} for each, who in chosen.lacking.items()}


def _fewer(count: int, total: int) -> str:
    return f"defined on {count} of {total} benchmarks, fewer than half"


def _of_model(averages: Averages, name: str, model: str, chosen: CommonSet) -> dict[str, Any]:
    if model in chosen.dropped:
        return {**absent(_fewer(chosen.dropped[model], len(averages.found))), "benchmarks": 0}
    return {**averages.mean(name, model, chosen.over), "benchmarks": len(chosen.over)}


def _of_stand_in(averages: Averages, name: str, model: str, chosen: CommonSet) -> dict[str, Any]:
    """Return a stand-in's mean over the models' benchmarks; it is missing if it is undefined on one of them."""
    if lacking := [each for each in chosen.over if not averages.defined(name, each, model)]:
        return {**absent(f"undefined on {', '.join(lacking)}"), "benchmarks": 0}
    return {**averages.mean(name, model, chosen.over), "benchmarks": len(chosen.over)}


def _pairs(averages: Averages, models: list[str], facts: Facts) -> dict[str, Any]:
    """Return the means of every two models of a family, side by side, by model, other model and name.

    Each pair has its own benchmarks: those on which both models are defined. Do not rank the differences of different
    pairs.
    """
    found: dict[str, Any] = {}
    for one, other, twins in _met(models, facts):
        for name in MEANS:
            chosen = of_members(tuple(averages.found), (one, other), partial(averages.defined, name))
            said = {"over": list(chosen.over), "left_out": _left_out(averages, name, chosen)}
            entries = {model: {**averages.mean(name, model, chosen.over), **said} for model in (one, other)}
            if twins:
                entries[one]["difference"] = averages.difference(name, (one, other), chosen.over)
            found.setdefault(one, {}).setdefault(other, {})[name] = entries[one]
            found.setdefault(other, {}).setdefault(one, {})[name] = entries[other]
    return found


def _met(models: list[str], facts: Facts) -> Iterator[tuple[str, str, bool]]:
    """Yield every two models of one family, and each raw model with the one shaped from it; True marks the latter."""
    for one, other in combinations(models, 2):
        mine, its = facts.get(one, {}), facts.get(other, {})
        if one == its.get("raw_twin"):
            yield one, other, True
        elif other == mine.get("raw_twin"):
            yield other, one, True
        elif mine.get("family") == its.get("family"):
            yield one, other, False
