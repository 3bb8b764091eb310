"""Standardisation of features by the training rows alone."""

from __future__ import annotations

from typing import Any

from harness.errors import InputError

Array = Any  # a numpy array


def scaled(train: Array, test: Array, name: str = "features") -> tuple[Array, Array]:
    """Scale both tables by the mean and population standard deviation of the training rows; return float32 in C order.

    A feature that is constant over the training rows, up to rounding, is only centred. `name` is the name of the
    features in errors. Raises InputError unless both are tables of numbers with the same columns and at least one
    training row, and if a value is not finite before or after scaling.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    train, test = _table(train, name), _table(test, name)
    if train.shape[1] != test.shape[1] or not len(train):
        told = f"{len(train)} training rows with {train.shape[1]} columns, test rows with {test.shape[1]}"
        raise InputError(told, where=name, next="give training rows, and the same columns in both")
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance = train.mean(axis=0), train.var(axis=0)
        rounding = len(train) * np.finfo(np.float64).eps
        constant = (variance <= rounding * variance + (rounding * mean) ** 2) | (np.ptp(train, axis=0) == 0)
        spread = np.where(constant, 1.0, np.sqrt(variance))
        both = [np.ascontiguousarray((part - mean) / spread, np.float32) for part in (train, test)]
    require_finite(both[0], name, "after scaling")
    require_finite(both[1], name, "after scaling")
    return both[0], both[1]


def require_finite(table: Array, name: str, when: str = "") -> None:
    """Raise InputError if a [row, column] array has a NaN or infinite value, naming the first such column."""
    import numpy as np  # noqa: PLC0415 - heavy

    wrong = ~np.isfinite(table).all(axis=0)
    if wrong.any():
        told = f"column {int(wrong.argmax())} has values that are not finite"
        others = f", and {int(wrong.sum()) - 1} more columns" if wrong.sum() > 1 else ""
        raise InputError(f"{told}{others}{' ' + when if when else ''}", where=name, next="give finite numbers")


def _table(values: Array, name: str) -> Array:
    import numpy as np  # noqa: PLC0415 - heavy

    found = np.asarray(values)
    if found.ndim != 2 or found.dtype.kind not in "iuf":
        raise InputError(f"no [row, column] of numbers: {[*found.shape]} of {found.dtype}", where=name, next="give one")
    require_finite(found, name)
    return found.astype(np.float64)
