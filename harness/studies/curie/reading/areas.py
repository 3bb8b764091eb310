"""Areas on a map, read from an answer or a ground truth (OURS): boxes, and polygons as in GeoJSON (RFC 7946).

Rules: docs/curie.md#areas. The result is rings of degrees, each checked by itself. Does not compare or repair areas,
and uses no geometry library.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from harness.studies.curie.reading.boxes import SIDES
from harness.studies.curie.reading.boxes_strict import CIRCLE, GeoBox
from harness.studies.curie.reading.json5_grammar import Unreadable
from harness.studies.curie.reading.loose_json import loads
from harness.studies.curie.reading.strict_json import read_first

MOST_VERTICES = 2_000  # of all polygons of an area
MOST_PARTS = 200  # boxes and polygons of an area
LATITUDE, LONGITUDE = 90.0, 360.0  # degrees: largest absolute values
DEEPEST = 8  # nesting of collections
LEAST = 4  # vertices of a ring, whose last vertex repeats the first
Vertex = tuple[float, float]  # longitude, latitude
Ring = tuple[Vertex, ...]


@dataclass(frozen=True, slots=True)
class Polygon:
    """A ring, and the rings of its holes."""

    outer: Ring
    holes: tuple[Ring, ...] = ()

    @property
    def long_edge(self) -> bool:
        """Whether an edge spans more than 180 degrees; it is kept as written, even if the short way was meant."""
        pairs = ((one, other) for ring in (self.outer, *self.holes) for one, other in pairwise(ring))
        return any(CIRCLE / 2 < abs(other[0] - one[0]) < CIRCLE for one, other in pairs)


@dataclass(frozen=True, slots=True)
class Area:
    """One or more boxes and polygons, which may overlap."""

    boxes: tuple[GeoBox, ...]
    polygons: tuple[Polygon, ...]

    @property
    def suspected(self) -> bool:
        """Whether a part may have been meant the other way round: swapped sides of a box, or a too long edge."""
        return any(box.swapped for box in self.boxes) or any(one.long_edge for one in self.polygons)


def read_answer(text: str) -> Area:
    """Read the area in an answer's first JSON value (R1, R2); raises Unreadable, with a reason, if it is no area."""
    return _area(read_first(text))


def read_gold(text: str) -> Area:
    """Read the area of a ground truth, which is JSON as a whole; raises Unreadable if it is not an area."""
    return _area(loads(text))


def _area(found: Any) -> Area:
    boxes: list[GeoBox] = []
    polygons: list[Polygon] = []
    left = MOST_VERTICES
    for part in _parts(found, DEEPEST):
        if len(boxes) + len(polygons) == MOST_PARTS:
            raise Unreadable(f"more than {MOST_PARTS} boxes and polygons")
        if isinstance(part, Mapping):
            boxes.append(_box(part))
        else:
            left -= sum(len(ring) for ring in part if isinstance(ring, list))  # other values are refused below
            if left < 0:
                raise Unreadable(f"more than {MOST_VERTICES:,} vertices")
            polygons.append(_polygon(part))
    if not boxes and not polygons:
        raise Unreadable("no box and no polygon")
    return Area(tuple(boxes), tuple(polygons))


def _parts(found: Any, deep: int) -> Iterator[Mapping[str, Any] | Sequence[Any]]:
    """Yield objects with four sides, and polygons as lists of rings; raises Unreadable for anything else."""
    if deep == 0:
        raise Unreadable("collections are nested too deep")
    if isinstance(found, Mapping):
        yield from _of_object(found, deep)
    elif not isinstance(found, list):
        raise Unreadable("neither a box nor a polygon")
    elif found and all(isinstance(each, Mapping) for each in found):
        for each in found:
            yield from _parts(each, deep - 1)
    else:
        yield [found]  # a ring alone


def _of_object(found: Mapping[str, Any], deep: int) -> Iterator[Mapping[str, Any] | Sequence[Any]]:
    if all(side in found for side in SIDES):
        yield found
        return
    kind = found.get("type")
    if kind == "Polygon":
        yield _list(found, "coordinates")
    elif kind == "MultiPolygon":
        for rings in _list(found, "coordinates"):
            if not isinstance(rings, list):
                raise Unreadable("a polygon that is no list of rings")
            yield rings
    elif kind == "Feature":
        yield from _parts(found.get("geometry"), deep - 1)
    elif kind in ("FeatureCollection", "GeometryCollection"):
        for each in _list(found, "features" if kind == "FeatureCollection" else "geometries"):
            yield from _parts(each, deep - 1)
    else:
        raise Unreadable("an object that is neither a box with W, S, E and N nor a polygon of GeoJSON")


def _list(found: Mapping[str, Any], name: str) -> list[Any]:
    value = found.get(name)
    if not isinstance(value, list):
        raise Unreadable(f"its `{name}` are no list")
    return value


def _box(found: Mapping[str, Any]) -> GeoBox:
    """Return a box by the rules of strict boxes (B3): west to east, across the antimeridian if east is smaller."""
    west, south, east, north = (_degrees(found[side], LATITUDE if side in "SN" else LONGITUDE) for side in SIDES)
    box = GeoBox(west, south, east, north)
    if not box.width * box.height > 0:
        raise Unreadable("a box without an area, or with its south above its north")
    return box


def _polygon(rings: Sequence[Any]) -> Polygon:
    if not rings:
        raise Unreadable("a polygon without a ring")
    outer, *holes = (_ring(ring) for ring in rings)
    return Polygon(outer, tuple(holes))


def _ring(found: Any) -> Ring:
    if not isinstance(found, list):
        raise Unreadable("a ring that is no list of vertices")
    if len(found) < LEAST:
        raise Unreadable(f"a ring of fewer than {LEAST} vertices, the first and last of which are one")
    ring = tuple(_vertex(each) for each in found)
    if _turns(ring):
        raise Unreadable("a ring that goes round a pole, whose inside degrees do not tell")
    if ring[0] != ring[-1]:
        raise Unreadable("a ring that is not closed: its last vertex is not its first")
    return ring


def _turns(ring: Ring) -> bool:
    """Whether a ring returns to its start from the other side, with each edge taken the short way."""
    steps = [other[0] - one[0] for one, other in pairwise(ring)]
    short = [step - CIRCLE * round(step / CIRCLE) if abs(step) > CIRCLE / 2 else step for step in steps]
    return ring[0][1] == ring[-1][1] and abs(math.fsum(short)) > CIRCLE / 2


def _vertex(found: Any) -> Vertex:
    if not isinstance(found, list) or len(found) not in (2, 3):  # a third number is a height
        raise Unreadable("a vertex that is no longitude and latitude")
    return _degrees(found[0], LONGITUDE), _degrees(found[1], LATITUDE)


def _degrees(value: Any, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable("a coordinate that is no number")
    if isinstance(value, float) and not math.isfinite(value):
        raise Unreadable("a coordinate that is not finite")
    if not -most <= value <= most:
        raise Unreadable(f"a {'latitude' if most == LATITUDE else 'longitude'} beyond {most:.0f} degrees")
    return float(value)
