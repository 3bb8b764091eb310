"""Scores of units over the folds of a cross-validation: R2 of pooled squared errors, and the mean of Pearson's r."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.errors import InputError

Array = Any  # a numpy array


def pooled_error(errors: Array, rows: Sequence[int] | Array) -> Array:
    """Average mean squared errors [fold, unit] over folds, weighted by the number of test rows.

    Raises InputError if a fold's number of rows is not a whole number from 1 up, or the number of folds is wrong.
    """
    import numpy as np  # noqa: PLC0415

    weights = np.asarray(rows, np.float64)
    errors = np.asarray(errors, np.float64)
    if errors.ndim != 2 or weights.shape != errors.shape[:1] or not len(weights) or not _are_counts(weights):
        told = f"errors of {[*errors.shape]} stand beside {[*weights.shape]} numbers of rows"
        raise InputError(told, where="fold_rows", next="give errors [fold, unit], and the rows of each fold, 1 or more")
    with np.errstate(invalid="ignore", over="ignore"):
        return (errors * weights[:, None]).sum(axis=0) / weights.sum()


def _are_counts(weights: Array) -> bool:
    import numpy as np  # noqa: PLC0415

    return bool((np.isfinite(weights) & (weights >= 1) & (weights == np.floor(weights))).all())


def r2(errors: Array, baseline: Array, rows: Sequence[int] | Array) -> Array:
    """Return out-of-sample R2 of each unit: 1 - pooled error / pooled error of the training mean, both [fold, unit].

    If the mean's error is 0, R2 is -inf, or NaN if the model's error is 0 too. R2 is NaN if an error is NaN.
    """
    import numpy as np  # noqa: PLC0415

    model, plain = pooled_error(errors, rows), pooled_error(baseline, rows)
    if model.shape != plain.shape:
        told = f"errors of {model.size} units stand beside {plain.size}"
        raise InputError(told, where="mse", next="give both of the same units")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return 1 - model / plain


def mean_correlation(correlations: Array) -> Array:
    """Average Pearson's r [fold, unit] over folds with equal weights."""
    import numpy as np  # noqa: PLC0415

    return np.asarray(correlations, np.float64).mean(axis=0)
