"""Banded ridge regression: the weights of bands and the alpha that predict each target best in inner folds.

Exact, with one eigen-decomposition for each candidate of weights. Does not see test rows.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError
from harness.studies.brain import near_ties
from harness.studies.brain.ridge.centred import Targets, prepared
from harness.studies.brain.ridge.devices import open_device, require_dtype, worker_count
from harness.studies.brain.ridge.heldout import Folds, HeldOut, Squares
from harness.studies.brain.ridge.kernels import band_kernels
from harness.studies.brain.terms import STOP_AFTER, STOP_GAIN

Array = Any  # a numpy array
CRITERIA = ("r2", "mse")
WIDTHS = {"cpu": 1024, "cuda": 4096}
KEPT = 256 << 20  # bytes of decomposed kernels that are kept for the refit


@dataclass(frozen=True)
class Search:
    """The settings of a banded-ridge search: penalties (alphas), criterion, early stop, and device."""

    alphas: tuple[float, ...]
    criterion: str = "r2"  # pooled out-of-sample R2 (the authors' fork), or `mse`: the mean of -MSE (upstream)
    stop: bool = True  # stop once the mean of the best scores stands still
    device: str = "cpu"
    dtype: str = "float32"
    block: int = 2000  # targets on the device at once; changes no digit
    stop_from: int = 0  # candidates up to this index never count as standing still: 2**k after all subsets

    @property
    def width(self) -> int:
        """The number of targets in one product; fixed for a device, so `block` changes no digit."""
        return WIDTHS[self.device.partition(":")[0]]

    def usable(self) -> list[float]:
        """Return the ridge penalties (alphas) above 0, ascending, because 0 is never chosen.

        Raises InputError if there is none, or if one is negative or not finite.
        """
        if not all(math.isfinite(alpha) and alpha >= 0 for alpha in self.alphas) or not any(self.alphas):
            raise InputError("alphas are finite, none below 0, one above", where="alphas", next="give 2**-5 and more")
        return sorted({alpha for alpha in self.alphas if alpha > 0})

    def check(self) -> None:
        """Raise InputError for an unknown criterion, device or dtype, or a block of no targets."""
        if self.criterion not in CRITERIA:
            raise InputError(f"no criterion is called {self.criterion!r}", next=f"choose: {', '.join(CRITERIA)}")
        if self.block < 1:
            raise InputError(f"{self.block} targets at once", where="block", next="take 1 or more")
        require_dtype(self.dtype)
        open_device(self.device)


@dataclass(frozen=True)
class SearchFound:
    """What a banded-ridge search chose for each target: band weights and penalty, with its score."""

    gamma: Array  # int32 [target]: the index of its weights
    alpha: Array  # float64 [target]
    score: Array  # float64 [target]: the score of the choice in the inner folds
    tied: Array  # bool [target]: whether the choice is a near tie (`near_ties`)
    scores: Array  # [gamma, target], each at its best alpha; only candidates that were tried
    tried: int
    parts: Mapping[int, tuple[Array, Array]] = field(default_factory=dict)  # decomposed kernels that are kept


def search(
    bands: Sequence[Array], targets: Array, inner: Sequence[Sequence[int]], gammas: Array, how: Search
) -> SearchFound:
    """Choose band weights (among the rows of `gammas`) and a penalty for each target by its score in the inner folds.

    `bands` are scaled training matrices; `inner` has the rows that each fold holds out. Of scores that are equal by
    `near_ties`, the largest alpha and the first weights win. Raises InputError if shapes do not fit, if values are not
    finite, if a fold has no rows on one side, or if an alpha above 0 is lost in the rounding of the features.
    """
    how.check()
    checked, folds = prepared(targets), Folds.of(inner, len(targets), how.criterion)
    device = open_device(how.device)
    with device.workers() as pool:
        kernels = band_kernels(bands, len(targets))
        require_gammas(gammas, len(bands))
        _require_seen(how.usable()[0], kernels)
        best = _Best(checked, folds, how)
        held = HeldOut(kernels, checked, folds, how, device)
        for squares in _in_order(held, gammas, pool, worker_count(how.device)):
            if best.add(squares):
                break
    return best.found()


def require_gammas(gammas: Array, bands: int) -> None:
    """Raise InputError unless weights are rows with one number per band, none below 0 and at least one above."""
    import numpy as np  # noqa: PLC0415

    if gammas.ndim != 2 or gammas.shape[1] != bands or not len(gammas):
        told = f"weights have the shape {[*gammas.shape]}, for {bands} bands"
        raise InputError(told, where="gammas", next="give rows of a weight for each band")
    if not (np.isfinite(gammas).all() and (gammas >= 0).all() and (gammas.sum(axis=1) > 0).all()):
        raise InputError("weights of bands are at least 0, and one is above", where="gammas", next="mend that row")


def _require_seen(alpha: float, kernels: Array) -> None:
    """Raise InputError if the smallest alpha is lost in the rounding of eigenvalues: no score would be right."""
    import numpy as np  # noqa: PLC0415

    least = float(np.finfo(np.float64).eps * len(kernels[0]) * np.trace(kernels, axis1=1, axis2=2).max())
    if alpha < least:
        told = f"the alpha {alpha:.3g} cannot be told from 0 beside these features"
        raise InputError(told, where="alphas", next=f"leave out those below {least:.1g}, or scale the features")


def _in_order(held: HeldOut, gammas: Array, pool: ThreadPoolExecutor, at_once: int) -> Iterator[Squares]:
    """Try candidates a few at a time; yield their results in order, so the number of workers changes no result."""
    waiting: deque[Future[Squares]] = deque()
    try:
        for gamma in gammas:
            waiting.append(pool.submit(held.squares, gamma))
            if len(waiting) > at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for one in waiting:
            one.cancel()


class _Best:
    """The best candidate of each target so far, and the state of the early stop."""

    def __init__(self, targets: Targets, folds: Folds, how: Search) -> None:
        import numpy as np  # noqa: PLC0415

        self.how, self.alphas = how, np.array(how.usable()[::-1])  # largest first: the first of equals is taken
        self.error = near_ties.ERRORS[how.dtype]
        self.base = targets.around_means(folds.inner, folds.weights)
        self.unit = targets.scale**2
        self.weights = near_ties.Incumbents(targets.count, self.error)
        self.gamma: Array = np.zeros(targets.count, np.int32)
        self.alpha: Array = np.zeros(targets.count)
        self.score: Array = np.full(targets.count, -np.inf)
        self.alpha_tied: Array = np.zeros(targets.count, bool)
        self.scores: list[Array] = []
        self.parts: dict[int, tuple[Array, Array]] = {}
        self.end = _End(how, self.error)

    def add(self, squares: Squares) -> bool:
        """Compare a candidate's sums of squares with the best; return whether the search is over."""
        import numpy as np  # noqa: PLC0415

        explained = self._explained(squares.sums[::-1])
        chosen, tied = near_ties.first_near_best(explained, self.error)
        best, value = explained.max(axis=0), np.take_along_axis(explained, chosen[None], 0)[0]
        better = self.weights.challenge(best)
        index = len(self.scores)
        self.gamma[better], self.alpha[better] = index, self.alphas[chosen[better]]
        self.score[better], self.alpha_tied[better] = self._score(value)[better], tied[better]
        self.scores.append(self._score(best).astype(self.how.dtype))
        if squares.parts and better.any() and len(self.parts) * squares.parts[1].nbytes < KEPT:
            self.parts[index] = squares.parts
        return self.end.reached(index, float(self.score.mean()))

    def _explained(self, squares: Array) -> Array:
        """Return the share of explained variance, by which candidates are compared; 0 if nothing varies."""
        import numpy as np  # noqa: PLC0415

        known = self.base > 0
        return np.where(known, 1 - squares / np.where(known, self.base, 1), 0.0)

    def _score(self, explained: Array) -> Array:
        """Return a score by the criterion."""
        return (explained - 1) * self.base * self.unit if self.how.criterion == "mse" else explained

    def found(self) -> SearchFound:
        """Return the results of the search."""
        import numpy as np  # noqa: PLC0415

        tied = self.weights.tied | self.alpha_tied | self.end.tied
        return SearchFound(
            self.gamma, self.alpha, self.score, tied, np.stack(self.scores), len(self.scores), self.parts
        )


class _End:
    """The early stop: a search is over once its mean score stood still `STOP_AFTER` times in a row."""

    def __init__(self, how: Search, error: float) -> None:
        self.how, self.error = how, error / 8  # a mean over targets errs less, because their errors have both signs
        self.mean, self.still = -math.inf, 0
        self.least, self.most = 0, 0  # bounds of `still` under rounding errors
        self.tied = False  # whether the search could have ended elsewhere within these bounds

    def reached(self, index: int, mean: float) -> bool:
        """Return whether the search ends at the candidate of this index, with which the mean score is `mean`."""
        grown, self.mean = mean - self.mean, mean
        if not self.how.stop:
            return False
        counts = int(index > self.how.stop_from)
        self.still = 0 if grown >= STOP_GAIN else self.still + counts
        self.least = 0 if grown >= STOP_GAIN - self.error else self.least + counts
        self.most = 0 if grown >= STOP_GAIN + self.error else self.most + counts
        self.tied |= (self.most >= STOP_AFTER) != (self.least >= STOP_AFTER)
        return self.still >= STOP_AFTER
