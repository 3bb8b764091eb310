"""Chooses one of many candidates: as published, by scores on test data, or nested, by scores inside the training folds.

Choosing on test data makes the score of the chosen candidate too high, so both results are reported side by side. Of
candidates that are equal by the rule of `near_ties`, the first is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.brain import near_ties
from harness.studies.brain.measures.aggregation import mean

Array = Any  # a numpy array
EXACT = near_ties.ERRORS["float64"]  # the error of scores on test data, which are computed in float64


class Choice(NamedTuple):
    """The index of the candidate with the highest score, None if there is none, and whether it is a near tie."""

    place: int | None
    tied: bool


class UnitErrors(NamedTuple):
    """Squared errors of the candidate chosen for each unit in each fold, and which of these choices are near ties."""

    errors: Array  # [fold, unit]
    tied: Array


def choose(values: Sequence[float | None], error: float = EXACT, size: float = 1.0) -> Choice:
    """Choose the highest of some scores, the first of equals; nothing is chosen if no score is a finite number.

    `error` is the possible error of the difference of two values, in units of `size`.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    places = [place for place, value in enumerate(values) if value is not None and math.isfinite(value)]
    if not places:
        return Choice(None, tied=False)
    found = near_ties.first_near_best(np.array([values[place] for place in places], np.float64) / size, error)
    return Choice(places[int(found.place)], bool(found.tied))


def best(values: Sequence[float | None]) -> int | None:
    """Return the index of the highest score, the first of equals; None if no score is a finite number."""
    return choose(values).place


def inner_means(scores: Array, counted: Array) -> list[float | None]:
    """Average one candidate's inner-fold scores [fold, unit] over the counted units; return one mean per outer fold.

    Scores that are not finite are dropped. A fold without any finite score has None.
    """
    kept = scores[:, counted].tolist()
    return [mean(one for one in fold if math.isfinite(one)) for fold in kept]


def best_of_folds(
    means: Sequence[Sequence[float | None]], error: float = EXACT, *, shares: bool = True
) -> list[Choice]:
    """Choose for each fold the candidate with the highest mean inner score; `means` has a list of folds per candidate.

    If scores are not shares of variance (plain ridge has errors below 0), they are compared in units of the smallest
    absolute score.
    """
    return [choose(fold, error, 1.0 if shares else _smallest(fold)) for fold in zip(*means, strict=True)]


def _smallest(values: Sequence[float | None]) -> float:
    return min((abs(value) for value in values if value and math.isfinite(value)), default=1.0)


def errors_of_folds(errors: Mapping[int, Array], chosen: Sequence[int | None]) -> Array:
    """Return squared errors [fold, unit], each fold from the candidate chosen there; NaN if none was chosen.

    Raises InputError if no fold chose a candidate.
    """
    import numpy as np  # noqa: PLC0415

    if not errors:
        raise InputError("no candidate has a finite inner score", where="cv", next="fit candidates that have one")
    found = np.full_like(next(iter(errors.values())), np.nan, np.float64)
    for fold, candidate in enumerate(chosen):
        if candidate is not None:
            found[fold] = errors[candidate][fold]
    return found


def errors_of_units(candidates: Iterable[tuple[Array, Array]], error: float = EXACT) -> UnitErrors:
    """Return squared errors [fold, unit], each from the candidate with the highest inner score in that fold and unit.

    A candidate is a pair of inner scores and errors, both [fold, unit]. A score that is not finite never wins over a
    finite one; if no score is finite, the first candidate is taken. Candidates are read one at a time; a candidate
    replaces the one held if it is better by a cell of the grid (`near_ties`).
    """
    import numpy as np  # noqa: PLC0415

    found = holders = None
    for scores, errors in candidates:
        if holders is None or found is None:
            holders, found = near_ties.Incumbents(np.shape(scores), error), np.array(errors, np.float64)
        better = holders.challenge(np.where(np.isfinite(scores), scores, -np.inf))
        found = np.where(better, errors, found)
    if found is None or holders is None:
        raise InputError("no candidate is given", where="cv", next="give one or more")
    return UnitErrors(found, holders.tied)
