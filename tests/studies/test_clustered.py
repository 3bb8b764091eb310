"""Intervals over clusters beside scipy, beside another study's own, by hand, and by how often they hold the truth."""

from __future__ import annotations

import random

import pytest

from harness.kit import score_intervals
from harness.studies.biomed.measures import strict_intervals

PARTS = [(5, 3.0), (7, 7.0), (2, 0.0), (9, 4.0), (1, 1.0)]


def test_students_quantiles_are_those_of_scipy() -> None:
    special = pytest.importorskip("scipy.special")
    for freedom in [*range(1, 40), 99, 100, 299, 300, 301, 302, 1000, 10**6]:
        assert score_intervals.student(freedom) == pytest.approx(special.stdtrit(freedom, 0.975), abs=1e-9)


def test_a_share_is_spread_as_the_templates_of_biomed_are() -> None:
    other = strict_intervals.share_over_templates([(int(right), size) for size, right in PARTS])
    assert score_intervals.share_interval(PARTS) == pytest.approx(other["interval"], abs=1e-12)


def test_clusters_that_are_alike_count_for_no_more_than_their_answers() -> None:
    """Twenty-one of forty, four times nearly the same share: no narrower than as many single answers are."""
    low, high = score_intervals.share_interval([(10, 5.0), (10, 5.0), (10, 5.0), (10, 6.0)])
    assert (low, high) == pytest.approx((0.295, 0.744), abs=2e-3)


def test_a_mean_is_spread_as_the_templates_of_biomed_are() -> None:
    other = strict_intervals.means_over_templates(PARTS)
    assert score_intervals.mean_interval(PARTS) == pytest.approx(other["interval"], abs=1e-12)


def test_the_variance_is_that_of_a_regression_with_clustered_errors() -> None:
    """CR1 of a regression on a constant, written out with matrices: bread, meat of the summed residuals, bread."""
    np = pytest.importorskip("numpy")
    draw = random.Random(5)
    answers = [(cluster, draw.random()) for cluster in range(9) for _ in range(1 + cluster % 4)]
    y, groups = np.array([value for _, value in answers]), np.array([cluster for cluster, _ in answers])
    x = np.ones((len(y), 1))
    bread = np.linalg.inv(x.T @ x)
    residuals = y - (x @ bread @ x.T) @ y
    summed = [x[groups == one].T @ residuals[groups == one] for one in range(9)]
    meat = sum(np.outer(one, one) for one in summed)
    error = float(np.sqrt(9 / 8 * bread @ meat @ bread)[0, 0])
    parts = [(int((groups == one).sum()), float(y[groups == one].sum())) for one in range(9)]
    low, high = score_intervals.mean_interval(parts)
    assert (high + low) / 2 == pytest.approx(float(y.mean()))
    assert (high - low) / 2 == pytest.approx(score_intervals.student(8) * error)


def test_clusters_of_one_answer_give_the_plain_standard_error() -> None:
    values = [0.1, 0.4, 0.4, 0.9, 0.2]
    low, high = score_intervals.mean_interval([(1, value) for value in values])
    mean = sum(values) / 5
    plain = (sum((value - mean) ** 2 for value in values) / 4 / 5) ** 0.5
    assert (high - low) / 2 == pytest.approx(2.776445105 * plain)


@pytest.mark.parametrize("right", [0, 1])
def test_where_all_are_alike_each_cluster_counts_once(right: int) -> None:
    ends = score_intervals.share_interval([(20, 20.0 * right)] * 10)
    room = 3.841458820694124 / 13.841458820694124  # z² / (n + z²) of ten
    assert ends == pytest.approx((1 - room, 1) if right else (0, room))


def test_clusters_that_share_alike_count_for_no_more_than_their_answers() -> None:
    low, high = score_intervals.share_interval([(10, 5.0)] * 8)
    assert 0.3 < low < 0.5 < high < 0.7


def test_a_cluster_written_down_often_narrows_no_interval() -> None:
    once = score_intervals.share_interval([(1, 1.0), (1, 0.0), (1, 1.0), (1, 0.0), (1, 0.0), (1, 1.0)])
    often = score_intervals.share_interval([(50, 50.0), (50, 0.0), (50, 50.0), (50, 0.0), (50, 0.0), (50, 50.0)])
    assert often == pytest.approx(once, abs=1e-12)


def _held(share: float, clusters: int, alike: float, draw: random.Random, runs: int) -> tuple[float, float]:
    """Simulate how often the interval over clusters, and Wilson's over answers, hold the true share."""
    held = naive = 0
    for _ in range(runs):
        parts = []
        for _ in range(clusters):
            own = draw.betavariate(share * (1 / alike - 1), (1 - share) * (1 / alike - 1))
            size = draw.randint(1, 20)
            parts.append((size, float(sum(draw.random() < own for _ in range(size)))))
        low, high = score_intervals.share_interval(parts)
        held += low <= share <= high
        answers, right = sum(size for size, _ in parts), sum(right for _, right in parts)
        low, high = score_intervals.wilson_at(right / answers, answers)
        naive += low <= share <= high
    return held / runs, naive / runs


@pytest.mark.long
@pytest.mark.parametrize(("share", "clusters"), [(0.3, 8), (0.5, 8), (0.3, 30), (0.5, 30), (0.8, 30)])
def test_intervals_over_clusters_hold_the_truth_as_often_as_they_say(share: float, clusters: int) -> None:
    held, naive = _held(share, clusters, 0.3, random.Random(f"{share} {clusters}"), 1500)
    assert 0.92 <= held <= 0.985
    assert naive < 0.8  # what an interval over answers makes of it


@pytest.mark.long
def test_of_independent_answers_clusters_lose_little() -> None:
    held, naive = _held(0.4, 40, 1e-6, random.Random(3), 1500)
    assert 0.93 <= held <= 0.98
    assert 0.93 <= naive <= 0.98
