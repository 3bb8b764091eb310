"""Scorers of each row of a dataset: those that a column names, or those of rows with, and without, options.

Knows what a scorer needs of its row, and no rule by which it scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.questions.data import cells
from harness.studies.questions.data.tables import Cell, SourceFile

SCORERS = "scorers"  # a maker's parameter, and the field of an item's `meta`
NEEDS, COLUMN, WITH, WITHOUT = "needs", "column", "with_options", "without_options"
BETWEEN = "|"  # between the names of several scorers in a cell


@dataclass(frozen=True)
class RowScorers:
    """Which scorers score a row, by a rule on its cells, and which fields each scorer needs: target, options, tests."""

    needs: Mapping[str, Sequence[str]]
    column: str = ""
    with_options: Sequence[str] = ()
    without_options: Sequence[str] = ()

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> RowScorers | None:
        """Return the rule from a maker's parameters; None if every scorer scores every row."""
        said = params.get(SCORERS)
        return cls(said[NEEDS], said.get(COLUMN, ""), said.get(WITH, ()), said.get(WITHOUT, ())) if said else None

    def names(self, row: Mapping[str, Cell], options: Sequence[str], file: SourceFile, number: int) -> list[str]:
        """Return the names of the scorers that score a row; `options` are the columns of options.

        Raises InputError, with the row and the list of scorers, for a cell that names no scorer or an unknown one.
        """
        if not self.column:
            return list(self.with_options if has_options(row, options) else self.without_options)
        found = list(dict.fromkeys(cells.several(row[self.column], file, number, self.column, BETWEEN)))
        if not found or not set(found) <= set(self.needs):
            raise InputError(
                "the cell names a scorer that there is not" if found else "the cell names no scorer",
                where=file.at(number, self.column),
                next=f"write one of: {', '.join(self.needs)}; or several, with `{BETWEEN}` between them",
            )
        return found

    def need(self, names: Sequence[str], field: str) -> bool:
        """Whether one of the scorers of a row needs a field, such as `target`."""
        return any(field in self.needs[name] for name in names)


def has_options(row: Mapping[str, Cell], columns: Sequence[str]) -> bool:
    """Whether a row has an answer option in one of these columns; an empty list is none."""
    return any(row[column] not in (None, []) and str(row[column]).strip() not in ("", "[]") for column in columns)
