"""A reader for the owner's copy of the published dataset, a CSV or JSON Lines file: its columns and its rows.

Error messages name rows and columns and never quote an item. The layout of the published files was not available when
this was written. Columns with other names can be mapped with `--columns`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit import csv_rows
from harness.stats import is_number

COMMON = ("benchmark", "instance_id", "template", "prompt", "target", "difficulty")
# The columns that our rules need to score an answer, by benchmark.
INPUTS: Mapping[str, tuple[str, ...]] = {
    "addition": ("a", "b"),
    "anagram": ("anagram",),
    "locality": ("city",),
    "science": ("question", "A", "B", "C", "D"),
    "transforms": ("text",),
}
ADVICE = "export it as CSV or JSON Lines, in UTF-8"
SHOWN = ("subset", "instruction", "country")  # optional columns that an item shows
OPTIONAL = (*SHOWN, "accepted", "answer_shape")
KNOWN = tuple(dict.fromkeys((*COMMON, *(name for names in INPUTS.values() for name in names), *OPTIONAL)))
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class CopyRow:
    """One row of a user's copy of the authors' dataset; error messages name row and column, and quote no cell."""

    cells: Mapping[str, Any]
    where: str
    columns: Mapping[str, str]
    table: bool

    def bad(self, what: str, next: str = "") -> InputError:
        """Return (not raise) an InputError that names this row; `what` must quote no cell."""
        return InputError(what, where=self.where, next=next)

    def cell(self, name: str) -> Any:
        """Return a cell's value by column name, numbers as text; None if it is missing or blank."""
        value = self.cells.get(self.columns.get(name, name))
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        return None if isinstance(value, str) and not value.strip() else value

    def optional(self, name: str) -> str | None:
        """Return an optional text cell, or None; raise InputError if it is not text."""
        value = self.cell(name)
        if not isinstance(value, str | None):
            raise self.bad(f"`{name}` is not text")
        return value

    def text(self, name: str) -> str:
        """Return a required text cell; raise InputError if it is missing, empty or not text."""
        value = self.optional(name)
        if value is None:
            column = self.columns.get(name, name)
            raise self.bad(f"the column `{column}` is missing or empty", self._how(name))
        return value

    def _how(self, name: str) -> str:
        """Return advice on a missing column; it quotes known columns only, since a first row may hold items."""
        known = [each for each in dict.fromkeys((*KNOWN, *self.columns.values())) if each in self.cells]
        if not any(self.columns.get(each, each) in known for each in COMMON):
            known = []  # then even `C` may be an answer and not a column
        has = f"it has {', '.join(known) or 'none that is known'}, and {len(self.cells) - len(known)} others"
        first = "the first line must name the columns; " if self.table else ""
        return f'{has}; {first}name another with --columns \'{{"{name}": "…"}}\''

    def number(self, name: str) -> float:
        """Return a required cell as a finite decimal number; raise InputError for anything else."""
        text = self.text(name)
        value = float(text) if _NUMBER.fullmatch(text.strip()) else float("nan")
        if not is_number(value):
            raise self.bad(f"`{name}` is not a number")
        return value

    def whole(self, name: str) -> int:
        """Return a required cell as a whole number from 1 up; raise InputError for anything else."""
        value = self.number(name)
        if value < 1 or not value.is_integer():
            raise self.bad(f"`{name}` is not a whole number from 1 up")
        return int(value)

    def texts(self, name: str) -> list[str]:
        """Return an optional cell as a list of texts, empty if it is absent; a text may also be a JSON list.

        Raises InputError for anything else.
        """
        value = self.cell(name)
        if isinstance(value, str):
            try:
                listed = json.loads(value)
            except (ValueError, RecursionError):
                listed = None
            value = listed if isinstance(listed, list) else [value]
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
            raise self.bad(f"`{name}` is not a list of texts", 'write ["…", "…"], or one text')
        return value


def read(path: Path, columns: Mapping[str, str]) -> Generator[CopyRow]:
    """Yield the rows of a user's copy of the authors' dataset, one per prompt; `columns` maps our names to the copy's.

    Raises InputError for an unknown name in `columns` and for a file that cannot be read.
    """
    strange = sorted(set(columns) - set(KNOWN))
    if strange:
        raise InputError(
            f"--columns names `{strange[0]}`, which no row of ours has",
            where="--columns",
            next=f"use: {', '.join(KNOWN)}",
        )
    table = path.suffix.lower() == ".csv"
    for number, cells in _rows(path, table):
        yield CopyRow(cells, f"{path.name} row {number}", columns, table)


def _rows(path: Path, table: bool) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (number, cells) of each row: a line of JSON Lines, or a CSV row below the header."""
    try:
        if table:
            yield from csv_rows.read(path, lambda number: f"{path.name} row {number}", ADVICE, strict=False)
            return
        with open(path, encoding="utf-8-sig", newline="") as file:
            yield from _objects(file, path.name)
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text", where=str(path), next="export it as UTF-8") from None
    except (FileNotFoundError, IsADirectoryError):
        raise InputError("there is no such file", where=str(path), next="check the path") from None
    except OSError as bad:
        raise InputError(
            f"this file cannot be read: {bad.strerror}", where=str(path), next="check the path and who may read it"
        ) from None


def _objects(file: Iterable[str], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError("a line is not JSON", where=f"{name} row {number}") from None
        if not isinstance(row, dict):
            raise InputError("a line is not an object", where=f"{name} row {number}")
        yield number, row
