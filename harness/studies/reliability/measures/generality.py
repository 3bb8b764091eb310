"""Indicator 3, difficulty concordance: the generality of a curve of success over difficulty.

Rule: docs/reliability-rules.md#concordance. Works on points of difficulty and success; independent of labels, models
and how the curve was made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

from harness.errors import InputError

RADICAND = 1e-12  # OURS: below this the spread counts as zero, since the rest is rounding error
NOTHING = dict.fromkeys(("area", "capability", "expected_difficulty", "spread", "generality", "indicator"))
Point = tuple[float, float]


def generality(h: Sequence[float], psi: Sequence[float], kmin: float | None = 0.0) -> dict[str, Any]:
    """Return area, spread and generality of a curve of success over difficulty, and the indicator 100 / (1 + spread).

    `kmin` is the lower limit of difficulty, at which success is certain; None takes the first point. An infinite
    generality is None. A curve of one point, or of constant success 0 or 1, is flagged `degenerate`. Raises InputError
    if `kmin` is above a difficulty, or if a share is outside 0 to 1.
    """
    points = merged(h, psi)
    if not points:
        return {**NOTHING, "degenerate": True}
    first = points[0][0]
    low = first if kmin is None else kmin
    if low > first:
        raise InputError(
            f"the lower limit {low:g} lies above the first difficulty {first:g}",
            where="kmin",
            next="give one that no difficulty lies below, or null for the first difficulty",
        )
    # Difficulties are measured from the lower limit: results stay the same, and large offsets lose no digits.
    area, resources = integrals([(at - low, share) for at, share in points])
    radicand = 2 * resources - area * area
    spread = math.sqrt(radicand) if radicand >= RADICAND else 0.0
    shares = {share for _, share in points}
    return {
        "area": area,
        "capability": area + low,
        "expected_difficulty": low + resources / area if area else None,
        "spread": spread,
        "generality": 1 / spread if spread else None,
        "indicator": 100 / (1 + spread),
        "degenerate": len(points) < 2 or shares in ({0}, {1}),
    }


def merged(h: Sequence[float], psi: Sequence[float]) -> list[Point]:
    """Return the points of a curve, sorted; those of equal difficulty are merged into one, with their mean success.

    Raises InputError for lists of different lengths or a share outside 0 to 1.
    """
    if len(h) != len(psi):
        raise InputError(f"{len(h)} difficulties but {len(psi)} shares", where="psi", next="give one of each a point")
    if not all(0 <= share <= 1 for share in psi):
        raise InputError("a share lies outside 0 to 1", where="psi", next="give shares of success")
    found = []
    for at, group in groupby(sorted(zip(h, psi, strict=True)), key=lambda point: point[0]):
        shares = [share for _, share in group]
        found.append((at, math.fsum(shares) / len(shares)))
    return found


def integrals(points: Sequence[Point]) -> tuple[float, float]:
    """Integrate success, and success times difficulty, from 0 to the last point; before the first, success is 1."""
    start = points[0][0]
    areas, resources = [start], [start * start / 2]
    for (a, c), (b, e) in pairwise(points):
        areas.append((b - a) * (c + e) / 2)
        resources.append((b - a) * (a * (2 * c + e) + b * (c + 2 * e)) / 6)
    return math.fsum(areas), math.fsum(resources)
