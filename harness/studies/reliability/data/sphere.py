"""Radius search on a sphere: places within a great-circle distance of others.

Rule (OURS): docs/reliability-rules.md#locality-target. Works on coordinates only. The haversine distance alone decides.
Products of unit vectors, with a margin, only avoid computing it for pairs that are clearly near or far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

RADIUS = 6371.0088  # km
ROOM = 1e-12  # margin of a cosine or of degrees: a thousand times the largest rounding error
BLOCK = 2_000_000  # pairs computed together
DEEP = 4096  # the first places, which are searched for all origins together
Point = tuple[float, float]  # latitude and longitude in degrees


def haversine(one: Point, other: Point) -> float:
    """Return the great-circle distance in km of two points (latitude and longitude in degrees)."""
    lat, other_lat = math.radians(one[0]), math.radians(other[0])
    north, east = (other_lat - lat) / 2, math.radians(other[1] - one[1]) / 2
    square = math.sin(north) ** 2 + math.cos(lat) * math.cos(other_lat) * math.sin(east) ** 2
    return 2 * RADIUS * math.asin(min(1.0, math.sqrt(square)))


@dataclass(frozen=True, slots=True)
class Sphere:
    """An index of ordered places on the globe, to find the first place within a distance of a point, or count them."""

    points: Sequence[Point]
    vectors: Any
    order: Any  # indices of the places from south to north; below, their latitudes and vectors in this order
    latitudes: Any
    ordered: Any

    def firsts(self, origins: Sequence[Point], within: Sequence[float], own: Sequence[int]) -> list[int]:
        """Return for each origin the index of the first place within its distance in km; -1 if there is none.

        `own` is the index of each origin among the places, which is left out, or -1. Most origins find a place among
        the first few. Later places are searched only for the remaining origins, each in its own belt of latitudes.
        """
        import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

        found = [-1] * len(origins)
        left = np.arange(len(origins))
        vectors, cosines, owns = _vectors(origins), np.cos(np.array(within, float) / RADIUS), np.array(own, int)
        low, high = 0, 64
        while low < min(DEEP, len(self.points)) and len(left):
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
        for origin in map(int, left):
            near = self.near(origins[origin], within[origin], low)
            found[origin] = next((place for place in near if place != own[origin]), -1)
        return found

    def _first(self, origin: Point, within: float, low: int, near: Any) -> int:
        for place in near.nonzero()[0]:
            if haversine(origin, self.points[low + int(place)]) <= within:
                return low + int(place)
        return -1

    def near(self, origin: Point, within: float, low: int = 0) -> Iterator[int]:
        """Yield, in order, the indices from `low` on of the places within a distance in km of a point."""
        import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

        vector = _vectors([origin])[0]
        first = np.flatnonzero(self.vectors[low:DEEP] @ vector >= math.cos(within / RADIUS) - ROOM)
        yield from (low + place for place in map(int, first) if haversine(origin, self.points[low + place]) <= within)
        order, products, cosine = self._belt(origin, vector, within)
        others = order[products >= cosine - ROOM]
        others = np.sort(others[others >= max(low, DEEP)])
        yield from (place for place in map(int, others) if haversine(origin, self.points[place]) <= within)

    def counts(self, origins: Sequence[Point], within: Sequence[float], own: Sequence[int]) -> list[int]:
        """Return for each origin the number of places within its distance in km; index `own` (-1: none) is left out."""
        import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

        found = []
        for origin, vector, d_km, place in zip(origins, _vectors(origins), within, own, strict=True):
            order, products, cosine = self._belt(origin, vector, d_km)
            count = int(np.count_nonzero(products > cosine + ROOM)) - (place >= 0)
            for near in np.flatnonzero(np.abs(products - cosine) <= ROOM):
                count += haversine(origin, self.points[order[near]]) <= d_km
            found.append(count)
        return found

    def _belt(self, origin: Point, vector: Any, within: float) -> tuple[Any, Any, float]:
        """Return the places in a point's belt of latitudes, the cosines of their angles, and the cosine of `within`."""
        import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

        reach = math.degrees(within / RADIUS) + ROOM
        low = int(np.searchsorted(self.latitudes, origin[0] - reach))
        high = int(np.searchsorted(self.latitudes, origin[0] + reach))
        return self.order[low:high], self.ordered[low:high] @ vector, math.cos(within / RADIUS)


def sphere(points: Sequence[Point]) -> Sphere:
    """Build the search index of places (latitude and longitude in degrees), in their order."""
    import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

    vectors, latitudes = _vectors(points), np.array([point[0] for point in points], float)
    order = np.argsort(latitudes, kind="stable")
    return Sphere(points, vectors, order, latitudes[order], vectors[order])


def _vectors(points: Sequence[Point]) -> Any:
    import numpy as np  # noqa: PLC0415 - loaded with a dataset, not with the command line

    lat, lng = np.radians(np.array(points, float).reshape(-1, 2)).T
    return np.stack((np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)), axis=1)
