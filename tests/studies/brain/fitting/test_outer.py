"""The outer loop: test rows choose nothing, and how many units are taken at once changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from harness.errors import InputError
from harness.studies.brain.fitting import outer
from harness.studies.brain.fitting.outer import cross_validate, intercept_errors
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.search import Search
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.pereira import designed

FOLDS = outer_folds(designed({"384": dict.fromkeys("abcd", (3, 3, 2))}))
GAMMAS = candidates(2, 6, 1, all_subsets=True)
HOW = Search(alphas=(0.5, 8.0, 128.0, 2048.0))


@pytest.fixture
def problem() -> Any:
    source = np.random.default_rng(6)
    bands = {"A": source.normal(size=(32, 3)), "B": source.normal(size=(32, 50))}
    y = bands["A"] @ source.normal(size=(3, 40)) + bands["B"] @ source.normal(size=(50, 40)) / 4
    return bands, (y + source.normal(size=y.shape)).astype(np.float32)


def test_the_block_of_a_search_changes_no_byte(problem):
    bands, y = problem
    one, other = (cross_validate(bands, y, FOLDS, GAMMAS, replace(HOW, block=size)) for size in (1, 2000))
    for name in ("mse", "pearson", "inner", "alpha", "gamma"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_units_that_are_fitted_apart_are_scored_as_if_together(problem, monkeypatch):
    bands, y = problem
    whole = cross_validate(bands, y, FOLDS, GAMMAS, HOW, errors=True)
    assert len({*whole.gamma.ravel().tolist()}) > 2
    monkeypatch.setattr(outer, "REFITTED", 7)
    monkeypatch.setattr(outer, "SCORED", 3)
    parts = cross_validate(bands, y, FOLDS, GAMMAS, HOW, errors=True)
    assert np.array_equal(whole.gamma, parts.gamma)
    np.testing.assert_allclose(parts.mse, whole.mse, rtol=1e-5)
    np.testing.assert_allclose(parts.errors, whole.errors, atol=1e-4)


def test_test_rows_choose_nothing(problem):
    bands, y = problem
    before = cross_validate(bands, y, FOLDS, GAMMAS, HOW)
    test = np.array(FOLDS[2].test)
    changed = y.copy()
    changed[test] *= -50
    strange = {name: band.copy() for name, band in bands.items()}
    for band in strange.values():
        band[test] += 100
    after = cross_validate(strange, changed, FOLDS, GAMMAS, HOW)
    for name in ("inner", "alpha", "gamma"):
        assert np.array_equal(getattr(before, name)[2], getattr(after, name)[2])
        assert not np.array_equal(before.inner[1], after.inner[1])


def test_features_that_scaling_refuses_are_named(problem):
    bands, y = problem
    bands["B"][4, 4] = np.nan
    with pytest.raises(InputError) as bad:
        cross_validate(bands, y, FOLDS, GAMMAS, HOW)
    assert bad.value.where == "B"


def test_features_of_other_rows_are_refused(problem):
    bands, y = problem
    with pytest.raises(InputError, match="unlike rows"):
        cross_validate(bands, y[:-1], FOLDS, GAMMAS, HOW)


def test_the_mean_of_a_constant_unit_leaves_no_error():
    mse, errors = intercept_errors(np.full((32, 2), np.float32(0.1)), FOLDS, errors=True)
    assert not mse.any() and not errors.any()
