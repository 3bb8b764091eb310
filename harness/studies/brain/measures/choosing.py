"""One candidate out of many: as published, by scores on test data, or nested, by scores inside the training folds.

Choosing on test data makes the score of what is chosen too high; both are given so that they can stand side by side.
Of equals the first is chosen, as `near_ties` has them. It must never know what the candidates are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.brain import near_ties
from harness.studies.brain.measures.aggregation import mean

Array = Any  # of numpy
EXACT = near_ties.ERRORS["float64"]  # of scores on test data, which are computed so


class Choice(NamedTuple):
    """Which candidate is chosen, None where none is, and whether that is a near tie."""

    place: int | None
    tied: bool


class UnitErrors(NamedTuple):
    """Squared errors of what was chosen for each unit in each fold, and which of these choices are near ties."""

    errors: Array  # [fold, unit]
    tied: Array


def choose(values: Sequence[float | None], error: float = EXACT, size: float = 1.0) -> Choice:
    """Choose the highest value, the first of equals; none where no value is a finite number.

    `error` is by what the difference of two may be wrong, in units of `size`.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    places = [place for place, value in enumerate(values) if value is not None and math.isfinite(value)]
    if not places:
        return Choice(None, tied=False)
    found = near_ties.first_near_best(np.array([values[place] for place in places], np.float64) / size, error)
    return Choice(places[int(found.place)], bool(found.tied))


def best(values: Sequence[float | None]) -> int | None:
    """Give the place of the highest value, as `choose` does."""
    return choose(values).place


def inner_means(scores: Array, counted: Array) -> list[float | None]:
    """Average one candidate's inner scores [fold, unit] over the counted units, fold by fold.

    What is no finite number is dropped; None for a fold without any other score.
    """
    kept = scores[:, counted].tolist()
    return [mean(one for one in fold if math.isfinite(one)) for fold in kept]


def best_of_folds(
    means: Sequence[Sequence[float | None]], error: float = EXACT, *, shares: bool = True
) -> list[Choice]:
    """Choose for each fold the candidate with the highest mean inner score; `means` has a list of folds a candidate.

    Where scores are no shares of variance (plain ridge has errors below 0), they are compared as parts of the smallest.
    """
    return [choose(fold, error, 1.0 if shares else _smallest(fold)) for fold in zip(*means, strict=True)]


def _smallest(values: Sequence[float | None]) -> float:
    return min((abs(value) for value in values if value and math.isfinite(value)), default=1.0)


def errors_of_folds(errors: Mapping[int, Array], chosen: Sequence[int | None]) -> Array:
    """Put together squared errors [fold, unit], each fold from the candidate chosen there; NaN where none was.

    InputError where none was chosen in any fold.
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
    """Put together squared errors [fold, unit], each from the candidate whose inner score is highest there.

    A candidate is its inner scores and its errors, both [fold, unit]; what is no finite score never comes before one
    that is, and where none is, the first candidate is taken. One candidate is held at a time, and gives way to one
    that is better by a cell of the grid (`near_ties`).
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
