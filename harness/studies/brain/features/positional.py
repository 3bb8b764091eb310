"""Features of time alone: the sample's identity smoothed over its block (OASM), and the sample's position in its block.

Independent of texts, recordings and datasets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from harness.errors import InputError

Array = Any  # a numpy array
MOST_SIGMA, MOST_RAMP = 1000.0, 10_000


def smoothing(length: int, sigma: float) -> Array:
    """Return the identity matrix of a block's samples, each row smoothed by a Gaussian reflected at the block's ends.

    A sigma of 0 leaves the identity. Raises InputError if sigma is negative or above 1000.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    return _filtered(np.eye(length), sigma)


def oasm(blocks: Iterable[Sequence[int]], sigma: float) -> Array:
    """Return the features of the autocorrelation model OASM: a column per sample, `smoothing` within blocks, else 0.

    `blocks` are the row numbers of each block, in order. Raises InputError if sigma is out of bounds.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    groups = [list(rows) for rows in blocks]
    size = sum(map(len, groups))
    found = np.zeros((size, size))
    for rows in groups:
        found[np.ix_(rows, rows)] = smoothing(len(rows), sigma)
    return found


def one_hot(positions: Sequence[int], width: int) -> Array:
    """Return the position of each sample in its block, one-hot encoded in `width` columns."""
    import numpy as np  # noqa: PLC0415 - heavy

    return np.eye(width)[list(positions)]


def smoothed_positions(blocks: Iterable[Sequence[int]], width: int, sigma: float) -> Array:
    """Return `one_hot` positions smoothed over the first columns, as many as the sample's block has samples.

    Raises InputError if sigma is out of bounds.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    groups = [list(rows) for rows in blocks]
    found = np.zeros((sum(map(len, groups)), width))
    for rows in groups:
        found[rows, : len(rows)] = smoothing(len(rows), sigma)
    return found


def word_positions(positions: Sequence[int], width: int, sigma: float) -> Array:
    """Return `one_hot` positions, each row smoothed over all columns, and the position itself as the last column.

    Raises InputError if sigma is out of bounds.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    return np.column_stack([_filtered(np.eye(width), sigma)[list(positions)], np.asarray(positions, np.float64)])


def ramp(positions: Sequence[int], length: int) -> Array:
    """Return `length` - 1 columns that rise with the position: column j, counted from 1, is the position but at most j.

    Raises InputError if `length` is below 2 or above 10,000.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    if not 2 <= length <= MOST_RAMP:
        raise InputError(f"a ramp has the length {length}", where="RAMP", next=f"give one from 2 to {MOST_RAMP}")
    return np.minimum(np.asarray(positions)[:, None], np.arange(1, length)[None, :]).astype(np.float64)


def _filtered(rows: Array, sigma: float) -> Array:
    from scipy.ndimage import gaussian_filter1d  # noqa: PLC0415 - heavy

    if not 0 <= sigma <= MOST_SIGMA:
        raise InputError(f"the sigma is {sigma}", where="sigma", next=f"give one from 0 to {MOST_SIGMA:g}")
    return gaussian_filter1d(rows, sigma, axis=1) if sigma else rows
