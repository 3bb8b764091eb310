"""Weighted logistic regression of people's expected failure on a measure of difficulty.

Rule (OURS): docs/reliability-rules.md#calibration. Works on a measure, an expected failure and a weight of each item;
independent of people, ids and files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.stats import is_number
from harness.studies.reliability.data.difficulty import logistic

STEEPEST = 50.0  # if |beta| * range(f) is larger, the data are separable and there is no best curve
_ITERATIONS, _HALVINGS, _SETTLED = 300, 40, 1e-12


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """A fitted logistic curve, d(f) = 100 / (1 + exp(-(alpha + beta f))), in the units of f."""

    alpha: float
    beta: float
    n_items: int

    @property
    def inverted(self) -> bool:
        """Whether the curve falls (beta < 0): people expect fewer failures where the measure is larger."""
        return self.beta < 0

    def predict(self, f: float) -> float:
        """Return the difficulty, 0 to 100, that the curve assigns to a value of the measure."""
        return logistic(self.alpha, self.beta, f)

    def row(self) -> dict[str, Any]:
        """Return alpha, beta, `inverted` and the number of items as fields for a document."""
        return {"alpha": self.alpha, "beta": self.beta, "inverted": self.inverted, "n_items": self.n_items}

    def block(self, n_ratings: int, data_sha256: str) -> dict[str, Any]:
        """Return the curve as a manifest's calibration settings, with alpha and beta as text."""
        return {
            "kind": "logistic2",
            "alpha": repr(self.alpha),
            "beta": repr(self.beta),
            "n_items": self.n_items,
            "n_ratings": n_ratings,
            "data_sha256": data_sha256,
        }


def fit(f: Sequence[float], y: Sequence[float], weights: Sequence[float] | None = None) -> LogisticFit:
    """Fit a logistic curve of failure shares y over a measure f by maximum likelihood, with weights w.

    Items of weight 0 are left out. Raises InputError for malformed lists, constant f, and data without a best curve.
    """
    points = _points(f, y, weights)
    low = min(value for value, _, _ in points)
    reach = max(value for value, _, _ in points) - low
    unit = [(value - low) / reach for value, _, _ in points]
    middle = math.fsum(unit) / len(unit)
    spread = math.sqrt(math.fsum((place - middle) ** 2 for place in unit) / len(unit))
    standard = [
        ((place - middle) / spread, share, weight) for place, (_, share, weight) in zip(unit, points, strict=True)
    ]
    width = 1 / spread
    found = _newton(standard, width)
    if found is None or abs(found[1]) * width > STEEPEST:
        raise InputError(
            "separable: the expectations have no best curve, since ever steeper ones fit them better",
            where="y",
            next="give more items or ratings, or use the rank calibration",
        )
    a, b = found
    if abs(b) * width < _SETTLED:
        b = 0.0  # rounding must not make flat expectations inverted
    beta = b / spread / reach
    alpha = a - b * middle / spread - beta * low
    if not (math.isfinite(alpha) and math.isfinite(beta)):
        raise InputError("the values of `f` lie too close together", where="f", next="give `f` in larger units")
    return LogisticFit(alpha, beta, len(points))


def _points(
    f: Sequence[float], y: Sequence[float], weights: Sequence[float] | None
) -> list[tuple[float, float, float]]:
    """Return the points (f, y, weight) of weight above 0; raise InputError for malformed lists or a constant f."""
    given = [1.0] * len(f) if weights is None else weights
    if not len(f) == len(y) == len(given):
        raise InputError("`f`, `y` and `weights` differ in length", where="f", next="give one of each an item")
    for name, values in (("f", f), ("y", y), ("weights", given)):
        low, high = (0, 1) if name == "y" else (0 if name == "weights" else -math.inf, math.inf)
        for place, value in enumerate(values):
            if not is_number(value) or not low <= value <= high:
                wanted = {"f": "a finite number", "y": "a share, 0 to 1", "weights": "a number, 0 or more"}[name]
                raise InputError(f"`{name}` holds something other than {wanted}", where=f"{name}[{place}]")
    points = [each for each in zip(f, y, given, strict=True) if each[2] > 0]
    if len({value for value, _, _ in points}) < 2:
        raise InputError(
            "`f` is constant: no curve can be fitted to one value of the measure",
            where="f",
            next="give items of at least two different values",
        )
    return points


def _newton(points: Sequence[tuple[float, float, float]], width: float) -> tuple[float, float] | None:
    """Maximise the likelihood by Newton steps, halved while they lead down; return None if they do not converge."""
    a = b = 0.0
    height = _height(points, a, b)
    for _ in range(_ITERATIONS):
        step = _step(points, a, b)
        if step is None or abs(b) * width > 4 * STEEPEST:
            return None
        scale = 1.0
        for _ in range(_HALVINGS):
            reached = _height(points, a + scale * step[0], b + scale * step[1])
            if reached >= height - 1e-13 * abs(height):  # sums near the maximum differ in their last bits
                break
            scale /= 2
        a, b, height = a + scale * step[0], b + scale * step[1], reached
        if max(map(abs, step)) <= _SETTLED * (1 + max(abs(a), abs(b))):
            return a, b
    return None


def _height(points: Sequence[tuple[float, float, float]], a: float, b: float) -> float:
    return -math.fsum(
        weight * (share * _softplus(-(a + b * z)) + (1 - share) * _softplus(a + b * z)) for z, share, weight in points
    )


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


def _step(points: Sequence[tuple[float, float, float]], a: float, b: float) -> tuple[float, float] | None:
    """Return one Newton step for (a, b), None if singular; p and 1-p are kept apart, for precision near 0 and 1."""
    rows = []
    for z, share, weight in points:
        far = math.exp(-abs(a + b * z))
        p, q = (1 / (1 + far), far / (1 + far)) if a + b * z >= 0 else (far / (1 + far), 1 / (1 + far))
        slope, bend = weight * (share * q - (1 - share) * p), weight * p * q
        rows.append((slope, slope * z, bend, bend * z, bend * z * z))
    g0, g1, h00, h01, h11 = (math.fsum(column) for column in zip(*rows, strict=True))
    determinant = h00 * h11 - h01 * h01
    if not determinant > 1e-12 * h00 * h11:  # no item is left that determines the slope of the curve
        return None
    return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant


def curve(found: LogisticFit, given: Sequence[Any]) -> list[dict[str, float]]:
    """Return the curve's difficulty, 0 to 100, at each value of the measure, a number or an object with `f`.

    Raises InputError for a value that is not a finite number.
    """
    points = []
    for place, each in enumerate(given):
        value = each.get("f") if isinstance(each, Mapping) else each
        if not is_number(value):
            raise InputError("`predict` holds something other than finite numbers", where=f"predict[{place}]")
        points.append({"f": value, "difficulty": found.predict(value)})
    return points
