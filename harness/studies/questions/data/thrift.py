"""Thrift's compact protocol, as Parquet writes its headers: a struct becomes a map by field number.

It reads bytes that anybody may have written: depth and lengths are bounded by what is there. It knows no field.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

DEEPEST = 12
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)
Fields = dict[int, Any]


class MalformedError(ValueError):
    """Bytes that are not what their format says."""


class ThriftReader:
    """A reader of one message, at a place in some bytes."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def struct(self, depth: int = 0) -> Fields:
        """Read a struct: the values of its fields by their numbers."""
        if depth > DEEPEST:
            raise MalformedError("nested too deep")
        found: Fields = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._signed()
            found[number] = self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int, *, listed: bool = False) -> Any:
        if kind in (_TRUE, _FALSE) and not listed:
            return kind == _TRUE
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        readers: dict[int, Callable[[], Any]] = {
            **dict.fromkeys((_TRUE, _FALSE, _BYTE), self._byte),
            **dict.fromkeys(_INTEGERS, self._signed),
            _DOUBLE: lambda: struct.unpack("<d", self._take(8))[0],
            _BINARY: lambda: self._take(self._unsigned()),
        }
        if kind not in readers:
            raise MalformedError("a value of an unknown kind")
        return readers[kind]()

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count, kind = head >> 4, head & 15
        count = self._unsigned() if count == 15 else count
        if count > len(self.data) - self.at or depth > DEEPEST:
            raise MalformedError("a list without end")
        return [self._value(kind, depth + 1, listed=True) for _ in range(count)]

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise MalformedError("the bytes end too early")
        self.at += count
        return found

    def _unsigned(self) -> int:
        value, self.at = varint(self.data, self.at)
        return value

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of up to ten bytes with seven bits each; gives it, and the place after it."""
    value = 0
    for place in range(10):
        if at + place >= len(data):
            raise MalformedError("the bytes end too early")
        byte = data[at + place]
        value |= (byte & 127) << (7 * place)
        if byte < 128:
            return value, at + place + 1
    raise MalformedError("a number without end")
