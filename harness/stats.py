"""Statistics that every study shares: average ranks and their correlation, equal-sized bins and their means.

It knows numbers and ids; it must never know rows, files, models or what a number stands for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeGuard

from harness.errors import InputError

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
