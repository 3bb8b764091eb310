"""Plain ridge with an alpha per target, and least squares: two fits of generation H that do not weight bands.

Features are used as given, never centred. Targets are centred by the mean of the fitted rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.brain import near_ties

Array = Any  # a numpy array
BLOCK = 2000  # targets at once


class PlainChoice(NamedTuple):
    """The chosen ridge penalty (alpha) of each target, and the validation errors by which it was chosen."""

    alpha: Array  # [target]
    tied: Array  # [target]: whether that choice is a near tie (`near_ties`)
    error: Array  # [target]: the validation error with that alpha
    validation: Array  # [alpha, target]: squared error, averaged over inner folds with equal weights


class PlainFit(NamedTuple):
    """A linear fit: the weight of each column, and the prediction if all columns are 0."""

    weights: Array  # [column, target]
    intercept: Array  # [target]

    def predict(self, rows: Array) -> Array:
        """Predict the targets of rows: [row, target]."""
        return rows @ self.weights + self.intercept


def choose(
    train: Array, targets: Array, inner: Sequence[Sequence[int]], alphas: Sequence[float], block: int = BLOCK
) -> PlainChoice:
    """Choose each target's ridge penalty by the least validation error over inner folds; of equals the largest.

    `inner` has the validation rows of each fold; the other rows train. Raises InputError if an alpha is not above 0, if
    there is no inner fold, or if a fold has no rows or all of them.
    """
    import numpy as np  # noqa: PLC0415

    if not alphas or min(alphas) <= 0:
        raise InputError("alpha must be above 0 in plain ridge", where="alphas", next="leave out what is not")
    _require_rows(train, targets)
    validation, around = np.zeros((len(alphas), targets.shape[1])), np.zeros(targets.shape[1])
    folds = [np.asarray(fold, np.intp) for fold in inner]
    for held in folds:
        kept = np.setdiff1d(np.arange(len(train)), held)
        if not len(held) or not len(kept):
            raise InputError("an inner fold has no rows, or all of them", where="inner", next="cut the rows otherwise")
        left, sizes, right = np.linalg.svd(train[kept], full_matrices=False)  # never centred
        ahead = train[held] @ right.T
        for some in _blocks(targets.shape[1], block):
            mean = targets[kept, some].mean(axis=0, dtype=np.float64).astype(sizes.dtype)
            around[some] += np.square(targets[held, some] - mean, dtype=np.float64).mean(axis=0)
            inside = left.T @ (targets[kept, some] - mean)
            for place, alpha in enumerate(alphas):
                predicted = ahead @ ((sizes / (sizes**2 + alpha))[:, None] * inside) + mean
                validation[place, some] += np.square(targets[held, some] - predicted, dtype=np.float64).mean(axis=0)
    if not folds:
        raise InputError("alpha cannot be chosen without an inner fold", where="inner", next="give rows of two folds")
    validation /= len(folds)
    order = np.argsort(alphas, kind="stable")[::-1]  # the largest first, because the first of equals is taken
    varies = (targets != targets[0]).any(axis=0) & (around > 0)
    explained = np.where(varies, 1 - validation[order] / np.where(varies, around / len(folds), 1), 0.0)
    place, tied = near_ties.first_near_best(explained, near_ties.ERRORS[str(sizes.dtype)])
    chosen = order[place]
    least = np.take_along_axis(validation, chosen[None], 0)[0]
    return PlainChoice(np.array(alphas, np.float64)[chosen], tied, least, validation)


@dataclass(frozen=True)
class PlainSolver:
    """The singular values and vectors of training rows, used to fit many targets; see `solver`."""

    left: Array
    sizes: Array
    right: Array

    def ridge(self, targets: Array, alpha: Array) -> PlainFit:
        """Fit a ridge with a given alpha above 0 for each target."""
        import numpy as np  # noqa: PLC0415

        return self._fit(
            targets, self.sizes[:, None] / (self.sizes[:, None] ** 2 + np.asarray(alpha, self.sizes.dtype))
        )

    def least_squares(self, targets: Array) -> PlainFit:
        """Fit by least squares: of the weights that fit best, the shortest.

        A direction whose square cannot be told from 0 next to the largest one, in the precision of the rows, gets no
        weight (OURS: the published code leaves this to its library).
        """
        import numpy as np  # noqa: PLC0415

        squares = self.sizes**2
        least = squares.max(initial=0.0) * max(len(self.left), self.right.shape[1]) * np.finfo(squares.dtype).eps
        seen = squares > least
        return self._fit(targets, np.where(seen, 1 / np.where(seen, self.sizes, 1), 0)[:, None])

    def _fit(self, targets: Array, shrunk: Array) -> PlainFit:
        import numpy as np  # noqa: PLC0415

        _require_rows(self.left, targets)
        mean = targets.mean(axis=0, dtype=np.float64).astype(self.sizes.dtype)
        return PlainFit(self.right.T @ (shrunk * (self.left.T @ (targets - mean))), mean)


def solver(train: Array) -> PlainSolver:
    """Return a solver for a matrix of training rows, decomposed in its own precision; InputError if it is empty."""
    import numpy as np  # noqa: PLC0415

    _require_rows(train, train)
    return PlainSolver(*np.linalg.svd(train, full_matrices=False))


def _blocks(count: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def _require_rows(train: Array, targets: Array) -> None:
    if train.ndim != 2 or targets.ndim != 2 or len(train) != len(targets) or not len(train):
        shapes = f"{[*train.shape]} and {[*targets.shape]}"
        raise InputError(f"features and targets are {shapes}", where="targets", next="give both the same rows")
