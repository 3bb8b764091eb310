"""Kernels of feature bands in the space of rows without their mean, where a ridge needs no intercept.

The n rows are reflected so that the constant becomes the first axis, which is then dropped. The n - 1 remaining
coordinates need no further centring.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.errors import InputError
from harness.studies.brain.ridge.devices import Device, Tensor

Array = Any  # a numpy array


def mirror(rows: int) -> Array:
    """Return the vector h of the Householder reflection I - 2hh' that maps the first axis to the constant vector."""
    import numpy as np  # noqa: PLC0415

    h = np.full(rows, -1 / np.sqrt(rows))
    h[0] += 1
    size = np.linalg.norm(h)
    return h / size if size else h


def without_mean(table: Array) -> Array:
    """Return a table's n - 1 coordinates without the constant, float64; their products are those of centred columns."""
    import numpy as np  # noqa: PLC0415

    table = np.ascontiguousarray(table, np.float64)  # sums of another memory layout round differently
    return without_constant(table - table.mean(axis=0))  # keeps digits if a mean is large


def without_constant(centred: Array) -> Array:
    """Return the n - 1 coordinates of columns with mean 0."""
    import numpy as np  # noqa: PLC0415

    h = mirror(len(centred))
    return centred[1:] - np.outer(2 * h[1:], h @ centred)


def with_constant(reduced: Array) -> Array:
    """Return the n rows, with mean 0, of columns in the n - 1 coordinates."""
    import numpy as np  # noqa: PLC0415

    h = mirror(len(reduced) + 1)
    found = np.outer(-2 * h, h[1:] @ reduced)
    found[1:] += reduced
    return found


def band_kernels(bands: Sequence[Array], rows: int) -> Array:
    """Return the kernel of each band in the coordinates without the constant, float64 [band, n - 1, n - 1].

    Raises InputError if there is no band, if a band has other rows or no columns, or if features are not finite.
    """
    import numpy as np  # noqa: PLC0415

    require_bands(bands, rows)
    found = np.empty((len(bands), rows - 1, rows - 1))
    for at, band in enumerate(bands):
        reduced = without_mean(band)
        np.matmul(reduced, reduced.T, out=found[at])
    return found


def require_bands(bands: Sequence[Array], rows: int) -> None:
    """Raise InputError if there is no band, if a band has other rows or no columns, or if features are not finite."""
    import numpy as np  # noqa: PLC0415

    if not bands:
        raise InputError("no band of features is given", where="bands", next="give one or more")
    for at, band in enumerate(bands):
        where = f"band {at}"
        if band.ndim != 2 or len(band) != rows or not band.shape[1]:
            told = f"it has the shape {[*band.shape]}, and there are {rows} rows of targets"
            raise InputError(told, where=where, next="give a row of features for each row of targets")
        if not np.isfinite(band).all():
            raise InputError("some of its features are not finite", where=where, next="leave those columns out")


def decomposed(device: Device, kernels: Tensor, gamma: Array) -> tuple[Tensor, Tensor]:
    """Return eigenvalues, clipped at 0, and eigenvectors of the weighted sum of band kernels, computed on a device."""
    joined = device.there(gamma, "float64") @ kernels.reshape(len(kernels), -1)
    values, vectors = device.decompose(joined.reshape(kernels.shape[1:]))
    return values.clip(0), vectors
