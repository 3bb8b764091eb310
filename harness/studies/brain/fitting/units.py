"""The recordings that a fit explains: the rows of one experiment, and the units that did it.

It must never know a feature or a fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import arrays
from harness.errors import InputError

Array = Any  # of numpy
BLOCK = 4096  # units that are looked at together
LARGEST = 1e18  # of a value: float32 holds its square


class RecordedValues(NamedTuple):
    """What was recorded of the units that did an experiment."""

    values: Array  # [row, unit], of those units alone
    units: Array  # their columns in the recordings


def recorded(path: Path, ids: Sequence[str], stimuli: Sequence[str], rows: Sequence[int], dtype: str) -> RecordedValues:
    """Read these rows of the recordings, a block of units at a time; `ids` are the units', `stimuli` the rows' names.

    A unit whose first value is NaN did not do the experiment, and is left out. InputError for recordings of another
    shape or of what are no numbers, for a unit with any other value that is not finite or is beyond 1e18, and where no
    unit is left.
    """
    import numpy as np  # noqa: PLC0415

    found = arrays.memory_map(path)
    if found.ndim != 2 or found.shape != (len(stimuli), len(ids)) or found.dtype.kind not in "fiu":
        said = f"the recordings are {found.dtype} {[*found.shape]}"
        wanted = f"give numbers, a row for each of {len(stimuli)} stimuli and a column for each of {len(ids)} units"
        raise InputError(said, where="recordings", next=wanted)
    places = np.asarray(rows, np.intp)
    kept: list[Array] = []
    blocks: list[Array] = []
    for start in range(0, len(ids), BLOCK):
        with np.errstate(over="ignore"):  # what is too large for the type is infinite, and refused below
            block = np.asarray(found[places, start : start + BLOCK]).astype(dtype)
        there = np.flatnonzero(~np.isnan(block[0]))
        _require_finite(
            block[:, there], [ids[start + place] for place in there.tolist()], [stimuli[row] for row in rows]
        )
        kept.append(there + start)
        blocks.append(block[:, there])
    units = np.concatenate(kept) if kept else np.zeros(0, np.intp)
    if not len(units):
        raise InputError("no unit was recorded in these rows", where="recordings", next="name another experiment")
    values: Array = np.empty((len(rows), len(units)), dtype)
    start = 0
    while blocks:  # one goes as the whole grows
        block = blocks.pop(0)
        values[:, start : start + block.shape[1]] = block
        start += block.shape[1]
    return RecordedValues(values, units)


def _require_finite(block: Array, ids: Sequence[str], stimuli: Sequence[str]) -> None:
    import numpy as np  # noqa: PLC0415

    wrong = ~(np.abs(block) <= LARGEST)
    if wrong.any():
        row, unit = np.argwhere(wrong)[0]
        raise InputError(
            f"unit {ids[unit]!r} has the value {block[row, unit]} at {stimuli[row]!r}",
            where="recordings",
            next="leave the unit out, or give it NaN in every row of the experiment",
        )
