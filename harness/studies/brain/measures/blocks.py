"""Averages of errors within blocks of samples, such as passages, ten scans or folds, and labels of such blocks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import isnan
from numbers import Real
from typing import Any

from harness.errors import InputError

Array = Any  # a numpy array
OTHER = "another kind"
SCANS = 10  # in a block of Blank: 20 seconds
AT_ONCE = 1 << 22  # numbers that are averaged at once; bounds memory


def block_means(errors: Array, labels: Sequence[Any] | Array, *, omit: bool = False) -> tuple[list[Any], Array]:
    """Average errors [sample, unit] within each label; return the sorted labels and the means [block, unit].

    Whole numbers sort as numbers, texts by their characters. With `omit` (generation H), NaN is left out, and a block
    of only NaN is NaN. Without `omit`, one NaN makes its block NaN. Raises InputError unless every sample has one
    label, and the labels are all texts or all numbers.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    errors = np.asarray(errors)
    if errors.ndim != 2 or errors.dtype.kind not in "iuf":
        told = f"errors are {errors.dtype} {[*errors.shape]}"
        raise InputError(told, where="errors", next="give numbers [sample, unit]")
    kinds = {_kind(one) for one in labels}
    named = np.asarray([] if OTHER in kinds else labels)
    if named.shape != errors.shape[:1] or len(kinds) > 1 or named.dtype.kind not in "iufU":
        told = f"{len(labels)} labels of {' and '.join(sorted(kinds)) or 'nothing'} for {len(errors)} samples"
        raise InputError(told, where="labels", next="give each sample one label, all texts or all numbers")
    if not len(named):
        return [], np.zeros(errors.shape)
    order = np.argsort(named, kind="stable")
    names, starts = np.unique(named[order], return_index=True)
    found = np.empty((len(names), errors.shape[1]))
    width = max(1, AT_ONCE // len(errors))
    for start in range(0, errors.shape[1], width):
        columns = slice(start, start + width)
        found[:, columns] = _means(errors[:, columns][order].astype(np.float64), starts, omit)
    return names.tolist(), found


def _kind(label: Any) -> str:
    """Return the kind of a label, "text" or "number"; anything else, including NaN and booleans, is `OTHER`."""
    if isinstance(label, str):
        return "text"
    known = isinstance(label, Real) and type(label).__name__ != "bool"
    return "number" if known and not isnan(label) else OTHER


def _means(values: Array, starts: Array, omit: bool) -> Array:
    import numpy as np  # noqa: PLC0415

    kept = ~np.isnan(values) if omit else np.ones(values.shape, bool)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        sums = np.add.reduceat(np.where(kept, values, 0.0), starts, axis=0)
        return sums / np.add.reduceat(kept, starts, axis=0, dtype=np.int64)


def scan_blocks(stories: Sequence[str], scans: int = SCANS) -> list[int]:
    """Return the block of each sample of Blank; a block begins at every multiple of `scans` and at each new story.

    Samples are counted over all stories, from 0. Raises InputError if `scans` is below 1.
    """
    if scans < 1:
        raise InputError(f"a block of {scans} scans", where="scans", next="give a whole number from 1 up")
    places = groupby(range(len(stories)), key=lambda place: (place // scans, stories[place]))
    return [number for number, (_, group) in enumerate(places) for _ in group]


def in_order(labels: Sequence[Any], order: Sequence[int]) -> list[Any]:
    """Permute labels of rows to the order in which folds tested the rows, to match predictions in that order.

    Raises InputError unless the order names each row once.
    """
    if sorted(order) != [*range(len(labels))]:
        told = f"the order has {len(order)} entries for {len(labels)} rows, or names one of them twice"
        raise InputError(told, where="order", next="give the number of each row once, from 0")
    return [labels[row] for row in order]
