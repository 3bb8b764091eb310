"""Paired differences against exact tests, by hand and by scipy, and against what theory says of intervals."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Mapping, Sequence

import pytest

from harness.kit.paired import PairedColumn, PairedDifference, paired_differences

Pairs = Sequence[tuple[float, float]]


def only(units: Mapping[str, Pairs]) -> PairedDifference:
    """Compare the pairs of one column."""
    [found] = paired_differences([PairedColumn("d", units)])
    return found


def single(pairs: Pairs) -> PairedDifference:
    """Compare pairs that are units of their own."""
    return only({f"i{place:04}": [pair] for place, pair in enumerate(pairs)})


def exact_p(sums: Sequence[float]) -> float:
    """Go through all signs of the units' sums, and count those whose whole is as far from 0 as what was seen."""
    seen = abs(math.fsum(sums))
    ways = [
        abs(math.fsum(sign * value for sign, value in zip(signs, sums, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    return sum(way >= seen - 1e-12 for way in ways) / len(ways)


def test_of_right_and_wrong_the_test_is_the_exact_binomial_one() -> None:
    scipy = pytest.importorskip("scipy.stats")
    pairs = [(1.0, 0.0)] * 3 + [(0.0, 1.0)] * 12 + [(1.0, 1.0)] * 20 + [(0.0, 0.0)] * 5
    found = single(pairs)
    assert found.test == "mcnemar" and found.p == pytest.approx(scipy.binomtest(3, 15).pvalue, rel=1e-12)
    assert (found.n, found.units, found.greater, found.less) == (40, 40, 12, 3)
    assert (found.left, found.right) == pytest.approx((23 / 40, 32 / 40))
    assert found.difference == pytest.approx(9 / 40)


def test_the_sign_flips_come_near_the_test_that_tries_all_signs() -> None:
    source = random.Random(3)
    pairs = [(source.random(), source.random() + 0.2) for _ in range(11)]
    expected = exact_p([right - left for left, right in pairs])
    found = single(pairs)
    assert found.test == "sign-flip" and found.p is not None and 0.005 < expected < 0.5
    assert found.p == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 9999))


def test_a_unit_of_many_pairs_flips_as_one() -> None:
    units = {f"text{place}": [(0.0, 1.0)] * 10 for place in range(4)}
    found = only(units)
    assert (found.n, found.units) == (40, 4) and found.test == "sign-flip"
    assert found.p == pytest.approx(exact_p([10.0] * 4), abs=0.01)  # 2 of 16, and not 2 of 2 to the 40th


def test_an_interval_is_as_wide_as_theory_says() -> None:
    source = random.Random(5)
    pairs = [(source.gauss(0, 1), source.gauss(0.3, 1)) for _ in range(400)]
    ends = single(pairs).interval.ends
    error = statistics.stdev(right - left for left, right in pairs) / 20
    assert ends is not None and ends[1] - ends[0] == pytest.approx(2 * 1.96 * error, rel=0.08)
    assert sum(ends) / 2 == pytest.approx(statistics.mean(right - left for left, right in pairs), abs=error / 5)


def test_pairing_narrows_what_two_separate_means_leave_open() -> None:
    source = random.Random(7)
    easy = [source.random() for _ in range(200)]
    pairs = [(value, value + source.gauss(0.05, 0.02)) for value in easy]
    ends = single(pairs).interval.ends
    assert ends is not None and 0.04 < ends[0] < ends[1] < 0.06  # each mean alone is known to 0.04 only


def test_alike_clusters_leave_more_open_than_their_pairs_alone() -> None:
    source = random.Random(9)
    shifts = [source.gauss(0, 1) for _ in range(30)]
    units = {f"text{place:02}": [(0.0, shift)] * 10 for place, shift in enumerate(shifts)}
    apart = {f"{name}/{place}": [pair] for name, pairs in units.items() for place, pair in enumerate(pairs)}
    wide, narrow = only(units).interval.ends, only(apart).interval.ends
    assert wide and narrow
    assert (wide[1] - wide[0]) / (narrow[1] - narrow[0]) == pytest.approx(math.sqrt(10), rel=0.1)


def test_the_order_of_units_and_other_columns_change_nothing() -> None:
    source = random.Random(11)
    units = {f"i{place}": [(source.random(), source.random())] for place in range(25)}
    alone = only(units)
    back = PairedColumn("d", dict(reversed(units.items())))
    other = PairedColumn("d", {name: [(0.0, 0.5)] for name in units})
    beside = paired_differences([other, back])[1]
    assert only(units) == alone and beside.p == alone.p and beside.interval.ends
    assert beside.interval.ends == pytest.approx(alone.interval.ends, abs=1e-14)  # sums of rows of another length


def test_what_cannot_be_compared_says_so() -> None:
    assert (only({}).n, only({}).p, only({}).interval.why) == (0, None, "no answer has a value of it")
    assert only({"a": [(0.2, 0.4)]}).interval.why == "one item alone"
    same = single([(0.5, 0.5)] * 6)
    assert (same.p, same.interval.why, same.greater, same.less) == (1.0, "all differences are alike", 0, 0)


def test_equal_sums_of_fractions_are_found_equal() -> None:
    third = [(0.0, 1 / 3), (1 / 3, 0.0), (0.0, 2 / 3), (0.0, 0.1), (0.1, 0.0), (0.1, 0.2)]
    found = single(third)
    assert found.p == pytest.approx(exact_p([right - left for left, right in third]), abs=0.02)


def test_scores_of_any_size_are_tested() -> None:
    for size in (1e-9, 1.0, 1e12):
        found = single([(size * value, size * (value + 1)) for value in range(10)])
        assert found.p == pytest.approx(2 / 1024, abs=0.002), size
