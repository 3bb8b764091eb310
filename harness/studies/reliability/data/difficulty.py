"""Calibration of raw difficulty to the scale 0..100, the percentage of people expected to fail.

Rule: docs/reliability-rules.md#calibration. Works on numbers and a calibration block; independent of items and of how
the block was fitted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.stats import average_ranks

RANK = "rank"
PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class Difficulties:
    """Difficulties on the common scale 0..100, and the calibration that produced them."""

    values: list[float]
    calibration_id: str
    calibrated: bool

    def meta(self) -> dict[str, Any]:
        """Return the calibration's name and whether it is based on people, as fields of an item's `meta`."""
        return {"calibration_id": self.calibration_id, "calibrated": self.calibrated}


def calibrated(raw: Sequence[float], calibration: Mapping[str, Any] | None = None) -> Difficulties:
    """Map raw difficulties to 0..100: by a logistic curve `block` fitted to people, or else by rank.

    Only the logistic curve is marked as calibrated. Raises InputError for a block of another kind or without numbers.
    """
    if not calibration or calibration.get("kind") == RANK:
        count = len(raw)
        return Difficulties([100 * (rank - 0.5) / count for rank in average_ranks(raw)], RANK, False)
    if calibration.get("kind") != "logistic2":
        raise InputError(
            f"there is no calibration of the kind {calibration.get('kind')!r}",
            where="calibration/kind",
            next="use logistic2 or rank",
        )
    alpha, beta = (_number(calibration, name) for name in ("alpha", "beta"))
    return Difficulties(
        [logistic(alpha, beta, value) for value in raw],
        f"logistic2:{sha256(canonical_json(dict(calibration)))[:16]}",
        True,
    )


def percentages(shares: Sequence[float]) -> Difficulties:
    """Return science difficulties in per cent from shares of people who failed, marked as uncalibrated."""
    return Difficulties([100 * min(1.0, max(0.0, share)) for share in shares], PERCENT, False)


def logistic(alpha: float, beta: float, value: float) -> float:
    """Return d(f) = 100 / (1 + exp(-(alpha + beta f))), without overflow at either end."""
    place = alpha + beta * value
    if place >= 0:
        return 100 / (1 + math.exp(-min(place, 745.0)))
    grown = math.exp(max(place, -745.0))
    return 100 * grown / (1 + grown)


def _number(block: Mapping[str, Any], name: str) -> float:
    try:
        value = float(block[name])
    except (KeyError, TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"the calibration's `{name}` is not a finite number",
            where=f"calibration/{name}",
            next="give the number that `harness analyse reliability.calibration` fitted, as decimal text",
        )
    return value


def block(given: Any) -> dict[str, Any]:
    """Validate a manifest's logistic calibration (alpha, beta, ...), and return its values as text; else InputError."""
    if not isinstance(given, Mapping):
        raise InputError("a calibration is a map", next="write {kind: rank}, or {kind: logistic2, alpha: …, beta: …}")
    known = {"kind"} if given.get("kind") == RANK else {"kind", "alpha", "beta", "n_items", "n_ratings", "data_sha256"}
    strange = sorted(set(given) ^ known)
    if strange:
        raise InputError(f"`{strange[0]}` is missing or unknown", next=f"give exactly: {', '.join(sorted(known))}")
    read = {name: str(value) for name, value in given.items()}
    calibrated([0.0], read)
    return read
