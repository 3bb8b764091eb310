"""Plain ridge and least squares of generation H, against scikit-learn and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from needs import OnceUsed

from harness.errors import InputError
from harness.studies.brain.ridge.plain import choose, solver

linear_model = OnceUsed("sklearn.linear_model")
ALPHAS = [0.5, 8.0, 128.0]
INNER = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9, 10, 11]]


@pytest.fixture
def rows() -> Any:
    source = np.random.default_rng(1)
    x = 1.5 + source.normal(size=(12, 5))  # far from centred, so that centring would show
    return x, 4 + x @ source.normal(size=(5, 7)) * [0, 0.1, 0.5, 1, 1, 2, 4] + source.normal(size=(12, 7))


def test_each_inner_fold_counts_alike_and_features_are_not_centred(rows):
    x, y = rows
    table = np.zeros((3, 7))
    for held in INNER:
        kept = np.setdiff1d(np.arange(12), held)
        mean = y[kept].mean(0)
        for place, alpha in enumerate(ALPHAS):
            fit = linear_model.Ridge(alpha=alpha, fit_intercept=False, solver="cholesky").fit(x[kept], y[kept] - mean)
            table[place] += ((fit.predict(x[held]) + mean - y[held]) ** 2).mean(0) / 3
    found = choose(x, y, INNER, ALPHAS)
    np.testing.assert_allclose(found.validation, table)
    assert found.alpha.tolist() == [ALPHAS[place] for place in table.argmin(0)] and len({*found.alpha}) > 1


def test_how_many_targets_are_taken_at_once_changes_nothing(rows):
    x, y = rows
    whole = choose(x, y, INNER, ALPHAS)
    parts = choose(x, y, INNER, ALPHAS, block=2)
    np.testing.assert_allclose(whole.validation, parts.validation, rtol=1e-12)
    assert np.array_equal(whole.alpha, parts.alpha)


def test_ridge_gives_each_target_its_alpha(rows):
    x, y = rows
    alphas = np.array([0.5, 1, 2, 4, 8, 16, 1000])
    fit = linear_model.Ridge(alpha=alphas, fit_intercept=False, solver="cholesky").fit(x, y - y.mean(0))
    found = solver(x).ridge(y, alphas)
    np.testing.assert_allclose(found.weights, fit.coef_.T)
    np.testing.assert_allclose(found.predict(x[:3]), fit.predict(x[:3]) + y.mean(0))


def test_least_squares_fits_best(rows):
    x, y = rows
    fit = linear_model.LinearRegression(fit_intercept=False).fit(x, y - y.mean(0))
    np.testing.assert_allclose(solver(x).least_squares(y).weights, fit.coef_.T)


def test_least_squares_takes_the_shortest_weights_where_many_fit(rows):
    x, y = rows
    wide = np.hstack([x, x, np.zeros((12, 4)), np.ones((12, 20))])
    found = solver(wide).least_squares(y).weights
    np.testing.assert_allclose(found, np.linalg.lstsq(wide, y - y.mean(0), rcond=None)[0], atol=1e-9)
    np.testing.assert_allclose(found[10:14], 0, atol=1e-15)


def test_features_that_are_all_zero_predict_the_mean(rows):
    _, y = rows
    nothing = np.zeros((12, 3))
    for fit in (solver(nothing).least_squares(y), solver(nothing).ridge(y, np.ones(7))):
        np.testing.assert_allclose(fit.predict(nothing[:1])[0], y.mean(0))
    assert choose(nothing, y, INNER, ALPHAS).alpha.tolist() == [128.0] * 7  # all are equal: the largest


def test_float32_rows_are_fitted_in_float32(rows):
    x, y = (array.astype(np.float32) for array in rows)
    found = solver(x).ridge(y, np.full(7, 8.0))
    assert found.weights.dtype == np.float32
    np.testing.assert_allclose(found.weights, solver(rows[0]).ridge(rows[1], np.full(7, 8.0)).weights, rtol=1e-3)


@pytest.mark.parametrize(
    ("inner", "alphas", "says"),
    [
        (INNER, [0.0, 1.0], "above 0"),
        (INNER, [], "above 0"),
        ([], ALPHAS, "without an inner fold"),
        ([[]], ALPHAS, "no rows"),
        ([list(range(12))], ALPHAS, "all of them"),
    ],
)
def test_what_cannot_be_chosen_by_is_refused(rows, inner, alphas, says):
    x, y = rows
    with pytest.raises(InputError, match=says):
        choose(x, y, inner, alphas)


def test_features_and_targets_of_unlike_rows_are_refused(rows):
    x, y = rows
    with pytest.raises(InputError, match="features and targets"):
        choose(x[:5], y, INNER, ALPHAS)
    with pytest.raises(InputError, match="features and targets"):
        solver(x).least_squares(y[:5])
