"""The two strict intervals against values computed another way, their edges, and what makes one unreliable."""

from __future__ import annotations

from collections import Counter
from statistics import NormalDist

import numpy as np
import pytest
import scipy

from harness.studies.biomed.measures import strict_intervals as intervals

Z = NormalDist().inv_cdf(0.975)


def wilson(p, n):
    """Solve |x - p| = z sqrt(x (1 - x) / n) for x."""
    return sorted(np.roots([1 + Z**2 / n, -(2 * p + Z**2 / n), p**2]).real)


def test_a_share_over_templates_is_wilsons_at_the_effective_number_of_rows():
    parts = [(3, 10), (5, 10), (9, 12)]
    k, n = np.array(parts).T
    p, size = k.sum() / n.sum(), len(parts)
    variance = size / (size - 1) * ((k - p * n) ** 2).sum() / n.sum() ** 2
    effective = min(p * (1 - p) / variance, n.sum()) * (Z / scipy.stats.t.ppf(0.975, size - 1)) ** 2
    found = intervals.share_over_templates(parts)
    assert found["n_effective"] == pytest.approx(effective, rel=1e-12)
    assert found["interval"] == pytest.approx(wilson(p, effective), rel=1e-9)


def test_the_effective_number_never_exceeds_the_rows():
    found = intervals.share_over_templates([(5, 10), (5, 10), (5, 10), (6, 10)])  # nearly no variance
    assert found["n_effective"] == pytest.approx(40 * (Z / scipy.stats.t.ppf(0.975, 3)) ** 2)


def test_equal_shares_count_a_row_a_template_without_the_factor():
    found = intervals.share_over_templates([(1, 3), (2, 6), (3, 9)])  # 1/3 is no binary fraction: compared in integers
    assert found["n_effective"] == 3 and found["interval"] == pytest.approx(wilson(1 / 3, 3))


def test_nobody_and_everybody_have_exact_ends():
    none, everybody = (intervals.share_over_templates([(each, 7), (each, 7)]) for each in (0, 7))
    assert none["interval"][0] == 0 and none["interval"][1] == pytest.approx(Z**2 / (2 + Z**2))
    assert everybody["interval"][1] == 1


def test_a_template_without_rows_is_no_template():
    assert intervals.share_over_templates([(1, 2), (0, 0), (2, 2)])["n_templates"] == 2
    alone = intervals.share_over_templates([(1, 2), (0, 0)])
    assert "missing" in alone["interval"] and alone["n_templates"] == 1


def test_few_templates_and_few_with_the_event_are_called_unreliable():
    many = [(1, 2)] * 20 + [(2, 2)]
    assert "unreliable" not in intervals.share_over_templates(many)
    [few] = intervals.share_over_templates(many[:19])["unreliable"]
    assert "20" in few
    [event] = intervals.share_over_templates([(0, 2)] * 20 + [(1, 2)] * 4)["unreliable"]
    [complement] = intervals.share_over_templates([(2, 2)] * 20 + [(1, 2)] * 4)["unreliable"]
    assert event == complement and "5" in event
    assert "unreliable" not in intervals.mean_over_templates([Counter({6: 3})] * 20, 6)  # a mean has no event


def test_a_share_over_rows_is_wilsons():
    assert intervals.share_over_rows([(3, 10), (5, 10)]) == pytest.approx(wilson(0.4, 20))


def test_a_mean_over_rows_is_students():
    values = np.array([0, 0.5, 1, 1, 1 / 3])
    expected = scipy.stats.t.interval(0.95, 4, values.mean(), scipy.stats.sem(values))
    counts = Counter({0: 1, 3: 1, 6: 2, 2: 1})
    assert intervals.mean_over_rows(counts, 6) == pytest.approx(expected)
    assert intervals.means_over_rows(list(values)) == pytest.approx(expected)
    assert "missing" in intervals.mean_over_rows(Counter({3: 1}), 6)


def test_a_mean_over_templates_is_not_clipped():
    parts = [np.array([0, 0, 0.5]), np.array([1.0, 1]), np.array([1.0])]
    every = np.concatenate(parts)
    variance = 3 / 2 * sum((part - every.mean()).sum() ** 2 for part in parts) / len(every) ** 2
    reach = scipy.stats.t.ppf(0.975, 2) * np.sqrt(variance)
    found = intervals.mean_over_templates([Counter((6 * part).astype(int).tolist()) for part in parts], 6)["interval"]
    assert found == pytest.approx([every.mean() - reach, every.mean() + reach]) and found[1] > 1
