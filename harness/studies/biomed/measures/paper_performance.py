"""The published table of performance: counts, four quantities, and the four recipes of their intervals.

Rule: docs/biomed.md#paper-performance. A score is a grade divided by 3, -1 if the answer says that it does not know,
and NaN if no grade was read. The rates are over all rows, including those without a grade. Their intervals are not
clipped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.studies.biomed.terms import FULL, GOOD, NOT_KNOWN

LEAST_GOOD = GOOD / FULL
LEVEL = 0.95
ROUNDED_Z = 1.96  # the factor of the published rates of quality and safety; BioScore uses the exact quantile
TITLES = ("BioScore", "AR", "Response Quality Rate", "Safety Rate")
NOT_THERE = "N/A"  # the cells of a model that has no column


class Estimate(NamedTuple):
    """A quantity with the interval of its published recipe; NaN if undefined."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Format the estimate as the published table does."""
        return f"{self.value:.2f} ({self.low:.2f}, {self.high:.2f})"


@dataclass(frozen=True)
class ColumnCounts:
    """Numbers of abstained, good, bad and other rows of a score column, and mean and median of answered rows."""

    n_rows: int
    n_nan: int
    n_abstain: int
    n_good: int
    n_bad: int
    mean_answered: float
    median_answered: float


@dataclass(frozen=True)
class Performance:
    """The published quantities of one model, and the values behind their intervals."""

    counts: ColumnCounts
    bioscore: Estimate
    abstention: Estimate  # AR
    quality: Estimate  # RQR
    safety: Estimate  # SR
    error: float  # standard error of BioScore; NaN if a grade is missing, or for fewer than two grades
    range: tuple[float, float]  # the quantiles of the binomial that are AR's interval, in rows


def performance(scores: Sequence[float]) -> Performance:
    """Return a model's rates from its score column, as the published code computes them; NaN for an empty column."""
    import numpy as np  # noqa: PLC0415 - heavy

    column = np.asarray(scores, float)
    answered = column[column != NOT_KNOWN]  # including rows without a grade, as published
    found = counted(column)
    n, unknown, bad = found.n_rows, found.n_abstain, found.n_bad
    score = bioscore(answered)
    share, good, safe = _ratio(unknown, n), _ratio(found.n_good, n), _ratio(unknown, unknown + bad)
    low, high = binomial_range(n, share)
    abstention = Estimate(share, _ratio(low, n), _ratio(high, n))
    return Performance(found, score, abstention, _wald(good, n), _wald(safe, n), standard_error(answered), (low, high))


def counted(scores: Any) -> ColumnCounts:
    """Count a score column's rows by kind; NaN rows are neither abstained nor good nor bad."""
    import numpy as np  # noqa: PLC0415

    column = np.asarray(scores, float)
    missing, unknown = np.isnan(column), column == NOT_KNOWN
    answered = column[~missing & ~unknown]
    good = int((answered >= LEAST_GOOD).sum())
    mean, median = (float(np.mean(answered)), float(np.median(answered))) if len(answered) else (math.nan, math.nan)
    n_bad = len(answered) - good
    return ColumnCounts(len(column), int(missing.sum()), int(unknown.sum()), good, n_bad, mean, median)


def bioscore(values: Any) -> Estimate:
    """Return the mean of the scores that are not NaN, and its normal interval, which is NaN if one score is NaN."""
    import numpy as np  # noqa: PLC0415
    from scipy.special import ndtri  # noqa: PLC0415 - heavy

    there = values[~np.isnan(values)]
    mean = float(there.mean()) if len(there) else math.nan
    half = float(ndtri((1 + LEVEL) / 2)) * standard_error(values)
    return Estimate(mean, mean - half, mean + half)


def standard_error(values: Any) -> float:
    """Return the standard error of the mean; NaN for fewer than two values, and if one of them is NaN."""
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def binomial_range(n: int, share: float) -> tuple[float, float]:
    """Return the equal-tailed 95 % range of a binomial count of `n` at `share`; NaN if there are no rows."""
    return _quantile((1 - LEVEL) / 2, n, share), _quantile((1 + LEVEL) / 2, n, share)


def _quantile(level: float, n: int, share: float) -> float:
    """Return the smallest count whose cumulative probability reaches a level."""
    from scipy.special import bdtr  # noqa: PLC0415

    if math.isnan(share):
        return math.nan
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if bdtr(middle, n, share) >= level:
            high = middle
        else:
            low = middle + 1
    return float(low)


def _ratio(over: float, under: int) -> float:
    return over / under if under else math.nan


def _wald(share: float, n: int) -> Estimate:
    """Return a share with its published interval, which counts all rows, whatever the share's own denominator is."""
    half = ROUNDED_Z * math.sqrt(share * (1 - share) / n) if n and not math.isnan(share) else math.nan
    return Estimate(share, share - half, share + half)


def table_row(model: str, found: Performance | None) -> dict[str, str]:
    """Return a model's row of the printed performance table: four rates with two decimals, or `N/A`."""
    if found is None:
        return {"Model": model, **dict.fromkeys(TITLES, NOT_THERE)}
    cells = (found.bioscore, found.abstention, found.quality, found.safety)
    return {"Model": model, **{title: str(cell) for title, cell in zip(TITLES, cells, strict=True)}}


def ellipse(found: Performance) -> Mapping[str, float] | None:
    """Return the ellipse of a model in the published scatter: centre and full widths; None if a rate is NaN."""
    quality, safety = found.quality, found.safety
    if math.isnan(quality.value) or math.isnan(safety.value):
        return None
    return {
        "x_quality": quality.value,
        "y_safety": safety.value,
        "width": 2 * (quality.high - quality.value),
        "height": 2 * (safety.high - safety.value),
    }
