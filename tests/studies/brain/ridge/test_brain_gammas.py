"""Candidate weights of bands: the subsets, their order, and draws that a seed repeats."""

from __future__ import annotations

import numpy as np
import pytest

from harness.errors import InputError
from harness.studies.brain.ridge.gammas import candidates, subsets


def test_the_subsets_of_three_bands_stand_in_the_published_order():
    third, half = 1 / 3, 1 / 2
    expected = [
        [0, 0, 1], [0, 1, 0], [0, half, half], [1, 0, 0], [half, 0, half], [half, half, 0], [third, third, third],
    ]  # fmt: skip
    assert np.array_equal(subsets(3), expected)


def test_all_subsets_come_before_any_draw():
    found = candidates(4, 20, seed=1, all_subsets=True)
    assert found.shape == (20, 4) and np.array_equal(found[:15], subsets(4).astype(np.float32))
    assert (found[15:] > 0).any(axis=1).all() and not (found[15:] == 0.25).all(axis=1).any()


def test_without_subsets_the_first_candidate_is_uniform():
    assert np.array_equal(candidates(5, 3, seed=1, all_subsets=False)[0], np.full(5, np.float32(0.2)))


def test_every_candidate_lies_on_the_simplex():
    found = candidates(6, 500, seed=9, all_subsets=False)
    assert found.dtype == np.float32 and (found >= 0).all() and np.abs(found.sum(axis=1) - 1).max() < 1e-6


def test_concentrations_take_turns_between_sparse_and_spread_draws():
    drawn = candidates(3, 2001, seed=4, all_subsets=False)[1:]
    sparse, spread = drawn[::2].max(axis=1).mean(), drawn[1::2].max(axis=1).mean()
    assert sparse > 0.85 and abs(spread - 11 / 18) < 0.02  # the mean of the largest of three uniform parts


def test_a_seed_gives_its_draws_again_and_another_others():
    first, again, other = (candidates(3, 9, seed, all_subsets=False) for seed in (5, 5, 6))
    assert np.array_equal(first, again) and not np.array_equal(first[1:], other[1:])


def test_more_candidates_begin_with_the_fewer():
    assert np.array_equal(candidates(3, 30, 5, True)[:9], candidates(3, 9, 5, True))


def test_a_lone_band_has_one_candidate_however_many_are_asked():
    assert np.array_equal(candidates(1, 1000, seed=1, all_subsets=True), [[1.0]])


@pytest.mark.parametrize(("k", "count", "told"), [(3, 6, "7 subsets"), (0, 5, "0 bands"), (2, 0, "0 weights")])
def test_too_few_candidates_or_bands_are_refused(k, count, told):
    with pytest.raises(InputError, match=told):
        candidates(k, count, 1, all_subsets=True)
