"""The outer loop of cross-validation: in each fold, chooses and fits a model on the rows outside, and scores it inside.

Independent of the origin of matrices and folds, and of the meaning of rows, bands and units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.scorers import correlation
from harness.studies.brain.features.scaling import scaled
from harness.studies.brain.fitting.requests import BANDED, PLAIN
from harness.studies.brain.ridge import plain
from harness.studies.brain.ridge.refit import refit
from harness.studies.brain.ridge.search import Search, SearchFound, search
from harness.studies.brain.structure.folds import Fold

Array = Any  # a numpy array
SCORED = 4096  # units that are scored together, in float64
REFITTED = 8192  # units that are fitted together; bounds memory, independent of a search's block size


@dataclass(frozen=True)
class OuterFits:
    """One model's cross-validated results: scores and errors [fold, unit], squared errors [row, unit] if wanted."""

    mse: Array
    pearson: Array
    inner: Array  # the best inner score; for plain ridge minus the validation error, for least squares NaN
    alpha: Array  # 0 for least squares
    gamma: Array  # index of the chosen gamma
    tied: Array  # whether that choice is a near tie
    tried: tuple[int, ...]  # the number of gammas tried in each fold
    errors: Array | None = None


@dataclass(frozen=True)
class _Choice:
    """What one fold chose, per unit or for all units alike, and its predictions of the test rows."""

    predicted: Array
    inner: Array
    alpha: Array
    gamma: Array
    tied: Array
    tried: int


def cross_validate(
    bands: Mapping[str, Array],
    targets: Array,
    folds: Sequence[Fold],
    gammas: Array,
    how: Search,
    *,
    method: str = BANDED,
    errors: bool = False,
) -> OuterFits:
    """Fit ridge of named bands [row, column] to targets [row, unit] on each fold's training rows; score the rest.

    Bands are scaled by the training rows. A unit that is constant in the training rows is predicted by that constant.
    Raises InputError if features and targets have different numbers of rows, and for whatever scaling (which names the
    band) and search refuse.
    """
    import numpy as np  # noqa: PLC0415

    if not folds or any(len(band) != len(targets) for band in bands.values()):
        raise InputError("features and targets have unlike rows, or no fold", where="rows", next="give both the same")
    shape = (len(folds), targets.shape[1])
    found = {name: np.zeros(shape) for name in ("mse", "pearson", "inner", "alpha")}
    chosen, tied, tried = np.zeros(shape, np.int32), np.zeros(shape, bool), []
    kept = np.zeros(targets.shape, np.float32) if errors else None
    for number, fold in enumerate(folds):
        train, test = np.asarray(fold.train, np.intp), np.asarray(fold.test, np.intp)
        pairs = [scaled(band[train], band[test], name) for name, band in bands.items()]
        outside, inside = [one for one, _ in pairs], [other for _, other in pairs]
        choice = _chosen(outside, inside, targets[train], fold, gammas, how, method)
        found["mse"][number], found["pearson"][number] = _scored(targets, test, choice.predicted, kept)
        found["inner"][number], found["alpha"][number] = choice.inner, choice.alpha
        chosen[number], tied[number] = choice.gamma, choice.tied
        tried.append(choice.tried)
    return OuterFits(**found, gamma=chosen, tied=tied, tried=tuple(tried), errors=kept)


def intercept_errors(targets: Array, folds: Sequence[Fold], *, errors: bool = False) -> tuple[Array, Array | None]:
    """Return the errors of predicting each fold's rows by the mean of the rows outside it.

    Returns mean squared errors [fold, unit] and, with `errors`, squared errors [row, unit].
    """
    import numpy as np  # noqa: PLC0415

    found = np.zeros((len(folds), targets.shape[1]))
    kept = np.zeros(targets.shape, np.float32) if errors else None
    for number, fold in enumerate(folds):
        train, test = np.asarray(fold.train, np.intp), np.asarray(fold.test, np.intp)
        outside = targets[train]
        mean = outside.mean(axis=0, dtype=np.float64)
        mean = np.where((outside == outside[0]).all(axis=0), outside[0], mean)  # avoids rounding of constant units
        found[number], _ = _scored(targets, test, np.broadcast_to(mean, (len(test), len(mean))), kept)
    return found, kept


def _chosen(
    train: list[Array], test: list[Array], targets: Array, fold: Fold, gammas: Array, how: Search, method: str
) -> _Choice:
    choose = _banded if method == BANDED else _plain if method == PLAIN else _least_squares
    choice = choose(train, test, targets, fold, gammas, how)
    constant = (targets == targets[0]).all(axis=0)
    choice.predicted[:, constant] = targets[0, constant]
    return choice


def _banded(train: list[Array], test: list[Array], targets: Array, fold: Fold, gammas: Array, how: Search) -> _Choice:
    """Search over all units at once, then fit a block of units at a time, those with the same gamma together."""
    import numpy as np  # noqa: PLC0415

    found = search(train, targets, fold.inner, gammas, how)
    predicted = np.empty((len(test[0]), targets.shape[1]))
    order = np.argsort(found.gamma, kind="stable")
    for start in range(0, len(order), REFITTED):
        some = order[start : start + REFITTED]
        own = found.gamma[some], found.alpha[some], found.score[some], found.tied[some]
        chosen = SearchFound(*own, found.scores[:0, some], found.tried, found.parts)
        predicted[:, some] = refit(train, targets[:, some], chosen, gammas, how).predict(test)
    return _Choice(predicted, found.score, found.alpha, found.gamma, found.tied, found.tried)


def _plain(train: list[Array], test: list[Array], targets: Array, fold: Fold, gammas: Array, how: Search) -> _Choice:
    """Choose by plain ridge, which ignores gammas; alphas of 0 are left out."""
    rows = train[0].astype(how.dtype)
    choice = plain.choose(rows, targets, fold.inner, how.usable())
    solver = plain.solver(rows)
    predicted = _in_blocks(lambda some: solver.ridge(targets[:, some], choice.alpha[some]), test[0], targets)
    return _Choice(predicted, -choice.error, choice.alpha, 0, choice.tied, 1)


def _least_squares(
    train: list[Array], test: list[Array], targets: Array, fold: Fold, gammas: Array, how: Search
) -> _Choice:
    """Fit by least squares, always in float64, because nothing shrinks rounding errors."""
    import numpy as np  # noqa: PLC0415

    solver = plain.solver(train[0].astype(np.float64))
    predicted = _in_blocks(lambda some: solver.least_squares(targets[:, some]), test[0], targets)
    return _Choice(predicted, np.nan, 0.0, 0, False, 1)


def _in_blocks(fitted: Callable[[slice], plain.PlainFit], test: Array, targets: Array) -> Array:
    import numpy as np  # noqa: PLC0415

    predicted = np.empty((len(test), targets.shape[1]))
    for start in range(0, targets.shape[1], plain.BLOCK):
        some = slice(start, start + plain.BLOCK)
        predicted[:, some] = fitted(some).predict(test)
    return predicted


def _scored(targets: Array, test: Array, predicted: Array, kept: Array | None) -> tuple[Array, Array]:
    """Score predictions of the test rows by mean squared error and Pearson's r of each unit; fill `kept` if given."""
    import numpy as np  # noqa: PLC0415

    mse, pearson = np.zeros(targets.shape[1]), np.zeros(targets.shape[1])
    for start in range(0, targets.shape[1], SCORED):
        some = slice(start, start + SCORED)
        there, said = targets[test, some].astype(np.float64), predicted[:, some].astype(np.float64)
        fit = correlation.score_fit(there, said)
        mse[some], pearson[some] = fit.mse, fit.pearson
        if kept is not None:
            kept[test, some] = (there - said) ** 2
    return mse, pearson
