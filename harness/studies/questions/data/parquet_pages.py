"""Pages of a Parquet column: unpacked, their levels and values decoded. It must never know what a column means.

It reads bytes that anybody may have written: whatever a header says, nothing grows beyond fixed bounds.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.studies.questions.data import snappy
from harness.studies.questions.data.thrift import Fields, MalformedError, ThriftReader, varint

LARGEST = 256 << 20  # bytes of a page, unpacked
MOST_VALUES = 5_000_000  # of a page
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3
_PLAIN, _OLD_DICTIONARY, _RLE, _DICTIONARY_INDEX = 0, 2, 3, 8
BOOLEAN, INT32, INT64, FLOAT, DOUBLE, BYTES = 0, 1, 2, 4, 5, 6
_FIXED = {INT32: "i", INT64: "q", FLOAT: "f", DOUBLE: "d"}
_CODECS = {0: "none", 1: "snappy", 2: "gzip"}
_OTHERS = {3: "LZO", 4: "Brotli", 5: "LZ4", 6: "Zstandard", 7: "LZ4"}


class UnreadableError(ValueError):
    """A part of Parquet that is not read here; its text says which, and what to write instead."""


@dataclass(frozen=True)
class Leaf:
    """A column's kind of values, and the greatest levels at which one stands, or a list repeats."""

    kind: int
    defined: int
    repeated: int


@dataclass(frozen=True)
class PageValues:
    """What a page holds: levels of repetition and definition of each place, and the values of those that have one."""

    repetition: Sequence[int]
    definition: Sequence[int]
    values: Sequence[Any]


def pages(data: bytes, leaf: Leaf, codec: int, count: int) -> Iterator[PageValues]:
    """Decode the pages of a column's bytes until so many places were read."""
    if codec not in _CODECS:
        raise UnreadableError(
            f"it is packed with {_OTHERS.get(codec, 'something unknown')}: write it with Snappy or gzip"
        )
    at, seen, words = 0, 0, []
    while seen < count:
        reader = ThriftReader(data, at)
        head = reader.struct()
        size, packed = head.get(2, -1), head.get(3, -1)
        at = reader.at + packed
        if not (0 <= size <= LARGEST and packed >= 0 and at <= len(data)):
            raise MalformedError("a page of an impossible size")
        body = data[reader.at : at]
        if head.get(1) == _DICTIONARY:
            about = head.get(7, {})
            words = plain(_unpacked(body, codec, size), leaf.kind, _count(about))
        elif head.get(1) in (_DATA, _DATA_2):
            read = _page if head[1] == _DATA else _page_2
            found = read(body, head, leaf, codec, words)
            seen += len(found.definition)
            yield found


def _count(about: Fields) -> int:
    count = about.get(1, -1)
    if not isinstance(count, int) or not 0 <= count <= MOST_VALUES:
        raise MalformedError("a page of an impossible number of values")
    return count


def _page(body: bytes, head: Fields, leaf: Leaf, codec: int, words: Sequence[Any]) -> PageValues:
    about = head.get(5, {})
    count, data, at = _count(about), _unpacked(body, codec, head[2]), 0
    levels = []
    for most in (leaf.repeated, leaf.defined):
        found: Sequence[int] = [0] * count if not most else []
        if most:
            size = int.from_bytes(data[at : at + 4], "little")
            found, at = hybrid(data[at + 4 : at + 4 + size], most.bit_length(), count), at + 4 + size
        levels.append(found)
    return _with_values(levels, data[at:], about.get(2, -1), leaf, words)


def _page_2(body: bytes, head: Fields, leaf: Leaf, codec: int, words: Sequence[Any]) -> PageValues:
    about = head.get(8, {})
    count, wide, deep = _count(about), about.get(6, 0), about.get(5, 0)
    if not (wide >= 0 and deep >= 0 and wide + deep <= len(body)):
        raise MalformedError("levels of an impossible size")
    repetition = hybrid(body[:wide], leaf.repeated.bit_length(), count)
    definition = hybrid(body[wide : wide + deep], leaf.defined.bit_length(), count)
    rest = body[wide + deep :]
    data = _unpacked(rest, codec, head[2] - wide - deep) if about.get(7, True) else rest
    return _with_values([repetition, definition], data, about.get(4, -1), leaf, words)


def _with_values(
    levels: Sequence[Sequence[int]], data: bytes, encoding: int, leaf: Leaf, words: Sequence[Any]
) -> PageValues:
    count = sum(1 for level in levels[1] if level == leaf.defined)
    if encoding == _PLAIN:
        values = plain(data, leaf.kind, count)
    elif encoding in (_OLD_DICTIONARY, _DICTIONARY_INDEX):
        places = hybrid(data[1:], data[0], count) if count else []
        values = [words[place] for place in places]
    elif encoding == _RLE and leaf.kind == BOOLEAN:
        values = [bool(bit) for bit in hybrid(data[4:], 1, count)]
    else:
        raise UnreadableError("its values are encoded as deltas or streams: write it with the usual encodings")
    return PageValues(levels[0], levels[1], values)


def _unpacked(body: bytes, codec: int, size: int) -> bytes:
    if not 0 <= size <= LARGEST:
        raise MalformedError("a page of an impossible size")
    if _CODECS[codec] == "none":
        return body
    if _CODECS[codec] == "snappy":
        return snappy.unpack(body, size)
    return zlib.decompressobj(31).decompress(body, size or 1)


def plain(data: bytes, kind: int, count: int) -> list[Any]:
    """Decode values that stand one after the other."""
    if kind in _FIXED:
        wide = struct.calcsize(f"<{_FIXED[kind]}")
        return list(struct.unpack(f"<{count}{_FIXED[kind]}", data[: count * wide]))
    if kind == BOOLEAN:
        if count > 8 * len(data):
            raise MalformedError("the bytes end too early")
        return [bool(data[place >> 3] >> (place & 7) & 1) for place in range(count)]
    if kind != BYTES:
        raise UnreadableError("it holds times or bytes of a fixed length: write it as text")
    found, at = [], 0
    for _ in range(count):
        size = int.from_bytes(data[at : at + 4], "little")
        if at + 4 + size > len(data):
            raise MalformedError("the bytes end too early")
        found.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def hybrid(data: bytes, width: int, count: int) -> list[int]:
    """Decode small numbers of a width in bits: runs of one number, and groups of eight that are packed."""
    if width == 0:
        return [0] * count
    if width > 32:
        raise MalformedError("numbers that are too wide")
    found: list[int] = []
    at, mask, wide = 0, (1 << width) - 1, (width + 7) // 8
    while len(found) < count:
        head, at = varint(data, at)
        if head & 1:
            for _ in range(min(head >> 1, (count - len(found) + 7) // 8)):
                bits = int.from_bytes(data[at : at + width], "little")
                found += [bits >> shift & mask for shift in range(0, 8 * width, width)]
                at += width
        else:
            found += [int.from_bytes(data[at : at + wide], "little")] * min(head >> 1, count - len(found))
            at += wide
        if at > len(data) + width:
            raise MalformedError("the bytes end too early")
    return found[:count]
