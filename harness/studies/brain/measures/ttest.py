"""The one-sided paired t-test on squared errors, unit by unit, and which of several models errs least in a unit.

It must never know what a unit, a row or a model is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.errors import InputError

Array = Any  # of numpy
AT_ONCE = 1 << 22  # numbers of a block of units that is tested at once, so that memory stays bounded


def paired_p(errors: Array, against: Array, *, omit: bool = False) -> Array:
    """Give a p-value a unit, small where `errors` lie below `against`; both are [sample, unit].

    p is 1 where no test is possible: identical columns, fewer than two samples, values that are not finite. With
    `omit` (generation H) samples in which either side is NaN are left out of that unit. A constant difference has no
    variance: p is 0 where it is negative, else 1. InputError for tables of unlike shape.
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
    """Check that both are tables of numbers with equal shapes; InputError tells the two shapes."""
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
    """Give, unit by unit, the name of the model whose mean squared error is lowest, and its whole column of errors.

    Models come as pairs of name and errors [row, unit], of which one at a time is held. The mean leaves NaN out; a
    model without a finite mean is never taken where another has one; ties go to the first. InputError where there is
    no model, or tables of unlike shape.
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
    """Average what is no NaN in each column; infinite where there is no finite mean."""
    import numpy as np  # noqa: PLC0415

    kept = ~np.isnan(errors) if errors.dtype.kind == "f" else np.ones(errors.shape, bool)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        means = np.where(kept, errors, 0).sum(axis=0, dtype=np.float64) / kept.sum(axis=0)
    return np.where(np.isfinite(means), means, np.inf)
