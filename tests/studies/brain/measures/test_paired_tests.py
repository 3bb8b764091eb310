"""The paired t-test on squared errors, means of blocks, families and corrections: against scipy, and by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy
from golden.agree import Within, differences
from studies.brain.measures import slow_tests as slow

from harness.errors import InputError
from harness.stats import benjamini_hochberg
from harness.studies.brain.measures import blocks, ttest
from harness.studies.brain.measures.blocks import block_means, in_order, scan_blocks
from harness.studies.brain.measures.families import corrected, counted, families
from harness.studies.brain.measures.levels import compared_rows, labelled_p
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import pereira

CASES = Path(__file__).parents[3] / "golden" / "cases" / "brain"


@pytest.fixture
def errors():
    source = np.random.default_rng(11)
    against = source.chisquare(1, (60, 25))
    return against - source.normal(0.1, 0.6, against.shape), against


def test_p_values_are_those_of_scipy(errors):
    assert ttest.paired_p(*errors) == pytest.approx(slow.every_p(*errors), abs=1e-12)


def test_lower_errors_have_small_p_and_higher_ones_large(errors):
    lower, higher = errors[1] - 0.5 + errors[0] * 0.1, errors[1]
    assert (ttest.paired_p(lower, higher) < 0.5).all()
    assert ttest.paired_p(higher, lower) == pytest.approx(1 - ttest.paired_p(lower, higher), abs=1e-12)


def test_how_many_units_are_tested_at_once_changes_nothing(errors, monkeypatch):
    labels = [row // 7 for row in range(60)]
    whole, blocked = ttest.paired_p(*errors), labelled_p(errors[0], errors[1], labels)
    monkeypatch.setattr(ttest, "AT_ONCE", 60 * 4)
    monkeypatch.setattr(blocks, "AT_ONCE", 60 * 3)
    assert ttest.paired_p(*errors).tolist() == whole.tolist()
    assert labelled_p(errors[0], errors[1], labels).tolist() == blocked.tolist()


def test_identical_columns_and_single_rows_have_p_of_1(errors):
    assert ttest.paired_p(errors[0], errors[0]).tolist() == [1.0] * 25
    assert ttest.paired_p(errors[0][:1], errors[1][:1]).tolist() == [1.0] * 25
    assert ttest.paired_p(errors[0][:0], errors[1][:0]).tolist() == [1.0] * 25


@pytest.mark.parametrize(("shift", "p"), [(-0.1, 0.0), (0.1, 1.0)])
def test_a_constant_difference_is_certain_either_way(shift, p):
    table = np.full((7, 3), 0.3)
    assert ttest.paired_p(table + shift, table).tolist() == [p] * 3
    assert ttest.paired_p(table + shift, table, omit=True).tolist() == [p] * 3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_has_p_of_1_and_no_warning(errors, bad, recwarn):
    errors[0][3, 5] = bad
    found = ttest.paired_p(*errors)
    assert found[5] == 1.0 and found[4] == pytest.approx(slow.every_p(*errors)[4], abs=1e-12)
    errors[1][:, 7] = np.inf
    assert ttest.paired_p(*errors)[7] == 1.0 and not recwarn.list


def test_rows_with_nan_are_left_out_of_a_unit_where_asked(errors):
    errors[0][:40, 2] = np.nan
    errors[1][50, 3] = np.nan
    errors[0][:, 4] = np.nan
    found = ttest.paired_p(*errors, omit=True)
    assert found == pytest.approx(slow.every_p(errors[0], errors[1], omit=True), abs=1e-12)
    assert found[4] == 1.0 and found[2] != 1.0


def test_half_precision_and_fortran_order_are_taken(errors):
    small = [one.astype(np.float16) for one in errors]
    expected = slow.every_p(*(one.astype(np.float64) for one in small))
    assert ttest.paired_p(*map(np.asfortranarray, small)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("other", [np.ones((60, 24)), np.ones(25), np.ones((60, 25), bool), np.full((60, 25), "a")])
def test_tables_that_are_not_alike_are_refused(errors, other):
    with pytest.raises(InputError, match="the errors of two models are"):
        ttest.paired_p(errors[0], other)


def test_the_lowest_error_takes_whole_columns():
    tables = {"a": np.array([[1.0, 5], [9, 5]]), "b": np.array([[4.0, 6], [4, 6]])}
    assert ttest.lowest_error(tables.items())[0] == ["b", "a"]
    assert ttest.lowest_error(tables.items())[1].tolist() == [[4, 5], [4, 5]]
    with pytest.raises(InputError, match="no model"):
        ttest.lowest_error([])


def test_blocks_of_scans_begin_at_tens_and_at_new_stories():
    labels = scan_blocks(["a"] * 13 + ["b"] * 9)
    assert [labels.count(block) for block in range(max(labels) + 1)] == [10, 3, 7, 2]
    assert len(set(scan_blocks(blank().labels))) == 132 + 6  # tens, and stories: of seven changes one is at scan 950
    with pytest.raises(InputError, match="a block of 0 scans"):
        scan_blocks(["a"], 0)


def test_block_means_leave_nan_out_only_where_asked():
    table = np.array([[1.0], [np.nan], [3.0], [np.nan]])
    names, kept = block_means(table, ["b", "b", "a", "c"])
    assert names == ["a", "b", "c"] and kept[0, 0] == 3 and np.isnan(kept[1:]).all()
    left = block_means(table, ["b", "b", "a", "c"], omit=True)[1]
    assert left[:2].tolist() == [[3.0], [1.0]] and np.isnan(left[2, 0])


@pytest.mark.parametrize("labels", [["a"], ["a", 1], [None, None], [["a"], ["b"]]])
def test_labels_that_are_none_are_refused(labels):
    with pytest.raises(InputError, match="labels of"):
        block_means(np.ones((2, 2)), labels)


def test_an_order_names_each_row_once():
    assert in_order("abc", [2, 0, 1]) == ["c", "a", "b"]
    for order in ([0, 1], [0, 0, 1], [1, 2, 3]):
        with pytest.raises(InputError, match="the order has"):
            in_order("abc", order)


def test_the_projects_correction_is_that_of_scipy():
    source = np.random.default_rng(3)
    for size in (1, 2, 40, 500):
        p = source.random(size) ** 3
        p[source.random(size) < 0.2] = 1.0
        p[source.random(size) < 0.2] = 0.01
        assert benjamini_hochberg(p.tolist()) == pytest.approx(
            scipy.stats.false_discovery_control(p).tolist(), abs=1e-15
        )


def test_families_part_networks_and_experiments_in_p_alone():
    who, where, when = ["a", "a", "a", "b"], ["MD", "language", "language", "language"], ["384", "384", "243", "243"]
    assert [tuple(one) for one in families(who, where, "P", when)] == [
        ("a", "MD", "384", (0,)), ("a", "language", "243", (2,)), ("a", "language", "384", (1,)),
        ("b", "language", "243", (3,)),
    ]  # fmt: skip
    assert [tuple(one) for one in families(who, where, "H", when)] == [
        ("a", "language", "", (1, 2)), ("b", "language", "", (3,)),
    ]  # fmt: skip
    for wrong in (("Q", where), ("P", where[:2])):
        with pytest.raises(InputError):
            families(who, wrong[1], wrong[0])


def test_units_without_signal_are_counted_in_their_family_and_apart():
    found = counted([0.001, 0.002, 0.9, 0.04], families(["a"] * 4, ["MD"] * 4, "P"), {1, 3})
    assert found["families"] == [{"participant": "a", "network": "MD", "units": 4, "raw": 3, "fdr": 2}]
    assert found["null"] == {"units": 2, "raw": 2, "fdr": 1}
    assert counted([], [])["raw_share"] is None


@pytest.mark.parametrize("p", [-0.1, 1.1, float("inf")])
def test_what_is_no_p_value_is_refused(p):
    with pytest.raises(InputError, match="the p-value of unit 0"):
        corrected([p], families(["a"], ["MD"], "P"))


@pytest.mark.parametrize("layout", [pereira("243"), fedorenko(), blank()], ids=lambda one: one.dataset)
def test_levels_compare_rows_blocks_and_folds(layout):
    source = np.random.default_rng(2)
    tables = [source.chisquare(1, (len(layout.ids), 3)) for _ in range(2)]
    folds = outer_folds(layout, "shuffled")
    samples = compared_rows([(layout, folds)])
    labels = slow.scan_labels(layout.labels, 10) if layout.dataset == "blank" else layout.blocks
    of_fold = [next(place for place, fold in enumerate(folds) if row in fold.test) for row in range(len(layout.ids))]
    assert samples.p(tables[0], tables[1], "row") == pytest.approx(slow.every_p(*tables), abs=1e-12)
    for level, own in (("block", labels), ("fold", of_fold)):
        expected = slow.every_p(*(slow.means(one.tolist(), own)[1] for one in tables))
        assert samples.p(tables[0], tables[1], level) == pytest.approx(expected, abs=1e-10)
    order = [row for fold in folds for row in fold.test]
    expected = slow.every_p(*(slow.means(one[order].tolist(), labels)[1] for one in tables))
    assert samples.misaligned_p(*tables) == pytest.approx(expected, abs=1e-10)
    assert samples.misaligned_p(*tables) != pytest.approx(samples.p(tables[0], tables[1], "block"), abs=1e-3)
    with pytest.raises(InputError, match="no level"):
        samples.p(tables[0], tables[1], "story")


def test_fewer_than_two_blocks_have_p_of_1(errors):
    assert labelled_p(errors[0], errors[1], [0] * 60).tolist() == [1.0] * 25


@pytest.mark.parametrize("stem", slow.FILES)
def test_the_golden_cases_are_what_the_slow_way_gives(stem):
    known = json.loads((CASES / f"{stem}.json").read_text())["cases"]
    again = slow.plain(slow.FILES[stem]())
    assert [one["name"] for one in known] == [one["name"] for one in again]
    for one, other in zip(known, again, strict=True):
        assert not list(differences(one["given"], other["given"], Within(1e-12, 1e-12)))
