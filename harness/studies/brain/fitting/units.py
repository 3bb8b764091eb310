"""The recordings that a fit explains: the rows of one experiment, and the units that took part in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import arrays
from harness.errors import InputError

Array = Any  # a numpy array
BLOCK = 4096  # units that are read together
LARGEST = 1e18  # the largest value; float32 can hold its square


class RecordedValues(NamedTuple):
    """The recorded responses [row, unit] of the units that took part in an experiment, and which units these are."""

    values: Array  # [row, unit], of those units alone
    units: Array  # their columns in the recordings


def recorded(path: Path, ids: Sequence[str], stimuli: Sequence[str], rows: Sequence[int], dtype: str) -> RecordedValues:
    """Read `rows` of the recorded responses, a block of units at a time; `ids` and `stimuli` name units and rows.

    A unit whose first value is NaN did not take part in the experiment and is left out. Raises InputError if the
    recordings have another shape or are not numbers, if another value is not finite or is beyond 1e18, or if no unit is
    left.
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
        with np.errstate(over="ignore"):  # values too large for the type become infinite, which is refused below
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
    while blocks:  # frees each block as it is copied
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
