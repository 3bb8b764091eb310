"""The logistic regression of `calibration` for many resamples at once, for the intervals of alpha and beta.

Works on arrays. A resample without a best curve, or in which the fit did not converge, is nan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.studies.reliability.measures.calibration import STEEPEST

_ITERATIONS, _HALVINGS, _SETTLED = 100, 30, 1e-9


def fit_rows(f: Sequence[float], y: Any, weights: Any) -> tuple[Any, Any]:
    """Fit a logistic curve in each bootstrap resample, a row of y and weights; return the alphas and the betas.

    Both are nan for a resample without a best curve. f must not be constant.
    """
    import numpy as np  # noqa: PLC0415

    measure = np.asarray(f, float)
    middle, spread = measure.mean(), measure.std()
    z = (measure - middle) / spread
    there = weights > 0
    width = np.where(there, z, -np.inf).max(axis=1) - np.where(there, z, np.inf).min(axis=1)
    width = np.maximum(width, 0.0)  # 0 for a resample without items
    share = np.where(there, y, 0.0)
    state = np.zeros((len(share), 2))
    settled: Any = np.zeros(len(share), bool)
    active = np.flatnonzero(width > 0)
    for _ in range(_ITERATIONS):
        if not len(active):
            break
        state[active], small, lost = _climb(z, share[active], weights[active], state[active])
        settled[active[small]] = True
        steep = np.abs(state[active, 1]) * width[active] > 4 * STEEPEST
        active = active[~(small | lost | steep)]
    good = settled & (np.abs(state[:, 1]) * width <= STEEPEST)
    alpha = state[:, 0] - state[:, 1] * middle / spread
    return np.where(good, alpha, np.nan), np.where(good, state[:, 1] / spread, np.nan)


def _climb(z: Any, share: Any, weights: Any, state: Any) -> tuple[Any, Any, Any]:
    """Take one Newton step per row; return the new state, which rows have converged, and which have a singular step."""
    import numpy as np  # noqa: PLC0415

    line = state[:, :1] + state[:, 1:] * z
    far = np.exp(-np.abs(line))
    p, q = np.where(line >= 0, 1.0, far) / (1 + far), np.where(line >= 0, far, 1.0) / (1 + far)
    slope, bend = weights * (share * q - (1 - share) * p), weights * p * q
    g0, g1 = slope.sum(axis=1), slope @ z
    h00, h01, h11 = bend.sum(axis=1), bend @ z, bend @ (z * z)
    determinant = h00 * h11 - h01 * h01
    lost = ~(determinant > 1e-12 * h00 * h11)
    safe = np.where(lost, 1.0, determinant)
    step = np.stack([(h11 * g0 - h01 * g1) / safe, (h00 * g1 - h01 * g0) / safe], axis=1)
    step[lost] = 0.0
    height = _height(z, share, weights, state)
    scale = np.ones((len(state), 1))
    for _ in range(_HALVINGS):
        down = _height(z, share, weights, state + scale * step) < height - 1e-13 * np.abs(height)
        if not down.any():
            break
        scale[down] /= 2
    small = np.abs(step).max(axis=1) <= _SETTLED * (1 + np.abs(state).max(axis=1))
    return state + scale * step, small & ~lost, lost


def _height(z: Any, share: Any, weights: Any, state: Any) -> Any:
    import numpy as np  # noqa: PLC0415

    line = state[:, :1] + state[:, 1:] * z
    return (weights * (share * line - np.maximum(line, 0) - np.log1p(np.exp(-np.abs(line))))).sum(axis=1)
