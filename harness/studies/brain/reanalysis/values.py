"""Checked reading of a published table: columns, numbers and doubled rows; errors name file, line and column.

Errors do not repeat a cell's content.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.kit import csv_rows

ADVICE = "take the file as it was published"
MOST_ROWS = 500_000  # the most rows of a table: more than one p-value per voxel and pooling
UNDEFINED = ("", "nan", "NaN")


@dataclass(frozen=True)
class TableRow:
    """One row of a published CSV table, with its file and line for error messages."""

    path: str
    line: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """Return a cell's text; raise InputError if the row has no such cell, or its text is far too long."""
        if column not in self.cells or len(self.cells[column]) > 200:
            raise self.refused(column, "the row has no such cell, or one that is far too long")
        return self.cells[column].strip()

    def number(self, column: str, low: float = -math.inf, high: float = math.inf) -> float:
        """Return a cell's number; raise InputError if it is not finite, or not within `low` and `high`."""
        try:
            value = float(self.text(column))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.refused(column, "it holds no finite number")
        if not low <= value <= high:
            raise self.refused(column, f"it holds a number that is not within {low:g} and {high:g}")
        return value

    def whole(self, column: str, high: int) -> int:
        """Return a cell's whole number from 0 to `high`; raise InputError for anything else."""
        value = self.number(column, 0, high)
        if value != int(value):
            raise self.refused(column, "it holds no whole number")
        return int(value)

    def maybe(self, column: str, low: float, high: float) -> float | str:
        """Return a cell's number, or `nan` if the cell is empty or says so; raise InputError for anything else."""
        return "nan" if self.text(column) in UNDEFINED else self.number(column, low, high)

    def refused(self, column: str, what: str) -> InputError:
        """Return an InputError, to be raised, that names a cell of this row."""
        return InputError(what, where=f"{self.path}, line {self.line}, column `{column}`", next=ADVICE)


def header(path: Path, name: str) -> tuple[str, ...]:
    """Return the column names of a table; raise InputError if it has no rows."""
    first = next(csv_rows.read(path, lambda number: _place(name, number), ADVICE), None)
    if first is None:
        raise InputError("the table has no rows", where=name, next=ADVICE)
    return tuple(first[1])


def table(path: Path, name: str, columns: Sequence[str]) -> Iterator[TableRow]:
    """Yield a table's rows; raise InputError if a column is missing or doubled, or if there are too many rows."""
    for number, cells in csv_rows.read(path, lambda number: _place(name, number), ADVICE, columns=columns):
        if number > MOST_ROWS:
            raise InputError(f"the table has more than {MOST_ROWS:,} rows", where=_place(name, number), next=ADVICE)
        yield TableRow(name, number + 1, cells)


def once(seen: set[tuple[object, ...]], row: TableRow, column: str, *key: object) -> None:
    """Add a row's key to the set `seen`; raise InputError if an earlier row has the same key."""
    if key in seen:
        raise row.refused(column, "an earlier row is of the same")
    seen.add(key)


def _place(name: str, number: int) -> str:
    return f"{name}, line {number + 1}"
