"""What may be said of a test's counts: `significant` only after FDR, by a test that keeps its 5 % under every null."""

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.studies.brain.pages import verdicts
from harness.studies.brain.pages.verdicts import UnitCounts, said


def sizes(exchangeable, autocorrelated, family=0.01):
    both = {"exchangeable": exchangeable, "autocorrelated": autocorrelated}
    return {null: {} if raw is None else {"raw": raw, "family": family} for null, raw in both.items()}


@each_of(
    ("measured", "level", "pair", "significant"),
    [
        (sizes(0.01, 0.05), "row", "nested", True),
        (sizes(0.01, 0.051), "row", "nested", False),
        (sizes(0.06, 0.01), "fold", "nested", False),
        (sizes(0.01, 0.02, family=0.2), "fold", "nested", False),
        (sizes(0.01, None), "fold", "nested", False),
        (sizes(0.01, 0.02, family=None), "fold", "nested", False),
        (sizes(None, None), "fold", "nested", False),
        (sizes(0.01, 0.02), "row", "equal", False),
        (sizes(0.01, 0.02), "fold", "equal", True),
        (sizes("nan", 0.02), "fold", "nested", False),
    ],
)
def test_only_a_test_that_keeps_its_size_is_called_significant(measured, level, pair, significant):
    told = said(UnitCounts(40, 15, 12), level, measured, pair)
    assert told.startswith("better in 12 of 40 units after FDR by the ")
    assert told.endswith(": significant" if significant else ": no evidence")


def test_the_null_under_which_a_test_finds_most_is_named():
    assert "under an exchangeable null is 9.7 %" in said(UnitCounts(40, 9, 2), "fold", sizes(0.097, 0.03), "equal")


def test_a_size_that_few_families_measured_is_no_ground_for_the_word():
    both = sizes(0.01, 0.01)
    told = {}
    for many in (59, 60):
        measured = {null: {**own, "families": many} for null, own in both.items()}
        told[many] = said(UnitCounts(40, 9, 2), "fold", measured, "nested")
    assert told[59].endswith("in fewer than 60 families: no evidence") and told[60].endswith(": significant")


def test_a_share_of_families_above_its_size_is_named():
    told = said(UnitCounts(40, 9, 2), "row", sizes(0.03, 0.03, family=0.275), "intercept")
    assert "finds something in 27.5 % of families" in told


@pytest.mark.parametrize(
    ("counts", "words"), [((40, 9, 0), "better in no unit after FDR"), ((0, 0, 0), "nothing was tested")]
)
def test_nothing_after_fdr_is_nothing(counts, words):
    assert said(UnitCounts(*counts), "fold", sizes(0.01, 0.01), "nested") == words


def test_counts_are_sums_over_families_whatever_else_stands_there():
    families = [{"units": 3, "raw": 2, "fdr": 1}, {"units": 4, "raw": "nan"}, "text"]
    assert verdicts.counts({"families": families}) == (7, 2, 1) and verdicts.counts({"families": 5}) == (0, 0, 0)


@pytest.mark.parametrize(
    ("row", "pair"),
    [({"against": "intercept", "nested": True}, "intercept"), ({"against": "SP", "nested": True}, "nested"),
     ({"against": "WORD"}, "equal"), ({"against": "SP*", "nested": True, "selected_from": {"SP*": 2}}, "chosen"),
     ({"model": "SP+m@best", "nested": True}, "chosen")],
)  # fmt: skip
def test_the_relation_of_two_models_names_the_size_to_look_up(row, pair):
    assert verdicts.relation(row) == pair
