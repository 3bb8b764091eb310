"""Radius lookup of targets: the most populous city within a distance of another one (reliability 1.3, OURS).

It knows cities, positions and populations; it must never know a source, a draw or an item.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.studies.reliability.data.cities import City
from harness.studies.reliability.data.sphere import haversine, sphere


class Candidates:
    """Candidate targets: cities of known population, most populous first, ties by name; the first near enough is it."""

    def __init__(self, cities: Sequence[City]) -> None:
        known = [city for city in cities if city.population]
        self.cities = sorted(known, key=lambda city: (-(city.population or 0), city.name))
        self._sphere = sphere([(city.lat, city.lng) for city in self.cities])
        self._place = {city.name: place for place, city in enumerate(self.cities)}

    def targets(self, origins: Sequence[City], within: Sequence[float]) -> list[City | None]:
        """Give for each origin the most populous city within its distance, itself never."""
        found = self._sphere.firsts([(city.lat, city.lng) for city in origins], within, self._own(origins))
        return [self.cities[place] if place >= 0 else None for place in found]

    def counts(self, origins: Sequence[City], within: Sequence[float]) -> list[int]:
        """Count for each origin the cities within its distance, itself never."""
        return self._sphere.counts([(city.lat, city.lng) for city in origins], within, self._own(origins))

    def _own(self, origins: Sequence[City]) -> list[int]:
        return [self._place.get(city.name, -1) for city in origins]


def within(cities: Sequence[City], origin: City, d_km: float) -> list[tuple[City, float]]:
    """Give the cities of known population within a distance, the radius included and the origin not, as targets go."""
    away = [
        (city, haversine((origin.lat, origin.lng), (city.lat, city.lng)))
        for city in cities
        if city.population and city.name != origin.name
    ]
    return sorted(
        (pair for pair in away if pair[1] <= d_km), key=lambda pair: (-(pair[0].population or 0), pair[0].name)
    )
