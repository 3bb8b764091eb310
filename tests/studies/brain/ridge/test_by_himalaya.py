"""The ridge by himalaya's arithmetic: the choices, scores and weights of ours, on the study's own rules."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from needs import needs
from support_brain_ridge import ALPHAS, problem
from support_draws import drawn

from harness.errors import InputError, MissingError
from harness.studies.brain.ridge import by_himalaya, plain, refit, search
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.terms import STOP_AFTER

needs("himalaya", "torch")
EXACT = search.Search(ALPHAS, stop=False, dtype="float64")
SHAPES = [
    {"columns": (3, 6, 70)},
    {"columns": (2, 4), "rows": 60, "folds": (12, 18, 30), "targets": 130},  # more than twice the rows: quadratic forms
    {"columns": (90,), "rows": 30, "folds": (10, 10, 10)},
    {"columns": (5, 1, 1, 200), "rows": 52, "folds": (13, 13, 13, 13), "targets": 17},
]
SOLVERS = [by_himalaya.NUMPY, by_himalaya.TORCH]
NEAR = 1e-9  # of a score, which is a share of variance
WEIGHTS = 1e-7  # of the largest weight of a target: a small alpha beside large eigenvalues costs digits


def both(given: Any, gammas: Any, how: search.Search, solver: str) -> tuple[Any, Any]:
    """Search with our arithmetic and with himalaya's."""
    of = given.bands, given.targets, given.inner, gammas, how
    return search.search(*of), by_himalaya.search(*of, solver)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("criterion", ["r2", "mse"])
@pytest.mark.parametrize("shape", drawn(SHAPES, 1, 2))
@pytest.mark.parametrize("seed", drawn([3, 11, 2024], 1, 2))
def test_choices_scores_and_weights_are_ours(seed: int, shape: Any, criterion: str, solver: str) -> None:
    given, how = problem(seed=seed, **shape), replace(EXACT, criterion=criterion)
    gammas = candidates(len(given.bands), 18, seed, all_subsets=len(given.bands) < 4)
    mine, its = both(given, gammas, how, solver)
    assert np.array_equal(mine.gamma, its.gamma) and np.array_equal(mine.alpha, its.alpha)
    size = 1 if criterion == "r2" else np.abs(mine.scores).max()
    assert np.abs(mine.scores - its.scores).max() < NEAR * size
    assert np.abs(mine.score - its.score).max() < NEAR * size and its.tried == mine.tried == len(gammas)
    fits = [
        refit.refit(given.bands, given.targets, mine, gammas, how),
        by_himalaya.refit(given.bands, given.targets, its, gammas, how, solver),
    ]
    assert np.array_equal(fits[0].deltas, fits[1].deltas)
    for ours, theirs in ((one.weights(), two.weights()) for one, two in [fits]):
        assert (np.abs(ours - theirs).max(axis=0) < WEIGHTS * np.abs(ours).max(axis=0)).all()
    ahead = [band + 0.1 for band in given.bands]
    assert np.abs(fits[0].predict(ahead) - fits[1].predict(ahead)).max() < 1e-7


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("solver", drawn(SOLVERS, 1, 2))
def test_our_float32_parts_from_its_float64_in_near_ties_alone(solver: str) -> None:
    given = problem(targets=400, rows=60, columns=(4, 40), folds=(20, 20, 20))
    given.targets[:, 200:] = np.random.default_rng(5).standard_normal((60, 200))  # nothing predicts these
    gammas = candidates(2, 20, 1, all_subsets=True)
    exact, its = both(given, gammas, EXACT, solver)
    assert np.array_equal(exact.gamma, its.gamma) and np.array_equal(exact.alpha, its.alpha)
    single = search.search(given.bands, given.targets, given.inner, gammas, replace(EXACT, dtype="float32"))
    apart = (single.gamma != its.gamma) | (single.alpha != its.alpha)
    assert not (apart & ~single.tied).any() and single.tied.mean() < 0.15
    assert np.abs(single.scores - its.scores).max() < 1e-6


@pytest.mark.long
def test_float32_is_refused_since_its_errors_exceed_what_counts_as_equal() -> None:
    from himalaya.backend import set_backend
    from himalaya.kernel_ridge import solve_multiple_kernel_ridge_random_search as solve

    given = problem(rows=192, columns=(5, 20), folds=(48,) * 4, targets=100, seed=2)
    backend, alphas = set_backend("numpy"), np.array([2.0**power for power in range(-5, 20)])
    targets = given.targets - given.targets.mean(axis=0)
    kernels = np.stack([band @ band.T for band in given.bands])
    arrays = kernels, targets / targets.std(axis=0), candidates(2, 6, 1, True), alphas
    scores = []
    for dtype in ("float64", "float32"):
        their_kernels, values, gammas, penalties = (backend.asarray(each, dtype=dtype) for each in arrays)
        with np.errstate(divide="ignore"):  # the logarithm of a weight of 0
            scores.append(solve(their_kernels, values, gammas, alphas=penalties, cv=4, progress_bar=False)[2])
    assert np.abs(scores[0] - scores[1]).max() > 2.0**-16  # what `near_ties` grants float32
    with pytest.raises(InputError, match="err by more than what counts as equal"):
        single = replace(EXACT, dtype="float32")
        by_himalaya.search(given.bands, given.targets, given.inner, np.ones((1, 2)), single, by_himalaya.NUMPY)


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", drawn([1, 7, 5000], 1, 3))
def test_how_many_targets_stand_in_a_block_changes_no_choice(block: int) -> None:
    given, gammas = problem(targets=40), candidates(3, 9, 1, all_subsets=True)
    whole, cut = (
        by_himalaya.search(given.bands, given.targets, given.inner, gammas, how, by_himalaya.NUMPY)
        for how in (EXACT, replace(EXACT, block=block))
    )
    assert np.array_equal(whole.alpha, cut.alpha) and np.abs(whole.scores - cut.scores).max() < 1e-12


def test_a_search_ends_where_ours_ends() -> None:
    given = problem(columns=(3, 4))
    given.bands[1][:] = 0
    gammas = np.array([[1.0, 0.0], *[[0.0, 1.0]] * 199])
    for how in (replace(EXACT, stop=True), replace(EXACT, stop=True, stop_from=4)):
        mine, its = both(given, gammas, how, by_himalaya.NUMPY)
        assert mine.tried == its.tried == how.stop_from + 1 + STOP_AFTER


def test_inner_folds_that_leave_rows_out_of_all_are_those_of_ours() -> None:
    given = problem()
    given.inner = given.inner[:2]
    mine, its = both(given, candidates(3, 9, 1, True), EXACT, by_himalaya.NUMPY)
    assert np.array_equal(mine.alpha, its.alpha) and np.abs(mine.scores - its.scores).max() < NEAR


@pytest.mark.long
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("rows", "columns"), [(40, 6), (40, 90)])
def test_a_plain_ridge_is_ours(rows: int, columns: int, solver: str) -> None:
    for seed in (3, 8):
        given = problem(rows=rows, columns=(columns,), folds=(9, 14, 17), targets=30, seed=seed)
        table = given.bands[0] + 0.3  # features are never centred, so that their mean counts
        given.targets[:, 4] = 2.5
        mine = plain.choose(table, given.targets, given.inner, ALPHAS)
        its = by_himalaya.choose_plain(table, given.targets, given.inner, ALPHAS, EXACT, solver)
        assert np.array_equal(mine.alpha, its.alpha) and np.array_equal(mine.tied, its.tied)
        assert np.abs(mine.validation - its.validation).max() < 1e-9 * mine.validation.max()
        assert np.abs(mine.error - its.error).max() < 1e-9 * mine.error.max()
        one = plain.solver(table).ridge(given.targets, mine.alpha)
        two = by_himalaya.fit_plain(table, given.targets, its.alpha, EXACT, solver)
        assert np.abs(one.weights - two.weights).max() < WEIGHTS * np.abs(one.weights).max()
        assert np.abs(one.intercept - two.intercept).max() < 1e-12


@pytest.mark.long
def test_the_backend_and_threads_that_were_set_before_are_set_after() -> None:
    import torch
    from himalaya.backend import get_backend

    before = get_backend().name, torch.get_num_threads(), torch.backends.cuda.matmul.allow_tf32
    given = problem(targets=3)
    by_himalaya.search(given.bands, given.targets, given.inner, np.ones((1, 3)), EXACT, by_himalaya.TORCH)
    assert before == (get_backend().name, torch.get_num_threads(), torch.backends.cuda.matmul.allow_tf32)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"targets": np.full((40, 2), np.nan)}, "a target is not finite"),
        ({"bands": []}, "no band"),
        ({"bands": [np.full((40, 2), np.inf)] * 3}, "features are not finite"),
        ({"inner": [[1, 1]]}, "leaves out 2 rows"),
    ],
)
def test_what_ours_refuses_is_refused(change: dict[str, Any], told: str) -> None:
    given = problem()
    for name, value in change.items():
        setattr(given, name, value)
    with pytest.raises(InputError, match=told):
        by_himalaya.search(given.bands, given.targets, given.inner, np.ones((1, 3)), EXACT, by_himalaya.NUMPY)
    with pytest.raises(InputError, match="cannot be told from 0"):
        given = problem()
        how = replace(EXACT, alphas=(1e-20, 1.0))
        by_himalaya.search(given.bands, given.targets, given.inner, np.ones((1, 3)), how, by_himalaya.NUMPY)


def test_a_solver_or_a_device_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no solver of himalaya is called 'lapack'"):
        by_himalaya.backend_name("lapack", "cpu")
    assert [by_himalaya.backend_name(name, "cpu") for name in SOLVERS] == ["numpy", "torch"]


@pytest.mark.long
def test_cuda_where_there_is_none_is_said_to_be_missing() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    given = problem()
    with pytest.raises(MissingError, match="CUDA") as bad:
        of = given.bands, given.targets, given.inner, np.ones((1, 3))
        by_himalaya.search(*of, replace(EXACT, device="cuda"), by_himalaya.NUMPY)
    assert bad.value.code == 3


@pytest.mark.long
def test_on_cuda_choices_and_scores_are_those_of_the_cpu() -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("this machine has no CUDA")
    given, gammas = problem(targets=200), candidates(3, 18, 1, True)
    there = replace(EXACT, device="cuda")
    mine = search.search(given.bands, given.targets, given.inner, gammas, EXACT)
    its = by_himalaya.search(given.bands, given.targets, given.inner, gammas, there, by_himalaya.NUMPY)
    assert np.array_equal(mine.gamma, its.gamma) and np.array_equal(mine.alpha, its.alpha)
    assert np.abs(mine.scores - its.scores).max() < NEAR


def test_a_machine_without_himalaya_is_told_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(importlib.import_module("sys").modules, "himalaya", None)
    with pytest.raises(MissingError, match="himalaya is not installed") as bad:
        by_himalaya.version()
    assert bad.value.code == 3 and "repro-harness[brain]" in bad.value.next


def test_a_himalaya_that_takes_folds_in_another_order_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import himalaya.kernel_ridge as its

    real = its.solve_multiple_kernel_ridge_random_search
    turned = lambda *given, cv, **more: real(*given, cv=cv[::-1], **more)  # noqa: E731
    given = problem()
    of = given.bands, given.targets, given.inner, np.ones((1, 3)), EXACT, by_himalaya.NUMPY
    assert by_himalaya.search(*of)
    monkeypatch.setattr(its, "solve_multiple_kernel_ridge_random_search", turned)
    with pytest.raises(InputError, match="himalaya"):
        by_himalaya.search(*of)
