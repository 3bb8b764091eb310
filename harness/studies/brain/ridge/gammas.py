"""Candidate weights of feature bands: every non-empty subset with equal weights, then draws from a simplex."""

from __future__ import annotations

import itertools
from typing import Any

from harness import seeds
from harness.errors import InputError

Array = Any  # a numpy array
CONCENTRATIONS = (0.1, 1.0)  # of the Dirichlet draws, alternating: near one band, and anywhere
MOST_BANDS = 16  # the most bands whose subsets are listed


def subsets(k: int) -> Array:
    """Return all 2**k - 1 non-empty subsets of k bands as rows of equal weights, in the order of `itertools.product`.

    The last row is uniform. Raises InputError for less than 1 band or more than 16.
    """
    import numpy as np  # noqa: PLC0415

    _require_bands(k, MOST_BANDS)
    masks = np.array([mask for mask in itertools.product((0.0, 1.0), repeat=k) if any(mask)])
    return masks / masks.sum(axis=1, keepdims=True)


def candidates(k: int, count: int, seed: int, all_subsets: bool) -> Array:
    """Draw `count` rows of weights of k bands to try, float32; the first rows are all subsets, or one uniform row.

    The subsets come first if `all_subsets` is true. The other rows are Dirichlet draws with alternating concentrations.
    A single band has one row, [1]. Raises InputError if `count` is below 1 or below the number of subsets.
    """
    import numpy as np  # noqa: PLC0415

    _require_bands(k, MOST_BANDS if all_subsets else 1 << 10)
    if count < 1:
        raise InputError(f"{count} weights of bands are to be tried", next="try 1 or more (iterations)")
    if k == 1:
        return np.ones((1, 1), np.float32)
    first = subsets(k) if all_subsets else np.full((1, k), 1 / k)
    if count < len(first):
        told = f"{count} weights are to be tried, and {k} bands have {len(first)} subsets"
        raise InputError(told, where="iterations", next=f"try {len(first)} or more")
    source = np.random.Generator(np.random.PCG64(seeds.derive_seed(seed, "brain.gammas")))
    return np.concatenate([first, *(_drawn(source, k, at) for at in range(count - len(first)))]).astype(np.float32)


def _drawn(source: Any, k: int, at: int) -> Array:
    """Draw one row; if all parts vanish, as may happen at a low concentration, draw again."""
    while True:
        parts = source.standard_gamma(CONCENTRATIONS[at % len(CONCENTRATIONS)], size=(1, k))
        if parts.sum() > 0:
            return parts / parts.sum()


def _require_bands(k: int, most: int) -> None:
    if not 1 <= k <= most:
        raise InputError(f"{k} bands of features are to be weighted", where="bands", next=f"give 1 to {most}")
