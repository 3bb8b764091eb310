"""Rows by their names: put into order, and refused by name where one is missing or stands twice."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.studies.brain.structure.aligning import positions


def test_rows_in_another_order_are_found_where_they_stand():
    found = ["c", "x", "a", "b"]
    assert [found[place] for place in positions(["a", "b", "c"], found, "vectors")] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("wanted", "found", "told"),
    [
        (["a", "b", "z"], ["a"], "the row 'b', and 1 more is missing"),
        (["a"], ["b", "a", "a"], "the row 'a' stands twice"),
        (["a", "a"], ["a"], "the row 'a' is wanted twice"),
        (["a"], ["b", "b", "a"], "the row 'b' stands twice"),
    ],
)
def test_a_row_that_is_missing_or_twice_is_named(wanted, found, told):
    with pytest.raises(InputError, match=told) as bad:
        positions(wanted, found, "minilm.vectors")
    assert bad.value.where == "minilm.vectors"
