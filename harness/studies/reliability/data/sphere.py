"""Radius search on a sphere: places within a great-circle distance of others (reliability 1.3, OURS).

It knows coordinates; it must never know a name, a population or an item. The haversine distance alone decides;
products of unit vectors only spare it, with a margin, for pairs that are clearly near or far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

RADIUS = 6371.0088  # km
ROOM = 1e-12  # of a cosine, or degrees: a thousand times what rounding can do to either
BLOCK = 2_000_000  # pairs looked at together
Point = tuple[float, float]  # latitude and longitude in degrees


def haversine(one: Point, other: Point) -> float:
    """Give the great-circle distance in km of two points (latitude and longitude in degrees)."""
    lat, other_lat = math.radians(one[0]), math.radians(other[0])
    north, east = (other_lat - lat) / 2, math.radians(other[1] - one[1]) / 2
    square = math.sin(north) ** 2 + math.cos(lat) * math.cos(other_lat) * math.sin(east) ** 2
    return 2 * RADIUS * math.asin(min(1.0, math.sqrt(square)))


@dataclass(frozen=True, slots=True)
class Sphere:
    """A search index over places in a given order: finds the first within a distance of a point, or counts them."""

    points: Sequence[Point]
    vectors: Any

    def firsts(self, origins: Sequence[Point], within: Sequence[float], own: Sequence[int]) -> list[int]:
        """Give for each origin the index of the first place within its distance in km; -1 where there is none.

        `own` is the index of each origin among the places, which is left out, or -1. Most origins find theirs among
        the first few places, so the others are searched only for the origins that are left.
        """
        import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

        found = [-1] * len(origins)
        left = np.arange(len(origins))
        vectors, cosines, owns = _vectors(origins), np.cos(np.array(within, float) / RADIUS), np.array(own, int)
        low, high = 0, 64
        while low < len(self.points) and len(left):
            size = max(1, BLOCK // (min(high, len(self.points)) - low))
            missed = []
            for start in range(0, len(left), size):
                part = left[start : start + size]
                near = vectors[part] @ self.vectors[low:high].T >= cosines[part, None] - ROOM
                mine = np.flatnonzero((owns[part] >= low) & (owns[part] < low + near.shape[1]))
                near[mine, owns[part][mine] - low] = False
                for row in np.flatnonzero(near.any(axis=1)):
                    origin = int(part[row])
                    found[origin] = self._first(origins[origin], within[origin], low, near[row])
                missed.append(part[[found[origin] < 0 for origin in part]])
            left = np.concatenate(missed)
            low, high = high, 4 * high
        return found

    def _first(self, origin: Point, within: float, low: int, near: Any) -> int:
        for place in near.nonzero()[0]:
            if haversine(origin, self.points[low + int(place)]) <= within:
                return low + int(place)
        return -1

    def counts(self, origins: Sequence[Point], within: Sequence[float], own: Sequence[int]) -> list[int]:
        """Count for each origin the places within its distance in km, the one at index `own` (-1: none) left out."""
        import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

        latitudes = np.array([point[0] for point in self.points])
        order = np.argsort(latitudes, kind="stable")
        vectors, latitudes = self.vectors[order], latitudes[order]
        found = []
        for origin, vector, d_km, place in zip(origins, _vectors(origins), within, own, strict=True):
            reach = math.degrees(d_km / RADIUS) + ROOM
            low = int(np.searchsorted(latitudes, origin[0] - reach))
            high = int(np.searchsorted(latitudes, origin[0] + reach))
            products, cosine = vectors[low:high] @ vector, math.cos(d_km / RADIUS)
            count = int(np.count_nonzero(products > cosine + ROOM)) - (place >= 0)
            for near in np.flatnonzero(np.abs(products - cosine) <= ROOM):
                count += haversine(origin, self.points[order[low + near]]) <= d_km
            found.append(count)
        return found


def sphere(points: Sequence[Point]) -> Sphere:
    """Build the search index of places (latitude and longitude in degrees), in their order."""
    return Sphere(points, _vectors(points))


def _vectors(points: Sequence[Point]) -> Any:
    import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

    lat, lng = np.radians(np.array(points, float).reshape(-1, 2)).T
    return np.stack((np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)), axis=1)
