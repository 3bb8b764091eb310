"""Scaling by the training rows: population spread, constant columns, and every kind of numbers that arrays come in."""

from __future__ import annotations

import numpy as np
import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.features.scaling import scaled

SOURCE = np.random.default_rng(5)
TRAIN, TEST = SOURCE.normal(3, 2, (40, 5)), SOURCE.normal(3, 2, (9, 5))


def by_hand(train, test):
    mean = train.sum(axis=0) / len(train)
    spread = np.sqrt(((train - mean) ** 2).sum(axis=0) / len(train))
    return (train - mean) / spread, (test - mean) / spread


def test_both_parts_are_scaled_by_the_training_rows_alone():
    for found, expected in zip(scaled(TRAIN, TEST), by_hand(TRAIN, TEST), strict=True):
        assert found.dtype == np.float32 and found.flags.c_contiguous
        assert np.abs(found - expected).max() < 1e-6


def test_the_test_rows_do_not_move_the_training_rows():
    assert (scaled(TRAIN, TEST)[0] == scaled(TRAIN, TEST * 100)[0]).all()


@pytest.mark.parametrize("value", [0.0, 0.1, -7e10, 1e-300])
def test_a_column_that_never_varies_in_training_is_only_centred(value):
    train, test = TRAIN.copy(), TEST.copy()
    train[:, 2], test[:, 2] = value, value + 0.25
    first, second = scaled(train, test)
    assert np.abs(first[:, 2]).max() <= 1e-5 and np.abs(second[:, 2] - 0.25).max() <= 1e-4
    assert np.abs(np.delete(first, 2, 1) - np.delete(by_hand(TRAIN, TEST)[0], 2, 1)).max() < 1e-6


def test_a_column_that_varies_by_rounding_alone_counts_as_constant():
    train = np.full((40, 1), 0.1) + np.where(np.arange(40) % 2, 1e-17, 0)[:, None]
    train[::3] = np.nextafter(0.1, 1)
    assert np.abs(scaled(train, train)[0]).max() < 1e-12


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e12])
def test_a_column_of_small_or_large_numbers_is_scaled_like_any(scale):
    assert np.abs(scaled(TRAIN * scale, TEST * scale)[0] - by_hand(TRAIN, TEST)[0]).max() < 1e-5


@pytest.mark.parametrize("make", [np.float16, np.float32, np.asfortranarray, lambda one: one[::-1][::-1]])
def test_arrays_of_every_kind_are_scaled_as_their_numbers_in_float64(make):
    train, test = make(TRAIN), make(TEST)
    expected = by_hand(train.astype(np.float64), test.astype(np.float64))
    for found, wanted in zip(scaled(train, test), expected, strict=True):
        assert found.dtype == np.float32 and found.flags.c_contiguous
        assert np.abs(found - wanted).max() < 1e-6


def test_whole_numbers_are_scaled_too():
    counts = np.arange(12).reshape(6, 2)
    assert np.abs(scaled(counts, counts)[0].std(axis=0) - 1).max() < 1e-6


def test_numbers_of_half_precision_do_not_overflow_in_their_squares():
    train = np.array([[60000], [-60000]], np.float16)
    assert scaled(train, train)[0].ravel().tolist() == [1, -1]


@each_of("bad", [np.nan, np.inf, -np.inf])
@each_of("part", [0, 1])
def test_a_value_that_is_not_finite_is_refused_by_feature_and_column(part, bad):
    both = [TRAIN.copy(), TEST.copy()]
    both[part][3, 4] = bad
    with pytest.raises(InputError, match="column 4 has values that are not finite") as told:
        scaled(both[0], both[1], "minilm@3")
    assert told.value.where == "minilm@3"


@pytest.mark.parametrize(("train", "test"), [([[1e200], [-1e200]], [[1.0]]), ([[1.0], [2.0]], [[1e200]])])
def test_numbers_too_large_to_be_scaled_are_refused_without_a_warning(train, test):
    with pytest.raises(InputError, match="column 0 has values that are not finite after scaling"):
        scaled(np.array(train), np.array(test))


@each_of(
    ("train", "test"),
    [
        (TRAIN, TEST[:, :4]),
        (TRAIN[:0], TEST),
        (TRAIN[0], TEST),
        (TRAIN.astype(str), TEST),
        (TRAIN.astype(complex), TEST),
        (TRAIN.astype(object), TEST),
    ],
)
def test_what_is_no_pair_of_tables_is_refused(train, test):
    with pytest.raises(InputError):
        scaled(train, test)
