"""Snappy's raw format, unpacked: what most Parquet files are packed with.

It reads bytes that anybody may have written: nothing grows beyond the length that is asked for.
"""

from __future__ import annotations

from harness.studies.questions.data.thrift import MalformedError, varint

_LONG = 60  # from which on the length of a literal has bytes of its own


def unpack(data: bytes, length: int) -> bytes:
    """Unpack bytes; MalformedError unless they are of that length, and well-formed."""
    told, at = varint(data, 0)
    if told != length:
        raise MalformedError("packed bytes of another length than was said")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            size = tag >> 2
            if size >= _LONG:
                more = size - _LONG + 1
                size, at = int.from_bytes(data[at : at + more], "little"), at + more
            size += 1
            if at + size > len(data):
                raise MalformedError("packed bytes end too early")
            out += data[at : at + size]
            at += size
        else:
            size, back, at = _copy(data, tag, at)
            if not 0 < back <= len(out):
                raise MalformedError("a copy of what is not there")
            _repeat(out, back, size)
        if len(out) > length:
            raise MalformedError("packed bytes that are longer than was said")
    if len(out) != length:
        raise MalformedError("packed bytes end too early")
    return bytes(out)


def _copy(data: bytes, tag: int, at: int) -> tuple[int, int, int]:
    """Read how much is copied from how far back; gives the place after it too."""
    if tag & 3 == 1:
        if at >= len(data):
            raise MalformedError("packed bytes end too early")
        return (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], at + 1
    wide = 2 if tag & 3 == 2 else 4
    if at + wide > len(data):
        raise MalformedError("packed bytes end too early")
    return (tag >> 2) + 1, int.from_bytes(data[at : at + wide], "little"), at + wide


def _repeat(out: bytearray, back: int, size: int) -> None:
    """Append bytes from further back; they may reach into what is being appended."""
    begin = len(out) - back
    piece = bytes(out[begin : begin + size])
    while len(piece) < size:
        piece += piece[: size - len(piece)]
    out += piece
