"""The CSV reader of all studies: rows by column name, with bounded size and errors by row number.

No error message quotes a cell, because a dataset's content may be confidential.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from harness.errors import InputError

LONGEST = 1 << 20  # characters of a row over all its lines; csv itself bounds a single cell
Place = Callable[[int], str]  # the name of a row in a message, by its number; 0 is the header row


def read(
    path: Path, place: Place, advice: str, *, columns: Sequence[str] = (), strict: bool = True
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV file with their row numbers, as cells by column name; empty rows are skipped.

    Each of `columns` must be present exactly once. A row may be shorter than the header, and then lacks its last
    columns. Raises InputError with the place for too many cells or characters in a row, malformed CSV and text that is
    not UTF-8.
    """
    number = 0
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = _Lines(file)
            rows = csv.reader(lines, strict=strict)
            header = _next(rows, lines)
            while header is not None and not any(map(str.strip, header)):
                header = _next(rows, lines)
            header = header or []
            for name in columns:
                if header.count(name) != 1:
                    state = "stands twice" if name in header else "is missing"
                    raise InputError(f"the column `{name}` {state}", where=place(0), next=advice)
            while (cells := _next(rows, lines)) is not None:
                number += 1
                if len(cells) > len(header):
                    raise InputError("a row has more cells than there are columns", where=place(number), next=advice)
                if any(map(str.strip, cells)):
                    yield number, dict(zip(header, cells, strict=False))
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8", where=place(number + 1), next=advice) from None
    except csv.Error:  # its message may quote a word of a row
        what = "no well-formed CSV, or a cell or row that is far too long"
        raise InputError(what, where=place(number + 1), next=advice) from None


class _Lines:
    """An iterator over a file's lines that limits how many characters one row may take."""

    def __init__(self, file: TextIO) -> None:
        self._file, self.left = file, LONGEST

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._file.readline(self.left + 1)
        self.left -= len(line)
        if self.left < 0:
            raise csv.Error("too long")
        if not line:
            raise StopIteration
        return line


def _next(rows: Iterator[list[str]], lines: _Lines) -> list[str] | None:
    lines.left = LONGEST
    return next(rows, None)
