"""The refit on all training rows, held against ridge solved column by column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support_brain_ridge import ALPHAS, problem, ridge, weighted

from harness.errors import InputError
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.refit import refit
from harness.studies.brain.ridge.search import Search, SearchFound, search

HOW = Search(ALPHAS, stop=False, dtype="float64")
GAMMAS = candidates(3, 9, 1, all_subsets=True)


def found(gamma, alpha):
    none = np.zeros((0, len(gamma)))
    return SearchFound(
        np.array(gamma, np.int32),
        np.array(alpha, float),
        np.zeros(len(gamma)),
        np.zeros(len(gamma), bool),
        none,
        len(GAMMAS),
    )


CHOICE = found([0, 8, 3, 8, 6], [0.5, 8.0, 128.0, 0.03125, 0.5])


def fitted(given, choice=CHOICE, how=HOW):
    return refit(given.bands, given.targets, choice, GAMMAS, how)


def test_each_target_is_predicted_by_its_own_weights_and_alpha():
    given, new = problem(), [np.random.default_rng(7).standard_normal((6, count)) for count in (3, 6, 70)]
    said = fitted(given).predict(new)
    for target, (gamma, alpha) in enumerate(zip(CHOICE.gamma, CHOICE.alpha, strict=True)):
        features, there = weighted(given.bands, GAMMAS[gamma].astype(float)), weighted(new, GAMMAS[gamma].astype(float))
        expected = ridge(features, given.targets[:, [target]], alpha, there)[:, 0]
        assert np.abs(said[:, target] - expected).max() < 1e-9


def test_weights_predict_the_same_of_features_that_are_not_centred():
    given = problem()
    given.bands[1] += 3
    fit = fitted(given)
    assert (
        np.abs(np.concatenate(given.bands, axis=1) @ fit.weights() + fit.intercept - fit.predict(given.bands)).max()
        < 1e-9
    )


def test_dual_weights_and_deltas_predict_the_same():
    given = problem()
    fit = fitted(given)
    said = sum((band @ band.T @ fit.dual) * np.exp(delta) for band, delta in zip(given.bands, fit.deltas, strict=True))
    assert np.abs(said + fit.intercept - fit.predict(given.bands)).max() < 1e-9


def test_a_band_that_is_left_out_has_delta_minus_infinity_and_no_weight():
    fit = fitted(problem())
    assert np.isneginf(fit.deltas[:2, 0]).all() and not fit.weights()[:9, 0].any()
    assert np.abs(fit.deltas[2, 0] - np.log(1 / 0.5)) < 1e-12


def test_a_constant_target_is_predicted_exactly():
    given = problem()
    given.targets[:, 2] = 0.1
    assert (fitted(given).predict(given.bands)[:, 2] == 0.1).all()


def test_constant_bands_predict_the_mean():
    given = problem()
    given.bands = [np.zeros_like(band) for band in given.bands]
    said = fitted(given).predict(given.bands)
    assert np.abs(said - given.targets.mean(axis=0)).max() < 1e-12


def test_kernels_that_a_search_decomposed_change_nothing():
    given = problem(targets=60)
    kept = search(given.bands, given.targets, given.inner, GAMMAS, HOW)
    assert {*kept.gamma.tolist()} <= {*kept.parts}
    again = fitted(given, replace(kept, parts={}))
    wrong = {at: (values, vectors + 1e-5) for at, (values, vectors) in kept.parts.items()}
    assert np.array_equal(fitted(given, replace(kept, parts=wrong)).coefficients, again.coefficients)
    assert np.abs(fitted(given, kept).coefficients - again.coefficients).max() < 1e-10


def test_kernels_of_other_bands_are_not_used():
    given, other = problem(targets=60), problem(targets=60, seed=4)
    kept = search(given.bands, given.targets, given.inner, GAMMAS, HOW)
    some = replace(kept, gamma=np.full(60, 6, np.int32), parts={6: kept.parts[6]})
    assert np.array_equal(fitted(other, some).coefficients, fitted(other, replace(some, parts={})).coefficients)


def test_what_was_found_for_other_targets_is_refused():
    with pytest.raises(InputError, match="found for 5 targets"):
        fitted(problem(targets=6))


def test_bands_of_other_columns_are_refused():
    given = problem()
    with pytest.raises(InputError, match="bands of"):
        fitted(given).predict(given.bands[:2])


def test_features_that_are_not_finite_are_refused():
    given = problem()
    fit = fitted(given)
    given.bands[0][2, 1] = np.nan
    with pytest.raises(InputError, match="not finite"):
        fit.predict(given.bands)
