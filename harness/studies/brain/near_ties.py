"""Choices between candidates by scores that rounding touches: which candidate wins, and whether another could have.

Scores are shares of explained variance, or of that size. They are compared on a grid that begins at the best of them:
all in its first cell count as equal, and a rule of order (the largest alpha, the first weighting, layer or width) takes
one, so that no last digit decides. A choice is a *near tie* where the order would take another candidate if two scores
lay nearer together, or further apart, by what the arithmetic may err (OURS). It must never know what a candidate is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

Array = Any  # of numpy
GRID = 2.0**-13  # 1.2e-4 of the variance: eight times what float32 may err
# By which the difference of two scores may be wrong, by the numbers they are computed in: measured in a demo, of
# candidates near the best. float32: all but 4 in a million lie nearer to those of float64. float64: 99.9 % move less
# when each recorded value is changed by 1e-7, its rounding to float32; the arithmetic itself errs far less.
ERRORS: Mapping[str, float] = MappingProxyType({"float32": 2.0**-16, "float64": 2.0**-27})


class NearBest(NamedTuple):
    """What was taken of candidates: its place, and whether that is a near tie; an array each where scores are."""

    place: Any
    tied: Any


def first_near_best(scores: Array, error: float) -> NearBest:
    """Take the first candidate in the best one's cell of the grid; `scores` are finite, [candidate] or more axes."""
    import numpy as np  # noqa: PLC0415 - heavy

    below = scores.max(axis=0) - scores
    place = (below < GRID).argmax(axis=0)
    distance = np.take_along_axis(below, place[None], 0)[0] if scores.ndim > 1 else below[place]
    earliest = (below <= GRID + error).argmax(axis=0)
    return NearBest(place, (earliest != place) | (distance > GRID - error))


class Incumbents:
    """Holders of first place while candidates come one after the other: one gives way to whom it trails by a cell."""

    def __init__(self, shape: int | tuple[int, ...], error: float) -> None:
        import numpy as np  # noqa: PLC0415 - heavy

        self.error = error
        self.scores: Array = np.full(shape, -np.inf)  # of those that hold
        self.tied: Array = np.zeros(shape, bool)
        # of all that might hold, had rounding been otherwise
        self._least, self._most = self.scores.copy(), self.scores.copy()

    def challenge(self, scores: Array) -> Array:
        """Let a candidate challenge each holder; gives where it wins. One without a score has -inf, and never does."""
        import numpy as np  # noqa: PLC0415 - heavy

        wins = scores > self.scores + GRID
        surely = scores > self._most + (GRID + self.error)
        doubtful = (scores > self._least + (GRID - self.error)) & ~surely
        self.tied = (self.tied & ~surely) | doubtful
        self.scores = np.where(wins, scores, self.scores)
        self._least = np.where(surely, scores, self._least)
        self._most = np.where(surely, scores, np.where(doubtful, np.maximum(scores, self._most), self._most))
        return wins
