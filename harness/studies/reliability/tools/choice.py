"""The analysis of the locality benchmark that works alone: over the command line, in a test, for an agent.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.stats import is_number
from harness.studies.reliability.data.cities import City, city, surviving
from harness.studies.reliability.data.nearby import within
from harness.studies.reliability.tools.fields import each, sequence

_ABSENT = {"city_ascii": "", "country": ""}  # columns of a source that no target depends on


def locality_targets(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the cities near a city and the target among them, for one case or for a list of cases over one table."""
    kept = surviving([_city(row, number) for number, row in enumerate(sequence(given, "cities"), 1)])
    found: dict[str, Any] = {"kept_after_filters": [each.name for each in kept]}
    if "cases" not in given:
        return found | _case(given, kept)

    def case(asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"city": asked.get("city"), "d_km": asked.get("d_km"), **_case(asked, kept)}

    return found | {"cases": each(given, "cases", case)}


def _city(row: Any, number: int) -> City:
    if not isinstance(row, Mapping):
        raise InputError(
            "a city is not an object", where=f"cities, row {number}", next="give {city, lat, lng, population}"
        )
    return city({**_ABSENT, **row}, f"cities, row {number}", _number)


def _case(case: Mapping[str, Any], kept: Sequence[City]) -> dict[str, Any]:
    origin = next((each for each in kept if each.name == case.get("city")), None)
    if origin is None:
        raise InputError(
            "`city` is none of the cities that survive the filters",
            where="city",
            next="name one whose name is unique and one word in A-Z and a-z",
        )
    d_km = case.get("d_km")
    if not is_number(d_km) or d_km < 0:
        raise InputError("`d_km` is not a number from 0", where="d_km", next="give a distance in km")
    near = within(kept, origin, d_km)
    return {"within": [[each.name, away] for each, away in near], "target": near[0][0].name if near else None}


def _number(value: Any) -> float:
    if not is_number(value):
        raise TypeError("not a number")
    return value


ANALYSES: Mapping[str, Tool] = {
    "reliability.locality_targets": Tool(
        about="Gives the cities within a distance of a city, the most populous first, and so the target of the item.",
        takes={
            "cities": "objects of city, lat, lng (degrees) and population (null where unknown)",
            "city": "the city asked about; or, with d_km, in each object of `cases`",
            "d_km": "the distance in km, itself included",
            "cases": "optional: a list of {city, d_km}",
        },
        gives={
            "kept_after_filters": "the cities whose name is unique and one word in A-Z and a-z",
            "within": "[city, km] of each city of known population within the distance, the most populous first",
            "target": "the first of them, or null; with `cases`, both stand in each case",
        },
        run=locality_targets,
    ),
}
