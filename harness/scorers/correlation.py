"""Goodness of fit column by column: out-of-sample R2 and Pearson's r over cross-validation folds.

The functions take arrays, not pydantic models, so that steps can import this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from harness.errors import InputError

Array = Any  # a numpy array
FLAT = 1e-5  # a column within this share of its mean is constant and has no correlation


class ColumnFit(NamedTuple):
    """Goodness of fit: arrays with one value per column."""

    r2: Array  # 1 - mse / mse_mean; -inf if the targets always equal that mean
    pearson: Array  # the mean over folds; a fold in which either side is constant counts as 0
    mse: Array  # of the predictions, over the rows of all folds
    mse_mean: Array  # of the mean of the targets outside each fold, over the same rows


def score_fit(targets: Array, predictions: Array, folds: Sequence[int] = ()) -> ColumnFit:
    """Score predictions against targets, both [row, column]; `folds` are sizes of consecutive rows.

    Without folds, all rows are one fold, compared with the mean of all targets. Raises InputError for different shapes,
    no targets, or folds that do not cover the rows.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    targets, predictions = (np.asarray(one, np.float64) for one in (targets, predictions))
    rows = len(targets)
    sizes = [int(size) for size in folds] or [rows]
    if targets.shape != predictions.shape or not targets.size:
        shapes = f"{[*targets.shape]} and {[*predictions.shape]}"
        raise InputError(f"targets and predictions are {shapes}", where="predictions", next="give both alike")
    if min(sizes) < 1 or sum(sizes) != rows:
        raise InputError(f"the folds have {sum(sizes)} rows of {rows}", where="fold_sizes", next="put every row in one")
    model, plain, pearson = (np.zeros(targets.shape[1]) for _ in range(3))
    start = 0
    for size in sizes:
        fold = slice(start, start := start + size)
        outside = np.delete(targets, fold, axis=0) if size < rows else targets
        model += ((targets[fold] - predictions[fold]) ** 2).sum(axis=0)
        plain += ((targets[fold] - outside.mean(axis=0)) ** 2).sum(axis=0)
        pearson += _pearson(targets[fold], predictions[fold])
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = 1 - model / plain
    return ColumnFit(r2, pearson / len(sizes), model / rows, plain / rows)


def _pearson(one: Array, two: Array) -> Array:
    import numpy as np  # noqa: PLC0415

    centred = [side - side.mean(axis=0) for side in (one, two)]
    lengths = [np.sqrt((side**2).sum(axis=0)) for side in centred]
    bounds = [FLAT * np.abs(side.mean(axis=0)) for side in (one, two)]
    varies = (lengths[0] > bounds[0]) & (lengths[1] > bounds[1])
    return np.where(varies, (centred[0] * centred[1]).sum(axis=0) / np.where(varies, lengths[0] * lengths[1], 1), 0.0)
