"""Targets without their mean, each scaled by a power of two so that no square overflows or vanishes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.brain.ridge.kernels import without_constant

Array = Any  # a numpy array
WIDTH = 512  # targets taken at once outside of matrix products


@dataclass(frozen=True)
class Targets:
    """The checked target columns of one ridge fit: means, scales, and centred columns computed on demand."""

    values: Array  # [row, target], as given
    mean: Array
    scale: Array  # powers of two
    constant: Array  # whether a target is constant

    @property
    def count(self) -> int:
        """The number of targets."""
        return int(self.values.shape[1])

    def pieces(self, width: int = WIDTH) -> Iterator[slice]:
        """Yield slices of the target columns, each small enough to be computed together."""
        yield from (slice(at, min(at + width, self.count)) for at in range(0, self.count, width))

    def centred(self, which: Any) -> Array:
        """Return the chosen targets without their mean, float64, divided by their scales; constant targets are 0."""
        import numpy as np  # noqa: PLC0415

        found = np.asarray(self.values[:, which], np.float64) - self.mean[which]
        found /= self.scale[which]
        found[:, self.constant[which]] = 0
        return found

    def reduced(self, which: Any) -> Array:
        """Return the chosen targets in the n - 1 coordinates without the constant (`kernels.without_mean`)."""
        return without_constant(self.centred(which))

    def around_means(self, inner: Sequence[Array], weights: Sequence[float]) -> Array:
        """Return each target's weighted sum of squares of the inner folds, around the mean of the other rows."""
        import numpy as np  # noqa: PLC0415

        found = np.zeros(self.count)
        for which in self.pieces():
            centred = self.centred(which)
            whole = centred.sum(axis=0)
            for rows, weight in zip(inner, weights, strict=True):
                held = centred[rows]
                mean = (whole - held.sum(axis=0)) / (len(centred) - len(rows))
                found[which] += weight * ((held - mean) ** 2).sum(axis=0)
        return found


def prepared(targets: Array) -> Targets:
    """Check targets [row, target] and compute their means and scales; raise InputError if a value is not finite."""
    import numpy as np  # noqa: PLC0415

    if targets.ndim != 2 or len(targets) < 2 or not targets.shape[1]:
        told = f"targets have the shape {[*targets.shape]}"
        raise InputError(told, where="targets", next="give two or more rows, and one or more targets")
    if not np.isfinite(targets).all():
        column = int(np.flatnonzero(~np.isfinite(targets).all(axis=0))[0])
        raise InputError("a target is not finite", where=f"target {column}", next="leave out such units")
    targets = np.ascontiguousarray(targets)  # sums of another memory layout round differently
    mean = targets.mean(axis=0, dtype=np.float64)
    low, high = targets.min(axis=0).astype(np.float64), targets.max(axis=0).astype(np.float64)
    most = np.maximum(high - mean, mean - low)
    scale = np.ldexp(1.0, np.frexp(most)[1])
    return Targets(targets, np.where(low == high, low, mean), scale, low == high)
