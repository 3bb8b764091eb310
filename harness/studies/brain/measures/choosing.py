"""One candidate out of many: as published, by scores on test data, or nested, by scores inside the training folds.

Choosing on test data makes the score of what is chosen too high; both are given so that they can stand side by side.
The first of equals is chosen. It must never know what the candidates are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.studies.brain.measures.aggregation import mean

Array = Any  # of numpy


def best(values: Sequence[float | None]) -> int | None:
    """Give the place of the highest value, the first of equals; None where no value is a finite number."""
    found = [(value, -place) for place, value in enumerate(values) if value is not None and math.isfinite(value)]
    return -max(found)[1] if found else None


def inner_means(scores: Array, counted: Array) -> list[float | None]:
    """Average one candidate's inner scores [fold, unit] over the counted units, fold by fold.

    What is no finite number is dropped; None for a fold without any other score.
    """
    kept = scores[:, counted].tolist()
    return [mean(one for one in fold if math.isfinite(one)) for fold in kept]


def best_of_folds(means: Sequence[Sequence[float | None]]) -> list[int | None]:
    """Give for each fold the candidate with the highest mean inner score; `means` has a list of folds a candidate."""
    return [best(fold) for fold in zip(*means, strict=True)]


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


def errors_of_units(candidates: Iterable[tuple[Array, Array]]) -> Array:
    """Put together squared errors [fold, unit], each from the candidate whose inner score is highest there.

    A candidate is its inner scores and its errors, both [fold, unit]; what is no finite score never comes before one
    that is, and where none is, the first candidate is taken. One candidate is held at a time.
    """
    import numpy as np  # noqa: PLC0415

    highest = found = None
    for scores, errors in candidates:
        if highest is None or found is None:
            highest, found = np.where(np.isfinite(scores), scores, -np.inf), np.array(errors, np.float64)
            continue
        better = np.isfinite(scores) & (scores > highest)
        highest, found = np.where(better, scores, highest), np.where(better, errors, found)
    if found is None:
        raise InputError("no candidate is given", where="cv", next="give one or more")
    return found
