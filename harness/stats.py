"""Statistics that every study shares: average ranks, equal-sized bins and their means.

It knows numbers and ids; it must never know rows, files, models or what a number stands for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    if bins < 1:
        raise InputError(f"{bins} bins", where="bins", next="ask for at least one bin")
    size, larger = divmod(count, bins)
    order = sorted(range(count), key=lambda index: (difficulties[index], ids[index]))
    found = [0] * count
    edge = larger * (size + 1)
    for place, index in enumerate(order):
        found[index] = place // (size + 1) if place < edge else larger + (place - edge) // size
    return found


def bin_mean(values: Sequence[float]) -> float:
    """Give the mean difficulty of a bin without float noise, so that equal bins can be found equal (6.5, OURS)."""
    if not values:
        raise InputError("a bin without members has no mean", next="leave empty bins out")
    if all(value == values[0] for value in values):
        return values[0]
    return math.fsum(values) / len(values)
