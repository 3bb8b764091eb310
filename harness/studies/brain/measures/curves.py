"""Correlations of two curves over the same layers or widths, with and without the first layer.

Neighbouring layers are not independent observations, so a correlation over them has no p-value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from harness.stats import spearman

LEAST = 3  # the fewest points for a correlation
FLAT = 1e-12  # relative to the largest number; smaller differences are rounding


def correlations(one: Sequence[float | None], other: Sequence[float | None]) -> dict[str, float | int | None]:
    """Return Pearson's and Spearman's correlations of two layer curves, and of their changes from layer to layer.

    Points missing in either curve are left out of both. A correlation is None for fewer than three points, or if a
    curve is constant.
    """
    pairs = [pair for pair in zip(one, other, strict=True) if all(map(_is_point, pair))]
    first, second = (_in_range([float(pair[side] or 0) for pair in pairs]) for side in (0, 1))
    steps = [[after - before for before, after in pairwise(values)] for values in (first, second)]
    return {
        "points": len(pairs),
        "pearson": pearson(first, second),
        "spearman": _spearman(first, second),
        "steps_pearson": pearson(*steps),
        "steps_spearman": _spearman(*steps),
    }


def with_and_without_first(
    places: Sequence[float], one: Sequence[float | None], other: Sequence[float | None]
) -> dict[str, Mapping[str, float | int | None]]:
    """Correlate two layer curves over all layers and, if layer 0 (static embeddings) is present, also without it."""
    found: dict[str, Mapping[str, float | int | None]] = {"all": correlations(one, other)}
    kept = [number for number, place in enumerate(places) if place != 0]
    if len(kept) < len(places):
        found["without_layer_0"] = correlations([one[number] for number in kept], [other[number] for number in kept])
    return found


def pearson(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Pearson's correlation of finite numbers; None for fewer than three, or if either side is constant."""
    if len(one) < LEAST or _is_constant(one) or _is_constant(other):
        return None
    sides = (_in_range(one), _in_range(other))
    means = [math.fsum(values) / len(values) for values in sides]
    first, second = ([value - mean for value in values] for values, mean in zip(sides, means, strict=True))
    spread = math.sqrt(math.fsum(a * a for a in first)) * math.sqrt(math.fsum(b * b for b in second))
    if not spread:  # the numbers are too small to be squared
        return None
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(first, second, strict=True)) / spread))


def _spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(one) < LEAST or _is_constant(one) or _is_constant(other):
        return None
    return spearman(one, other)


def _in_range(values: Sequence[float]) -> list[float]:
    """Divide by a power of two above the largest number; correlations are unchanged, and squares stay in range."""
    power = max((math.frexp(value)[1] for value in values), default=0)
    return [math.ldexp(value, -power) for value in values]


def _is_constant(values: Sequence[float]) -> bool:
    """Return whether numbers differ by no more than their rounding."""
    return max(values) - min(values) <= FLAT * max(map(abs, values))


def _is_point(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
