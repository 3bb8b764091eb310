"""The ridge of every target with its own weights of bands and its own alpha, on all training rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

from harness.errors import InputError
from harness.studies.brain.ridge.centred import Targets, prepared
from harness.studies.brain.ridge.devices import Device, open_device
from harness.studies.brain.ridge.kernels import band_kernels, decomposed, require_bands, with_constant
from harness.studies.brain.ridge.search import Search, SearchFound, require_gammas

Array = Any  # a numpy array
SOLVED = 4096  # targets at once; bounds memory
ALIKE = 1e-9  # relative to the largest eigenvalue: tolerance of a kernel against its decomposition


@dataclass(frozen=True)
class RidgeFit:
    """A fitted ridge, one column per target."""

    bands: tuple[Array, ...]  # training matrices, without their means
    means: tuple[Array, ...]  # means of their columns
    gammas: Array  # [gamma, band]
    gamma: Array  # [target]: index into `gammas`
    alpha: Array  # [target]
    coefficients: Array  # [row, target]: (K + alpha I)^-1 (y - mean)
    mean: Array  # mean of each target

    @property
    def dual(self) -> Array:
        """The dual weights [row, target]; predictions are the sum of exp(delta) K times them, plus the intercept."""
        return self.coefficients * self.alpha

    @property
    def deltas(self) -> Array:
        """The values log(gamma / alpha) [band, target]; -inf for a band that is left out."""
        import numpy as np  # noqa: PLC0415

        with np.errstate(divide="ignore"):
            return np.log(self.gammas[self.gamma].T.astype(np.float64)) - np.log(self.alpha)

    @property
    def intercept(self) -> Array:
        """The constant that is added to features times weights: the mean minus the weighted means of the features."""
        found = self.mean.copy()
        for weights, mean in zip(self._weights(), self.means, strict=True):
            found -= mean @ weights
        return found

    def weights(self) -> Array:
        """Return the weights of the features [column, target], with the bands concatenated in the given order."""
        import numpy as np  # noqa: PLC0415

        return np.concatenate(list(self._weights()))

    def _weights(self) -> Iterator[Array]:
        chosen = self.gammas[self.gamma]
        for at, band in enumerate(self.bands):
            yield (band.T @ self.coefficients) * chosen[:, at]

    def predict(self, bands: Sequence[Array]) -> Array:
        """Predict every target for rows of features, [row, target]; raise InputError for bands with other columns."""
        import numpy as np  # noqa: PLC0415

        self._require_alike(bands)
        kernels = [
            (np.asarray(new) - mean) @ old.T for new, mean, old in zip(bands, self.means, self.bands, strict=True)
        ]
        found = np.empty((len(bands[0]), len(self.gamma)))
        for at, which in groups(self.gamma):
            kernel = reduce(add, (weight * one for weight, one in zip(self.gammas[at].tolist(), kernels, strict=True)))
            found[:, which] = kernel @ self.coefficients[:, which] + self.mean[which]
        return found

    def _require_alike(self, bands: Sequence[Array]) -> None:
        if [band.shape[1] for band in bands] != [band.shape[1] for band in self.bands]:
            told = f"bands of {[band.shape[1] for band in bands]} columns, fitted on {[b.shape[1] for b in self.bands]}"
            raise InputError(told, where="bands", next="give the bands that were fitted, in their order")
        require_bands(bands, len(bands[0]))


def refit(bands: Sequence[Array], targets: Array, found: SearchFound, gammas: Array, how: Search) -> RidgeFit:
    """Fit every target on all training rows with the weights and alpha that a search found for it, in float64.

    Raises InputError for whatever `search` refuses, and for targets that were not searched.
    """
    import numpy as np  # noqa: PLC0415

    how.check()
    require_gammas(gammas, len(bands))
    require_bands(bands, len(targets))
    checked = prepared(targets)
    if len(found.gamma) != checked.count:
        told = f"weights were found for {len(found.gamma)} targets, and {checked.count} are given"
        raise InputError(told, where="targets", next="give the targets that were searched")
    wide = [np.ascontiguousarray(band, np.float64) for band in bands]
    means = tuple(band.mean(axis=0) for band in wide)
    plain = tuple(band - mean for band, mean in zip(wide, means, strict=True))
    device = open_device(how.device)
    kernels = _Kernels(plain, gammas, found.parts, device)
    coefficients: Array = np.empty((len(targets), checked.count))

    def solve(group: tuple[int, Array]) -> None:
        values, vectors = kernels.parts(group[0])
        for start in range(0, len(group[1]), SOLVED):
            which = group[1][start : start + SOLVED]
            coefficients[:, which] = _solved(values, vectors, checked, which, found.alpha[which], device)

    with device.workers() as pool:
        list(pool.map(solve, groups(found.gamma)))
    return RidgeFit(plain, means, gammas, found.gamma, found.alpha, coefficients, checked.mean)


def groups(gamma: Array) -> Iterator[tuple[int, Array]]:
    """Yield each distinct band weighting that a search chose, by its index, with the targets that use it."""
    import numpy as np  # noqa: PLC0415

    order = np.argsort(gamma, kind="stable")
    used, starts = np.unique(gamma[order], return_index=True)
    yield from zip(used.tolist(), np.split(order, starts[1:]), strict=True)


class _Kernels:
    """Decomposed kernels of candidates: those kept by a search if they belong to these bands, else new ones."""

    def __init__(
        self, bands: Sequence[Array], gammas: Array, kept: Mapping[int, tuple[Array, Array]], device: Device
    ) -> None:
        self.bands, self.gammas, self.kept, self.device = bands, gammas, kept, device

    @cached_property
    def kernels(self) -> Array:
        """The kernel of each band."""
        return band_kernels(self.bands, len(self.bands[0]))

    def parts(self, at: int) -> tuple[Array, Array]:
        """Return eigenvalues and eigenvectors of one candidate: the kept ones if they belong to its kernel."""
        import numpy as np  # noqa: PLC0415

        weights = np.array(self.gammas[at], np.float64)
        if at in self.kept and self._are_of(*self.kept[at], weights):
            return self.kept[at]
        values, vectors = decomposed(self.device, self.device.there(self.kernels, "float64"), weights)
        return self.device.back(values), self.device.back(vectors)

    def _are_of(self, values: Array, vectors: Array, weights: Array) -> bool:
        """Return whether the kernel maps the sum of the eigenvectors as the eigenvalues say."""
        import numpy as np  # noqa: PLC0415

        if len(vectors) + 1 != len(self.bands[0]):
            return False
        asked, told = np.ascontiguousarray(with_constant(np.stack([vectors.sum(axis=1), vectors @ values], axis=1)).T)
        found: Any = 0
        for weight, band in zip(weights.tolist(), self.bands, strict=True):
            found = found + weight * (band @ (band.T @ asked))
        return bool(np.abs(found - told).max() <= ALIKE * values.max())


def _solved(values: Array, vectors: Array, targets: Targets, which: Array, alpha: Array, device: Device) -> Array:
    """Return (K + alpha I)^-1 (y - mean) of targets that share their weights."""
    basis, sizes, own, penalty = (
        device.there(one, "float64") for one in (vectors, values, targets.reduced(which), alpha)
    )
    solved = basis @ ((basis.T @ own) / (sizes[:, None] + penalty))
    return with_constant(device.back(solved)) * targets.scale[which]
