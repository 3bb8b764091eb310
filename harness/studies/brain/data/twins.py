"""Twins: two units of one participant and network with the same value in every row, so that one is a copy.

A voxel in two networks has a column in each and is not a twin. Constant units may be equal by chance and are not twins
either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.digest import sha256
from harness.errors import InputError
from harness.studies.brain.rowtypes import RecordedUnit

Array = Any  # a numpy array
BLOCK = 4096  # units whose columns are copied at once


def require_no_twins(values: Array, units: Sequence[RecordedUnit], places: Sequence[int]) -> None:
    """Raise InputError naming both units if two units have the same recorded values in `values` [row, unit].

    `places` are the columns to compare; each has a value in some row.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    first: dict[tuple[str, str, str], int] = {}
    for start in range(0, len(places), BLOCK):
        own = [*places[start : start + BLOCK]]
        columns = np.ascontiguousarray(values[:, own].T)
        varied = (np.nanmin(columns, axis=1) < np.nanmax(columns, axis=1)).tolist()
        for place, column, varies in zip(own, columns, varied, strict=True):
            unit = units[place]
            key = (unit["participant"], unit["network"], sha256(column.data))
            if varies and first.setdefault(key, place) != place:
                raise _twins(units, first[key], place)


def _twins(units: Sequence[RecordedUnit], one: int, other: int) -> InputError:
    names = [repr(units[place]["id"][:80]) for place in (one, other)]
    told = f"the units {' and '.join(names)} have the same value in every row"
    return InputError(told, where="recordings", next="keep one of them; one is a copy of the other")
