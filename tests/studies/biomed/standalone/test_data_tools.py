"""The standalone analyses of data: fields at the top or in `params`, rows or counts, and what is refused."""

import json
from typing import Any

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.biomed.standalone.data import ANALYSES

ROWS = [{"uuid": f"{name}.{number}", "template_uuid": name} for name in "AB" for number in range(1, 6)]


def run(name, **given):
    return ANALYSES[f"biomed.{name}"].run(given)


def test_settings_stand_at_the_top_or_in_params():
    inside, outside = run("sampling", rows=ROWS, params={"n": 2}), run("sampling", rows=ROWS, n=2)
    assert inside == outside
    assert len(inside["uuids"]) == 4


def test_without_settings_a_sample_is_as_published():
    assert run("sampling", rows=ROWS) == run("sampling", rows=ROWS, n=270, batch_size=10, random_state=12)


def test_a_split_takes_rows_or_counts():
    params = {"n": 3, "split_mode": "disjoint"}
    found = run("official_split_main", rows=ROWS, params=params)
    assert found == run("official_split_main", templates=[["A", 5], ["B", 5]], params=params)
    assert (found["n_train"], found["overlap_test_train"], found["split_mode"]) == (4, 0, "disjoint")


@pytest.mark.parametrize("given", [{}, {"rows": ROWS, "templates": [["A", 5]]}])
def test_a_split_of_neither_or_of_both_is_refused(given):
    with pytest.raises(InputError, match="rows are wanted, or templates"):
        run("official_split_main", **given)


def test_a_merge_is_strict_where_it_is_told_so():
    given = {"qa": [{"uuid": "a"}], "by_model": {"m": [{"uuid": "z", "m_response": "x"}]}}
    assert run("merge", **given)["returned"] == 1
    with pytest.raises(InputError, match="no question has this uuid"):
        run("merge", **given, params={"mode": "strict"})


def test_retries_take_their_numbers():
    given = {"query": "q", "responses": ["Error in a"], "params": {"retries": 2}}
    assert run("retries", **given)["delays"] == [2, 4]


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_has_a_schema_and_gives_what_it_says(name):
    given: Any = {
        "biomed.sampling": {"rows": ROWS}, "biomed.official_split_main": {"rows": ROWS},
        "biomed.merge": {"qa": [], "by_model": {}}, "biomed.retries": {"query": "", "responses": [""]},
    }[name]  # fmt: skip
    found = ANALYSES[name].run(given)
    ANALYSES[name].gives.model_validate(found)
    json.dumps([found, ANALYSES[name].schema()], allow_nan=False)


@each_of(
    ("name", "given", "what"),
    [
        ("sampling", {}, "`rows` is missing"),
        ("sampling", {"rows": [{"uuid": 1}]}, "is not a list of objects"),
        ("sampling", {"rows": ["A"]}, "is not a list of objects"),
        ("sampling", {"rows": ROWS, "params": {"n": 0}}, "`params/n` is not"),
        ("sampling", {"rows": ROWS, "n": True}, "`n` is not"),
        ("sampling", {"rows": ROWS, "random_state": 2**32}, "`random_state` is not"),
        ("official_split_main", {"templates": [["A", -1]]}, "`templates` is not"),
        ("official_split_main", {"templates": [["A", 10**6], ["B", 1]]}, "`templates` is not"),
        ("official_split_main", {"rows": ROWS, "split_mode": "x"}, "`split_mode` is not"),
        ("merge", {"qa": [], "by_model": []}, "`by_model` is not"),
        ("merge", {"qa": [], "by_model": {"m": [{"uuid": []}]}}, "`by_model` is not"),
        ("merge", {"qa": [], "by_model": {}, "mode": "loose"}, "`mode` is not"),
        ("retries", {"query": "q", "responses": [1]}, "`responses` is not"),
        ("retries", {"query": "q", "responses": []}, "no reply to query 1"),
        ("retries", {"query": "q", "responses": ["a"], "retries": 10**9}, "`retries` is not"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_field(name, given, what):
    with pytest.raises(InputError, match=what):
        run(name, **given)
