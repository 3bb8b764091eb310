"""Squared errors of held-out rows under many alphas, from one eigen-decomposition of a candidate's kernel.

With G = U diag(alpha / (w + alpha)) U', the errors of a held-out fold are G_vv^-1 (G y)_v. They equal those of a fit
without the fold, whose mean is taken from the other rows.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from harness.errors import InputError
from harness.studies.brain.ridge.centred import Targets
from harness.studies.brain.ridge.devices import Device, Tensor
from harness.studies.brain.ridge.kernels import decomposed, mirror

Array = Any  # a numpy array
PANEL = 32  # rows of a quadratic form in one product; fewer rows mean less work, down to half, but slower products
MANY = 2  # quadratic forms are used for at least so many times as many targets as rows
STEEP = 128  # ratio of an alpha's largest to smallest shrinkage; a larger one loses too many digits in float32


class ScoringSettings(Protocol):
    """The settings of a ridge search that scoring by held-out errors reads."""

    @property
    def dtype(self) -> str:
        """The floating-point type of the computation, float32 or float64."""

    @property
    def block(self) -> int:
        """The number of targets that are on the device at once."""

    @property
    def width(self) -> int:
        """The number of targets in one matrix product."""

    def usable(self) -> list[float]:
        """Return the ridge penalties to try."""


@dataclass(frozen=True)
class Folds:
    """Inner folds: the rows that each holds out, and the weight of its squared errors."""

    inner: tuple[Array, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, inner: Sequence[Sequence[int]], rows: int, criterion: str) -> Folds:
        """Build inner folds from lists of held-out rows, after checking them against `rows` rows.

        Raises InputError if a fold holds out no rows, all rows, or repeated or invalid rows.
        """
        import numpy as np  # noqa: PLC0415

        if not inner:
            raise InputError("no inner fold is given", where="inner", next="give one or more")
        found = tuple(np.asarray(one, np.int64) for one in inner)
        for at, one in enumerate(found):
            out = set(one.tolist())
            if not 0 < len(out) == len(one) < rows or min(out) < 0 or max(out) >= rows:
                told = f"it leaves out {len(one)} rows of {rows}"
                raise InputError(told, where=f"inner fold {at}", next="leave out some rows, each once, and keep some")
        weights = [1.0 if criterion == "r2" else 1 / (len(one) * len(found)) for one in found]
        return cls(found, tuple(weights))


class Squares(NamedTuple):
    """The held-out errors of one band weighting: sums of squares [alpha, target], and its kernel's eigenvectors."""

    sums: Array  # float64 [alpha, target]
    parts: tuple[Array, Array] | None  # eigenvalues and eigenvectors of its kernel


class HeldOut:
    """The computation of held-out errors: arrays on the device that all band weightings share."""

    def __init__(self, kernels: Array, targets: Targets, folds: Folds, how: ScoringSettings, device: Device) -> None:
        import numpy as np  # noqa: PLC0415

        self.device, self.dtype = device, how.dtype
        self.kernels = device.there(kernels, "float64")
        self.alive = kernels.reshape(len(kernels), -1).any(axis=1)
        self.mirror = device.there(mirror(len(kernels[0]) + 1), "float64")
        self.alphas = device.there(how.usable(), "float64")
        self.rows = [device.there(one, "int64") for one in folds.inner]
        self.weights = folds.weights
        self.base = targets.around_means(folds.inner, folds.weights)
        keep = device.there if targets.count <= how.block else np.asarray  # on the host, sent one piece at a time
        self.pieces = [keep(targets.reduced(which), how.dtype) for which in targets.pieces(how.width)]
        self.by_forms = targets.count >= MANY * len(kernels[0])
        self._kept = threading.local()  # memory of each worker, reused for each candidate

    def squares(self, gamma: Array) -> Squares:
        """Return the weighted sums of squared held-out errors of one candidate, and the decomposition of its kernel.

        If all bands with weight are constant, the sums are those of the mean, and nothing is decomposed.
        """
        import numpy as np  # noqa: PLC0415

        if not gamma[self.alive].any():
            return Squares(np.tile(self.base, (len(self.alphas), 1)), None)
        values, vectors = decomposed(self.device, self.kernels, gamma)
        maps, turn = self._maps(values, vectors), self._there(vectors.T)
        sums = self._by_forms if self.by_forms else self._by_errors
        found = np.concatenate([sums(maps, turn @ self._there(piece)) for piece in self.pieces], axis=1)
        return Squares(found, (self.device.back(values), self.device.back(vectors)))

    def _there(self, array: Any) -> Tensor:
        return self.device.there(array, self.dtype)

    def _maps(self, values: Tensor, vectors: Tensor) -> Tensor:
        """Return the maps [alpha, held-out row, coordinate] from a target's coordinates to its held-out errors.

        With small eigenvalues and a small alpha, a map is a quotient of numbers of very different size, which float32
        cannot represent accurately. Such a map, like the decomposition, is computed in float64. With many targets, the
        quadratic forms are returned instead (`_forms`).
        """
        whole = (-2 * self.mirror)[:, None] * (self.mirror[1:] @ vectors)
        whole[1:] += vectors
        shrunk = (self.alphas[:, None] / (values + self.alphas[:, None]))[:, None]
        steep = values.max() + self.alphas > STEEP * (values.min() + self.alphas)
        small = int(steep.sum())  # these are the first, because alphas ascend
        low, factors = self._there(whole), self._there(shrunk[small:])
        maps, start = self._space("maps", (len(shrunk), sum(map(len, self.rows)), len(values))), 0
        for rows, weight in zip(self.rows, self.weights, strict=True):
            own = maps[:, start : (start := start + len(rows))]
            own[:small] = self._left_out(whole[rows], shrunk[:small], weight**0.5)
            own[small:] = self._left_out(low[rows], factors, weight**0.5)
        return self._forms(maps) if self.by_forms else maps

    def _left_out(self, held: Tensor, factors: Tensor, weight: float) -> Tensor:
        """Return weight G_vv^-1 U_v diag(factors) for each row of factors; raise InputError if there is no inverse."""
        scaled = held * factors
        inverse = self.device.invert(scaled @ held.T)
        if inverse is None:  # the alpha vanishes next to the eigenvalues, so no inverse would be right
            raise InputError("an alpha is too small beside the features", where="alphas", next="leave it out")
        inverse *= weight
        return inverse @ scaled

    def _by_errors(self, maps: Tensor, turned: Tensor) -> Array:
        """Return the sums of squares [alpha, target] of the errors that the maps give for targets."""
        alphas, rows, coordinates = maps.shape
        errors = self._space("errors", (alphas * rows, turned.shape[1]))
        self.device.multiply(maps.reshape(-1, coordinates), turned, errors)
        errors *= errors
        return self.device.back(errors.reshape(alphas, rows, -1).sum(1))

    def _forms(self, maps: Tensor) -> list[Tensor]:
        """Return the upper parts of the maps' quadratic forms, panel by panel, doubled right of the diagonal square.

        A sum of squares is a symmetric quadratic form of the coordinates, so half of it suffices.
        """
        found = []
        for panel in self._panels(maps.shape[2]):
            shape = (len(maps), panel.stop - panel.start, maps.shape[2] - panel.start)
            form = self._space(f"form {panel.start}", shape)
            self.device.multiply(maps[:, :, panel].mT, maps[:, :, panel.start :], form)
            right = form[:, :, shape[1] :]
            right *= 2
            found.append(form)
        return found

    def _by_forms(self, forms: Sequence[Tensor], turned: Tensor) -> Array:
        """Return the sums of squares [alpha, target], computed by the forms."""
        found: Any = 0
        for form, panel in zip(forms, self._panels(len(turned)), strict=True):
            alphas, rows, coordinates = form.shape
            made = self._space("errors", (alphas * rows, turned.shape[1]))
            self.device.multiply(form.reshape(-1, coordinates), turned[panel.start :], made)
            made = made.reshape(alphas, rows, -1)
            made *= turned[panel]
            found = found + made.sum(1)
        return self.device.back(found.clip(0))

    @staticmethod
    def _panels(coordinates: int) -> list[slice]:
        return [slice(start, min(start + PANEL, coordinates)) for start in range(0, coordinates, PANEL)]

    def _space(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """Return memory of a shape to write into; a worker gets the same memory each time it uses this name."""
        kept, needed = self._kept.__dict__, math.prod(shape)
        if name not in kept or len(kept[name]) < needed:
            kept[name] = self.device.empty(needed, self.dtype)
        return kept[name][:needed].reshape(shape)
