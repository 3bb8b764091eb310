"""Box metrics as the published notebook computes them: IoU on a plane, distances on a sphere.

Rule: docs/curie.md#paper-boxes. The arithmetic is numpy's on any parsed values, so odd values have odd results (NaN,
infinity, minus 0, an error), which are kept. Independent of where a text comes from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.reading.boxes import SIDES, read_box
from harness.studies.curie.reading.loose_json import Unreadable, loads
from harness.studies.curie.scoring.found import (
    GOLD_INVALID,
    INVALID,
    UNPARSED,
    VALID,
    finding,
    missing,
    plain,
    unusable,
    without,
)
from harness.studies.curie.tasks import PAPER

METRICS = ("iou", "normalized_distance_error", "relative_box_size")
RADIUS = 6_371_000.0  # metres, the radius in the published code
_EXACT = 1e6  # up to here, numpy and Python compute the same results
_RAISED = (TypeError, ValueError, ArithmeticError, KeyError)  # errors of the notebook's arithmetic for odd values
_NONE = "an answer that cannot be parsed has no distances in the published code"


def score(response: str, truth: str) -> Found:
    """Score an answer against a ground truth, given as the file's text or its preprocessed form.

    An answer that cannot be parsed is worth 0; if the published code raises, every metric is missing.
    """
    try:
        gold = _sides(loads(truth))
    except (Unreadable, KeyError, TypeError) as bad:
        return without(PAPER, METRICS, GOLD_INVALID, f"the ground truth has no box ({type(bad).__name__})")
    try:
        box = read_box(response)
    except Unreadable:
        metrics = {"iou": UNPARSED, **{name: missing(_NONE) for name in METRICS[1:]}}
        return finding(PAPER, 0, unusable(response), metrics)
    try:
        sides = _sides(box)
        values = {METRICS[0]: iou(sides, gold), **_distances(sides, gold)}
    except _RAISED as bad:
        return without(PAPER, METRICS, INVALID, f"the published code raises ({type(bad).__name__})")
    spelled = {name: plain(value) for name, value in values.items()}
    return finding(PAPER, spelled["iou"], VALID, spelled)


def _sides(box: Mapping[str, Any]) -> list[Any]:
    return [box[side] for side in SIDES]


def iou(ours: Sequence[Any], theirs: Sequence[Any]) -> float:
    """Return the intersection over union of two boxes [west, south, east, north] on a plane, with signed areas.

    NaN if the union is 0. Raises ZeroDivisionError if the boxes are also apart, and TypeError, ValueError or
    ArithmeticError for values that are not numbers.
    """
    if all(type(side) in (int, float) and -_EXACT <= side <= _EXACT for side in (*ours, *theirs)):
        common, union = _overlap(ours, theirs, ours, theirs)
        if union:
            return float(common / union)
    import numpy as np  # noqa: PLC0415 - only for values on which it and Python differ

    with np.errstate(all="ignore"):
        common, union = _overlap(np.array(ours), np.array(theirs), ours, theirs)
        return float(common / union)


def _overlap(left: Any, right: Any, ours: Sequence[Any], theirs: Sequence[Any]) -> tuple[Any, Any]:
    """Return intersection and union: the notebook takes extents from arrays, and areas from the parsed values."""
    width = min(left[2], right[2]) - max(left[0], right[0])
    height = min(left[3], right[3]) - max(left[1], right[1])
    common = 0.0 if width < 0 or height < 0 else width * height
    return common, _area(ours) + _area(theirs) - common


def _area(box: Sequence[Any]) -> Any:
    return (box[2] - box[0]) * (box[3] - box[1])


def _distances(ours: Sequence[Any], theirs: Sequence[Any]) -> dict[str, float]:
    import numpy as np  # noqa: PLC0415 - heavy

    with np.errstate(all="ignore"):
        (center, half), (gold_center, gold_half) = (_center_and_half(box) for box in (ours, theirs))
        apart = np.float64(distance(*center, *gold_center))
        return {METRICS[1]: float(apart / gold_half), METRICS[2]: float(np.float64(half) / gold_half)}


def _center_and_half(box: Sequence[Any]) -> tuple[tuple[Any, Any], float]:
    west, south, east, north = box
    return ((south + north) / 2, (west + east) / 2), 0.5 * distance(south, west, north, east)


def distance(latitude: Any, longitude: Any, other_latitude: Any, other_longitude: Any) -> float:
    """Return the metres between two places on the sphere (haversine); NaN for places that do not exist.

    Raises TypeError for a value that is not a number.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    north, east, south, west = (np.radians(side) for side in (latitude, longitude, other_latitude, other_longitude))
    with np.errstate(all="ignore"):
        slant = np.sin((south - north) / 2) ** 2 + np.cos(north) * np.cos(south) * np.sin((west - east) / 2) ** 2
        return 2 * RADIUS * np.arcsin(np.sqrt(slant))  # type: ignore[no-any-return]
