"""Areas on a map against the right ones (OURS): intersection over union of boxes and polygons, by shapely.

Areas are in square degrees, as for the boxes of strict mode, on the circle of longitudes. Rules: docs/curie.md#areas.
Does not repair areas. Independent of where a text comes from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from harness.errors import MissingError
from harness.rowtypes import Found
from harness.studies.curie.reading.areas import Area, Polygon, read_answer, read_gold
from harness.studies.curie.reading.boxes_strict import CIRCLE
from harness.studies.curie.reading.json5_grammar import Unreadable
from harness.studies.curie.scoring.found import GOLD_INVALID, VALID, finding, unusable, without
from harness.studies.curie.tasks import STRICT

Shape = Any  # a shapely geometry
MOST_MEETINGS = 10_000  # of edges with edges: the time of a union or an intersection grows with their number
METRICS = ("iou", "gold_covered", "answer_inside", "answer_area", "gold_area")
REASON = "reason"  # stored beside the metrics: why an answer is not an area
_WHY = {  # shapely's reasons for an invalid polygon, by first word
    "Self-intersection": "a ring that crosses itself",
    "Ring": "a ring that touches itself",
    "Hole": "a hole outside of its ring",
    "Holes": "holes inside of holes",
    "Nested": "holes inside of holes",
    "Interior": "a polygon that its holes cut in two",
    "Too": "a ring of fewer than three different vertices",
    "Duplicate": "two rings that are one",
}


def score(response: str, truth: str) -> Found:
    """Score an answer against a ground truth, each a box, several boxes, or polygons of GeoJSON.

    An answer that is not an area is worth 0, with the reason. Without a gold area there is no value. Raises
    MissingError if shapely is not installed.
    """
    try:
        gold = shape_of(read_gold(truth))
    except Unreadable as bad:
        return without(STRICT, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    try:
        area = read_answer(response)
        answer = shape_of(area)
        _require_few(_edges(answer), _edges(gold))
    except Unreadable as bad:
        nothing = dict.fromkeys(METRICS[:4], 0) | {"gold_area": float(gold.area)}
        return finding(STRICT, 0, unusable(response), nothing, **{REASON: str(bad)})
    common, sizes = float(answer.intersection(gold).area), (float(answer.area), float(gold.area))
    values = (common / (math.fsum(sizes) - common), common / sizes[1], common / sizes[0])
    found = {name: min(value, 1.0) for name, value in zip(METRICS[:3], values, strict=True)}  # may exceed 1 by rounding
    metrics = {**found, "answer_area": sizes[0], "gold_area": sizes[1]}
    return finding(STRICT, found["iou"], VALID, metrics, suspected=area.suspected)


def shape_of(area: Area) -> Shape:
    """Map an area to longitudes from 0 to 360; overlapping parts count once.

    Raises Unreadable, with the reason, for an invalid polygon, and for an area whose size is not above 0.
    """
    shapely = _shapely()
    boxes = [shapely.box(box.west, box.south, box.west + box.width, box.north) for box in area.boxes]
    laid = [part for shape in (*boxes, *map(_polygon, area.polygons)) for part in _on_circle(shape)]
    _require_few_of(laid)
    whole = shapely.union_all(laid)
    if not whole.area > 0:
        raise Unreadable("an area of nothing")
    return whole


def _polygon(polygon: Polygon) -> Shape:
    shapely = _shapely()
    found = shapely.Polygon(polygon.outer, polygon.holes)
    if not found.is_valid:
        first = shapely.is_valid_reason(found).split()[0].partition("[")[0]
        raise Unreadable(_WHY.get(first, "a polygon that crosses itself"))
    return found


def _on_circle(shape: Shape) -> list[Shape]:
    """Cut a shape at each full turn, and move every piece to longitudes from 0 to 360."""
    from shapely.affinity import translate  # noqa: PLC0415

    shapely = _shapely()
    west, _, east, _ = shape.bounds
    first, last = math.floor(west / CIRCLE), math.floor(east / CIRCLE)
    if first == last:
        return [translate(shape, -CIRCLE * first)] if first else [shape]
    circle = shapely.box(0, -90, CIRCLE, 90)
    return [translate(shape, -CIRCLE * turn).intersection(circle) for turn in range(first, last + 1)]


def _edges(shape: Shape) -> list[Shape]:
    """Return the edges of a shape, each as a line."""
    shapely = _shapely()
    rings = [ring for part in shapely.get_parts(shape) for ring in shapely.get_rings(part)]
    corners = [shapely.get_coordinates(ring) for ring in rings]
    return [line for each in corners for line in shapely.linestrings([*pairwise(each)])]


def _require_few(ours: Sequence[Shape], theirs: Sequence[Shape]) -> None:
    """Raise Unreadable if the edges of two shapes meet so often that computing their intersection would take long."""
    if len(_meetings(ours, theirs)[0]) > MOST_MEETINGS:
        raise _too_many()


def _require_few_of(shapes: Sequence[Shape]) -> None:
    """Raise Unreadable if the edges of different shapes meet so often that computing their union would take long."""
    if len(shapes) < 2:
        return
    each = [_edges(shape) for shape in shapes]
    edges, owners = [edge for own in each for edge in own], [at for at, own in enumerate(each) for _ in own]
    one, other = _meetings(edges, edges)
    if sum(owners[left] < owners[right] for left, right in zip(one, other, strict=True)) > MOST_MEETINGS:
        raise _too_many()


def _meetings(ours: Sequence[Shape], theirs: Sequence[Shape]) -> tuple[list[int], list[int]]:
    """Return the positions of edges that meet, as pairs in two lists."""
    one, other = _shapely().STRtree(theirs).query(ours, predicate="intersects").tolist()
    return one, other


def _too_many() -> Unreadable:
    return Unreadable(f"outlines that meet more than {MOST_MEETINGS:,} times")


def _shapely() -> Any:
    try:
        import shapely  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("shapely is not installed", next="pip install 'repro-harness[science]'") from bad
    return shapely
