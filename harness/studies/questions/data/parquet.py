"""Rows of a Parquet file: flat columns and lists of texts, numbers and truths, in the pages that are usually written.

What is not read here is said, with what to write instead. It must never know what a column means.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from harness.studies.questions.data.parquet_pages import BYTES, FLOAT, Leaf, UnreadableError, pages
from harness.studies.questions.data.thrift import Fields, MalformedError, ThriftReader

MAGIC = b"PAR1"
LARGEST_FOOTER = 64 << 20
LARGEST_CHUNK = 1 << 30
MOST_VALUES = 20_000_000  # of a column in one group of rows
OPTIONAL, REPEATED = 1, 2
_PLAIN_TYPES = {0, 4, 11, 12, 13, 14, 15, 16, 17, 18, 19}  # of texts, whole numbers and JSON
_PLAIN_MEANINGS = {1, 4, 10, 11, 12}  # the same, as newer files say it
_UNSIGNED = {11, 12, 13, 14}
BROKEN = (MalformedError, struct.error, zlib.error, IndexError, KeyError, TypeError, AttributeError, OverflowError)


@dataclass(frozen=True)
class ParquetColumn:
    """A column of a file: its leaf's path and levels, and whether it holds lists."""

    name: str
    path: tuple[str, ...]
    leaf: Leaf
    listed: int  # the level from which on a list has an element; 0: it holds none
    plain: bool  # texts, numbers and truths; else times, decimals or bytes
    unsigned: bool


class ParquetFile:
    """A Parquet file that is open: its columns, and its rows by group."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with open(path, "rb") as file:
            footer = ThriftReader(_footer(file)).struct()
        self._groups: Sequence[Fields] = footer.get(4, [])
        self.columns = dict(_columns(footer[2]))
        self.names = list(self.columns)

    def rows(self, wanted: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Give all rows with the columns that are wanted; UnreadableError for one that is not read here."""
        with open(self._path, "rb") as file:
            for group in self._groups:
                found = {name: list(self._values(file, group, self.columns[name])) for name in wanted}
                count = group[3]
                if any(len(values) != count for values in found.values()):
                    raise MalformedError("columns of different lengths")
                for place in range(count):
                    yield {name: values[place] for name, values in found.items()}

    def _values(self, file: BinaryIO, group: Fields, column: ParquetColumn) -> Iterator[Any]:
        chunks = {tuple(part.decode() for part in chunk[3][3]): chunk[3] for chunk in group[1]}
        about = chunks[column.path]
        if not column.plain:
            raise UnreadableError("it holds dates, times, decimals or bytes: write it as text")
        begin, size = min(about[9], about.get(11) or about[9]), about[7]
        if not (begin >= 0 and 0 <= size <= LARGEST_CHUNK):
            raise MalformedError("a column of an impossible size")
        if max(about[5], group[3]) > MOST_VALUES:
            raise UnreadableError("a group of rows is too large: write smaller ones")
        file.seek(begin)
        last: list[Any] | None = None
        for page in pages(file.read(size), column.leaf, about[4], about[5]):
            values = iter(page.values)
            for again, level in zip(page.repetition, page.definition, strict=True):
                value = _cell(next(values), column) if level == column.leaf.defined else None
                if not column.listed:
                    yield value
                elif again and last is not None:
                    last.append(value)
                else:
                    if last is not None:
                        yield last
                    last = [value] if level >= column.listed else []
        if last is not None:
            yield last


def _footer(file: BinaryIO) -> bytes:
    size = file.seek(0, 2)
    file.seek(max(0, size - 8))
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != MAGIC or not 0 < length <= min(size - 8, LARGEST_FOOTER):
        raise MalformedError("it does not end as a Parquet file does")
    file.seek(size - 8 - length)
    return file.read(length)


def _columns(schema: Sequence[Fields]) -> Iterator[tuple[str, ParquetColumn]]:
    """Find the columns of a file: the children of its root that have one leaf, and at most one level of lists."""
    at = 1
    for _ in range(schema[0].get(5, 0)):
        begin, name = at, schema[at][4].decode()
        at = _after(schema, at)
        nodes = schema[begin:at]
        if any(node.get(5, 0) > 1 for node in nodes):
            continue  # it holds records, which no field asks for
        levels = [node.get(3, 0) for node in nodes]
        if levels.count(REPEATED) <= 1:
            yield name, _column(name, nodes, levels)


def _column(name: str, nodes: Sequence[Mapping[int, Any]], levels: Sequence[int]) -> ParquetColumn:
    leaf, listed = nodes[-1], 0
    if REPEATED in levels:
        listed = sum(1 for level in levels[: levels.index(REPEATED) + 1] if level)
    meanings = leaf.get(10, {})
    plain = leaf.get(6, 0) in _PLAIN_TYPES and (not meanings or bool(meanings.keys() & _PLAIN_MEANINGS))
    return ParquetColumn(
        name,
        tuple(node[4].decode() for node in nodes),
        Leaf(leaf[1], sum(1 for level in levels if level), levels.count(REPEATED)),
        listed,
        plain,
        leaf.get(6) in _UNSIGNED,
    )


def _after(schema: Sequence[Fields], at: int, depth: int = 0) -> int:
    """Give the place after a node and all that is below it."""
    if depth > 50:
        raise MalformedError("nested too deep")
    children = schema[at].get(5, 0)
    at += 1
    for _ in range(children):
        at = _after(schema, at, depth + 1)
    return at


def _cell(value: Any, column: ParquetColumn) -> Any:
    if column.leaf.kind == BYTES:
        return value.decode()
    if column.unsigned and value < 0:
        return value + (1 << 32 if column.leaf.kind == 1 else 1 << 64)
    if column.leaf.kind == FLOAT:  # the shortest text that is this number and no other
        spelled = (float(f"{value:.{digits}g}") for digits in range(6, 10))
        return next((short for short in spelled if struct.pack("<f", short) == struct.pack("<f", value)), value)
    return value
