"""Squared errors of held-out rows under many alphas, from one eigen-decomposition of a candidate's kernel.

With G = U diag(alpha / (w + alpha)) U', the errors of a fold that the fit leaves out are G_vv^-1 (G y)_v: the same as
fitting again without the fold, its mean taken from the other rows. It must never know which candidate is best.
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

Array = Any  # of numpy
PANEL = 32  # rows of a quadratic form in one product: the fewer, the nearer to half of the work, and the slower each
MANY = 2  # times as many targets as rows are worth quadratic forms
STEEP = 128  # between the largest and the smallest of what an alpha shrinks by: more costs too many of float32's digits


class ScoringSettings(Protocol):
    """What is needed of the settings of a search."""

    @property
    def dtype(self) -> str:
        """Name the type of numbers."""

    @property
    def block(self) -> int:
        """Say how many targets are on the device at once."""

    @property
    def width(self) -> int:
        """Say how many targets stand in one product."""

    def usable(self) -> list[float]:
        """Give the alphas."""


@dataclass(frozen=True)
class Folds:
    """Inner folds: the rows that each leaves out, and what a squared error of it weighs."""

    inner: tuple[Array, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, inner: Sequence[Sequence[int]], rows: int, criterion: str) -> Folds:
        """Check inner folds of so many rows; InputError where one leaves out nothing, everything, or no row of them."""
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
    """What came of one candidate."""

    sums: Array  # float64 [alpha, target]
    parts: tuple[Array, Array] | None  # eigenvalues and eigenvectors of its kernel


class HeldOut:
    """Everything that stays the same from candidate to candidate, on the device."""

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
        keep = device.there if targets.count <= how.block else np.asarray  # here, and a piece at a time is sent
        self.pieces = [keep(targets.reduced(which), how.dtype) for which in targets.pieces(how.width)]
        self.by_forms = targets.count >= MANY * len(kernels[0])
        self._kept = threading.local()  # of each worker: memory that is used again for each candidate

    def squares(self, gamma: Array) -> Squares:
        """Give the weighted sum of squared held-out errors of one candidate, and what its kernel was decomposed into.

        Where all bands that weigh are constant, the sum is that of the mean, and nothing is decomposed.
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
        """Give the maps [alpha, held-out row, coordinate] from a target's coordinates to its held-out errors.

        Beside small eigenvalues a small alpha makes it a quotient of unlike numbers, which has no digits in float32:
        that one is taken in float64, and so is the decomposition. Where there are many targets these are the quadratic
        forms (`_forms`).
        """
        whole = (-2 * self.mirror)[:, None] * (self.mirror[1:] @ vectors)
        whole[1:] += vectors
        shrunk = (self.alphas[:, None] / (values + self.alphas[:, None]))[:, None]
        steep = values.max() + self.alphas > STEEP * (values.min() + self.alphas)
        small = int(steep.sum())  # those are the first, since alphas ascend
        low, factors = self._there(whole), self._there(shrunk[small:])
        maps, start = self._space("maps", (len(shrunk), sum(map(len, self.rows)), len(values))), 0
        for rows, weight in zip(self.rows, self.weights, strict=True):
            own = maps[:, start : (start := start + len(rows))]
            own[:small] = self._left_out(whole[rows], shrunk[:small], weight**0.5)
            own[small:] = self._left_out(low[rows], factors, weight**0.5)
        return self._forms(maps) if self.by_forms else maps

    def _left_out(self, held: Tensor, factors: Tensor, weight: float) -> Tensor:
        """Give weight G_vv^-1 U_v diag(factors) for each row of factors; InputError where rounding leaves none."""
        scaled = held * factors
        inverse = self.device.invert(scaled @ held.T)
        if inverse is None:  # nothing of an alpha is left beside the eigenvalues: no inverse would be right
            raise InputError("an alpha is too small beside the features", where="alphas", next="leave it out")
        inverse *= weight
        return inverse @ scaled

    def _by_errors(self, maps: Tensor, turned: Tensor) -> Array:
        """Give the sums of squares [alpha, target] of the errors that the maps make of targets."""
        alphas, rows, coordinates = maps.shape
        errors = self._space("errors", (alphas * rows, turned.shape[1]))
        self.device.multiply(maps.reshape(-1, coordinates), turned, errors)
        errors *= errors
        return self.device.back(errors.reshape(alphas, rows, -1).sum(1))

    def _forms(self, maps: Tensor) -> list[Tensor]:
        """Give the upper parts of maps' maps, panel by panel, twice what lies right of the diagonal's square.

        A sum of squares is a quadratic form of the coordinates, and symmetric: half of it is enough.
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
        """Give the sums of squares [alpha, target] by the forms."""
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
        """Give memory of a shape to write into, the same one each time a worker asks for it by this name."""
        kept, needed = self._kept.__dict__, math.prod(shape)
        if name not in kept or len(kept[name]) < needed:
            kept[name] = self.device.empty(needed, self.dtype)
        return kept[name][:needed].reshape(shape)
