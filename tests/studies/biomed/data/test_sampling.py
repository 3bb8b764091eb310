"""The published sampling and split: which rows are drawn, in what order, and how train overlaps with test."""

from importlib import import_module
from typing import Any

import pytest

from harness.errors import InputError
from harness.studies.biomed.data.sampling import sample_by_template
from harness.studies.biomed.data.splitting import split


def by_pandas(templates, n, batch, seed):
    """Draw as the description of the published function says, with pandas itself."""
    pd: Any = import_module("pandas")
    frame, drawn = pd.DataFrame({"place": range(len(templates)), "template": templates}), []
    for _, group in frame.groupby("template"):
        wanted, rest = min(n, len(group)), group
        while wanted:
            some = rest.sample(n=min(batch, wanted), random_state=seed)
            rest, wanted = rest.drop(some.index), wanted - len(some)
            drawn += some["place"].tolist()
    return drawn


@pytest.mark.parametrize(("n", "batch", "seed"), [(1, 10, 12), (7, 3, 12), (25, 10, 12), (100, 10, 0), (30, 200, 5)])
def test_a_sample_is_what_pandas_draws(n, batch, seed):
    templates = ["Q2"] * 40 + ["Q10", "a", "Ä", "Q2", "Q10"] * 9 + ["Z"]
    assert sample_by_template(templates, n, batch, seed) == by_pandas(templates, n, batch, seed)


def test_templates_come_in_the_order_of_code_points():
    assert sample_by_template(["Q2", "Q10", "a", "B"], 1) == [3, 1, 0, 2]


def test_a_larger_sample_of_whole_batches_keeps_a_smaller_one():
    templates = ["A"] * 95
    assert sample_by_template(templates, 40)[:20] == sample_by_template(templates, 20)


def test_a_row_without_a_template_is_never_drawn():
    assert sorted(sample_by_template(["A", None, "A"], 9)) == [0, 2]


def test_nothing_is_drawn_from_nothing():
    assert sample_by_template([], 5) == []


@pytest.mark.parametrize(("n", "batch", "seed"), [(0, 10, 12), (5, 0, 12), (5, 10, -1), (5, 10, 2**32)])
def test_numbers_out_of_bounds_are_refused(n, batch, seed):
    with pytest.raises(InputError, match="no sample has n"):
        sample_by_template(["A"], n, batch, seed)


def test_official_train_is_the_end_of_the_file_whatever_was_drawn():
    found = split(["A"] * 5 + ["B"] * 3, "official", n=3)
    assert (len(found.test), found.train) == (6, (6, 7))
    assert (found.overlap, found.in_neither) == (2, 2)


def test_disjoint_train_is_what_was_not_drawn():
    found = split(["A"] * 5 + ["B"] * 3, "disjoint", n=3)
    assert sorted((*found.test, *found.train)) == list(range(8))
    assert (found.overlap, found.in_neither) == (0, 0)


def test_both_splits_have_the_same_test():
    templates = ["A"] * 50 + ["B"] * 20
    assert split(templates, "official", n=15).test == split(templates, "disjoint", n=15).test


def test_train_rows_that_ask_what_test_asks_are_counted():
    found = split(["A", "A", "B"], "disjoint", n=1)
    asked = ["same", "same", "other"]
    assert found.counts(asked)["same_question"] == 1
    assert found.counts(["x", "y", "z"])["same_question"] == 0


def test_another_split_is_refused():
    with pytest.raises(InputError, match="no such split"):
        split(["A"], "random")
