"""Near ties: a choice that noise within the stated error could move is flagged, and no other is moved by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support_brain_ridge import problem
from support_draws import drawn

from harness.studies.brain.measures import choosing
from harness.studies.brain.near_ties import ERRORS, GRID, Incumbents, first_near_best
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.plain import choose
from harness.studies.brain.ridge.search import Search, search

DTYPES = pytest.mark.parametrize("dtype", [*ERRORS])
ALPHAS = tuple(2.0**power for power in range(-5, 35))
HOW = Search(ALPHAS, stop=False, dtype="float64")


def hostile(count, seed, error):
    """Make scores [candidate, case] whose distances are often a cell of the grid, more or less the error."""
    source = np.random.default_rng(seed)
    shape = (count, 4000)
    steps = GRID * source.integers(-3, 4, shape) + error * source.choice([-3, -1.5, -0.6, 0, 0.6, 1.5, 3], shape)
    return 0.1 + np.where(source.random(shape) < 0.5, steps, source.normal(size=shape) * 1e-3)


def held(scores, error):
    """Let candidates challenge one after the other; gives which holds, and where that is a near tie."""
    holders, taken = Incumbents(scores.shape[1], error), np.full(scores.shape[1], -1)
    for place, own in enumerate(scores):
        taken[holders.challenge(own)] = place
    return taken, holders.tied


@DTYPES
@pytest.mark.parametrize("choice", [first_near_best, held])
def test_noise_within_the_error_moves_flagged_choices_and_no_others(choice, dtype):
    error = ERRORS[dtype]
    scores = hostile(5, 1, error)
    place, tied = choice(scores, error)
    moved, source = np.zeros(len(tied), bool), np.random.default_rng(2)
    for _ in range(200):
        noise = source.choice([-1, 1], scores.shape) * error * 0.499  # differences of two err by twice as much
        other, _ = choice(scores + noise, error)
        assert not (moved := moved | (other != place))[~tied].any()
    assert moved.sum() > 0.5 * tied.sum() > 30


@pytest.mark.parametrize("choice", [first_near_best, held])
def test_equal_scores_are_no_near_tie_and_the_first_wins(choice):
    scores = np.full((6, 3), 0.25) + np.random.default_rng(1).normal(size=(6, 3)) * GRID / 100
    place, tied = choice(scores, ERRORS["float32"])
    assert not place.any() and not tied.any()


def test_who_is_better_by_more_than_a_cell_wins_wherever_it_stands():
    for place in range(4):
        scores = np.zeros((4, 1))
        scores[place] = 1.5 * GRID
        assert first_near_best(scores, ERRORS["float64"]).place == place == held(scores, ERRORS["float64"])[0]


def test_a_sure_winner_ends_the_doubt_about_those_before_it():
    error = ERRORS["float64"]
    assert held(np.array([[0.0], [GRID]]), error)[1] and not held(np.array([[0.0], [GRID], [0.5]]), error)[1]
    assert held(np.array([[0.0], [GRID], [1.5 * GRID]]), error)[1]  # who held decides whether it wins


def test_candidates_without_a_score_are_never_chosen_nor_in_doubt():
    assert choosing.choose([None, float("nan"), 0.2, 0.1]) == (2, False) and choosing.choose([None]) == (None, False)
    assert choosing.choose([0.2, 0.2 + GRID]).tied and choosing.choose([50.0, 50.0 + 50 * GRID], size=50).tied


def usual_design():
    return problem(rows=60, columns=(3, 8, 90), targets=150, folds=(15, 15, 15, 15), seed=5)


def equal_bands():
    equal = problem(rows=60, columns=(6, 6, 6), targets=150, folds=(15, 15, 15, 15), seed=6)
    equal.bands = [equal.bands[0], equal.bands[0].copy(), equal.bands[0][:, ::-1].copy()]
    return equal


def nothing_to_predict():
    none = problem(rows=60, columns=(2, 5, 40), targets=150, folds=(15, 15, 15, 15), seed=7)
    none.targets = 7 + np.random.default_rng(7).standard_normal(none.targets.shape)
    return none


def flat_alphas():
    tiny = problem(rows=60, columns=(2, 5, 40), targets=150, folds=(15, 15, 15, 15), seed=8)
    tiny.bands = [band * 1e-3 for band in tiny.bands]
    return tiny


# Usual problems, and some that are made to tie.
DESIGNS = {
    "usual": usual_design, "equal bands": equal_bands, "nothing to predict": nothing_to_predict,
    "flat alphas": flat_alphas,
}  # fmt: skip


@pytest.mark.exhaustive
@DTYPES
@pytest.mark.parametrize("what", drawn(["targets", "features"], 1, 2))
@pytest.mark.parametrize("name", drawn(DESIGNS, 1, 4))
def test_a_perturbation_of_1e_7_moves_flagged_choices_only(name, what, dtype):
    given = DESIGNS[name]()
    gammas, how = candidates(3, 12, 1, all_subsets=True), replace(HOW, dtype=dtype)
    source = np.random.default_rng(11)
    usual = search(given.bands, given.targets, given.inner, gammas, how)
    share = usual.tied.mean()
    assert share < (0.01 if dtype == "float64" else 0.12)
    for _ in range(3):
        bands, targets = given.bands, given.targets
        if what == "targets":
            targets = targets * (1 + 1e-7 * source.choice([-1, 1], targets.shape))
        else:
            bands = [band * (1 + 1e-7 * source.choice([-1, 1], band.shape)) for band in bands]
        found = search(bands, targets, given.inner, gammas, how)
        moved = (found.gamma != usual.gamma) | (found.alpha != usual.alpha)
        assert not moved[~usual.tied].any()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", drawn(DESIGNS, 1, 4))
def test_float32_chooses_as_float64_but_for_flagged_choices(name):
    given = DESIGNS[name]()
    gammas = candidates(3, 12, 1, all_subsets=True)
    exact, near = (
        search(given.bands, given.targets, given.inner, gammas, replace(HOW, dtype=dtype))
        for dtype in ("float64", "float32")
    )
    moved = (exact.gamma != near.gamma) | (exact.alpha != near.alpha)
    assert not moved[~near.tied].any() and near.tied.mean() < 0.12


def test_the_alpha_of_plain_ridge_moves_only_where_it_is_flagged():
    given = problem(rows=60, columns=(8,), targets=400, folds=(15, 15, 15, 15))
    source, usual = np.random.default_rng(3), choose(given.bands[0], given.targets, given.inner, ALPHAS)
    for _ in range(5):
        targets = given.targets * (1 + 1e-7 * source.choice([-1, 1], given.targets.shape))
        found = choose(given.bands[0], targets, given.inner, ALPHAS)
        assert not (found.alpha != usual.alpha)[~usual.tied].any()
    assert usual.tied.mean() < 0.01 and len({*usual.alpha.tolist()}) > 5


def test_an_end_that_rounding_decides_makes_every_choice_a_near_tie(monkeypatch):
    given = problem(columns=(3, 4))
    gammas = np.array([[0.0, 1.0]] + [[1.0, 1.0]] * 3 + [[1.0, 0.0]] * 60)
    how = replace(HOW, stop=True)
    means = search(given.bands, given.targets, given.inner, gammas[:1], how).score.mean()
    both = search(given.bands, given.targets, given.inner, gammas[:2], replace(how, stop=False)).score.mean()
    assert not search(given.bands, given.targets, given.inner, gammas, how).tied.any()
    monkeypatch.setattr("harness.studies.brain.ridge.search.STOP_AFTER", 1)
    monkeypatch.setattr("harness.studies.brain.ridge.search.STOP_GAIN", both - means)  # it grew by just so much
    assert search(given.bands, given.targets, given.inner, gammas, how).tied.all()
