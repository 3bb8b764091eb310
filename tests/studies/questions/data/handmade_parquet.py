"""A Parquet file of five numbers, spelled byte by byte: it may say of itself whatever a test wants it to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NUMBERS = b"".join(number.to_bytes(4, "little") for number in range(5))


class Long(int):
    """A number that a header has in 64 bits."""


@dataclass(frozen=True)
class Claims:
    """What a file of one column and one page says of itself; where nothing else is asked, the truth."""

    rows: int = 5
    group: int = 5  # rows of its only group
    values: int = 5  # of the column
    page: int = 5  # values of the page
    unpacked: int | None = None
    packed: int | None = None
    column: int | None = None  # bytes
    begin: int = 4
    codec: int = 0
    encoding: int = 0
    optional: bool = False
    body: bytes = NUMBERS
    second: dict[int, int] | None = None  # a page's header of the second version

    def file(self) -> bytes:
        """Spell the file."""
        unpacked = len(self.body) if self.unpacked is None else self.unpacked
        packed = len(self.body) if self.packed is None else self.packed
        about = {5: {1: self.page, 2: self.encoding, 3: 3, 4: 3}} if self.second is None else {8: self.second}
        page = message({1: 0 if self.second is None else 3, 2: unpacked, 3: packed, **about}) + self.body
        size = Long(len(page) if self.column is None else self.column)
        column = {1: 1, 2: [self.encoding], 3: [b"n"], 4: self.codec, 5: Long(self.values), 6: size, 7: size}
        column[9] = Long(self.begin)
        group = {1: [{2: Long(self.begin), 3: column}], 2: size, 3: Long(self.group)}
        schema = [{4: b"schema", 5: 1}, {1: 1, 3: int(self.optional), 4: b"n"}]
        footer = message({1: 1, 2: schema, 3: Long(self.rows), 4: [group]})
        return b"PAR1" + page + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def message(value: Any) -> bytes:
    """Write a value as Thrift's compact protocol does; a map by field number is a struct."""
    if isinstance(value, dict):
        out, last = b"", 0
        for number, field in value.items():
            out += bytes([(number - last) << 4 | _kind(field)]) + message(field)
            last = number
        return out + b"\0"
    if isinstance(value, bytes):
        return bytes([len(value)]) + value
    if isinstance(value, list):
        return bytes([len(value) << 4 | _kind(value[0])]) + b"".join(map(message, value))
    return varint((value << 1) ^ (value >> 63))


def varint(left: int) -> bytes:
    """Write a number in groups of seven bits."""
    out = b""
    while left > 127:
        out, left = out + bytes([left & 127 | 128]), left >> 7
    return out + bytes([left])


def _kind(value: Any) -> int:
    kinds = {dict: 12, bytes: 8, list: 9, Long: 6, int: 5}
    return kinds[type(value)]
