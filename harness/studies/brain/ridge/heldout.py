"""Squared errors of held-out rows under many alphas, from one eigen-decomposition of a candidate's kernel.

With G = U diag(alpha / (w + alpha)) U', the errors of a fold that the fit leaves out are G_vv^-1 (G y)_v: the same as
fitting again without the fold, its mean taken from the other rows. It must never know which candidate is best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from harness.errors import InputError
from harness.studies.brain.ridge import torches
from harness.studies.brain.ridge.centred import Targets
from harness.studies.brain.ridge.kernels import decomposed, mirror

Array = Any  # of numpy
Tensor = Any  # of torch
STEEP = 128  # times an alpha: an eigenvalue above costs so many of float32's digits


class ScoringSettings(Protocol):
    """What is needed of the settings of a search."""

    @property
    def device(self) -> str:
        """Name the device."""

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

    def __init__(self, kernels: Array, targets: Targets, folds: Folds, how: ScoringSettings) -> None:
        import torch  # noqa: PLC0415

        self.dtype, self.device = torches.dtype_named(how.dtype), how.device
        self.kernels = self._there(kernels, torch.float64)
        self.alive = kernels.reshape(len(kernels), -1).any(axis=1)
        self.mirror = self._there(mirror(len(kernels[0]) + 1), torch.float64)
        self.alphas = self._there(how.usable(), torch.float64)
        self.rows = [torch.from_numpy(one).to(self.device) for one in folds.inner]
        self.weights = folds.weights
        self.base = targets.around_means(folds.inner, folds.weights)
        keep = how.device if targets.count <= how.block else "cpu"
        self.pieces = [
            torch.from_numpy(targets.reduced(which)).to(keep, self.dtype) for which in targets.pieces(how.width)
        ]

    def _there(self, array: Any, dtype: Any) -> Tensor:
        import numpy as np  # noqa: PLC0415
        import torch  # noqa: PLC0415

        return torch.as_tensor(np.array(array), dtype=dtype, device=self.device)  # a copy: files are mapped read-only

    def squares(self, gamma: Array) -> Squares:
        """Give the weighted sum of squared held-out errors of one candidate, and what its kernel was decomposed into.

        Where all bands that weigh are constant, the sum is that of the mean, and nothing is decomposed.
        """
        import numpy as np  # noqa: PLC0415
        import torch  # noqa: PLC0415

        if not gamma[self.alive].any():
            return Squares(np.tile(self.base, (len(self.alphas), 1)), None)
        values, vectors = decomposed(self.kernels, self._there(gamma, torch.float64))
        maps, turn = self._maps(values, vectors), vectors.T.to(self.dtype)
        found = np.concatenate([_summed(maps, turn @ piece.to(self.device)) for piece in self.pieces], axis=1)
        return Squares(found, (values.cpu().numpy(), vectors.cpu().numpy()))

    def _maps(self, values: Tensor, vectors: Tensor) -> list[Tensor]:
        """Give, for each fold and alpha, the map [held-out row, coordinate] from a target's coordinates to its errors.

        Of a small alpha it is the quotient of small numbers, which has no digits in float32: that one is taken in
        float64, and so is the decomposition.
        """
        import torch  # noqa: PLC0415

        whole = torch.outer(-2 * self.mirror, self.mirror[1:] @ vectors)
        whole[1:] += vectors
        shrunk = (self.alphas[:, None] / (values + self.alphas[:, None]))[:, None]
        small = int((self.alphas * STEEP < values.max()).sum())  # alphas ascend
        low, factors = whole.to(self.dtype), shrunk[small:].to(self.dtype)
        found = []
        for rows, weight in zip(self.rows, self.weights, strict=True):
            maps = torch.empty((len(shrunk), len(rows), len(values)), dtype=self.dtype, device=self.device)
            maps[:small] = _left_out(whole[rows], shrunk[:small], weight**0.5)
            _left_out(low[rows], factors, weight**0.5, maps[small:])
            found.append(maps)
        return found


def _left_out(held: Tensor, factors: Tensor, weight: float, out: Tensor | None = None) -> Tensor:
    """Give weight G_vv^-1 U_v diag(factors) for each row of factors."""
    import torch  # noqa: PLC0415

    scaled = held * factors
    lower, failed = torch.linalg.cholesky_ex(scaled @ held.T)
    inverse = torch.cholesky_inverse(lower)
    if failed.any():  # an alpha so small that nothing of it is left beside the eigenvalues
        inverse = torch.linalg.pinv(scaled @ held.T, hermitian=True)
    return torch.bmm(inverse.mul_(weight), scaled, out=out)


def _summed(maps: Sequence[Tensor], turned: Tensor) -> Array:
    """Give the sums of squares [alpha, target] of what the maps of all folds make of targets."""
    found: Any = 0
    for fold in maps:
        found = found + (fold @ turned).square_().sum(1)
    return found.to("cpu").double().numpy()
