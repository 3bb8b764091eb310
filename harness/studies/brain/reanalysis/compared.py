"""Compares a model without language with a language model: ratios by participants and by units, which disagree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.studies.brain.measures.aggregation import mean
from harness.studies.brain.reanalysis.collection import PublishedResults, PublishedScores
from harness.studies.brain.reanalysis.naming import OASM, SIMPLE
from harness.studies.brain.reanalysis.recomputed import by_participant
from harness.studies.brain.terms import P

WITHOUT = (OASM, SIMPLE)


def compared(found: PublishedResults) -> dict[str, Any]:
    """Compare published scores by participant: a simple or OASM model with each language model of its table."""
    document: dict[str, Any] = {}
    for simple, model in _pairs(found.columns):
        entry = {"file": model.path, "without": simple.label, **_by_participant(simple.scores, model.scores)}
        at = document.setdefault(model.figure, {}).setdefault(model.place, {}).setdefault(model.metric, {})
        at.setdefault(model.split, {})[model.label] = entry
    return document


def compared_units(found: PublishedResults) -> dict[str, Any]:
    """Compare published scores unit by unit: a simple or OASM model with each language model of its figure."""
    document: dict[str, Any] = {}
    for simple, model in _pairs(found.units):
        if simple.participants != model.participants:
            continue
        clipped = (by_participant(simple, P), by_participant(model, P))
        finite = [pair for pair in zip(simple.units, model.units, strict=True) if all(map(math.isfinite, pair))]
        entry = {
            "file": model.path,
            "without": simple.model,
            "split": model.split,
            **_by_participant(by_participant(simple), by_participant(model)),
            "clip_then_mean": ratio([*clipped[0].values()], [*clipped[1].values()]),
            "units": len(finite),
            "by_units": ratio(*_sides(finite)),
            "by_units_clipped": ratio(*_sides([(max(a, 0.0), max(b, 0.0)) for a, b in finite])),
            "units_above": sum(a > b for a, b in finite),
        }
        at = document.setdefault(model.figure, {}).setdefault(model.place, {}).setdefault(model.metric, {})
        at[model.label] = entry
    return document


def ratio(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Divide one mean by another; None if a mean is missing, the divisor is not above 0, or the ratio is infinite."""
    one, other = mean(first), mean(second)
    if one is None or other is None or other <= 0:
        return None
    return one / other if math.isfinite(one / other) else None


def _by_participant(simple: Mapping[str, float], model: Mapping[str, float]) -> dict[str, Any]:
    shared = [name for name in model if name in simple]
    pairs = [(simple[name], model[name]) for name in shared]
    return {
        "by_participants": ratio(*_sides(pairs)),
        "participants": len(shared),
        "participants_above": sum(a > b for a, b in pairs),
    }


def _sides(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


def _pairs(scores: Sequence[PublishedScores]) -> list[tuple[PublishedScores, PublishedScores]]:
    """Pair each language model with the model without language of its figure, data set, metric, split and network."""
    alone: dict[tuple[str, ...], list[PublishedScores]] = {}
    for one in scores:
        if one.of.base in WITHOUT:
            alone.setdefault(_key(one), []).append(one)
    return [
        (min(own, key=lambda each: each.model[-2:] != one.model[-2:]), one)
        for one in scores
        if one.of.base not in WITHOUT and (own := alone.get(_key(one)))
    ]


def _key(one: PublishedScores) -> tuple[str, ...]:
    return (one.figure, one.place, one.metric, one.split, one.network)
