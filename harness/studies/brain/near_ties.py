"""Chooses between candidates by scores that have rounding errors, and reports whether another could have won.

Scores are shares of explained variance, or of that size. They are compared on a grid that begins at the best score: all
scores in its first cell count as equal, and a rule of order (the largest alpha, the first weighting, layer or width)
picks one, so that the last digits do not decide. A choice is a *near tie* if the rule would pick another candidate if
two scores were closer together or further apart by the possible error of the arithmetic (OURS).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

Array = Any  # a numpy array
GRID = 2.0**-13  # 1.2e-4 of the variance: eight times the possible error of float32
# The possible error of the difference of two scores, by dtype: measured in a demo, on
# candidates near the best. float32: all but 4 in a million are closer to float64's. float64: 99.9 % change less
# if each recorded value is changed by 1e-7, its rounding to float32; the arithmetic's own error is far smaller.
ERRORS: Mapping[str, float] = MappingProxyType({"float32": 2.0**-16, "float64": 2.0**-27})


class NearBest(NamedTuple):
    """The index of the chosen candidate, and whether rounding could change the choice; arrays for more axes."""

    place: Any
    tied: Any


def first_near_best(scores: Array, error: float) -> NearBest:
    """Return the first candidate whose score equals the highest within a tolerance; `scores` are [candidate, ...]."""
    import numpy as np  # noqa: PLC0415 - heavy

    below = scores.max(axis=0) - scores
    place = (below < GRID).argmax(axis=0)
    distance = np.take_along_axis(below, place[None], 0)[0] if scores.ndim > 1 else below[place]
    earliest = (below <= GRID + error).argmax(axis=0)
    return NearBest(place, (earliest != place) | (distance > GRID - error))


class Incumbents:
    """The best candidates so far and their scores, while further candidates are tried one after another.

    A new candidate replaces the incumbent if its score is higher by more than a cell of the grid.
    """

    def __init__(self, shape: int | tuple[int, ...], error: float) -> None:
        import numpy as np  # noqa: PLC0415 - heavy

        self.error = error
        self.scores: Array = np.full(shape, -np.inf)  # of the incumbents
        self.tied: Array = np.zeros(shape, bool)
        # of all candidates that could be the incumbent with other rounding
        self._least, self._most = self.scores.copy(), self.scores.copy()

    def challenge(self, scores: Array) -> Array:
        """Compare a candidate with the incumbents and return where it wins; a score of -inf never wins."""
        import numpy as np  # noqa: PLC0415 - heavy

        wins = scores > self.scores + GRID
        surely = scores > self._most + (GRID + self.error)
        doubtful = (scores > self._least + (GRID - self.error)) & ~surely
        self.tied = (self.tied & ~surely) | doubtful
        self.scores = np.where(wins, scores, self.scores)
        self._least = np.where(surely, scores, self._least)
        self._most = np.where(surely, scores, np.where(doubtful, np.maximum(scores, self._most), self._most))
        return wins
