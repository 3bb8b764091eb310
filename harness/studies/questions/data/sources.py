"""Sources of rows besides a single file: several files under one name, and a folder of texts and images.

Rows of several files follow each other in the order of the files' paths. Independent of what columns mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from harness.errors import InputError
from harness.kit.file_set import file_set
from harness.models.media import image_reference, image_row
from harness.rowtypes import Attachment, Medium
from harness.studies.questions.data.tables import LONGEST, Cell, JsonNumber, SourceFile, missing

FILES = "files"  # the parameter and the input of a step that reads several files
TEXTS = (".txt", ".md")  # of a folder: files with the text of an item
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
NAME, LABEL, FOLDER, TEXT, IMAGE = "name", "label", "folder", "text", "image"  # columns of a folder
_COUNTED = re.compile(r"[ _-]?[0-9]+$")


def open_source(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> SourceFile:
    """Open the source of a dataset's rows: one file, several files, or a folder."""
    if FILES not in params:
        part = params.get("part", "")
        return SourceFile(inputs["file"], params["file"], params["format"], params["encoding"], part)
    return source_of(file_set(params, inputs, FILES), params)


def source_of(paths: Mapping[str, Path], params: Mapping[str, Any]) -> SourceFile:
    """Open several files, or a folder, whose name ends with `/`; `paths` maps files' names to local paths.

    `params` has the source as `file`, its `encoding`, its `format` or else `formats` by the endings of names.
    """
    name, encoding, part = params["file"], params["encoding"], params.get("part", "")
    ordered = dict(sorted(paths.items()))
    if name.endswith("/"):
        return Folder(Path(), name, "folder", encoding, items=tuple(_items(name, ordered)))
    parts = []
    for told, path in ordered.items():
        form = params["format"] or params["formats"].get(PurePosixPath(told).suffix.lower())
        if form is None:
            raise InputError(
                "what this file holds is not told by its name",
                where=told,
                next=f"name only files that end with one of: {', '.join(sorted(params['formats']))}",
            )
        parts.append(SourceFile(path, told, form, encoding, "" if name.startswith("hf:") else part))
    return Files(Path(), name, "", encoding, parts=tuple(parts))


@dataclass(frozen=True)
class Files(SourceFile):
    """Several table files read as one, with the same columns; rows are numbered through all of them."""

    parts: tuple[SourceFile, ...] = ()
    _begins: list[int] = field(default_factory=list)  # the number before each file's first row, as far as it was read

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
        """Yield the rows of all files; InputError for a file whose columns are not those of the first."""
        self._begins.clear()
        before, first = 0, frozenset[str]()
        for place, file in enumerate(self.parts):
            self._begins.append(before)
            last, known = 0, frozenset(file.names())
            for last, row in file.rows(columns):
                known = known or frozenset(row if file.format in ("csv", "tsv") else ())
                if last and place and known and first:
                    self._require_same(file, known, first)
                yield before + last, row
            first = first or known
            before += last

    def names(self) -> tuple[str, ...]:
        """Return the columns of the first file, if it gives only columns that are named."""
        return self.parts[0].names()

    def at(self, number: int, column: str = "") -> str:
        """Return a location for error messages: the file, its row, and the column if one is given."""
        if not number:
            return self.parts[0].at(0, column)
        place = max((at for at, begin in enumerate(self._begins) if begin < number), default=0)
        return self.parts[place].at(number - self._begins[place], column)

    def _require_same(self, file: SourceFile, known: frozenset[str], first: frozenset[str]) -> None:
        lacks, more = sorted(first - known), sorted(known - first)
        if lacks or more:
            what = f"lacks the column {lacks[0]!r}" if lacks else f"has the column {more[0]!r} besides"
            raise InputError(
                f"the file {what}, unlike {self.parts[0].name}",
                where=file.name,
                next="write the same columns in each file of one dataset, or make two datasets of them",
            )


@dataclass(frozen=True)
class FolderItem:
    """One item of a folder: the files that share its name, by the column that each of them is."""

    folder: str
    name: str
    files: Mapping[str, tuple[str, Path]]  # by column: path as told, and where it lies; JSON under an empty name


@dataclass(frozen=True)
class Folder(SourceFile):
    """A folder of texts and images read as a table: files that share a name up to its first dot are one row.

    `001.txt` is the column `text`, `001.png` is `image`, `001.answer.txt` and `001.answer` are `answer`, and the keys
    of `001.json` are columns. `name` is the name, `label` the name without a number at its end, and `folder` the folder
    that the item lies in.
    """

    items: tuple[FolderItem, ...] = ()
    _images: dict[str, Path] = field(default_factory=dict)

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
        """Yield the folder's items as rows, in the order of their paths, with the columns that are named."""
        found = dict.fromkeys(self.names())
        for column in columns:
            if column not in found and not any("" in item.files for item in self.items):
                raise missing(self, column, list(found))
        for number, item in enumerate(self.items, start=1):
            row: dict[str, Cell] = {NAME: item.name, LABEL: label_of(item.name), FOLDER: item.folder}
            if "" in item.files:
                row |= self._json(*item.files[""])
            for column in columns:
                if column in item.files:
                    told, path = item.files[column]
                    row[column] = told if column == IMAGE else self._text(told, path)
            yield number, {**dict.fromkeys(columns, ""), **row}

    def names(self) -> tuple[str, ...]:
        """Return the columns that the files' names give; keys inside JSON files are left out."""
        return (*(dict.fromkeys(name for item in self.items for name in item.files if name)), NAME, LABEL, FOLDER)

    def at(self, number: int, column: str = "") -> str:
        """Return a location for error messages: the files of an item, and the column if one is given."""
        if not number:
            return self.name
        item = self.items[number - 1]
        shown = f"{self.name}{item.folder + '/' if item.folder else ''}{item.name}.*"
        return f"{shown}, column {column!r}" if column else shown

    def attach(self, cell: Cell, number: int, column: str) -> Attachment:
        """Return the reference to an item's image; InputError if it has none, or one of another format."""
        item = self.items[number - 1]
        if column not in item.files or not cell:
            raise InputError(
                "there is no image",
                where=self.at(number, column),
                next=f"put one beside it, which ends with one of: {', '.join(IMAGES)}",
            )
        found = image_reference(image_row(item.files[column][1].read_bytes(), self.at(number, column)))
        self._images[found["sha256"]] = item.files[column][1]
        return found

    def image(self, digest: str) -> Medium:
        """Return the image to which a reference from `attach` points."""
        return image_row(self._images[digest].read_bytes(), self.name)

    def _text(self, told: str, path: Path) -> str:
        if path.stat().st_size > LONGEST:
            raise InputError("the file has more than 1 MiB", where=told, next="shorten it")
        codec = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        try:
            return path.read_bytes().decode(codec).replace("\r\n", "\n").removesuffix("\n")
        except UnicodeError:
            raise InputError(
                f"the file is not {self.encoding.upper()}",
                where=told,
                next="save it as UTF-8, or say what it is: `encoding: cp1252`",
            ) from None

    def _json(self, told: str, path: Path) -> dict[str, Cell]:
        try:
            found = json.loads(self._text(told, path), parse_float=JsonNumber)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InputError("the file holds no JSON object", where=told, next='write one, such as {"answer": "…"}')
        return found


def label_of(name: str) -> str:
    """Return the class label in a file's name, without the number at its end: `cat_001` is a `cat`."""
    return _COUNTED.sub("", name) or name


def _items(folder: str, paths: Mapping[str, Path]) -> Iterator[FolderItem]:
    """Yield the items of a folder; raise InputError if two files of one item are the same column, or if none is one."""
    found: dict[tuple[str, str], dict[str, tuple[str, Path]]] = {}
    for told, path in paths.items():
        inner = PurePosixPath(told).relative_to(PurePosixPath(folder))
        name, _, rest = inner.name.partition(".")
        under = inner.parent.as_posix() if inner.parent.parts else ""
        column = _column(rest)
        files = found.setdefault((under, name), {})
        if column in files:
            raise InputError(
                f"two files of one item are its {column or 'JSON'!r}: this one and {files[column][0]}",
                where=told,
                next="rename one of them, or take it out of the folder",
            )
        files[column] = (told, path)
    if not any(IMAGE in files or TEXT in files or "" in files for files in found.values()):
        raise InputError(
            "the folder holds no text and no image",
            where=folder,
            next=f"put files there that end with one of: {', '.join((*TEXTS, *IMAGES))}",
        )
    for (under, name), files in sorted(found.items()):
        yield FolderItem(under, name, files)


def _column(rest: str) -> str:
    """Return the column that a file is, by its name behind the first dot; empty for JSON, whose keys are columns."""
    told, _, ending = rest.rpartition(".")
    suffix = f".{ending.lower()}"
    if suffix == ".json" and not told:
        return ""
    usual = TEXT if suffix in TEXTS else IMAGE if suffix in IMAGES else ending
    return told if told and suffix in (*TEXTS, *IMAGES) else usual or TEXT
