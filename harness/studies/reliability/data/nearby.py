"""Radius lookup of targets: cities within a distance of another, the most populous first.

Rule (OURS): docs/reliability-rules.md#locality-target. Works on cities, positions and populations; independent of
sources, draws and items.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from harness.studies.reliability.data.cities import City
from harness.studies.reliability.data.sphere import haversine, sphere


class Candidates:
    """The cities of known population that can be a target, most populous first, searchable by distance.

    The target of an origin and a distance is the first candidate within that distance.
    """

    def __init__(self, cities: Sequence[City]) -> None:
        known = [city for city in cities if city.population]
        self.cities = sorted(known, key=lambda city: (-(city.population or 0), city.name, city.number))
        self._sphere = sphere([(city.lat, city.lng) for city in self.cities])
        self._place = {city: place for place, city in enumerate(self.cities)}

    def targets(self, origins: Sequence[City], within: Sequence[float]) -> list[City | None]:
        """Return for each origin the most populous other city within its distance in km, or None."""
        found = self._sphere.firsts([(city.lat, city.lng) for city in origins], within, self._own(origins))
        return [self.cities[place] if place >= 0 else None for place in found]

    def counts(self, origins: Sequence[City], within: Sequence[float]) -> list[int]:
        """Return for each origin the number of other cities within its distance in km."""
        return self._sphere.counts([(city.lat, city.lng) for city in origins], within, self._own(origins))

    def overshadowed(self, candidate: City, within: float) -> bool:
        """Whether a strictly more populous city lies within a distance in km of a city."""
        more = bisect_left(self.cities, -(candidate.population or 0), key=lambda city: -(city.population or 0))
        return next(self._sphere.near((candidate.lat, candidate.lng), within), more) < more

    def runner_up(self, origin: City, within: float, target: City) -> City | None:
        """Return the next most populous city after the target within a distance in km of an origin, or None."""
        near = self._sphere.near((origin.lat, origin.lng), within, self._place[target] + 1)
        return next((self.cities[place] for place in near if self.cities[place] != origin), None)

    def _own(self, origins: Sequence[City]) -> list[int]:
        return [self._place.get(city, -1) for city in origins]


def within(cities: Sequence[City], origin: City, d_km: float) -> list[tuple[City, float]]:
    """Return (city, km) of each city of known population at most `d_km` from the origin, the origin excepted.

    The most populous city comes first, ties by name; the first city is the target.
    """
    away = [
        (city, haversine((origin.lat, origin.lng), (city.lat, city.lng)))
        for city in cities
        if city.population and city.name != origin.name
    ]
    return sorted(
        (pair for pair in away if pair[1] <= d_km), key=lambda pair: (-(pair[0].population or 0), pair[0].name)
    )
