"""Ranks and correlations of many rows, against scipy and the house's own of one row; values beside intervals."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from harness.kit.resample import beside, interval, multiplicities, rank_rows, ratio, spearman_rows
from harness.stats import average_ranks, spearman

cells = st.sampled_from([0.0, 1.0, 1.5, 7.0, np.nan])
tables = st.integers(2, 9).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(tables)
def test_each_row_is_ranked_among_what_it_has(table):
    found = rank_rows(np.array(table))
    for row, ranks in zip(table, found.tolist(), strict=True):
        known = [value for value in row if not np.isnan(value)]
        assert [rank for rank in ranks if not np.isnan(rank)] == average_ranks(known)
        assert [np.isnan(rank) for rank in ranks] == [np.isnan(value) for value in row]


@given(tables, st.randoms(use_true_random=False))
def test_rows_correlate_as_their_complete_pairs_do(table, shuffler):
    other = [shuffler.sample(row, len(row)) for row in table]
    found = spearman_rows(np.array(table), np.array(other))
    for left, right, value in zip(table, other, found.tolist(), strict=True):
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if not (np.isnan(a) or np.isnan(b))]
        alone = spearman([a for a, _ in pairs], [b for _, b in pairs]) if len(pairs) > 1 else None
        if alone is None:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(alone, abs=1e-12)
            assert value == pytest.approx(scipy.stats.spearmanr(*zip(*pairs, strict=True)).statistic, abs=1e-12)


def test_one_measure_goes_with_many_rows_and_one_item_has_no_correlation():
    assert spearman_rows(np.array([[1.0, 2, 3]]), np.array([[1.0, 5, 9], [9.0, 5, 1]])).tolist() == [1, -1]
    assert np.isnan(spearman_rows(np.ones((1, 1)), np.ones((4, 1)))).tolist() == [True] * 4


def test_nothing_divided_by_nothing_is_undefined_without_a_warning():
    assert ratio([1, 1], [2, 0])[0] == 0.5 and np.isnan(ratio([1, 1], [2, 0])[1])


def test_a_value_stands_beside_its_interval_or_the_reason_it_has_none():
    draws = np.arange(101.0)
    assert beside(50, draws, 7, "why") == {"value": 50, "interval": [pytest.approx(2.5), pytest.approx(97.5)]}
    assert "missing" in beside(50, draws, 1, "why")["interval"]
    assert beside(None, draws, 7, "why") == {"value": {"missing": "why"}, "interval": {"missing": "why"}}
    assert "missing" in beside(50, np.where(draws < 60, np.nan, draws), 7, "why")["interval"]


def test_an_interval_is_the_middle_of_the_resamples():
    values = np.random.Generator(np.random.PCG64(0)).permutation(2001) / 10
    assert interval(values) == {"interval": pytest.approx([5, 195])}


def test_undefined_resamples_are_counted_and_mostly_so_give_no_interval():
    values = np.append(np.arange(41.0), np.nan)
    assert interval(values) == {"interval": pytest.approx([1, 39]), "undefined_resamples": 1}
    assert interval(np.array([1.0, np.nan, np.nan])) == {"interval": {"missing": "undefined in 2 of 3 resamples"}}


def test_an_interval_of_a_mean_covers_it_as_often_as_it_says():
    source, covered = np.random.Generator(np.random.PCG64(9)), 0
    drawn = multiplicities(0, 400, {"all": range(80)})
    for _ in range(200):
        low, high = interval(drawn @ (source.random(80) < 0.3) / 80)["interval"]
        covered += low <= 0.3 <= high
    assert 180 <= covered <= 199
