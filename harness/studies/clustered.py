"""Intervals of a mean over answers that come in clusters: several items about one text, one person, one table (OURS).

Answers of one cluster resemble each other, so what varies between clusters is what counts, as sandwich estimators of
the variance have it (Liang and Zeger, 1986; for evaluations, Miller, 2024). It knows the size and the sum of each
cluster; it must never know what was summed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

NORMAL = 1.959963984540054  # the normal quantile of 97.5 %
TAIL = 0.025
SERIES = 300  # degrees of freedom up to which the distribution of t is summed term by term
Ends = tuple[float, float]
Part = tuple[int, float]  # of one cluster: how many answers, and their sum


def mean_interval(parts: Sequence[Part]) -> Ends:
    """Give the 95 % interval of the mean over all answers of at least two clusters, by Student's t of their number."""
    mean, variance = _variance(parts)
    reach = student(len(parts) - 1) * math.sqrt(variance)
    return mean - reach, mean + reach


def share_interval(parts: Sequence[Part]) -> Ends:
    """Give the 95 % interval of a share, of answers worth 0 or 1: Wilson's at the effective number of answers.

    That number is how many independent answers would vary as much, less what so few clusters leave unknown (Korn and
    Graubard, 1998), and at most all. Where all answers are alike, each cluster counts as one answer.
    """
    answers, share = sum(count for count, _ in parts), _variance(parts)[0]
    if share in (0.0, 1.0):
        return wilson_at(share, len(parts))
    variance = _variance(parts)[1]
    effective = min(share * (1 - share) / variance, answers) if variance else answers
    return wilson_at(share, effective * (NORMAL / student(len(parts) - 1)) ** 2)


def wilson_at(share: float, of: float) -> Ends:
    """Give Wilson's 95 % interval of a share of a number of answers that need not be whole."""
    square = NORMAL * NORMAL
    centre, half = share * of + square / 2, NORMAL * math.sqrt(share * (1 - share) * of + square / 4)
    low, high = (centre - half) / (of + square), (centre + half) / (of + square)
    return 0.0 if share == 0 else max(0.0, low), 1.0 if share == 1 else min(1.0, high)


def student(freedom: int) -> float:
    """Give the quantile of 97.5 % of Student's t with so many degrees of freedom, at least one."""
    if freedom > SERIES:  # Cornish and Fisher's expansion, here exact to 1e-9
        z, n = NORMAL, float(freedom)
        return (
            z
            + (z**3 + z) / (4 * n)
            + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        )
    low, high = 0.0, 13.0  # that of one degree is 12.706
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _beyond(middle, freedom) > TAIL else (low, middle)
    return middle


def _beyond(t: float, freedom: int) -> float:
    """Give the probability of a t above this one (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
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
    """Give the mean of all answers, and the variance of it that the clusters show."""
    answers = sum(count for count, _ in parts)
    mean = math.fsum(total for _, total in parts) / answers
    spread = math.fsum((total - mean * count) ** 2 for count, total in parts)
    return mean, len(parts) / (len(parts) - 1) * spread / answers**2
