"""The search for weights and alphas, held against each inner fold fitted by itself, and against himalaya."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from needs import needs
from support_brain_ridge import ALPHAS, problem, scores
from support_cases import each_of
from support_draws import drawn

from harness.errors import InputError, MissingError
from harness.studies.brain.near_ties import GRID
from harness.studies.brain.ridge.gammas import candidates, subsets
from harness.studies.brain.ridge.search import Search, search
from harness.studies.brain.terms import STOP_AFTER

EXACT = Search(ALPHAS, stop=False, dtype="float64")


def run(given, gammas, how=EXACT):
    return search(given.bands, given.targets, given.inner, np.asarray(gammas, np.float32), how)


def chosen(given, expected, criterion):
    """Choose target by target from scores [gamma, alpha, target]: within a cell the largest alpha, the first gamma."""
    means = [np.delete(given.targets, fold, 0).mean(axis=0) for fold in given.inner]
    around = [(given.targets[fold] - mean) ** 2 for fold, mean in zip(given.inner, means, strict=True)]
    size = np.mean([one.mean(axis=0) for one in around], axis=0) if criterion == "mse" else np.ones(len(means[0]))
    gammas, alphas = [], []
    for own in np.moveaxis(expected / size, 2, 0):
        best = 0
        for gamma, each in enumerate(own):
            best = gamma if each.max() > own[best].max() + GRID else best
        gammas.append(best)
        alphas.append(max(place for place, score in enumerate(own[best]) if score > own[best].max() - GRID))
    return gammas, alphas


@pytest.mark.parametrize("criterion", ["r2", "mse"])
@pytest.mark.parametrize("columns", [(3, 6, 70), (2, 4), (5,)])
def test_scores_are_those_of_fitting_every_fold_by_itself(criterion, columns):
    given = problem(columns=columns)
    gammas = candidates(len(columns), 9, seed=2, all_subsets=len(columns) < 3)
    found = run(given, gammas, replace(EXACT, criterion=criterion))
    expected = np.array([scores(given, gamma, ALPHAS, criterion) for gamma in gammas.astype(float)])
    assert np.abs(found.scores - expected.max(axis=1)).max() < 2e-9
    gamma, alpha = chosen(given, expected, criterion)
    assert found.gamma.tolist() == gamma and found.alpha.tolist() == [ALPHAS[place] for place in alpha]
    assert np.abs(found.score - expected[gamma, alpha, np.arange(5)]).max() < 2e-9
    assert found.tried == len(gammas) and not found.tied.any()


@pytest.mark.parametrize("criterion", ["r2", "mse"])
@pytest.mark.parametrize(("dtype", "near"), [("float64", 2e-9), ("float32", 2e-5)])
def test_many_targets_have_the_scores_of_fitting_every_fold_by_itself(criterion, dtype, near):
    given = problem(targets=90)  # more than twice the rows: errors are taken as quadratic forms
    gammas = candidates(3, 9, seed=2, all_subsets=True)
    found = run(given, gammas, replace(EXACT, criterion=criterion, dtype=dtype))
    expected = np.array([scores(given, gamma, ALPHAS, criterion) for gamma in gammas.astype(float)])
    assert np.abs(found.scores - expected.max(axis=1)).max() < near
    clear = ~found.tied
    assert np.array_equal(found.gamma[clear], np.array(chosen(given, expected, criterion)[0])[clear])
    assert clear.mean() > (0.9 if dtype == "float32" else 0.99)


def test_scores_and_choices_are_those_of_himalaya():
    from himalaya.backend import set_backend
    from himalaya.kernel_ridge import solve_multiple_kernel_ridge_random_search as solve
    from sklearn.model_selection import PredefinedSplit

    set_backend("numpy")
    given = problem(rows=48, columns=(4, 60), targets=30, folds=(12, 12, 24))
    fold = np.zeros(48)
    for number, rows in enumerate(given.inner):
        fold[rows] = number
    gammas = candidates(2, 12, seed=8, all_subsets=True)
    with np.errstate(divide="ignore"):
        deltas, _, their_scores, alphas, _ = solve(
            np.stack([band @ band.T for band in given.bands]), given.targets, n_iter=gammas.astype(float),
            alphas=np.array(ALPHAS), cv=PredefinedSplit(fold), fit_intercept=True, return_weights="dual",
            return_alphas=True, progress_bar=False,
        )  # fmt: skip
    found = run(given, gammas, replace(EXACT, criterion="mse"))
    assert np.abs(found.scores - their_scores).max() < 1e-9 and np.array_equal(found.alpha, alphas)
    with np.errstate(divide="ignore"):
        ours = np.log(gammas[found.gamma].T.astype(float)) - np.log(found.alpha)
    assert np.array_equal(np.isneginf(ours), np.isneginf(deltas))
    assert np.abs(np.exp(ours) - np.exp(deltas)).max() < 1e-12


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", drawn([1, 3, 700, 5000], 1, 4))
def test_how_many_targets_are_held_at_once_changes_no_digit(size):
    given, how = problem(targets=1100), replace(EXACT, dtype="float32")
    gammas = candidates(3, 8, 1, all_subsets=True)
    whole, cut = run(given, gammas, how), run(given, gammas, replace(how, block=size))
    assert all(np.array_equal(getattr(whole, name), getattr(cut, name)) for name in ("gamma", "alpha", "scores"))


def test_workers_change_no_digit(monkeypatch):
    from threadpoolctl import threadpool_info

    given, how = problem(targets=600), replace(EXACT, dtype="float32")
    gammas = candidates(3, 11, 1, all_subsets=True)
    alone, before = run(given, gammas, how), threadpool_info()
    monkeypatch.setenv("HARNESS_THREADS", "3")
    together = run(given, gammas, how)
    assert np.array_equal(alone.scores, together.scores) and np.array_equal(alone.gamma, together.gamma)
    assert threadpool_info() == before


@pytest.mark.parametrize("targets", [50, 300])
def test_float32_keeps_its_digits_where_a_band_lies_in_single_passages(targets):
    blocks = np.repeat(np.arange(24), 4)
    near = np.exp(-((np.arange(96)[:, None] - np.arange(96)) ** 2) / 8) * (blocks[:, None] == blocks)
    given = problem(rows=96, columns=(2,), targets=targets, folds=(24, 24, 24, 24))
    given.bands = [(near - near.mean(axis=0)) / near.std(axis=0)]
    weights = np.random.default_rng(1).normal(size=(96, targets))
    given.targets = 7 + given.bands[0] @ weights * 0.3 + given.targets * 0.01  # so that the smallest alpha is best
    given.inner = [np.flatnonzero(blocks % 4 == fold).tolist() for fold in range(4)]
    alphas = tuple(2.0**power for power in range(-5, 20))
    both = [run(given, [[1.0]], replace(EXACT, alphas=alphas, dtype=name)) for name in ("float64", "float32")]
    assert np.abs(both[0].scores - both[1].scores).max() < 3e-5


def test_an_alpha_of_zero_is_never_chosen():
    given = problem()
    with_zero, without = run(given, [[1, 1, 1]], replace(EXACT, alphas=(0.0, *ALPHAS))), run(given, [[1, 1, 1]])
    assert np.array_equal(with_zero.alpha, without.alpha) and np.array_equal(with_zero.scores, without.scores)


def test_of_equal_scores_the_largest_alpha_wins_and_the_first_candidate():
    given = problem(columns=(3, 4))
    given.bands[0][:] = 0  # a constant band predicts the mean, whatever alpha is
    found = run(given, [[1, 0], [1, 0]])
    assert (found.alpha == max(ALPHAS)).all() and not found.gamma.any() and np.abs(found.score).max() < 1e-8


def test_a_constant_target_has_the_score_zero():
    given = problem()
    given.targets[:, 1] = 0.1
    for dtype in ("float32", "float64"):
        found = run(given, candidates(3, 9, 1, True), replace(EXACT, dtype=dtype))
        assert abs(found.score[1]) < 1e-8 and found.alpha[1] == max(ALPHAS) and np.isfinite(found.scores).all()


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_tiny_and_huge_targets_have_the_scores_of_usual_ones(size):
    given, how = problem(), replace(EXACT, dtype="float32")
    gammas = candidates(3, 9, 1, True)
    usual = run(given, gammas, how)
    given.targets = given.targets * size
    scaled = run(given, gammas, how)
    assert np.abs(scaled.scores - usual.scores).max() < 1e-5 and np.array_equal(scaled.alpha, usual.alpha)


def test_one_inner_fold_is_enough():
    given = problem()
    given.inner = given.inner[:1]
    expected = scores(given, [0.5, 0.25, 0.25], ALPHAS, "r2").max(axis=0)
    assert np.abs(run(given, [[0.5, 0.25, 0.25]]).score - expected).max() < 2e-9


def test_half_precision_and_fortran_order_are_taken():
    given = problem()
    given.bands = [np.asfortranarray(band.astype(np.float16)) for band in given.bands]
    plain = replace_bands(given, [band.astype(np.float64) for band in given.bands])
    given.targets = np.asfortranarray(given.targets)
    gammas = candidates(3, 9, 1, True)
    assert np.array_equal(run(given, gammas).scores, run(plain, gammas).scores)


def test_arrays_that_may_not_be_written_to_are_taken():
    given, gammas = problem(), candidates(3, 9, 1, True)
    usual = run(given, gammas)
    for array in (*given.bands, given.targets, gammas):
        array.flags.writeable = False
    found = search(given.bands, given.targets, given.inner, gammas, EXACT)
    assert np.array_equal(found.scores, usual.scores)


def replace_bands(given, bands):
    return type(given)(bands, np.ascontiguousarray(given.targets), given.inner)


@pytest.mark.parametrize("columns", [(3, 6, 70), (30,), (12,)])
def test_an_alpha_that_rounding_hides_beside_the_features_is_refused(columns):
    given, gammas = problem(columns=columns), [[1.0] * len(columns)]
    for alpha in (1e-300, 1e-20, 1e-14):
        with pytest.raises(InputError, match="cannot be told from 0"):
            run(given, gammas, replace(EXACT, alphas=(alpha, 1.0)))
    found = run(given, gammas, replace(EXACT, alphas=(1e-6,)))
    assert np.abs(found.score / scores(given, gammas[0], [1e-6], "r2")[0] - 1).max() < 1e-6


def stopping(count, **settings):
    """Search with candidates of which only the first is of use; gives how many were tried."""
    given = problem(columns=(3, 4))
    given.bands[1][:] = 0
    return run(given, [[1.0, 0.0], *[[0.0, 1.0]] * (count - 1)], replace(EXACT, **{"stop": True, **settings})).tried


def test_a_search_ends_when_the_mean_stood_still_fifty_times():
    assert stopping(200) == 1 + STOP_AFTER
    assert stopping(200, stop=False) == 200
    assert stopping(STOP_AFTER) == STOP_AFTER


def test_after_all_subsets_standing_still_counts_from_a_later_index():
    assert stopping(200, stop_from=2**2) == 2**2 + 1 + STOP_AFTER


def test_the_mean_that_stands_still_is_over_every_target():
    given = problem(rows=40, columns=(3, 4), targets=60)
    gammas = np.array([[1.0, 0.0]] * 30 + [[0.0, 1.0]] + [[1.0, 0.0]] * 60)
    given.targets[:, :40] = given.targets[:, :1]  # as many as there are rows, and alike
    given.targets[:, 40:] = given.bands[1] @ np.random.default_rng(1).standard_normal((4, 20))
    assert run(given, gammas, replace(EXACT, stop=True)).tried == 31 + STOP_AFTER


def test_subsets_alone_give_a_band_of_noise_no_weight():
    given = problem(columns=(3, 200), targets=20)
    given.targets = given.bands[0] @ np.random.default_rng(1).standard_normal((3, 20))
    found = run(given, subsets(2))
    assert (subsets(2)[found.gamma] == [1, 0]).all()


@each_of(
    ("change", "told"),
    [
        ({"targets": np.full((40, 2), np.nan)}, "a target is not finite"),
        ({"targets": np.ones(40)}, "targets have the shape"),
        ({"targets": np.ones((40, 0))}, "targets have the shape"),
        ({"bands": []}, "no band"),
        ({"bands": [np.full((40, 2), np.inf)] * 3}, "features are not finite"),
        ({"bands": [np.ones((39, 2))] * 3}, "it has the shape"),
        ({"bands": [np.ones((40, 0))] * 3}, "it has the shape"),
        ({"inner": []}, "no inner fold"),
        ({"inner": [[]]}, "leaves out 0 rows"),
        ({"inner": [list(range(40))]}, "leaves out 40 rows"),
        ({"inner": [[1, 1]]}, "leaves out 2 rows"),
        ({"inner": [[40]]}, "leaves out 1 rows"),
        ({"inner": [[-1]]}, "leaves out 1 rows"),
    ],
)
def test_what_cannot_be_searched_is_refused(change, told):
    given = problem()
    for name, value in change.items():
        setattr(given, name, value)
    with pytest.raises(InputError, match=told):
        run(given, [[1, 1, 1]])


@each_of("gammas", [[[1, 1]], [[0, 0, 0]], [[-1, 1, 1]], [[np.nan, 1, 1]], np.ones((0, 3)), [1, 1, 1]])
def test_weights_that_are_no_weights_are_refused(gammas):
    with pytest.raises(InputError, match="weights"):
        run(problem(), gammas)


@each_of(
    "change",
    [{"alphas": ()}, {"alphas": (0.0,)}, {"alphas": (-1.0, 2.0)}, {"alphas": (float("inf"),)}, {"criterion": "mae"},
     {"dtype": "float16"}, {"device": "tpu"}, {"block": 0}],
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(change):
    with pytest.raises(InputError):
        run(problem(), [[1, 1, 1]], replace(EXACT, **change))


@pytest.mark.long
def test_cuda_where_there_is_none_is_said_to_be_missing():
    needs("torch")
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with pytest.raises(MissingError, match="CUDA"):
        run(problem(), [[1, 1, 1]], replace(EXACT, device="cuda"))
