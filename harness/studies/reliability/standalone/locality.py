"""The standalone analysis of locality targets: the cities near a city, and which of them is the target.

Works on the names and fields that a caller uses; independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, Number, Text, ToolOutput, UncheckedList, check_input, finite_number
from harness.scorers.tool import Tool
from harness.stats import LARGEST, is_number
from harness.studies.reliability.data.cities import City, city, surviving
from harness.studies.reliability.data.nearby import within
from harness.studies.reliability.standalone.fields import each

_ABSENT = {"city_ascii": "", "country": ""}  # columns of a source that no target depends on
ASKED = "the city asked about; or, with d_km, in each object of `cases`"
AWAY = "the distance in km, itself included"
Km = Annotated[float, finite_number(0, LARGEST)]


class CityRow(AnalysisInput):
    """A row of the city table: name, position and population."""

    city: Text
    lat: Number
    lng: Number
    population: Number | None = None


class CityCase(AnalysisInput):
    """Input: the city that is asked about, and the distance in km within which the largest other city is sought."""

    city: Text = Field(description=ASKED)
    d_km: Km = Field(description=AWAY)


class LocalityTargetsInput(AnalysisInput):
    """Input: a table of cities, and one case or many."""

    cities: Annotated[list[Any], UncheckedList(list[CityRow])] = Field(
        description="objects of city, lat, lng (degrees) and population (null where unknown)"
    )
    city: Text | None = Field(default=None, description=ASKED)
    d_km: Km | None = Field(default=None, description=AWAY)
    cases: list[Any] | None = Field(default=None, description="optional: a list of {city, d_km}")


class LocalityTargetsOutput(ToolOutput):
    """Output: the cities near each case, and its target."""

    kept_after_filters: list[str] = Field(description="the cities whose name is unique and one word in A-Z and a-z")
    within: list[tuple[str, float]] | None = Field(
        default=None,
        description="[city, km] of each city of known population within the distance, the most populous first",
    )
    target: str | None = Field(
        default=None, description="the first of them, or null; with `cases`, both stand in each case"
    )
    cases: list[dict[str, Any]] | None = Field(default=None, description="with cases: within and target of each")


def locality_targets(given: LocalityTargetsInput) -> dict[str, Any]:
    """Return the cities near a city and the target among them, for one case or each of `cases`, over one city table.

    Raises InputError for a malformed row, or for a city that does not pass the filters.
    """
    kept = surviving([_city(row, place) for place, row in enumerate(given.cities, 1)])
    found: dict[str, Any] = {"kept_after_filters": [each.name for each in kept]}
    if given.cases is None:
        named = {name: getattr(given, name) for name in ("city", "d_km") if getattr(given, name) is not None}
        return found | _case(named, kept)

    def case(asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"city": asked.get("city"), "d_km": asked.get("d_km"), **_case(asked, kept)}

    return found | {"cases": each(given.cases, case)}


def _city(row: Any, place: int) -> City:
    if not isinstance(row, Mapping):
        raise InputError(
            "a city is not an object", where=f"cities, row {place}", next="give {city, lat, lng, population}"
        )
    return city({**_ABSENT, **row}, f"cities, row {place}", _number)


def _case(given: Mapping[str, Any], kept: Sequence[City]) -> dict[str, Any]:
    case = check_input(CityCase, given)
    origin = next((each for each in kept if each.name == case.city), None)
    if origin is None:
        raise InputError(
            "`city` is none of the cities that pass the filters",
            where="city",
            next="name one whose name is unique and one word in A-Z and a-z",
        )
    near = within(kept, origin, case.d_km)
    return {"within": [[each.name, away] for each, away in near], "target": near[0][0].name if near else None}


def _number(value: Any) -> float:
    if not is_number(value):
        raise TypeError("not a number")
    return value


ANALYSES: Mapping[str, Tool] = {
    "reliability.locality_targets": Tool(
        about="Gives the cities within a distance of a city, the most populous first, and so the target of the item.",
        takes=LocalityTargetsInput,
        gives=LocalityTargetsOutput,
        run=locality_targets,
    ),
}
