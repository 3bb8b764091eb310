"""Readers of a user's own file, row by row: CSV, TSV, JSON Lines, Parquet and XLSX, with fixed limits on size.

Independent of what columns mean. Error messages never quote a cell, since the contents of a dataset may be private.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from harness.errors import InputError
from harness.rowtypes import Attachment, Medium
from harness.studies.questions.data.parquet import ParquetFile, UnreadableError
from harness.studies.questions.data.workbook import Sheet, Unread

LONGEST = 1 << 20  # characters of a row, over all its lines
WIDEST = 2000  # columns
NAMED = 20  # columns that a message names
Cell = Any  # a text; in JSON Lines also any other JSON value
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_BOMS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True)
class SourceFile:
    """A table file as a manifest describes it: its path, name, format and encoding."""

    path: Path
    name: str
    format: str
    encoding: str
    part: str = ""  # of a workbook: the sheet

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
        """Yield the file's rows with their numbers, as `read` does."""
        return _read_one(self, columns)

    def names(self) -> tuple[str, ...]:
        """Return the columns that the file's rows are limited to; empty if rows may have any column."""
        if self.format == "xlsx":
            return tuple(name for name in Sheet.open(self.path, self.name, self.part).columns if name)
        return _packed(self)

    def attach(self, cell: Cell, number: int, column: str) -> Attachment:
        """Raise InputError, because cells of a table file refer to no images."""
        raise InputError(
            "images are read from a folder, and this is a table",
            where=self.at(number, column),
            next="write `file: FOLDER/`, where each image lies beside its texts",
        )

    def image(self, digest: str) -> Medium:
        """Return the image to which a reference from `attach` points."""
        raise KeyError(digest)

    def at(self, number: int, column: str = "") -> str:
        """Return a place in the file for a message: its name, the row, and the column if one is given."""
        row = f"row {number}" if number else "its first line"
        return f"{self.name}, {row}, column {column!r}" if column else f"{self.name}, {row}"


class JsonNumber(float):
    """A JSON number with a fraction or an exponent that keeps its original text."""

    def __new__(cls, text: str) -> JsonNumber:
        """Parse the number and keep its text."""
        made = super().__new__(cls, text)
        made.text = text
        return made

    text: str


def read(file: SourceFile, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
    """Yield the rows of a file with their numbers from 1; each row has all of `columns`, and empty rows are skipped.

    Raises InputError, with file and row, for a column that is missing or occurs twice, for rows that are malformed or
    longer than 1 MiB, and for bytes that are not valid in the encoding.
    """
    return file.rows(columns)


def _read_one(file: SourceFile, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
    if file.format == "parquet":
        yield from _parquet(file, columns)
        return
    if file.format == "xlsx":
        yield from _sheet(file, columns)
        return
    number = 0
    try:
        # Bytes that cannot be decoded become lone surrogates, so that `_Lines` can tell which row they are in.
        with open(file.path, encoding=_codec(file), newline="", errors="surrogateescape") as text:
            rows = _objects(file, text) if file.format == "jsonl" else _cells(file, text, columns)
            for number, row in rows:
                for column in columns:
                    if column not in row:
                        raise missing(file, column, list(row), number)
                yield number, row
    except UnicodeError:
        raise InputError(
            f"the file is not {file.encoding.upper()}",
            where=file.at(number + 1),
            next="save it as UTF-8, or say what it is: `encoding: cp1252`",
        ) from None


def packed_columns(file: SourceFile) -> tuple[str, ...]:
    """Return the columns of a file whose rows have only those that are named; none of a text file.

    InputError for a file that is malformed.
    """
    return file.names()


def _packed(file: SourceFile) -> tuple[str, ...]:
    if file.format != "parquet":
        return ()
    try:
        return tuple(ParquetFile(file.path).names)
    except UnreadableError as bad:
        raise InputError(bad.what, where=file.name, next=bad.next) from None


def _sheet(file: SourceFile, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
    """Yield the rows of a workbook's sheet; a cell that holds no value raises InputError only if it is asked for."""
    sheet = Sheet.open(file.path, file.name, file.part)
    places = {}
    for column in columns:
        if (count := sheet.columns.count(column)) > 1:
            raise _twice(file, column, count)
        if not count:
            raise missing(file, column, [name for name in sheet.columns if name])
        places[column] = sheet.columns.index(column)
    for number, cells in sheet.rows():
        row = {column: cells.get(place, "") for column, place in places.items()}
        for column, cell in row.items():
            if isinstance(cell, Unread):
                raise InputError(cell.what, where=file.at(number, column), next=cell.next)
        if sum(map(len, row.values())) > LONGEST:
            raise _long(file, number)
        yield number, row


def _twice(file: SourceFile, column: str, count: int) -> InputError:
    return InputError(
        f"the column {column!r} stands {count} times", where=file.at(0), next="rename one of them, or take it out"
    )


def _parquet(file: SourceFile, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
    number = 0
    try:
        opened = ParquetFile(file.path)
        for column in columns:
            if column not in opened.columns:
                raise missing(file, column, opened.names)
        for number, row in enumerate(opened.rows(columns), start=1):
            if sum(len(cell) for cell in row.values() if isinstance(cell, str)) > LONGEST:
                raise _long(file, number)
            yield number, {name: _spelled(cell) for name, cell in row.items()}
    except UnreadableError as bad:
        raise InputError(bad.what, where=file.at(number + 1) if bad.in_row else file.name, next=bad.next) from None


def _spelled(cell: Cell) -> Cell:
    """Return a cell with its floats as JsonNumber, as cells of JSON Lines have them."""
    if isinstance(cell, list):
        return [_spelled(one) for one in cell]
    return JsonNumber(repr(cell)) if isinstance(cell, float) else cell


def missing(file: SourceFile, column: str, found: Sequence[str], number: int = 0) -> InputError:
    """Return the InputError for a column that a row or file lacks; it lists the columns that exist."""
    shown = ", ".join(repr(name[:60]) for name in found[:NAMED]) + (" …" if len(found) > NAMED else "")
    return InputError(
        f"there is no column {column!r}",
        where=file.at(number),
        next=f"name one of its columns in the manifest: {shown}" if found else "the file has no columns: is it empty?",
    )


def _codec(file: SourceFile) -> str:
    """Return the codec of a file; raise InputError if its byte order mark is of another encoding."""
    with open(file.path, "rb") as data:
        begin = data.read(4)
    for mark, encoding in _BOMS:
        if begin.startswith(mark) and not file.encoding.startswith("utf-"):
            raise _other(file, encoding)
        if begin.startswith(mark) and file.encoding == "utf-8":
            raise _other(file, encoding)
    return "utf-8-sig" if file.encoding == "utf-8" else file.encoding


def _other(file: SourceFile, encoding: str) -> InputError:
    return InputError(
        f"the file begins as {encoding.upper()} does, and is read as {file.encoding.upper()}",
        where=file.name,
        next=f"save it as UTF-8, or say what it is: `encoding: {encoding}`",
    )


class _Lines:
    """An iterator over a file's lines that limits the number of characters of one row."""

    def __init__(self, text: TextIO) -> None:
        self._text, self.left = text, LONGEST

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self.left + 1)
        self.left -= len(line)
        if self.left < 0:
            raise _TooLongError
        if not line:
            raise StopIteration
        if not line.isascii():
            line.encode()
        return line


class _TooLongError(Exception):
    """A row that is longer than the limit."""


def _cells(file: SourceFile, text: TextIO, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
    lines, number = _Lines(text), 0
    reader = csv.reader(lines, delimiter=_DELIMITERS[file.format], strict=True)
    try:
        header = _next(reader, lines)
        while header is not None and not any(map(str.strip, header)):
            header = _next(reader, lines)
        header = header or []
        for column in columns:
            if header.count(column) > 1:
                raise _twice(file, column, header.count(column))
            if column not in header:
                raise missing(file, column, header)
        while (cells := _next(reader, lines)) is not None:
            number += 1
            if not any(map(str.strip, cells)):
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"the row has {len(cells)} cells, and there are {len(header)} columns",
                    where=file.at(number),
                    next="put a text that holds the separator or a line break in double quotes",
                )
            yield number, {name: cell.replace("\r\n", "\n") for name, cell in zip(header, cells, strict=True)}
    except _TooLongError:
        raise _long(file, number + 1) from None
    except csv.Error:  # its message may quote a cell
        raise InputError(
            "the row is no well-formed CSV",
            where=file.at(number + 1),
            next="write a double quote inside a quoted text twice, and close every quote",
        ) from None


def _next(reader: Any, lines: _Lines) -> list[str] | None:
    lines.left, usual = LONGEST, csv.field_size_limit(LONGEST + 1)  # rows and cells have the same limit
    try:
        found: list[str] | None = next(reader, None)
    finally:
        csv.field_size_limit(usual)  # the limit is global to the process
    return found


def _long(file: SourceFile, number: int) -> InputError:
    return InputError(
        f"the row has more than {LONGEST:,} characters",
        where=file.at(number),
        next="shorten it; if no row is so long, a double quote is not closed there",
    )


def _objects(file: SourceFile, text: TextIO) -> Iterator[tuple[int, dict[str, Cell]]]:
    lines, number = _Lines(text), 0
    while True:
        try:
            lines.left = LONGEST
            line = next(lines, None)
            if line is None:
                return
            number += 1
            if line.strip():
                yield number, _object(file, line, number)
        except _TooLongError:
            raise _long(file, number + 1) from None


def _object(file: SourceFile, line: str, number: int) -> dict[str, Cell]:
    """Parse one line of JSON Lines: an object in which no key occurs twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a key stands twice")
        return found

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no JSON")

    try:
        row = json.loads(line, object_pairs_hook=once, parse_constant=refuse, parse_float=JsonNumber)
    except (ValueError, RecursionError) as bad:
        what = str(bad) if str(bad) == "a key stands twice" else "the line is no JSON"
        raise InputError(what, where=file.at(number), next="write one JSON object a line") from None
    if not isinstance(row, dict) or len(row) > WIDEST:
        raise InputError(
            "the line holds no JSON object of at most 2,000 keys",
            where=file.at(number),
            next='write one JSON object a line, such as {"question": "…", "answer": "…"}',
        )
    return row
