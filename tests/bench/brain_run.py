"""Run as a command: one side of the banded ridge search of `brain`, its refit included; prints what it cost.

python tests/bench/brain_run.py FOLDER SIDE TARGETS GAMMAS
SIDE is ours, ours64 (in float64), cuda (ours on it), numpy or torch (himalaya's backends), or floor (the matrix
products alone). Choices go to FOLDER.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

BANDS = (5, 300, 1600)
ALPHAS = 2.0 ** np.arange(-5, 20)
FOLD = 0  # of the experiment, which is left out
SEED = 20240529


def problem(targets: int) -> tuple[list[Any], Any, tuple[tuple[int, ...], ...]]:
    """Make up bands and targets for the rows of Pereira's EXP1 that train in one fold, and give its inner folds."""
    from harness.studies.brain.structure.folds import outer_folds
    from harness.studies.brain.structure.pereira import pereira
    from harness.studies.brain.terms import EXP1

    fold = outer_folds(pereira(EXP1))[FOLD]
    source = np.random.default_rng(SEED)
    bands = [source.standard_normal((len(fold.train), count), np.float32) for count in BANDS]
    bands = [(band - band.mean(axis=0)) / band.std(axis=0) for band in bands]
    found = source.standard_normal((len(fold.train), targets), np.float32)
    for start in range(0, targets, 1000):  # some at a time: what is made up must not be the largest thing in memory
        some = found[:, start : start + 1000]
        for band in bands:
            size = np.float32(0.5 / band.shape[1] ** 0.5)
            some += band @ (source.standard_normal((band.shape[1], some.shape[1]), np.float32) * size)
    return bands, found, fold.inner


def ours(bands: list[Any], targets: Any, inner: Any, gammas: Any, dtype: str, device: str = "cpu") -> dict[str, Any]:
    """Search and refit by this project."""
    from harness.studies.brain.ridge.refit import refit
    from harness.studies.brain.ridge.search import Search, search

    how = Search(tuple(ALPHAS.tolist()), "mse", stop=False, dtype=dtype, device=device)  # himalaya's criterion
    found = search(bands, targets, inner, gammas, how)
    fit = refit(bands, targets, found, gammas, how)
    return {"scores": found.scores, "gamma": found.gamma, "alpha": found.alpha, "dual": fit.dual}


def theirs(bands: list[Any], targets: Any, inner: Any, gammas: Any, backend: str) -> dict[str, Any]:
    """Search and refit by himalaya."""
    to = import_module("himalaya.backend").set_backend(backend)
    solve = import_module("himalaya.kernel_ridge").solve_multiple_kernel_ridge_random_search
    split = import_module("sklearn.model_selection").PredefinedSplit
    folds = np.zeros(len(targets))
    for number, rows in enumerate(inner):
        folds[list(rows)] = number
    kernels = to.asarray(np.stack([band @ band.T for band in bands]))
    deltas, dual, scores, alphas, _ = solve(
        kernels, to.asarray(targets), n_iter=to.asarray(gammas), alphas=to.asarray(ALPHAS.astype(np.float32)),
        cv=split(folds), fit_intercept=True, return_weights="dual", return_alphas=True, progress_bar=False,
    )  # fmt: skip
    chosen = to.to_numpy(deltas).T + np.log(to.to_numpy(alphas))[:, None]
    gamma = np.abs(np.exp(chosen)[:, None] - gammas).sum(axis=2).argmin(axis=1)
    return {"scores": to.to_numpy(scores), "gamma": gamma, "alpha": to.to_numpy(alphas), "dual": to.to_numpy(dual)}


def floor(bands: list[Any], targets: Any, gammas: int) -> dict[str, Any]:
    """Multiply as often as held-out errors under every alpha need, and nothing else."""
    maps, turned = np.ones((len(ALPHAS) * len(targets), len(targets) - 1), np.float32), targets[1:]
    made = np.empty((len(maps), turned.shape[1]), np.float32)
    for _ in range(gammas):
        np.matmul(maps, turned, out=made)
    return {}


def main(folder: Path, side: str, targets: int, count: int) -> None:
    """Run one side, in as many threads as the environment says, and print its cost."""
    from harness.studies.brain.ridge.gammas import candidates

    if side == "torch":
        import_module("torch").set_num_threads(int(os.environ["HARNESS_THREADS"]))
    bands, values, inner = problem(targets)
    gammas = candidates(len(BANDS), count, 1, all_subsets=False)
    run = {
        "ours": lambda some: ours(bands, values, inner, some, "float32"),
        "ours64": lambda some: ours(bands, values, inner, some, "float64"),
        "cuda": lambda some: ours(bands, values, inner, some, "float32", "cuda"),
        "numpy": lambda some: theirs(bands, values, inner, some, "numpy"),
        "torch": lambda some: theirs(bands, values, inner, some, "torch"),
        "floor": lambda some: floor(bands, values, len(some)),
    }[side]
    run(gammas[:1])  # libraries are loaded and warm
    wall, cpu = time.perf_counter(), time.process_time()
    found = run(gammas)
    told = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    np.savez(folder / f"{side}.npz", **found)
    print(json.dumps({**told, "mib": most}))


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[2])]
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
