"""Resampled indicators, shifted by twice their bias so that their percentiles contain the true value (OURS).

Stability and concordance are non-linear in the counts: with few items they are too high on average, and each resample
adds about the same bias again. A percentile interval has both errors, and the interval of a mean over benchmarks
suffers more than that of any one benchmark. Works on arrays of values and of their resamples.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from harness.kit.resample import Array, ratio
from harness.studies.reliability.terms import SIX

BOUNDS: Mapping[str, tuple[float, float]] = {"stability": (0.0, 100.0), "concordance": (100 / (1 + 0.5**0.5), 100.0)}
CURVED = tuple(name for name in SIX if name.partition("_")[2] in BOUNDS)


def recentred(points: Mapping[str, Array], again: Mapping[str, Array]) -> dict[str, Array]:
    """Correct the bias of resampled stabilities and concordances, within their bounds; keep other values.

    `points` holds each value as [model], of the labels as they are; `again` holds it as [resample, model]. NaN is
    undefined.
    """
    moved = dict(again)
    for name in CURVED:
        # One row per model, so that a model's sum is bit-identical whatever other models are in the run.
        values = np.ascontiguousarray(again[name].T)
        mean = ratio(np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1))
        shift = 2 * (points[name] - mean)
        moved[name] = np.clip(values + shift[:, None], *BOUNDS[name.partition("_")[2]]).T
    return moved
