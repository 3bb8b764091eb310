"""Regression of avoidance and error on training compute, raw and shaped models separately (Figure 4).

Rule: docs/reliability-rules.md#scaling. Works on models' facts and their shares of labels; never guesses facts from a
name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import is_number
from harness.studies.reliability.measures.common_set import of_table
from harness.studies.reliability.measures.labelled import read
from harness.studies.reliability.terms import GROUPS, NAMES, Counts, group, is_stand_in, pooled, shares

MEASURES = ("avoidant", "incorrect", "ultracrepidarianism")
_TOO_FEW_BENCHMARKS = {"missing": "scored on fewer than half of the benchmarks, or on none that all models share"}
_TOO_FEW = {"missing": "fewer than two models with different compute"}


def line(flops: Sequence[float], value: Sequence[float]) -> dict[str, Any]:
    """Fit a least-squares line of a value over log10 of training FLOPs (OURS).

    The result is `missing` for fewer than two different amounts of compute. Raises InputError for malformed lists.
    """
    if len(flops) != len(value):
        raise InputError("`flops` and `value` differ in length", where="flops", next="give one of each a model")
    for place, (compute, each) in enumerate(zip(flops, value, strict=True)):
        if not _compute(compute):
            raise InputError("`flops` holds something other than positive numbers", where=f"flops[{place}]")
        if not is_number(each):
            raise InputError("`value` holds something other than finite numbers", where=f"value[{place}]")
    x = [math.log10(compute) for compute in flops]
    if len(set(x)) < 2:
        return {"slope_per_decade": _TOO_FEW, "intercept": _TOO_FEW, "n": len(x), "degenerate": True}
    middle, mean = math.fsum(x) / len(x), math.fsum(value) / len(x)
    along = math.fsum((at - middle) * (each - mean) for at, each in zip(x, value, strict=True))
    slope = along / math.fsum((at - middle) ** 2 for at in x)
    return {"slope_per_decade": slope, "intercept": mean - slope * middle, "n": len(x), "degenerate": False}


def _compute(value: object) -> bool:
    """Whether a value is a positive, finite number: an amount of compute."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def means(per_benchmark: Iterable[Counts]) -> dict[str, Any]:
    """Return a model's label shares averaged over its scored benchmarks, and incorrect / (avoidant + incorrect)."""
    found = [shares(counts) for counts in per_benchmark]
    if not found:
        return {**dict.fromkeys(("correct", *MEASURES), _TOO_FEW_BENCHMARKS), "benchmarks": 0}
    mean = {name: math.fsum(each[name] for each in found) / len(found) for name in NAMES.values()}
    short = mean["avoidant"] + mean["incorrect"]
    u = mean["incorrect"] / short if short else {"missing": "no answer short of correct"}
    return {**mean, "ultracrepidarianism": u, "benchmarks": len(found)}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `scaling`: label shares over training compute (Fig. 4), with regression lines by group.

    Models without known compute or group, and stand-ins, are listed as excluded. All points are means over the same
    benchmarks: those on which something was scored for every model that has a point.
    """
    counted: dict[str, dict[str, Counts]] = {}
    benchmarks = read(inputs["labels"]).benchmarks
    for name, table in benchmarks.items():
        for model in table.labels:
            counted.setdefault(model, {})[name] = pooled(table.counts(model))
    shown = [model for model in sorted(counted) if not _lacking(params["models"].get(model, {}))]
    common = of_table(tuple(benchmarks), shown, lambda name, model: sum(counted[model].get(name, ())) > 0)
    points, excluded = [], []
    for model in sorted(counted):
        facts = params["models"].get(model, {})
        why = _lacking(facts)
        if why:
            excluded.append({"model": model, "reason": why})
            continue
        points.append(
            {
                "model": model,
                "family": facts.get("family", {"missing": "not said"}),
                "shaped": str(facts["shaped"]).lower(),
                "flops": str(facts["flops"]),
                "log10_flops": math.log10(_flops(facts["flops"], model)),
                **means(counted[model][name] for name in (common.over if model in common.models else ())),
            }
        )
    points.sort(key=lambda point: (point["log10_flops"], point["model"]))
    rows.write_one(
        out / "scaling", {"points": points, "fits": fits(points), "excluded": excluded, "over": list(common.over)}
    )


def _lacking(facts: Mapping[str, Any]) -> str:
    if is_stand_in(facts):
        return "a stand-in, not a model"
    if group(facts) is None:
        return "not said whether it is shaped"
    return "" if facts.get("flops") is not None else "its training compute is not known"


def _flops(text: Any, model: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not _compute(value):
        raise InputError(f"`flops` of {model} is no amount of compute", where="models", next='give it as "6.41e20"')
    return value


def fits(points: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Fit a regression line for each group (raw, shaped) and measure, over the points that have the measure."""
    found: dict[str, Any] = {}
    for each in GROUPS.values():
        inside = [point for point in points if group(point) == each]
        for measure in MEASURES:
            shown = [point for point in inside if is_number(point[measure])]
            fitted = line([float(point["flops"]) for point in shown], [point[measure] for point in shown])
            found.setdefault(each, {})[measure] = fitted
    return found
