"""Run as a command: what ridge of a small problem makes on this processor, a name and a digest a line.

python tests/studies/brain/ridge/ridge_run.py ROWS TARGETS [SOLVER]
SOLVER is one of himalaya's, in place of ours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any


def results(rows: int, targets: int) -> Iterator[tuple[str, Any]]:
    """Search, refit and predict in both types of numbers, and fit plain ridge and least squares."""
    import numpy as np
    from support_brain_ridge import problem
    from threadpoolctl import threadpool_limits

    from harness.studies.brain.ridge.gammas import candidates
    from harness.studies.brain.ridge.plain import choose, solver
    from harness.studies.brain.ridge.refit import refit
    from harness.studies.brain.ridge.search import Search, search

    fold = rows // 4
    with threadpool_limits(1):
        given = problem(rows, targets=targets, folds=(fold, fold + 1, rows - 2 * fold - 1))
    gammas, how = candidates(3, 9, 1, all_subsets=True), Search(tuple(2.0**power for power in range(-5, 20)))
    for dtype in ("float32", "float64"):
        found = search(given.bands, given.targets, given.inner, gammas, replace(how, dtype=dtype))
        fit = refit(given.bands, given.targets, found, gammas, how)
        for name in ("scores", "gamma", "alpha"):
            yield f"{dtype} {name}", getattr(found, name)
        for at, both in found.parts.items():
            yield f"{dtype} decomposed {at}", np.concatenate([one.ravel() for one in both])
        yield f"{dtype} coefficients", fit.coefficients
        yield f"{dtype} predictions", fit.predict([band[::2] for band in given.bands])
        wide = np.concatenate(given.bands, axis=1).astype(dtype)
        choice = choose(wide, given.targets, given.inner, how.usable())
        yield f"{dtype} plain errors", choice.validation
        yield f"{dtype} plain weights", solver(wide).ridge(given.targets, choice.alpha).weights
        yield f"{dtype} least squares", solver(wide).least_squares(given.targets).weights


def results_by_himalaya(rows: int, targets: int, name: str) -> Iterator[tuple[str, Any]]:
    """Search, refit and fit plain ridge by himalaya's arithmetic."""
    import numpy as np
    from support_brain_ridge import problem
    from threadpoolctl import threadpool_limits

    from harness.studies.brain.ridge.by_himalaya import choose_plain, fit_plain, refit, search
    from harness.studies.brain.ridge.gammas import candidates
    from harness.studies.brain.ridge.search import Search

    fold = rows // 4
    with threadpool_limits(1):
        given = problem(rows, targets=targets, folds=(fold, fold + 1, rows - 2 * fold - 1))
    how = Search(tuple(2.0**power for power in range(-5, 20)), dtype="float64")
    gammas, wide = candidates(3, 9, 1, all_subsets=True), np.concatenate(given.bands, axis=1)
    found = search(given.bands, given.targets, given.inner, gammas, how, name)
    for part in ("scores", "gamma", "alpha"):
        yield part, getattr(found, part)
    yield "coefficients", refit(given.bands, given.targets, found, gammas, how, name).coefficients
    choice = choose_plain(wide, given.targets, given.inner, how.usable(), how, name)
    yield "plain errors", choice.validation
    yield "plain weights", fit_plain(wide, given.targets, choice.alpha, how, name).weights


if __name__ == "__main__":
    tests = Path(__file__).resolve().parents[3]
    sys.path[:0] = [str(tests), str(tests.parent)]
    from harness.digest import sha256

    size = int(sys.argv[1]), int(sys.argv[2])
    for name, array in results_by_himalaya(*size, sys.argv[3]) if sys.argv[3:] else results(*size):
        print(name, sha256(array.tobytes()))
    print("torch", "loaded" if "torch" in sys.modules else "none")
