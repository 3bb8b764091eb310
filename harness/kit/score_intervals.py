"""Intervals of the means in a table of scores: Wilson's for a share, else percentiles of resamples of the items (OURS).

Answers to one item, in several templates or samples, resemble each other, so an item is drawn or left out with all its
answers. If items come in clusters (one text, one person, one table), the interval is computed from the variation
between clusters, as in sandwich estimators of the variance (Liang and Zeger, 1986; for evaluations, Miller, 2024).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from harness import stats
from harness.kit import resample
from harness.kit.resample import FEWEST, LEVEL, RESAMPLES

NORMAL = 1.959963984540054  # the normal quantile of 97.5 %
TAIL = 0.025
SERIES = 300  # degrees of freedom up to which the distribution of t is summed term by term
Ends = tuple[float, float]
Part = tuple[int, float]  # of one cluster: the number of answers, and their sum


def mean_interval(parts: Sequence[Part]) -> Ends:
    """Return the 95 % interval of the mean over all answers of at least two clusters, by Student's t."""
    mean, variance = _variance(parts)
    reach = student(len(parts) - 1) * math.sqrt(variance)
    return mean - reach, mean + reach


def share_interval(parts: Sequence[Part]) -> Ends:
    """Return the 95 % interval of a share, of answers worth 0 or 1: Wilson's at the effective number of answers.

    That is the number of independent answers that would vary as much, reduced for the small number of clusters (Korn
    and Graubard, 1998), and at most the number of answers. If all answers are alike, each cluster counts as one answer.
    """
    answers, share = sum(count for count, _ in parts), _variance(parts)[0]
    if share in (0.0, 1.0):
        return wilson_at(share, len(parts))
    variance = _variance(parts)[1]
    effective = min(share * (1 - share) / variance, answers) if variance else answers
    return wilson_at(share, effective * (NORMAL / student(len(parts) - 1)) ** 2)


def wilson_at(share: float, of: float) -> Ends:
    """Return Wilson's 95 % interval of a share of a number of answers that need not be whole."""
    square = NORMAL * NORMAL
    centre, half = share * of + square / 2, NORMAL * math.sqrt(share * (1 - share) * of + square / 4)
    low, high = (centre - half) / (of + square), (centre + half) / (of + square)
    return 0.0 if share == 0 else max(0.0, low), 1.0 if share == 1 else min(1.0, high)


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution with `freedom` degrees of freedom, at least one."""
    if freedom > SERIES:  # Cornish and Fisher's expansion, here exact to 1e-9
        z, n = NORMAL, float(freedom)
        return (
            z
            + (z**3 + z) / (4 * n)
            + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        )
    low, high = 0.0, 13.0  # the quantile for one degree is 12.706
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _beyond(middle, freedom) > TAIL else (low, middle)
    return middle


def _beyond(t: float, freedom: int) -> float:
    """Return the probability of a t above this one (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    square, odd = math.cos(angle) ** 2, freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for place in range(3 if odd else 2, freedom - 1, 2):
        term *= square * (place - 1) / place
        total += term
    within = 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    return (1 - within) / 2


def _variance(parts: Sequence[Part]) -> tuple[float, float]:
    """Return the mean of all answers, and the variance of the mean estimated from the clusters."""
    answers = sum(count for count, _ in parts)
    mean = math.fsum(total for _, total in parts) / answers
    spread = math.fsum((total - mean * count) ** 2 for count, total in parts)
    return mean, len(parts) / (len(parts) - 1) * spread / answers**2


SEED = 0
WILSON, BOOTSTRAP, CLUSTERS = "wilson", "bootstrap", "clusters"
NONE, ONE, ALIKE = "no answer has a value of it", "one item alone", "all values are alike"
ONE_CLUSTER = "one cluster alone"


class IntervalRow(TypedDict, total=False):
    """A `ScoreInterval` as plain data: its ends and how they were computed, or why there is none."""

    interval: list[float]
    by: str
    no_interval: str
    clusters: int


@dataclass(frozen=True)
class ScoreInterval:
    """A 95 % interval of a mean and how it was computed, or why there is none."""

    ends: tuple[float, float] | None = None
    by: str = ""  # wilson | bootstrap | clusters
    why: str = ""  # why there is no interval
    clusters: int = 0  # the number of clusters, if items come in clusters

    def document(self) -> IntervalRow:
        """Return the interval as plain data."""
        found: IntervalRow = {"interval": [*self.ends], "by": self.by} if self.ends else {"no_interval": self.why}
        if self.clusters:
            found["clusters"] = self.clusters
        return found


@dataclass(frozen=True)
class MetricColumn:
    """The numbers of one metric of one model on one dataset by item: an item has one per template and sample."""

    dataset: str
    by_item: Mapping[str, Sequence[float]]
    bounds: tuple[float | None, float | None] | None = None  # least and greatest possible number; None if not known
    clusters: Mapping[str, str] = field(default_factory=dict)  # by item; an item without one is its own cluster

    @property
    def n(self) -> int:
        """The number of values."""
        return sum(map(len, self.by_item.values()))

    def values(self) -> Iterator[float]:
        """Iterate over all numbers."""
        for values in self.by_item.values():
            yield from values

    def mean(self) -> float | None:
        """Return the mean of all numbers with equal weights; None if there are none."""
        return math.fsum(self.values()) / self.n if self.by_item else None


def intervals_of(columns: Sequence[MetricColumn]) -> list[ScoreInterval]:
    """Return a 95 % confidence interval of each column's mean.

    Columns of one dataset with as many items share their resamples, so that they can be compared.
    """
    found = {place: _at_once(column) for place, column in enumerate(columns)}
    drawn: dict[tuple[str, int], list[int]] = {}
    for place, column in enumerate(columns):
        if found[place] is None:
            drawn.setdefault((column.dataset, len(column.by_item)), []).append(place)
    for (dataset, items), places in drawn.items():
        ends = _resampled(dataset, items, [columns[place] for place in places])
        found |= {place: ScoreInterval(pair, BOOTSTRAP) for place, pair in zip(places, ends, strict=True)}
    return [interval for interval in found.values() if interval is not None]


def _at_once(column: MetricColumn) -> ScoreInterval | None:
    """Return the interval that needs no resamples, or why there is none; None if resamples are needed.

    For a share whose answers are all alike, resamples would show no spread. Each item then counts once, because the
    weight of several answers to one item cannot be estimated.
    """
    items, values = len(column.by_item), set(column.values())
    if not items:
        return ScoreInterval(why=NONE)
    if column.clusters:
        return _over_clusters(column, values)
    if _is_share(column, values) and (items == column.n or len(values) == 1):
        return ScoreInterval(stats.wilson(items if values == {1.0} else int(math.fsum(column.values())), items), WILSON)
    if items < FEWEST:
        return ScoreInterval(why=ONE)
    return ScoreInterval(why=ALIKE) if len(values) == 1 else None


def _over_clusters(column: MetricColumn, values: set[float]) -> ScoreInterval:
    """Return the interval computed from the differences between clusters, within the bounds if they are known."""
    gathered: dict[tuple[bool, str], list[float]] = {}
    for item, numbers in column.by_item.items():
        cluster = column.clusters.get(item)
        gathered.setdefault((cluster is None, item if cluster is None else cluster), []).extend(numbers)
    parts, found = [(len(numbers), math.fsum(numbers)) for numbers in gathered.values()], len(gathered)
    if found < FEWEST:
        return ScoreInterval(why=ONE_CLUSTER, clusters=found)
    if _is_share(column, values):
        return ScoreInterval(share_interval(parts), CLUSTERS, clusters=found)
    if len(values) == 1:
        return ScoreInterval(why=ALIKE, clusters=found)
    low, high = mean_interval(parts)
    floor, ceiling = column.bounds or (None, None)
    ends = low if floor is None else max(low, floor), high if ceiling is None else min(high, ceiling)
    return ScoreInterval(ends, CLUSTERS, clusters=found)


def _is_share(column: MetricColumn, values: set[float]) -> bool:
    """Whether a mean counts as a share: of zeros and ones, if these are the bounds or no bounds are known."""
    if column.bounds is None:
        return values == {0.0, 1.0}  # zeros alone may be values of any scale
    return column.bounds == (0.0, 1.0) and values <= {0.0, 1.0}


def _resampled(dataset: str, items: int, columns: Sequence[MetricColumn]) -> list[tuple[float, float]]:
    """Return the percentiles of the columns' means over resamples of their items, in the order of the items' ids."""
    import numpy as np  # noqa: PLC0415 - heavy

    ordered = [[column.by_item[item] for item in sorted(column.by_item)] for column in columns]
    sums = np.array([[math.fsum(values) for values in column] for column in ordered]).T
    counts = np.array([[float(len(values)) for values in column] for column in ordered]).T
    generator, means = resample.generator(SEED, "bootstrap", dataset), []
    for start in range(0, RESAMPLES, stats.AT_ONCE):  # in batches, which bounds the memory
        often = stats.bootstrap_counts(generator, min(stats.AT_ONCE, RESAMPLES - start), items).astype(float)
        means.append((often @ sums) / (often @ counts))
    low, high = np.quantile(np.concatenate(means), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return [(float(first), float(last)) for first, last in zip(low, high, strict=True)]
