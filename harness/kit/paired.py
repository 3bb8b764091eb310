"""Paired differences of two series of scores: their mean, its interval, a test, and how often which one is greater.

Answers to one item, or to the items of one cluster, resemble each other. Such a unit is therefore resampled, and its
sign flipped, as a whole (OURS). The module is independent of models and scorers, and of which number is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import stats
from harness.kit import resample
from harness.kit.resample import FEWEST, LEVEL, RESAMPLES
from harness.kit.score_intervals import BOOTSTRAP, NONE, ONE, ScoreInterval

SEED = 0
FLIPS = 9999  # random signs of the test
MCNEMAR, SIGN_FLIP = "mcnemar", "sign-flip"
SAME = "all differences are alike"
FINEST = 40  # bits after the binary point to which differences are rounded
EXACT = 52  # bits of a sum that a float holds exactly
Pair = tuple[float, float]  # left and right


@dataclass(frozen=True)
class PairedColumn:
    """Pairs of numbers of one metric on one dataset, by item or cluster of items; each pair is of two models."""

    dataset: str
    units: Mapping[str, Sequence[Pair]]

    def differences(self) -> list[float]:
        """Return each unit's sum of paired differences, right minus left, in the order of the units' names."""
        return [math.fsum(right - left for left, right in self.units[name]) for name in sorted(self.units)]

    def counts(self) -> list[int]:
        """Return the number of pairs of each unit, in the same order."""
        return [len(self.units[name]) for name in sorted(self.units)]

    def pairs(self) -> list[Pair]:
        """Return all pairs of numbers as one list."""
        return [pair for pairs in self.units.values() for pair in pairs]


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two means over the same pairs, right minus left, with its interval and p-value."""

    n: int
    units: int
    left: float | None
    right: float | None
    interval: ScoreInterval
    p: float | None = None
    test: str = ""  # mcnemar | sign-flip
    greater: int = 0  # pairs in which the right number is greater
    less: int = 0

    @property
    def difference(self) -> float | None:
        """The right mean minus the left one."""
        return None if self.left is None or self.right is None else self.right - self.left


def paired_differences(columns: Sequence[PairedColumn]) -> list[PairedDifference]:
    """Return for each column its paired mean difference with a bootstrap interval and a permutation p-value."""
    intervals: dict[int, ScoreInterval] = {}
    ps: dict[int, tuple[float, str]] = {}
    drawn: dict[tuple[str, int], list[int]] = {}
    for place, column in enumerate(columns):
        if (why := _no_interval(column)) is not None:
            intervals[place] = ScoreInterval(why=why)
        if (p := _mcnemar(column)) is not None:
            ps[place] = (p, MCNEMAR)
        if column.units and (place not in intervals or place not in ps):
            drawn.setdefault((column.dataset, len(column.units)), []).append(place)
    for (dataset, _), places in drawn.items():
        some = [columns[place] for place in places]
        for place, ends, p in zip(places, _resampled(dataset, some), _sign_flips(dataset, some), strict=True):
            intervals.setdefault(place, ScoreInterval(ends, BOOTSTRAP))
            ps.setdefault(place, (p, SIGN_FLIP))
    return [_difference(column, intervals[place], *ps.get(place, (None, ""))) for place, column in enumerate(columns)]


def _difference(column: PairedColumn, interval: ScoreInterval, p: float | None, test: str) -> PairedDifference:
    pairs = column.pairs()
    if not pairs:
        return PairedDifference(0, 0, None, None, interval)
    left, right = (math.fsum(values) / len(pairs) for values in zip(*pairs, strict=True))
    greater, less = sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)
    return PairedDifference(len(pairs), len(column.units), left, right, interval, p, test, greater, less)


def _no_interval(column: PairedColumn) -> str | None:
    """Say why the differences have no interval; None if they can have one."""
    if len(column.units) < FEWEST:
        return ONE if column.units else NONE
    return SAME if len({b - a for a, b in column.pairs()}) == 1 else None


def _mcnemar(column: PairedColumn) -> float | None:
    """Return McNemar's exact p-value of pairs of zeros and ones, one per unit; None for any other pairs."""
    pairs = column.pairs()
    if not pairs or len(pairs) > len(column.units) or not {value for pair in pairs for value in pair} <= {0.0, 1.0}:
        return None
    return stats.mcnemar(sum(a > b for a, b in pairs), sum(b > a for a, b in pairs))


def _resampled(dataset: str, columns: Sequence[PairedColumn]) -> list[tuple[float, float]]:
    """Return the percentiles of the columns' mean differences over resamples of their units."""
    import numpy as np  # noqa: PLC0415 - heavy

    sums = np.array([column.differences() for column in columns]).T
    counts = np.array([column.counts() for column in columns], float).T
    source, means = resample.generator(SEED, "bootstrap", dataset), []
    for start in range(0, RESAMPLES, stats.AT_ONCE):
        often = stats.bootstrap_counts(source, min(stats.AT_ONCE, RESAMPLES - start), len(sums)).astype(float)
        means.append((often @ sums) / (often @ counts))
    low, high = np.quantile(np.concatenate(means), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return [(float(first), float(last)) for first, last in zip(low, high, strict=True)]


def _sign_flips(dataset: str, columns: Sequence[PairedColumn]) -> list[float]:
    """Return the two-sided p-value of each column's sum of differences if the sign of each unit were random."""
    import numpy as np  # noqa: PLC0415

    whole: Any = np.array([_whole(column.differences()) for column in columns]).T
    source, seen = resample.generator(SEED, "sign-flip", dataset), np.abs(whole.sum(axis=0))
    beyond: Any = np.zeros(len(columns), int)
    for start in range(0, FLIPS, stats.AT_ONCE):
        signs = stats.sign_flips(source, min(stats.AT_ONCE, FLIPS - start), len(whole))
        beyond = beyond + (np.abs(signs @ whole) >= seen).sum(axis=0)
    return [float(p) for p in (1 + beyond) / (1 + FLIPS)]


def _whole(differences: Sequence[float]) -> list[float]:
    """Scale differences to whole numbers, as finely as their sum stays exact, so that equal sums compare equal."""
    total = math.fsum(map(abs, differences))
    scale = 2.0 ** min(FINEST, EXACT - math.frexp(total)[1])
    return [float(round(value * scale)) for value in differences]
