"""The published orders of Pereira's rows: from the files of each experiment to the order of the study.

Facts from the published files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from harness import arrays
from harness.errors import InputError
from harness.studies.brain.data.parameters import ORDER
from harness.studies.brain.structure.pereira import pereira
from harness.studies.brain.terms import EXP1, EXP2

ROWS = {EXP2: 243, EXP1: 384}  # of each experiment
_MIXED = 2 * ROWS[EXP2]  # in the first rows of the recordings' file the experiments alternate; the rest are EXP1's
LARGEST_TEXT = 1 << 26  # bytes of a text file, which is read whole; the largest published file has a million
_T = TypeVar("_T")


def read_rows(path: Path) -> list[int]:
    """Read, for each row of the study, its row in the recordings' file.

    Raises InputError if the array is not an order of the 627 rows.
    """
    found, total = arrays.read(path), sum(ROWS.values())
    if found.dtype.kind not in "iu" or found.shape != (total,) or sorted(found.tolist()) != list(range(total)):
        raise _bad(f"it is no order of {total} rows: {found.dtype} {[*found.shape]}")
    return [int(row) for row in found]


def read_order(path: Path) -> list[tuple[str, int]]:
    """Read, for each row of the study, its experiment and its row in that experiment's own files.

    Raises InputError if the array is not an order of the 627 rows, or if it puts a row into the wrong experiment.
    """
    order = [_source(row) for row in read_rows(path)]
    for place, ((found_of, _), of) in enumerate(zip(order, pereira().experiments, strict=True)):
        if found_of != of:
            raise _bad(f"row {place} is of the experiment {found_of}, in the study of {of}")
    return order


def in_study_order(order: Sequence[tuple[str, int]], found: Mapping[str, Sequence[_T]]) -> list[_T]:
    """Return the values of each experiment's rows, given in the experiments' own order, in the order of the study."""
    return [found[experiment][number] for experiment, number in order]


def experiment_rows(experiment: str) -> list[int]:
    """Return the rows of the study that belong to an experiment; all rows if it is empty."""
    return [row for row, of in enumerate(pereira().experiments) if experiment in ("", of)]


def require_rows(name: str, count: int, wanted: int, what: str) -> None:
    """Raise InputError unless the file has as many rows as the study."""
    if count != wanted:
        raise InputError(f"it has {count} {what}, the study has {wanted}", where=name, next="give the published file")


def read_lines(name: str, path: Path) -> list[str]:
    """Read the lines of a text file without line ends; raise InputError if the file is too large or not UTF-8."""
    if (size := path.stat().st_size) > LARGEST_TEXT:
        raise InputError(f"the file has {size:,} bytes", where=name, next=f"give one of {LARGEST_TEXT:,} at most")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8", where=name, next="give the published file") from None
    lines = text.split("\n")  # not splitlines(): a sentence may hold other characters that end a line in Python
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def _source(row: int) -> tuple[str, int]:
    """Return the experiment of a row of the recordings' file, and its row in that experiment's own files."""
    if row >= _MIXED:
        return EXP1, row - ROWS[EXP2]
    return (EXP1, EXP2)[row % 2], row // 2


def _bad(what: str) -> InputError:
    return InputError(what, where=ORDER, next="give the published file of 627 whole numbers")
