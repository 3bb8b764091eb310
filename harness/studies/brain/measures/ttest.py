"""The one-sided paired t-test on squared errors, unit by unit, and the model with the lowest error in each unit.

Independent of the meaning of units, rows and models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.errors import InputError

Array = Any  # a numpy array
AT_ONCE = 1 << 22  # numbers in a block of units that is tested at once; bounds memory


def paired_p(errors: Array, against: Array, *, omit: bool = False) -> Array:
    """Return one-sided p-values, one per unit, of a paired t-test that `errors` are below `against`, [sample, unit].

    p is 1 if no test is possible: identical columns, fewer than two samples, or values that are not finite. With `omit`
    (generation H), samples in which either side is NaN are left out of that unit. A constant difference has no
    variance: p is 0 if the difference is negative, else 1. Raises InputError if the tables have different shapes.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    errors, against = np.asarray(errors), np.asarray(against)
    require_alike(errors, against)
    units = errors.shape[1]
    width = max(1, AT_ONCE // max(len(errors), 1))
    found = np.ones(units)
    for start in range(0, units, width):
        columns = slice(start, start + width)
        found[columns] = _p(errors[:, columns].astype(np.float64), against[:, columns].astype(np.float64), omit)
    return found


def require_alike(errors: Array, against: Array) -> None:
    """Raise InputError naming both shapes unless both are tables of numbers of the same shape."""
    if errors.ndim != 2 or errors.shape != against.shape or {errors.dtype.kind, against.dtype.kind} - set("iuf"):
        shapes = f"{errors.dtype} {[*errors.shape]} and {against.dtype} {[*against.shape]}"
        raise InputError(f"the errors of two models are {shapes}", where="errors", next="give [sample, unit] in both")


def _p(errors: Array, against: Array, omit: bool) -> Array:
    import numpy as np  # noqa: PLC0415
    from scipy.special import stdtr  # noqa: PLC0415

    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        differences = errors - against
        kept = ~np.isnan(differences) if omit else np.ones(differences.shape, bool)
        count = kept.sum(axis=0)
        first = np.take_along_axis(differences, kept.argmax(axis=0)[None], 0)[0] if len(differences) else 0.0
        constant = (np.where(kept, differences, first) == first).all(axis=0)
        mean = np.where(constant, first, np.where(kept, differences, 0.0).sum(axis=0) / count)
        squares = (np.where(kept, differences - mean, 0.0) ** 2).sum(axis=0)
        t = mean / np.sqrt(np.where(constant, 0.0, squares) / (count - 1) / count)
        p = stdtr(count - 1, np.where(np.isfinite(mean) & (count > 1), t, np.nan))
    return np.where(np.isnan(p), 1.0, p)


def lowest_error(errors: Iterable[tuple[str, Array]]) -> tuple[list[str], Array]:
    """Return, for each unit, the name of the model with the lowest mean squared error, and that model's errors.

    Models are pairs of name and errors [row, unit], held one at a time. The mean leaves out NaN. A model without a
    finite mean is not taken if another has one; ties go to the first. Raises InputError if there is no model, or if the
    tables have different shapes.
    """
    import numpy as np  # noqa: PLC0415

    names: list[str] = []
    chosen = least = best = None
    for name, table in errors:
        own = np.asarray(table)
        means = _mean(own)
        if best is None:
            require_alike(own, own)
            chosen, least, best = np.zeros(own.shape[1], int), means, own.copy()
        else:
            require_alike(own, best)
            better = means < least
            best = best.astype(np.result_type(best, own), copy=False)
            best[:, better] = own[:, better]
            chosen, least = np.where(better, len(names), chosen), np.minimum(least, means)
        names.append(name)
    if best is None:
        raise InputError("there is no model to choose from", where="errors", next="give the errors of at least one")
    return [names[place] for place in np.asarray(chosen).tolist()], best


def _mean(errors: Array) -> Array:
    """Average the values of each column that are not NaN; infinite if there is no finite mean."""
    import numpy as np  # noqa: PLC0415

    kept = ~np.isnan(errors) if errors.dtype.kind == "f" else np.ones(errors.shape, bool)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        means = np.where(kept, errors, 0).sum(axis=0, dtype=np.float64) / kept.sum(axis=0)
    return np.where(np.isfinite(means), means, np.inf)
