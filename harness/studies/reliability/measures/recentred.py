"""Resampled indicators moved by twice their bias, so that their percentiles hold the value they are about (OURS).

Stability and concordance are curved in the counts: of few items they come out too high on average, by about as much
again in each resample. A percentile interval is off by both, and a mean over benchmarks more than any of them. It knows
arrays of values and of their resamples; it must never know a label or what is made of the moved values.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.resample import Array, ratio
from harness.studies.reliability.terms import SIX

BOUNDS: Mapping[str, tuple[float, float]] = {"stability": (0.0, 100.0), "concordance": (100 / (1 + 0.5**0.5), 100.0)}
CURVED = tuple(name for name in SIX if name.partition("_")[2] in BOUNDS)


def recentred(points: Mapping[str, Array], again: Mapping[str, Array]) -> dict[str, Array]:
    """Move resampled stabilities and concordances by twice their bias, within their bounds; all else stays.

    `points` gives each value as [model] of the labels as they are, `again` as [resample, model]; NaN is undefined.
    """
    import numpy as np  # noqa: PLC0415

    moved = dict(again)
    for name in CURVED:
        # A row a model: summed so, a model's bits do not depend on who stands beside it.
        values = np.ascontiguousarray(again[name].T)
        mean = ratio(np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1))
        shift = 2 * (points[name] - mean)
        moved[name] = np.clip(values + shift[:, None], *BOUNDS[name.partition("_")[2]]).T
    return moved
