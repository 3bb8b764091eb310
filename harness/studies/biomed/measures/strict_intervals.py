"""Two intervals of a share and of a mean (OURS): one for other answers, one for other templates.

Answers of one template resemble each other, so an interval over rows says little about a question of another template.
Both intervals are computed from counts by template.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from harness.stats import wilson

Part = tuple[int, int]  # of one template: how many rows have the event, and how many rows there are
LEVEL = "0.95"
NORMAL = 1.959963984540054  # the normal quantile of 97.5 %
FEWEST_TEMPLATES, FEWEST_EITHER = 20, 5  # with fewer, an interval over templates is called unreliable
ONE_TEMPLATE = {"missing": "fewer than two templates"}
ONE_ROW = {"missing": "fewer than two answers"}
COVERAGE = {
    "what": "simulated coverage of the interval over templates, nominally .95 (templates correlated .05, .2, .5, .8)",
    "40 templates of 270 rows, share .2 or .5": ".94 to .96",
    "40 templates of 270 rows, share .02": ".94, .88, .78, .79",
    "5 templates of 20 rows": ".91 to .99",
    "rows": "of new templates the interval over rows covers .07 to .41 at 40 templates of 270 rows",
}


def student(units: int) -> float:
    """Return the 97.5 % quantile of Student's t for a number of templates or rows, which is at least two."""
    from scipy.special import stdtrit  # noqa: PLC0415 - heavy

    return float(stdtrit(units - 1, 0.975))


def share_over_rows(parts: Sequence[Part]) -> list[float]:
    """Return Wilson's interval of a share pooled over rows, of which there must be at least one."""
    return list(wilson(sum(k for k, _ in parts), sum(n for _, n in parts)))


def share_over_templates(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the interval of a share with templates as clusters: Wilson's at the effective number of rows.

    A template without a row is ignored. With fewer than two templates the interval is missing.
    """
    there = [(k, n) for k, n in parts if n]
    size = len(there)
    if size < 2:
        return {"interval": ONE_TEMPLATE, "n_templates": size}
    k, n = sum(k for k, _ in there), sum(n for _, n in there)
    p = k / n
    if all(own * n == k * of for own, of in there):
        effective = float(size)
    else:
        variance = size / (size - 1) * math.fsum((own - p * of) ** 2 for own, of in there) / n**2
        effective = min(p * (1 - p) / variance, n) * (NORMAL / student(size)) ** 2
    either = min(sum(own > 0 for own, _ in there), sum(own < of for own, of in there))
    found = {"interval": _wilson(p, effective), "n_templates": size, "n_effective": effective}
    return {**found, **_unreliable(size, either)}


def mean_over_rows(counts: Mapping[int, int], scale: int) -> Any:
    """Return Student's interval of a mean from counts of whole numbers, divided by `scale`; missing below two rows."""
    n, first, second = _moments(counts)
    if n < 2:
        return ONE_ROW
    return _student_interval(n, first / n / scale, (n * second - first * first) / (n * (n - 1)) / scale**2)


def means_over_rows(values: Sequence[float]) -> Any:
    """Return Student's interval of a mean over rows; a missing value for fewer than two values."""
    n = len(values)
    if n < 2:
        return ONE_ROW
    mean = math.fsum(values) / n
    return _student_interval(n, mean, math.fsum((value - mean) ** 2 for value in values) / (n - 1))


def mean_over_templates(parts: Sequence[Mapping[int, int]], scale: int) -> dict[str, Any]:
    """Return the interval over templates of a mean, from each one's counts of whole numbers; it is not clipped."""
    moments = [_moments(counts) for counts in parts]
    return means_over_templates([(n, first / scale) for n, first, _ in moments])


def means_over_templates(parts: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """Return the interval over templates of a mean, from the number and the sum of each template's values."""
    there = [(n, total) for n, total in parts if n]
    size = len(there)
    if size < 2:
        return {"interval": ONE_TEMPLATE, "n_templates": size}
    n = sum(count for count, _ in there)
    mean = math.fsum(total for _, total in there) / n
    spread = math.fsum((total - mean * count) ** 2 for count, total in there)
    reach = student(size) * math.sqrt(size / (size - 1) * spread) / n
    return {"interval": [mean - reach, mean + reach], "n_templates": size, **_unreliable(size)}


def _student_interval(n: int, mean: float, variance: float) -> list[float]:
    reach = student(n) * math.sqrt(variance / n)
    return [mean - reach, mean + reach]


def _wilson(p: float, n: float) -> list[float]:
    """Return Wilson's interval of a share at a number of rows that need not be whole."""
    centre, square = p * n + NORMAL**2 / 2, NORMAL**2
    half = NORMAL * math.sqrt(n * p * (1 - p) + square / 4)
    low, high = (centre - half) / (n + square), (centre + half) / (n + square)
    return [0.0 if p == 0 else max(0.0, low), 1.0 if p == 1 else min(1.0, high)]


def _unreliable(size: int, either: int = FEWEST_EITHER) -> dict[str, Any]:
    why = [f"fewer than {FEWEST_TEMPLATES} templates"] * (size < FEWEST_TEMPLATES)
    why += [f"fewer than {FEWEST_EITHER} templates with the event, or without it"] * (either < FEWEST_EITHER)
    return {"unreliable": why} if why else {}


def _moments(counts: Mapping[int, int]) -> tuple[int, int, int]:
    known = Counter(counts)
    first = sum(value * count for value, count in known.items())
    return known.total(), first, sum(value * value * count for value, count in known.items())
