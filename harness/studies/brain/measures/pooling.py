"""Scores of units over the folds of a cross-validation: R2 of pooled squared errors, and the mean of Pearson's r.

It must never know whose unit a column is, or which model predicted it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.errors import InputError

Array = Any  # of numpy


def pooled_error(errors: Array, rows: Sequence[int] | Array) -> Array:
    """Average mean squared errors [fold, unit] over folds, each by the number of its test rows.

    InputError where a fold's rows are no whole number from 1 up, or there is another number of folds.
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
    """Give R2 out of sample of each unit: 1 - pooled error / pooled error of the training mean, both [fold, unit].

    Where the mean is never wrong it is -inf, or NaN where the model is never wrong either; NaN where an error is NaN.
    """
    import numpy as np  # noqa: PLC0415

    model, plain = pooled_error(errors, rows), pooled_error(baseline, rows)
    if model.shape != plain.shape:
        told = f"errors of {model.size} units stand beside {plain.size}"
        raise InputError(told, where="mse", next="give both of the same units")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return 1 - model / plain


def mean_correlation(correlations: Array) -> Array:
    """Average Pearson's r [fold, unit] over folds, each alike."""
    import numpy as np  # noqa: PLC0415

    return np.asarray(correlations, np.float64).mean(axis=0)
