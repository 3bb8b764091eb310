"""Box metrics in strict mode (OURS: B4 to B7): IoU on the circle of longitudes, distances if they are meaningful.

Does not repair boxes. Independent of where a text comes from.
"""

from __future__ import annotations

import math
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.reading.boxes_strict import CIRCLE, GeoBox, read_answer, read_gold
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring.boxes import distance
from harness.studies.curie.scoring.found import GOLD_INVALID, VALID, finding, missing, plain, unusable, without
from harness.studies.curie.tasks import STRICT

DISTANCES = ("normalized_distance_error", "relative_box_size", "log_relative_size")
METRICS = ("iou", *DISTANCES)
WIDE = CIRCLE / 2  # degrees; for wider boxes, half a diagonal no longer grows with the box


def score(response: str, truth: str) -> Found:
    """Score an answer against a ground-truth file.

    A blank or unusable answer has IoU 0 and no distances (B7); if the gold is not a box, there is no value (B6).
    """
    try:
        gold = read_gold(truth)
    except Unreadable as bad:
        return without(STRICT, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    try:
        box = read_answer(response)
    except Unreadable as bad:
        metrics = {"iou": 0, **{name: missing(f"no box: {bad}") for name in DISTANCES}}
        return finding(STRICT, 0, unusable(response), metrics, suspected_swap=False, wide=gold.width > WIDE)
    wide = max(box.width, gold.width) > WIDE
    metrics = {"iou": iou(box, gold), **_distances(box, gold, wide=wide)}
    return finding(STRICT, metrics["iou"], VALID, metrics, suspected_swap=box.swapped, wide=wide)


def iou(box: GeoBox, gold: GeoBox) -> float:
    """Return the intersection over union of two boxes in degrees, also across the antimeridian."""
    start = (gold.west - box.west) % CIRCLE  # of the gold, from our west side, modulo 360
    across = math.fsum(_shared(box.width, at, at + gold.width) for at in (start, start - CIRCLE))
    common = across * max(0.0, min(box.north, gold.north) - max(box.south, gold.south))
    return common / (box.width * box.height + gold.width * gold.height - common)


def _shared(width: float, start: float, end: float) -> float:
    """Return the length of the overlap of two stretches: 0 to `width`, and `start` to `end`."""
    return max(0.0, min(width, end) - max(0.0, start))


def _distances(box: GeoBox, gold: GeoBox, *, wide: bool) -> dict[str, Any]:
    if wide:
        return {name: missing("a box is wider than 180 degrees") for name in DISTANCES}
    half, gold_half = _half_diagonal(box), _half_diagonal(gold)
    if not gold_half:
        return {name: missing("the right box is smaller than a length can tell") for name in DISTANCES}
    size = half / gold_half
    apart = distance(*_center(box), *_center(gold)) / gold_half
    values = (apart, size, abs(math.log(size)) if size else math.inf)
    return {name: plain(float(value)) for name, value in zip(DISTANCES, values, strict=True)}


def _center(box: GeoBox) -> tuple[float, float]:
    return (box.south + box.north) / 2, box.west + box.width / 2


def _half_diagonal(box: GeoBox) -> float:
    return 0.5 * float(distance(box.south, box.west, box.north, box.west + box.width))
