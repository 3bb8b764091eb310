"""Near misses of GEO: two data sets, nine and eight facts, so that one wrong fact leaves 16 of 17."""

from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction
from typing import Any

from studies.curie.scoring.near_misses.near_miss import NearMiss

WIND: dict[str, Any] = {
    "dataset_name": "Lake Winds 4",
    "dataset_website_or_source": ["https://data.example.org/lake-winds/"],
    "variables": [
        {
            "variable_name": "wind speed, wind direction",
            "description": "hourly means at 10 m above the water",
            "time_range": {"start_date": "2001-01-01", "end_date": "2014-12-31"},
            "spatial_range": ["Kenya", "Uganda"],
        }
    ],
}
WELLS: dict[str, Any] = {
    "dataset_name": "Borehole Survey",
    "dataset_website_or_source": ["https://wells.example.org/2010"],
    "variables": [
        {
            "variable_name": "self-potential",
            "description": "readings from -40 mV to 25 mV",
            "time_range": {"start_date": "2010-05-03", "end_date": "2010-09-30"},
            "spatial_range": ["Lake Turkana"],
        }
    ],
}
GOLD: dict[str, Any] = {
    "paper_title": "Wind and ground", "paper_link": "https://papers.example.org/1", "datasets": [WIND, WELLS],
    "notes": "",
}  # fmt: skip
TRUTH = json.dumps({"record_id": "near-1", **GOLD})


def _with(change: Any) -> str:
    """Write the gold as a model would, after a change to its two data sets."""
    value = deepcopy(GOLD)
    change(*value["datasets"], value)
    return json.dumps(value)


def _variable(number: int, **fields: Any) -> str:
    return _with(lambda wind, wells, _: (wind, wells)[number]["variables"][0].update(fields))


def _data(number: int, **fields: Any) -> str:
    return _with(lambda wind, wells, _: (wind, wells)[number].update(fields))


def _swapped(wind: Any, wells: Any, _: Any) -> None:
    one, other = wind["variables"][0], wells["variables"][0]
    one["variable_name"], other["variable_name"] = other["variable_name"], one["variable_name"]


_DAYS = {"start_date": "1 January 2001", "end_date": "Dec 31, 2014"}
_EXTRA = {"dataset_name": "World Clouds", "dataset_website_or_source": ["clouds.example.org"], "variables": [
    {"variable_name": "cloud cover", "spatial_range": ["Earth"]}]}  # fmt: skip
_TURNED = {"datasets": [{key: one[key] for key in reversed(one)} for one in (WELLS, WIND)]}
ROWS = [
    NearMiss("the gold itself", json.dumps(GOLD), Fraction(1), "every field is right"),
    NearMiss("data sets and keys in another order", json.dumps(_TURNED), Fraction(1), "lists have no order"),
    NearMiss("prose before, a fence around", f"Here it is:\n```json\n{json.dumps(GOLD, indent=2)}\n```\nDone.",
             Fraction(1), "only the JSON is read"),
    NearMiss("mV became MV", _variable(1, description="readings from -40 MV to 25 mV"), Fraction(16, 17),
             "one quantity is off by nine orders of magnitude"),
    NearMiss("a sign is lost", _variable(1, description="readings from 40 mV to 25 mV"), Fraction(16, 17),
             "one quantity has the wrong sign"),
    NearMiss("km for m", _variable(0, description="hourly means at 10 km above the water"), Fraction(16, 17),
             "one quantity is wrong"),
    NearMiss("a description in other words", _variable(1, description="between -40 mV and 25 mV at each well"),
             Fraction(1), "the same quantities, in the same units"),
    NearMiss("dates in words", _variable(0, time_range=_DAYS), Fraction(1), "the same days"),
    NearMiss("one day off", _variable(0, time_range={"start_date": "2001-01-02", "end_date": "2014-12-31"}),
             Fraction(16, 17), "one date is wrong"),
    NearMiss("an address without scheme and slash",
             _data(0, dataset_website_or_source="data.example.org/lake-winds"), Fraction(1), "the same page"),
    NearMiss("places in one text", _variable(0, spatial_range="Uganda, Kenya"), Fraction(1), "the same places"),
    NearMiss("one country wrong", _variable(0, spatial_range=["Kenya", "Tanzania"]), Fraction(16, 17),
             "one place is wrong"),
    NearMiss("a data set under another name", _data(0, dataset_name="Lake Winds 5"), Fraction(16, 17),
             "the name is another version's"),
    NearMiss("keys that nobody asked for", _data(0, licence="CC BY", authors=["A", "B"]), Fraction(1),
             "they state no fact of the task"),
    NearMiss("one data set left out", _with(lambda *all_: all_[2]["datasets"].pop()), Fraction(18, 26),
             "9 facts stated, all right, of 17"),
    NearMiss("one data set too many", _with(lambda *all_: all_[2]["datasets"].append(_EXTRA)), Fraction(34, 38),
             "four facts that the paper does not state"),
    NearMiss("variables under the wrong data set", _with(_swapped), Fraction(14, 17),
             "three variables stand where they do not belong"),
    NearMiss("no data set", json.dumps({**GOLD, "datasets": []}), Fraction(0), "nothing is stated"),
    NearMiss("the facts as prose", "Lake Winds 4 has wind speed for Kenya and Uganda from 2001-01-01.", Fraction(0),
             "the form that was asked for cannot be read", "invalid"),
]  # fmt: skip
