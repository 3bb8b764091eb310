"""Reader of a sheet of an Excel workbook (.xlsx): texts, numbers, truths and dates as texts, as a CSV export has them.

A workbook is a stranger's ZIP of XML: its parts are streamed and bounded, and document types are refused. No formula is
computed: the value that the spreadsheet program stored is read. Independent of what columns mean.
"""

from __future__ import annotations

import datetime
import errno
import lzma
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import dirname, normpath
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from harness.errors import InputError

MOST_PART = 1 << 30  # bytes of one part of a workbook, unpacked
MOST_TEXTS = 256 << 20  # characters of all shared texts
MOST_COLUMNS = 16_384  # of a sheet, by the format
LONGEST_CELL = 1 << 20  # characters; the format allows 32,767
MOST_MERGED = 100_000  # cells that are merged with others
MOST_STYLES = 65_536  # the format allows 65,490
MOST_SHEETS = 1_000  # and other parts that a workbook refers to
DEEPEST = 100  # elements within each other
_BLOCK = 1 << 16
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DATES, _TIMES = set(range(14, 18)) | {22} | set(range(27, 37)) | set(range(50, 59)), {18, 19, 20, 21, 45, 46, 47}
_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of .xls, and of workbooks with a password


class Unread(NamedTuple):
    """A cell of an Excel workbook whose value could not be read: what is wrong, and what to do next."""

    what: str
    next: str


NEVER_COMPUTED = Unread(
    "the cell holds a formula whose value is not in the file",
    "open the workbook in a spreadsheet program and save it, so that it is computed; or export the sheet as CSV",
)
FAULT = Unread("the cell holds an error of the spreadsheet, such as #N/A", "correct it, or leave such rows out")
NO_DATE = Unread("the cell holds a date that no calendar has", "write it as a text")
Value = str | Unread


@dataclass(frozen=True)
class Sheet:
    """One sheet of an Excel workbook: column names from its first row that is not empty, and the rows below it."""

    path: Path
    name: str
    columns: list[str]
    _book: _Book
    _part: str
    _header: int

    @classmethod
    def open(cls, path: Path, name: str, wanted: str = "") -> Sheet:
        """Open a workbook's sheet by name; without a name, the only sheet that is neither empty nor hidden.

        Raises InputError if that is not one sheet, and for a file that is no workbook.
        """
        book = _Book.open(path, name)
        sheets = {title: part for title, (part, hidden) in book.sheets.items() if title == wanted or not hidden}
        if wanted:
            filled = {title: part for title, part in sheets.items() if title == wanted}
        else:
            filled = {title: part for title, part in sheets.items() if next(book.rows(part), None)}
        if len(filled) != 1:
            shown = ", ".join(repr(title) for title in (filled if filled and not wanted else book.sheets))
            what = f"the workbook has no sheet {wanted!r}" if wanted else "the workbook has several sheets"
            if not wanted and not filled:
                raise InputError("the workbook is empty", where=name, next="write a row of names, and rows below it")
            raise InputError(
                what, where=name, next=f"name one, `part: NAME` in a manifest, `--part` with `harness new`: {shown}"
            )
        [(title, part)] = filled.items()
        place = f"{name}, sheet {title!r}"
        header = next(book.rows(part), None)
        if header is None:
            raise InputError("the sheet is empty", where=place, next="write a row of names, and rows below it")
        number, cells = header
        names = [cells.get(at, "") for at in range(max(cells) + 1)]
        return cls(path, name, [one.strip() if isinstance(one, str) else "" for one in names], book, part, number)

    def rows(self) -> Iterator[tuple[int, dict[int, Value]]]:
        """Yield the rows below the column names that are not empty, each with its number and its cells.

        A merged cell has its value in each row and column that it covers.
        """
        merged = self._book.merged(self._part)
        above: dict[tuple[int, int], Value] = {}
        for number, cells in self._book.rows(self._part):
            for at in set(cells) & merged.corners.get(number, set()):
                above[number, at] = cells[at]
            if number <= self._header:
                continue
            for at, corner in merged.covered.get(number, {}).items():
                if at not in cells and corner in above and corner[0] > self._header:
                    cells[at] = above[corner]
            yield number - self._header, cells


@dataclass(frozen=True)
class _Merged:
    """The merged cells of a sheet: by row, the corners, and the other cells each with its corner."""

    corners: dict[int, set[int]] = field(default_factory=dict)
    covered: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Book:
    """An open workbook: its sheets by title, shared texts, and which styles show a number as a date."""

    path: Path
    name: str
    sheets: dict[str, tuple[str, bool]]  # by title: its part, and whether it is hidden
    texts: list[str]
    dates: dict[int, str]  # by style: how a number is shown, `date`, `time` or `both`
    from_1904: bool

    @classmethod
    def open(cls, path: Path, name: str) -> _Book:
        with open(path, "rb") as data:
            begin = data.read(8)
        if begin == _OLD:
            raise InputError(
                "this is an old workbook (.xls), or one with a password",
                where=name,
                next="save it as .xlsx without a password, or export the sheet as CSV",
            )
        with _Reading(path, name) as archive:
            home = _target(archive, "", "officeDocument") or "xl/workbook.xml"
            parts = _relations(archive, home)
            sheets: dict[str, tuple[str, bool]] = {}
            from_1904 = False
            for tag, given in _elements(archive, home, ("sheet", "workbookPr")):
                if tag == "workbookPr":
                    from_1904 = given.get("date1904", "0") in ("1", "true")
                    continue
                kind, part = parts.get(_local(given, "id"), ("", ""))
                if len(sheets) > MOST_SHEETS:
                    raise _BrokenError
                if kind == "worksheet":
                    sheets[given.get("name", "")] = part, given.get("state", "visible") != "visible"
            by_kind = dict(parts.values())
            texts = list(_texts(archive, by_kind["sharedStrings"])) if "sharedStrings" in by_kind else []
            dates = _dates(archive, by_kind["styles"]) if "styles" in by_kind else {}
        return cls(path, name, sheets, texts, dates, from_1904)

    def rows(self, part: str) -> Iterator[tuple[int, dict[int, Value]]]:
        """Yield the rows of a sheet that hold something: the row's number in the sheet, and its filled cells."""
        with _Reading(self.path, self.name) as archive:
            found: list[tuple[int, dict[int, Value]]] = []
            parser = _RowParser(self, found.append)
            for _ in _parse(archive, part, parser):
                yield from found
                found.clear()
            yield from found

    def merged(self, part: str) -> _Merged:
        """Return the merged cells of a sheet, which stand behind its rows."""
        found, count = _Merged(), 0
        with _Reading(self.path, self.name) as archive:
            for _, given in _elements(archive, part, ("mergeCell",)):
                first, _, last = given.get("ref", "").partition(":")
                (row, at), (last_row, last_at) = _place(first), _place(last or first)
                count += max(1, last_row - row + 1) * max(1, last_at - at + 1)
                if count > MOST_MERGED:
                    raise InputError(
                        f"more than {MOST_MERGED:,} cells are merged with others",
                        where=self.name,
                        next="take the merging apart, or export the sheet as CSV",
                    )
                found.corners.setdefault(row, set()).add(at)
                for under in range(row, last_row + 1):
                    for beside in range(at, last_at + 1):
                        if (under, beside) != (row, at):
                            found.covered.setdefault(under, {})[beside] = row, at
        return found

    def value(self, kind: str, style: int, text: str) -> Value:
        """Return the value of a cell as a text."""
        if kind == "s":
            return self.texts[int(text)] if text.isdigit() and int(text) < len(self.texts) else ""
        if kind in ("str", "inlineStr"):
            return _unescaped(text)
        if kind == "b":
            return "true" if text.strip() == "1" else "false"
        if kind == "e":
            return FAULT
        if kind == "d" or not text.strip():
            return text.strip()
        return self._number(text.strip(), self.dates.get(style, ""))

    def _number(self, text: str, shown: str) -> Value:
        try:
            number = float(text)
        except ValueError:
            return text
        if not math.isfinite(number):
            return text
        if shown:
            return _date(number, shown, self.from_1904)
        if number == int(number) and abs(number) < 1e15:
            return str(int(number))
        return format(number, ".15g")  # the digits that a spreadsheet program has


def _date(number: float, shown: str, from_1904: bool) -> Value:
    """Return a date or a time as ISO 8601 writes it; days are counted as spreadsheet programs do."""
    first = datetime.datetime(1904, 1, 1) if from_1904 else datetime.datetime(1899, 12, 30)
    if not from_1904 and number < 60:  # 1900 is taken for a leap year
        first += datetime.timedelta(days=1)
    try:
        found = first + datetime.timedelta(seconds=round(number * 86400))
    except (OverflowError, ValueError):
        return NO_DATE
    if shown == "time" and 0 <= number < 1:
        return found.time().isoformat()
    if number < 0:
        return NO_DATE
    return found.date().isoformat() if shown == "date" and number == int(number) else found.isoformat()


class _RowParser:
    """Handlers that turn the XML of a sheet into rows; each finished row is handed on."""

    def __init__(self, book: _Book, give: Callable[[tuple[int, dict[int, Value]]], None]) -> None:
        self._book, self._give = book, give
        self._row, self._at = 0, -1
        self._cells: dict[int, Value] = {}
        self._kind, self._style, self._formula, self._valued = "", 0, False, False
        self._text: list[str] = []
        self._length = 0  # of it
        self._reads, self._phonetic = False, 0

    def start(self, tag: str, given: dict[str, str]) -> None:
        """Note where a row, a cell or its text begins."""
        if tag == "row":
            said = given.get("r", "")
            self._row = int(said) if said.isdigit() and len(said) < 9 else self._row + 1
            self._cells, self._at = {}, -1
        elif tag == "c":
            self._at = _place(given["r"])[1] if "r" in given else self._at + 1
            if self._at >= MOST_COLUMNS:
                raise _BrokenError
            self._kind, self._style = given.get("t", "n"), int(given.get("s", "0") or 0)
            self._formula, self._valued, self._text, self._length = False, False, [], 0
        elif tag == "rPh":
            self._phonetic += 1
        elif tag == "f":
            self._formula = True
        elif tag == "v" or (tag == "t" and not self._phonetic):
            self._reads, self._valued = True, True

    def end(self, tag: str) -> None:
        """Take over a text, a cell or a row that is whole."""
        if tag == "rPh":
            self._phonetic -= 1
        elif tag in ("v", "t"):
            self._reads = False
        elif tag == "c":
            text = "".join(self._text)
            value: Value = NEVER_COMPUTED
            if self._valued or not self._formula:
                value = self._book.value(self._kind, self._style, text)
            if isinstance(value, Unread) or value.strip():
                self._cells[self._at] = value.replace("\r\n", "\n") if isinstance(value, str) else value
        elif tag == "row" and self._cells:
            self._give((self._row, self._cells))

    def data(self, text: str) -> None:
        """Take over characters of a cell's value."""
        if self._reads:
            self._text.append(text)
            self._length += len(text)
            if self._length > LONGEST_CELL:
                raise _BrokenError


class _BrokenError(Exception):
    """A part of a workbook that is malformed or too large."""


# What the libraries raise at an archive or at XML that is not well-formed, or is compressed or encoded as they cannot.
_FLAWS: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, expat.ExpatError, _BrokenError),
    *(LookupError, EOFError, ValueError, NotImplementedError, RuntimeError),
)
_UNOPENED: tuple[type[Exception], ...] = (*_FLAWS, OSError)


class _Reading:
    """Context manager that opens a workbook's archive; what is broken in it becomes an InputError."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._archive: zipfile.ZipFile | None = None

    def __enter__(self) -> zipfile.ZipFile:
        try:
            self._archive = zipfile.ZipFile(self._path)
        except _UNOPENED:
            raise self._broken() from None
        return self._archive

    def __exit__(self, kind: Any, bad: BaseException | None, trace: Any) -> None:
        assert self._archive
        self._archive.close()
        nowhere = isinstance(bad, OSError) and bad.errno in (None, errno.EINVAL)  # a place in it that there is not
        if nowhere or (isinstance(bad, _FLAWS) and not isinstance(bad, InputError)):
            raise self._broken() from None

    def _broken(self) -> InputError:
        return InputError(
            "this is no well-formed .xlsx workbook, or a part of it is too large",
            where=self._name,
            next="save it again in a spreadsheet program, or export the sheet as CSV",
        )


class _Handlers:
    """Handlers of a parser that looks at some elements only."""

    def __init__(self, start: Callable[[str, dict[str, str]], None]) -> None:
        self.start = start

    def end(self, tag: str) -> None:
        """Leave an element."""

    def data(self, text: str) -> None:
        """Pass over characters."""


def _parse(archive: zipfile.ZipFile, part: str, handlers: Any) -> Iterator[None]:
    """Parse a part block by block, and yield after each; a part that grows beyond bounds is broken."""
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: Any) -> None:
        raise _BrokenError

    depth = 0

    def start(tag: str, given: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise _BrokenError
        handlers.start(tag.rpartition(":")[2], given)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        handlers.end(tag.rpartition(":")[2])

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handlers.data
    left = MOST_PART
    opened: IO[bytes] = archive.open(part)
    with opened:
        while block := opened.read(_BLOCK):
            left -= len(block)
            if left < 0:
                raise _BrokenError
            parser.Parse(block, False)
            yield
        parser.Parse(b"", True)


def _elements(archive: zipfile.ZipFile, part: str, tags: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the elements of some names in a part, each with its attributes."""
    found: list[tuple[str, dict[str, str]]] = []

    def start(tag: str, given: dict[str, str]) -> None:
        if tag in tags:
            found.append((tag, given))

    for _ in _parse(archive, part, _Handlers(start)):
        yield from found
        found.clear()
    yield from found


def _relations(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Return what a part refers to: by id, the kind and the part."""
    folder, _, file = part.rpartition("/")
    listed = f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels"
    found: dict[str, tuple[str, str]] = {}
    for _, given in _elements(archive, listed, ("Relationship",)):
        target = given.get("Target", "")
        whole = target.lstrip("/") if target.startswith("/") else normpath(f"{dirname(part)}/{target}").lstrip("/")
        found[given.get("Id", "")] = given.get("Type", "").rpartition("/")[2], whole
        if len(found) > MOST_SHEETS:
            raise _BrokenError
    return found


def _target(archive: zipfile.ZipFile, part: str, kind: str) -> str:
    return next((target for each, target in _relations(archive, part).values() if each == kind), "")


def _local(given: dict[str, str], name: str) -> str:
    """Return an attribute that has a prefix, whatever the prefix is."""
    return next((value for key, value in given.items() if key.endswith(f":{name}")), "")


class _Texts:
    """Handlers of shared texts; signs of how a text is spoken are left out."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self._pieces: list[str] = []
        self._reads, self._phonetic = False, False

    def start(self, tag: str, given: dict[str, str]) -> None:
        """Note where a text begins."""
        if tag == "si":
            self._pieces = []
        elif tag == "rPh":
            self._phonetic = True
        elif tag == "t":
            self._reads = not self._phonetic

    def end(self, tag: str) -> None:
        """Take over a text that is whole."""
        if tag == "t":
            self._reads = False
        elif tag == "rPh":
            self._phonetic = False
        elif tag == "si":
            self.done.append(_unescaped("".join(self._pieces)).replace("\r\n", "\n"))

    def data(self, text: str) -> None:
        """Take over characters."""
        if self._reads:
            self._pieces.append(text)


def _texts(archive: zipfile.ZipFile, part: str) -> Iterator[str]:
    """Yield the shared texts."""
    left, found = MOST_TEXTS, _Texts()
    for _ in _parse(archive, part, found):
        left -= sum(len(text) + 1 for text in found.done)
        if left < 0:
            raise _BrokenError
        yield from found.done
        found.done.clear()
    yield from found.done


def _dates(archive: zipfile.ZipFile, part: str) -> dict[int, str]:
    """Return how the styles of cells show numbers, for those that show dates or times."""
    codes: dict[int, str] = {}
    styles: list[int] = []
    inside = False
    tags = ("numFmt", "cellXfs", "cellStyles", "dxfs", "xf")
    for tag, given in _elements(archive, part, tags):
        if tag == "numFmt" and given.get("numFmtId", "").isdigit():
            codes[int(given["numFmtId"])] = given.get("formatCode", "")
        elif tag == "xf" and inside:
            said = given.get("numFmtId", "0")
            styles.append(int(said) if said.isdigit() else 0)
            if len(styles) > MOST_STYLES:
                raise _BrokenError
        elif tag != "xf":
            inside = tag == "cellXfs"
    shown = {at: _shown(number, codes.get(number)) for at, number in enumerate(styles)}
    return {at: how for at, how in shown.items() if how}


def _shown(number: int, code: str | None) -> str:
    """Return whether a format shows a date, a time or both; empty for a number."""
    if code is None:
        return "both" if number == 22 else "date" if number in _DATES else "time" if number in _TIMES else ""
    plain = _QUOTED.sub("", code.split(";")[0]).lower()
    if "general" in plain or "0" in plain or "#" in plain:
        plain = re.sub(r"general|[0#?.,e+-]", "", plain) if "s" in plain else ""
    days = any(sign in plain for sign in "yd") or ("m" in plain and not any(sign in plain for sign in "hs"))
    times = any(sign in plain for sign in "hs")
    return "both" if days and times else "date" if days else "time" if times else ""


def _place(address: str) -> tuple[int, int]:
    """Return row and column of an address such as `B7`: the row from 1, the column from 0."""
    found = _ADDRESS.fullmatch(address.replace("$", ""))
    if not found:
        raise _BrokenError
    at = 0
    for letter in found[1]:
        at = 26 * at + ord(letter) - ord("A") + 1
    if at > MOST_COLUMNS:
        raise _BrokenError
    return int(found[2]), at - 1


def _unescaped(text: str) -> str:
    """Return a text with the signs that XML cannot hold, written as `_x000D_`; half a sign is replaced."""
    if "_x" not in text:
        return text
    found = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
