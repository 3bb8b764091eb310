"""Checked reading of a published table: columns, numbers and doubled rows, each refused with file, line and column.

It must never know what a table means, nor repeat what stands in a cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.kit import csv_rows

ADVICE = "take the file as it was published"
MOST_ROWS = 500_000  # of one table: more than a p-value for each voxel and pooling
UNDEFINED = ("", "nan", "NaN")


@dataclass(frozen=True)
class TableRow:
    """One row of a table, and how a message calls it."""

    path: str
    line: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """Give a cell's text; InputError where the row has no such cell, or one that is far too long."""
        if column not in self.cells or len(self.cells[column]) > 200:
            raise self.refused(column, "the row has no such cell, or one that is far too long")
        return self.cells[column].strip()

    def number(self, column: str, low: float = -math.inf, high: float = math.inf) -> float:
        """Give a cell's finite number; InputError where it is none, or lies outside of `low` to `high`."""
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
        """Give a cell's whole number from 0 to `high`; InputError where it is none."""
        value = self.number(column, 0, high)
        if value != int(value):
            raise self.refused(column, "it holds no whole number")
        return int(value)

    def maybe(self, column: str, low: float, high: float) -> float | str:
        """Give a cell's number, or `nan` where it is empty or says so; InputError for all else."""
        return "nan" if self.text(column) in UNDEFINED else self.number(column, low, high)

    def refused(self, column: str, what: str) -> InputError:
        """Make the error for a cell of this row."""
        return InputError(what, where=f"{self.path}, line {self.line}, column `{column}`", next=ADVICE)


def header(path: Path, name: str) -> tuple[str, ...]:
    """Name the columns of a table, by its first row; InputError for one without rows."""
    first = next(csv_rows.read(path, lambda number: _place(name, number), ADVICE), None)
    if first is None:
        raise InputError("the table has no rows", where=name, next=ADVICE)
    return tuple(first[1])


def table(path: Path, name: str, columns: Sequence[str]) -> Iterator[TableRow]:
    """Iterate over a table's rows, the columns there and each once; InputError where not, and for too many rows."""
    for number, cells in csv_rows.read(path, lambda number: _place(name, number), ADVICE, columns=columns):
        if number > MOST_ROWS:
            raise InputError(f"the table has more than {MOST_ROWS:,} rows", where=_place(name, number), next=ADVICE)
        yield TableRow(name, number + 1, cells)


def once(seen: set[tuple[object, ...]], row: TableRow, column: str, *key: object) -> None:
    """Note what a row is of; InputError where another row before it is of the same."""
    if key in seen:
        raise row.refused(column, "an earlier row is of the same")
    seen.add(key)


def _place(name: str, number: int) -> str:
    return f"{name}, line {number + 1}"
