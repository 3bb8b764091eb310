"""Input parsing of the standalone analyses of scores: nested lists of numbers, which may be non-finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.errors import InputError
from harness.scorers.given import UNBOUNDED
from harness.studies.brain.measures.aggregation import UnitTable
from harness.studies.brain.terms import LANGUAGE

Array = Any  # a numpy array
MOST = 10**15  # the largest whole number
SHAPES = ("a number", "a list of numbers", "rows of numbers", "tables of numbers")


def number(value: Any, where: str) -> float:
    """Read a number, or `nan`, `inf`, `-inf`; raise InputError for anything else."""
    if isinstance(value, str) and value in UNBOUNDED:
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{value!r:.60} is no number", where=where, next=f"give numbers, or {', '.join(UNBOUNDED)}")
    if isinstance(value, int) and abs(value) > MOST:
        raise InputError("a whole number is too large", where=where, next=f"give numbers up to {MOST:g}")
    return float(value)


def numbers(value: Any, axes: int, where: str) -> Array:
    """Read nested lists of numbers as an array with `axes` axes; raise InputError if uneven or of another depth."""
    import numpy as np  # noqa: PLC0415

    if isinstance(value, np.ndarray):
        value = value.tolist()
    found = _read(value, axes, where)
    try:
        array = np.array(found, np.float64)
    except ValueError as bad:
        raise InputError("the lists are of unequal length", where=where, next=f"give {SHAPES[axes]}") from bad
    if array.ndim != axes:
        raise InputError(f"there are {array.ndim} levels of lists", where=where, next=f"give {SHAPES[axes]}")
    return array


def table(
    count: int, participants: Sequence[str], networks: Sequence[str], experiments: Sequence[str] = ()
) -> UnitTable:
    """Return a description of the scored units; by default, all are of one participant and of the language network.

    Raises InputError unless a given list has one entry per score.
    """
    for name, given in (("participants", participants), ("networks", networks), ("experiments", experiments)):
        if given and len(given) != count:
            told = f"{len(given)} {name} stand beside {count} scores"
            raise InputError(told, where=name, next="give one for each score, or none")
    return UnitTable(
        tuple(participants) or ("all",) * count,
        tuple(networks) or (LANGUAGE,) * count,
        tuple(experiments) or ("",) * count,
        (True,) * count,
    )


def _read(value: Any, axes: int, where: str) -> Any:
    if axes == 0:
        return number(value, where)
    if not isinstance(value, list | tuple):
        raise InputError("it is no list", where=where, next=f"give {SHAPES[axes]}")
    return [_read(one, axes - 1, f"{where}[{place}]") for place, one in enumerate(value)]
