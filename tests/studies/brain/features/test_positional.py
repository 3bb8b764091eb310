"""Features of time alone, held against SciPy's kernel written out, the published golden values, and sums by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.features import positional

SIGMAS = [0.1, 0.3, 1.0, 2.2, 4.8]


def reflected(length, sigma):
    """Smooth by the definition: a truncated Gaussian over the block mirrored at its ends, again and again."""
    radius = int(4 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    weights /= weights.sum()
    mirrored = [*range(length), *reversed(range(length))]
    found = np.zeros((length, length))
    for row in range(length):
        for column in range(length):
            for shift, weight in zip(range(-radius, radius + 1), weights, strict=True):
                if mirrored[(column + shift) % (2 * length)] == row:
                    found[row, column] += weight
    return found


@each_of("sigma", SIGMAS)
@each_of("length", [1, 3, 4, 8])
def test_a_block_is_the_identity_under_a_reflected_gaussian(length, sigma):
    found = positional.smoothing(length, sigma)
    assert np.abs(found - reflected(length, sigma)).max() < 1e-12
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12 and np.abs(found - found.T).max() < 1e-12


@pytest.mark.parametrize("sigma", [0, 0.1])
def test_the_least_sigmas_leave_the_identity(sigma):
    assert (positional.smoothing(5, sigma) == np.eye(5)).all()


def test_oasm_is_smoothed_within_blocks_and_zero_between_them():
    found = positional.oasm([[0, 1, 2], [3], [4, 5, 6, 7]], 2.2)
    expected = np.zeros((8, 8))
    expected[:3, :3], expected[3, 3], expected[4:, 4:] = reflected(3, 2.2), 1, reflected(4, 2.2)
    assert np.abs(found - expected).max() < 1e-12


def test_the_rows_of_a_block_need_not_stand_together():
    found = positional.oasm([[2, 0], [1]], 1.0)
    assert np.abs(found[np.ix_([2, 0], [2, 0])] - reflected(2, 1.0)).max() < 1e-12
    assert found[1].tolist() == [0, 1, 0]


def test_positions_are_smoothed_over_the_length_of_their_passage():
    found = positional.smoothed_positions([[0, 1, 2], [3, 4, 5, 6]], 4, 1.0)
    assert found[:3, 3].tolist() == [0, 0, 0]
    assert np.abs(found[:3, :3] - reflected(3, 1.0)).max() < 1e-12
    assert np.abs(found[3:] - reflected(4, 1.0)).max() < 1e-12


def test_word_positions_are_smoothed_over_all_columns_beside_their_number():
    found = positional.word_positions([0, 1, 2, 0], 8, 1.0)
    assert found.shape == (4, 9) and found[:, 8].tolist() == [0, 1, 2, 0]
    assert np.abs(found[:, :8] - reflected(8, 1.0)[[0, 1, 2, 0]]).max() < 1e-12


def test_a_ramp_rises_one_a_scan_and_saturates_by_column():
    assert positional.ramp([0, 1, 2, 3, 9, 0], 4).tolist() == [
        [0, 0, 0], [1, 1, 1], [1, 2, 2], [1, 2, 3], [1, 2, 3], [0, 0, 0],
    ]  # fmt: skip


@pytest.mark.parametrize("sigma", [-0.1, 1000.5, float("nan"), float("inf")])
def test_a_sigma_out_of_bounds_is_refused(sigma):
    with pytest.raises(InputError, match="the sigma is"):
        positional.smoothing(3, sigma)


@pytest.mark.parametrize("length", [0, 1, 10_001])
def test_a_ramp_without_a_column_or_with_too_many_is_refused(length):
    with pytest.raises(InputError, match="a ramp has the length"):
        positional.ramp([0, 1], length)
