"""The box around a published annotation: the extreme coordinates of all vertices of a geojson file, in degrees.

Files are in degrees (CRS84) or in the metres of web maps (EPSG:3857).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.errors import InputError
from harness.studies.curie.data.file_texts import ADVICE

RADIUS = 6378137.0  # metres, of the sphere that EPSG:3857 uses
DIGITS = 10  # digits of a degree: coarser than differences between two machines' logarithms
MOST_VERTICES = 1_000_000
Vertex = tuple[float, float]


def bounding_box(found: Mapping[str, Any], where: str) -> dict[str, float]:
    """Return the box around all vertices of a geojson object as {W, S, E, N}: west, south, east and north.

    Raises InputError, at `where`, for another reference system, for no vertex or too many, and for a coordinate that is
    not a number.
    """
    to_degrees = _SYSTEMS.get(_system(found))
    if to_degrees is None:
        raise InputError("its coordinates are neither CRS84 nor EPSG:3857", where=where, next=ADVICE)
    vertices = [to_degrees(each) for each in _vertices(found, where)]
    if not vertices:
        raise InputError("this geojson holds no vertex", where=where, next=ADVICE)
    east, north = zip(*vertices, strict=True)
    box = {"W": min(east), "S": min(north), "E": max(east), "N": max(north)}
    return {name: round(value, DIGITS) for name, value in box.items()}


def _system(found: Mapping[str, Any]) -> str:
    """Return the reference system: the text after the last colon of `crs`, or the format's default CRS84."""
    crs = found.get("crs")
    if crs is None:
        return "CRS84"
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    return str(name).rpartition(":")[2]


def _vertices(found: Any, where: str) -> Iterator[Vertex]:
    """Yield the vertices of all geometries at any depth, without recursion."""
    waiting: list[Any] = [found]
    count = 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += [each[name] for name in ("features", "geometry", "geometries", "coordinates") if name in each]
        elif isinstance(each, list) and each and not isinstance(each[0], dict | list):
            count += 1
            if count > MOST_VERTICES:
                raise InputError(f"more than {MOST_VERTICES} vertices", where=where, next=ADVICE)
            yield _vertex(each, where)
        elif isinstance(each, list):
            waiting += each


def _vertex(given: list[Any], where: str) -> Vertex:
    real = [isinstance(value, int | float) and not isinstance(value, bool) for value in given[:2]]
    if len(given) < 2 or not all(real) or not all(abs(value) <= 1e9 for value in given[:2]):
        raise InputError("a vertex is no pair of numbers", where=where, next=ADVICE)
    return float(given[0]), float(given[1])


def _from_metres(vertex: Vertex) -> Vertex:
    """Return the degrees of a point of the map, by the inverse of the spherical Mercator projection."""
    x, y = vertex
    return math.degrees(x / RADIUS), math.degrees(2 * math.atan(math.exp(y / RADIUS)) - math.pi / 2)


def _as_is(vertex: Vertex) -> Vertex:
    return vertex


_SYSTEMS: Mapping[str, Callable[[Vertex], Vertex]] = {"CRS84": _as_is, "3857": _from_metres}
