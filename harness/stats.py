"""Statistics that every study shares: ranks, bins, intervals of shares, agreement, tests and what adjusts them, draws.

It knows numbers and ids, and draws from the generator it is handed; it must never know a seed, rows, files, models or
what a number stands for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeGuard

from harness.errors import InputError

Array = Any  # of numpy, or its generator, which only the functions that draw load
AT_ONCE = 200  # resamples drawn together; the draws are the same whatever it is
_Z = 1.959963984540054  # the normal quantile of 95 %
LARGEST = 1e15  # sums of a million such numbers are still exact enough to be compared


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value can be a difficulty or a measure: a number, finite, and small enough to be summed."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def average_ranks(values: Sequence[float]) -> list[float]:
    """Rank values from 1 so that equal values are treated alike: each gets the mean of the ranks they fill."""
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
    """Correlate two measures by their average ranks; None where either is constant, because then nothing is ranked."""
    count = len(left)
    if len(right) != count:
        raise InputError(f"{count} values beside {len(right)}", where="spearman", next="give pairs of values")
    # Twice the rank less its mean is a whole number: the sums below are exact, and constant means exactly zero.
    first, second = ([int(2 * rank) - count - 1 for rank in average_ranks(values)] for values in (left, right))
    spread = sum(a * a for a in first) * sum(b * b for b in second)
    return sum(a * b for a, b in zip(first, second, strict=True)) / math.sqrt(spread) if spread else None


def equal_sized_bins(ids: Sequence[str], difficulties: Sequence[float], bins: int) -> list[int]:
    """Say which bin each item falls in, so that a curve over difficulty rests on equally many items at each point.

    Reliability 6.1, OURS: order by (difficulty, id as text); the first bins take the remainder, one item each;
    fewer items than bins give one bin an item.
    """
    count = len(ids)
    if len(difficulties) != count:
        raise InputError(
            f"{count} ids but {len(difficulties)} difficulties", where="difficulties", next="give one difficulty an id"
        )
    edges = bin_edges(count, bins)
    order = sorted(range(count), key=lambda index: (difficulties[index], ids[index]))
    found = [0] * count
    for place, (start, end) in enumerate(pairwise(edges)):
        for index in order[start:end]:
            found[index] = place
    return found


def bin_edges(count: int, bins: int) -> list[int]:
    """Say where each bin of equal size begins among sorted items, and at last where the last one ends."""
    if bins < 1:
        raise InputError(f"{bins} bins", where="bins", next="ask for at least one bin")
    size, larger = divmod(count, bins)
    return [place * size + min(place, larger) for place in range(min(bins, count) + 1)]


def bin_mean(values: Sequence[float]) -> float:
    """Give the mean difficulty of a bin without float noise, so that equal bins can be found equal (6.5, OURS)."""
    if not values:
        raise InputError("a bin without members has no mean", next="leave empty bins out")
    if all(value == values[0] for value in values):
        return values[0]
    return math.fsum(values) / len(values)


def wilson(count: int, of: int) -> tuple[float, float]:
    """Give the 95 % interval of a share, which stays within 0 and 1 however few there are."""
    centre = (count + _Z * _Z / 2) / (of + _Z * _Z)
    half = _Z * math.sqrt(count * (of - count) / of + _Z * _Z / 4) / (of + _Z * _Z)
    # Rounding must not push the exact ends inside: nobody missed means an upper end of 1.
    return 0.0 if count == 0 else max(0.0, centre - half), 1.0 if count == of else min(1.0, centre + half)


def kappa(matrix: Sequence[Sequence[int]]) -> float | None:
    """Give Cohen's kappa, or None where agreement by chance is certain; in whole numbers until one division."""
    total = sum(map(sum, matrix))
    seen = total * sum(row[place] for place, row in enumerate(matrix))
    chance = sum(sum(row) * sum(other[place] for other in matrix) for place, row in enumerate(matrix))
    return None if total * total == chance else (seen - chance) / (total * total - chance)


def mcnemar(a_only: int, b_only: int) -> float:
    """Give the exact two-sided p of a split of discordant pairs under even odds; none discordant is no evidence."""
    total = a_only + b_only
    term = tail = 1
    for k in range(min(a_only, b_only)):
        term = term * (total - k) // (k + 1)
        tail += term
    p: float = 2 * tail / 2**total  # whole numbers to the last division
    return min(1.0, p)


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down rule: never below a smaller one's, never above 1."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, reached = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        reached = max(reached, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = reached
    return adjusted


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Adjust p-values so that those at most q are, on average, false in at most a share q of them (step-up rule)."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, reached = [0.0] * len(values), 1.0
    for rank in range(len(order), 0, -1):  # from the largest down: never above a larger one's
        place = order[rank - 1]
        reached = min(reached, values[place] * len(values) / rank)
        adjusted[place] = reached
    return adjusted


def multiplicities(source: Array, resamples: int, size: int) -> Array:
    """Say how often each of some units stands in each resample, drawn with replacement by the generator given."""
    import numpy as np  # noqa: PLC0415 - heavy, and most who import this module draw nothing

    found: Array = np.zeros((resamples, size), np.int32)
    for start in range(0, resamples, AT_ONCE):
        rows = min(AT_ONCE, resamples - start)
        drawn = source.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
        found[start : start + rows] = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
    return found


def sign_flips(source: Array, count: int, size: int) -> Array:
    """Give each of some units a sign, anew in each row: what paired differences are under no difference at all."""
    return source.integers(0, 2, (count, size)) * 2.0 - 1


def sign_flip_p(flips: Array, differences: Array) -> float:
    """Give the two-sided p of the sum of paired differences, whole numbers so that sums are compared exactly."""
    import numpy as np  # noqa: PLC0415

    beyond = int((np.abs(flips @ differences) >= abs(int(differences.sum()))).sum())
    return (1 + beyond) / (1 + len(flips))
