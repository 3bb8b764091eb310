"""Facts of GEO (rule GEO): which atoms a data set states, and with which one of the gold it is paired."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_cases import each_of

from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring.facts_geo import facts, facts_of, paired


def only(**fields: Any) -> Counter[Any]:
    """Give the facts of the one data set of an answer."""
    [found] = facts_of(json.dumps({"datasets": [fields]}))
    return found


def variable(**fields: Any) -> Counter[Any]:
    return only(variables=[fields])


@each_of(
    ("found", "atoms"),
    [
        (only(dataset_name="  ERA\u00a05 "), ["era 5"]),
        (only(dataset_website_or_source=["HTTPS://a.org/X/", "ftp://b.org"]), ["a.org/x", "b.org"]),
        (only(dataset_website_or_source="see http://a.org/x, and https://b.org."), ["a.org/x", "b.org"]),
        (only(dataset_website_or_source="the authors"), ["the authors"]),
        (variable(variable_name="Wind, Rain"), ["rain", "wind"]),
        (variable(variable_name=["Wind", "Rain,Snow"]), ["rain", "snow", "wind"]),
        (variable(spatial_range=["Lima, Peru", "Cusco"]), ["cusco", "lima", "peru"]),
        (variable(time_range={"start_date": "98-01-02", "end_date": "May 1999"}), ["1998-01-02", "1999-05"]),
        (variable(time_range=[{"start_date": "1998"}, {"start_date": "2000"}]), ["1998", "2000"]),
        (variable(time_range={"start_date": ["1998", "2000"]}), ["1998", "2000"]),
        (only(variables={"variable_name": "Wind"}), ["wind"]),
        (only(variables=["Wind"]), ["wind"]),
    ],
)
def test_geo_atoms_of_a_field(found: Counter[Any], atoms: list[str]) -> None:
    assert sorted(fact[1] for fact in found.elements()) == atoms


def test_geo_of_a_description_the_quantities_count() -> None:
    assert variable(description="At 10 m, every -5 °C") == Counter(
        {("description", "10", "m"): 1, ("description", "-5", "°C"): 1}
    )


def test_geo_the_same_atom_in_two_fields_is_two_facts() -> None:
    assert variable(variable_name="Lima") != variable(spatial_range="Lima")
    start, end = variable(time_range={"start_date": "1998"}), variable(time_range={"end_date": "1998"})
    assert start != end


def test_geo_what_says_that_nothing_is_known_is_no_fact() -> None:
    said = {"dataset_name": "N/A", "dataset_website_or_source": ["not specified", None], "variables": None}
    assert facts_of(json.dumps({"datasets": [said]})) == []


def test_geo_other_fields_state_no_fact_of_the_task() -> None:
    assert facts_of(json.dumps({"paper_title": "T", "notes": "5 km", "datasets": [{"doi": "x"}]})) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"datasets": {"dataset_name": "A"}}',
        '{"dataset_name": "A"}',
        '[{"dataset_name": "A"}]',
        '[{"datasets": [{"dataset_name": "A"}]}]',
        "```json\n{'datasets': [{'dataset_name': 'A', 'x': None}]}\n```",
    ],
)
def test_geo_data_sets_are_found_in_the_shapes_that_models_give(text: str) -> None:
    assert facts_of(text) == [Counter({("dataset_name", "a"): 1})]


@pytest.mark.parametrize("text", ["[]", "[1, 2]", "no JSON", '["a"]'])
def test_geo_without_an_object_an_answer_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        facts_of(text)


def test_geo_the_truth_is_read_in_the_archives_form_and_serialised() -> None:
    plain = '{"record_id": "r", "datasets": [{"dataset_name": "A"}]}'
    assert facts(plain) == facts("{datasets: [{dataset_name: 'A'}]}") == [Counter({("dataset_name", "a"): 1})]


SETS = st.lists(
    st.text("abcd", min_size=1, max_size=4).map(lambda letters: Counter((one,) for one in letters)), max_size=4
)


@given(SETS, SETS)
def test_geo_pairs_share_the_most_that_any_assignment_does(
    gold: list[Counter[Any]], stated: list[Counter[Any]]
) -> None:
    short, long = sorted((gold, stated), key=len)
    best = max(sum((a & b).total() for a, b in zip(short, order, strict=False)) for order in permutations(long))
    compared = paired(gold, stated)
    assert compared.shared == best
    assert compared.missed.total() == sum(one.total() for one in gold) - best
    assert compared.extra.total() == sum(one.total() for one in stated) - best
