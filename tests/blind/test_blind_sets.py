"""The blind sets are whole, their halves share no question, and the page says of them what their command measures."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256

import pytest
from blind.measure import HERE, OPEN, PAGE, SEALED, SECOND, SETS, BlindSet, written

EVERY = (*SETS, *SECOND)
NAMES = [one.study for one in EVERY]
RIGHT = {"good", "c", "same"}


def question(row: dict[str, object]) -> str:
    """Name what a row asks."""
    asked = (row.get("instance"), row.get("benchmark"), row.get("item")) if "response" in row else row["gold"]
    return json.dumps(asked, sort_keys=True)


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_no_question_is_in_both_halves_and_no_answer_twice(one: BlindSet) -> None:
    halves = [one.rows(OPEN), one.rows(SEALED)]
    assert not {question(row) for row in halves[0]} & {question(row) for row in halves[1]}
    ids = [row["id"] for rows in halves for row in rows]
    assert len(ids) == len(set(ids)) >= 300
    assert all(row["label"] in one.labels for rows in halves for row in rows)


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_each_manner_has_answers_that_are_not_right(one: BlindSet) -> None:
    halves = (SEALED,) if one in SECOND else (OPEN, SEALED)  # a second set shares the open half of the first
    rows = [row for half in halves for row in one.rows(half)]
    every = Counter(row["manner"] for row in rows)
    wrong = Counter(row["manner"] for row in rows if row["label"] not in RIGHT)
    assert len(every) >= 8 and min(every.values()) >= (22 if one in SECOND else 25)
    assert all(wrong[manner] >= every[manner] / 4 for manner in every)


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_a_sealed_half_is_the_one_whose_digest_its_description_and_the_page_have(one: BlindSet) -> None:
    sealed = one.described.told.sealed
    assert sealed
    data = (HERE / sealed.file).read_bytes()
    assert (sha256(data).hexdigest(), len(data.splitlines())) == (sealed.sha256, sealed.rows)
    assert sealed.sha256 in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_a_description_names_who_labelled_and_the_rows_of_the_open_half(one: BlindSet) -> None:
    described, rows = one.described, one.rows(OPEN)
    read = described.rows("develop")
    assert [row.id for row in read] == [row["id"] for row in rows]
    assert [row.label for row in read] == [row["label"] for row in rows]
    assert all(len(row.said) == 2 and set(row.said) <= set(one.labels) for row in read)
    hidden = {"label", "label_b", "grade_a", "grade_b", "graded", "manner", "part"}
    assert not [row.id for row in read if hidden & set(row.given)]


@pytest.mark.long
def test_the_page_says_what_is_measured_now() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page)
