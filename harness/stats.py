"""Statistics shared by studies: ranks, bins, Wilson intervals, agreement, tests, corrections, bootstrap resamples.

Functions work on numbers and ids, and draw from the generator that they are given. They do not set seeds or read files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeGuard

from harness.errors import InputError

Array = Any  # a numpy array or generator; only functions that draw import numpy
AT_ONCE = 200  # resamples drawn together; does not change the draws
_Z = 1.959963984540054  # the normal quantile of 95 %
LARGEST = 1e15  # sums of a million such numbers are still exact enough to be compared


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number of at most 1e15 in size, small enough to be summed; False for booleans and texts."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def average_ranks(values: Sequence[float]) -> list[float]:
    """Rank values from 1; ties get the mean of the ranks that they occupy."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in range(start, end):
            ranks[order[place]] = (start + 1 + end) / 2
        start = end
    return ranks


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation with average ranks; None if either measure is constant."""
    count = len(left)
    if len(right) != count:
        raise InputError(f"{count} values beside {len(right)}", where="spearman", next="give pairs of values")
    # Twice the rank less its mean is a whole number, so the sums below are exact, and a constant measure gives zero.
    first, second = ([int(2 * rank) - count - 1 for rank in average_ranks(values)] for values in (left, right))
    spread = sum(a * a for a in first) * sum(b * b for b in second)
    return sum(a * b for a, b in zip(first, second, strict=True)) / math.sqrt(spread) if spread else None


def equal_sized_bins(ids: Sequence[str], difficulties: Sequence[float], bins: int) -> list[int]:
    """Return the bin of each item: bins of equal size by difficulty, so that each point of a curve has as many items.

    Reliability 6.1, OURS: order by (difficulty, id as text); the first bins take one item each of the remainder; if
    there are fewer items than bins, there are as many bins as items.
    """
    count = len(ids)
    if len(difficulties) != count:
        raise InputError(
            f"{count} ids but {len(difficulties)} difficulties",
            where="difficulties",
            next="give one difficulty for each id",
        )
    edges = bin_edges(count, bins)
    order = sorted(range(count), key=lambda index: (difficulties[index], ids[index]))
    found = [0] * count
    for place, (start, end) in enumerate(pairwise(edges)):
        for index in order[start:end]:
            found[index] = place
    return found


def bin_edges(count: int, bins: int) -> list[int]:
    """Return the start index of each equal-sized bin among sorted items, and the end of the last bin."""
    if bins < 1:
        raise InputError(f"{bins} bins", where="bins", next="ask for at least one bin")
    size, larger = divmod(count, bins)
    return [place * size + min(place, larger) for place in range(min(bins, count) + 1)]


def bin_mean(values: Sequence[float]) -> float:
    """Return the mean difficulty of a bin without rounding noise, so that equal bins have equal means (OURS)."""
    if not values:
        raise InputError("a bin without members has no mean", next="leave empty bins out")
    if all(value == values[0] for value in values):
        return values[0]
    return math.fsum(values) / len(values)


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return the Wilson 95 % interval of the share `count / of`, which lies within 0 and 1; `of` is not 0."""
    centre = (count + _Z * _Z / 2) / (of + _Z * _Z)
    half = _Z * math.sqrt(count * (of - count) / of + _Z * _Z / 4) / (of + _Z * _Z)
    # Rounding must not move the exact ends: with `count == of` the upper end is 1.
    return 0.0 if count == 0 else max(0.0, centre - half), 1.0 if count == of else min(1.0, centre + half)


def kappa(matrix: Sequence[Sequence[int]]) -> float | None:
    """Return Cohen's kappa of a square matrix of counts, or None if agreement by chance is certain.

    All arithmetic before the one division is in whole numbers.
    """
    total = sum(sum(row) for row in matrix)
    seen = total * sum(row[place] for place, row in enumerate(matrix))
    chance = sum(sum(row) * sum(other[place] for other in matrix) for place, row in enumerate(matrix))
    return None if total * total == chance else (seen - chance) / (total * total - chance)


def mcnemar(a_only: int, b_only: int) -> float:
    """Return the exact two-sided McNemar p-value; 1 if both counts are 0.

    `a_only` is the number of pairs that only a has right, `b_only` of those that only b has right.
    """
    total = a_only + b_only
    term = tail = 1
    for k in range(min(a_only, b_only)):
        term = term * (total - k) // (k + 1)
        tail += term
    p: float = 2 * tail / 2**total  # whole numbers before the division
    return min(1.0, p)


def holm(values: Sequence[float]) -> list[float]:
    """Return Holm's step-down correction of p-values: never below a smaller one's, never above 1."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, reached = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        reached = max(reached, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = reached
    return adjusted


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Return the Benjamini-Hochberg (step-up) correction of p-values.

    The tests whose corrected value is at most q have a false discovery rate of at most q.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, reached = [0.0] * len(values), 1.0
    for rank in range(len(order), 0, -1):  # from the largest down: never above a larger one's
        place = order[rank - 1]
        reached = min(reached, values[place] * len(values) / rank)
        adjusted[place] = reached
    return adjusted


def bootstrap_counts(source: Array, resamples: int, size: int) -> Array:
    """Return bootstrap resamples as counts: how often the given generator draws each unit with replacement."""
    import numpy as np  # noqa: PLC0415 - heavy, and most importers of this module draw nothing

    found: Array = np.zeros((resamples, size), np.int32)
    for start in range(0, resamples, AT_ONCE):
        rows = min(AT_ONCE, resamples - start)
        drawn = source.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
        found[start : start + rows] = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
    return found


def sign_flips(source: Array, count: int, size: int) -> Array:
    """Return `count` rows of random signs, +1 or -1, for `size` paired differences under the null hypothesis."""
    return source.integers(0, 2, (count, size)) * 2.0 - 1


def sign_flip_p(flips: Array, differences: Array) -> float:
    """Return the two-sided sign-flip p-value of the sum of paired differences.

    The differences are whole numbers, so that sums compare exactly.
    """
    import numpy as np  # noqa: PLC0415

    beyond = int((np.abs(flips @ differences) >= abs(int(differences.sum()))).sum())
    return (1 + beyond) / (1 + len(flips))
