"""Ranks and their correlation, bins and bin means, held against slow references written another way."""

from itertools import pairwise

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.stats import (
    average_ranks,
    benjamini_hochberg,
    bin_edges,
    bin_mean,
    equal_sized_bins,
    holm,
    mcnemar,
    spearman,
)

few_values = st.lists(st.sampled_from([0.0, 1.5, 2.0, 7.25, 100.0]), max_size=40)


def slow_bins(ids, difficulties, bins):
    """Deal the sorted items out like cards into piles whose sizes are settled first."""
    sizes = [0] * min(bins, len(ids))
    for place in range(len(ids)):
        sizes[place % len(sizes)] += 1
    ordered = sorted(zip(difficulties, ids, strict=True))
    answer = {}
    for number, size in enumerate(sizes):
        for _ in range(size):
            answer[ordered.pop(0)[1]] = number
    return [answer[item] for item in ids]


@given(few_values)
def test_a_rank_is_one_more_than_those_below_and_half_of_those_equal(values):
    expected = [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]
    assert average_ranks(values) == expected


def test_ranks_of_known_values():
    assert average_ranks([10, 20, 20, 5]) == [2, 3.5, 3.5, 1]
    assert average_ranks([]) == []


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.5, 2.0, 7.25])] * 2), max_size=30))
def test_spearman_agrees_with_scipy_and_is_none_for_a_constant_measure(pairs):
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if len(set(left)) < 2 or len(set(right)) < 2:
        assert spearman(left, right) is None
    else:
        assert spearman(left, right) == pytest.approx(float(scipy.stats.spearmanr(left, right).statistic), abs=1e-12)


def test_rank_correlation_of_known_values():
    assert spearman([1, 2, 3, 4], [10, 20, 30, 1000]) == 1
    assert spearman([0.1, 0.2, 0.3], [3, 2, 1]) == -1
    assert spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) == pytest.approx(0.8)
    assert spearman([1, 2, 2], [5, 5, 5]) is None
    assert spearman([], []) is None
    assert spearman([1], [1]) is None
    with pytest.raises(InputError):
        spearman([1, 2], [1])


@given(st.integers(0, 200), st.integers(1, 35))
def test_edges_leave_no_item_out_and_the_first_bins_take_the_remainder(count, bins):
    edges = bin_edges(count, bins)
    sizes = [end - start for start, end in pairwise(edges)]
    assert (edges[0], edges[-1], len(sizes)) == (0, count, min(bins, count))
    assert sizes == sorted(sizes, reverse=True)
    assert not sizes or sizes[0] - sizes[-1] <= 1


@given(few_values, st.integers(1, 35), st.randoms(use_true_random=False))
def test_bins_agree_with_a_slow_reference_whatever_the_order_of_items(difficulties, bins, shuffler):
    ids = [f"i{number}" for number in range(len(difficulties))]
    shuffler.shuffle(ids)
    assert equal_sized_bins(ids, difficulties, bins) == slow_bins(ids, difficulties, bins)


def test_ties_are_ordered_by_id_as_text_so_i10_comes_before_i9():
    assert equal_sized_bins(["i9", "i10"], [5, 5], 2) == [1, 0]


def test_the_first_bins_take_the_remainder():
    found = equal_sized_bins([f"{n:02}" for n in range(32)], [0.0] * 32, 30)
    assert [found.count(place) for place in range(30)] == [2, 2] + [1] * 28


def test_fewer_items_than_bins_give_one_bin_an_item():
    assert equal_sized_bins(["a", "b", "c"], [3, 1, 2], 30) == [2, 0, 1]
    assert equal_sized_bins([], [], 30) == []


def test_bins_refuse_what_makes_no_sense():
    with pytest.raises(InputError):
        equal_sized_bins(["a"], [1.0], 0)
    with pytest.raises(InputError):
        equal_sized_bins(["a"], [], 3)


def test_the_mean_of_equal_members_is_that_member_without_noise():
    assert bin_mean([0.1] * 3) == 0.1
    assert bin_mean([1, 2, 4.5]) == 2.5
    with pytest.raises(InputError):
        bin_mean([])


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_exact_test_is_the_binomial_one(a_only, b_only):
    expected = scipy.stats.binomtest(a_only, a_only + b_only).pvalue if a_only + b_only else 1.0
    assert mcnemar(a_only, b_only) == mcnemar(b_only, a_only) == pytest.approx(expected, abs=1e-12)


def test_the_exact_test_by_hand_and_with_thousands_of_pairs():
    assert mcnemar(0, 5) == 2 / 32
    assert mcnemar(1, 5) == 2 * (1 + 6) / 64
    assert mcnemar(3, 3) == 1
    assert mcnemar(1500, 1642) == pytest.approx(scipy.stats.binomtest(1500, 3142).pvalue, rel=1e-9)
    assert mcnemar(0, 5000) == 0.0  # smaller than any float


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.5]) == [1.0, 1.0]
    assert holm([]) == []


def test_an_adjusted_value_never_falls_below_a_smaller_one():
    assert holm([0.011, 0.01, 0.012]) == pytest.approx([0.03, 0.03, 0.03])


p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), max_size=30)


@given(p_values)
def test_the_false_discovery_rate_is_controlled_as_scipy_does_it(values):
    expected = scipy.stats.false_discovery_control(values).tolist() if values else []
    assert benjamini_hochberg(values) == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_benjamini_and_hochberg_by_hand():
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert benjamini_hochberg([0.04, 0.05]) == [0.05, 0.05]  # a larger one's value bounds a smaller one's
    assert benjamini_hochberg([]) == []
