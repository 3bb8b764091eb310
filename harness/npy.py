"""Headers of `.npy` arrays: parsed with bounds, checked against the file's size, and written canonically.

The format is that of `.npy` (numpy.lib.format), without the types that need a pickle.
"""

from __future__ import annotations

import ast
import math
import re
import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

from harness.errors import InputError

MAGIC = b"\x93NUMPY"
HEADER = 10_000  # bytes of a header: numpy's own bound
LARGEST = 1 << 62  # bytes of any array
KIND = re.compile(r"[<>|](?:b1|[iu][1248]|f[248]|c8|c16|[US][1-9][0-9]{0,8})")
NAMES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex", "U": "text", "S": "bytes"}
LENGTHS = {b"\x01\x00": "<H", b"\x02\x00": "<I", b"\x03\x00": "<I"}  # of the header, by the version of the format
PIECE = 1 << 20  # bytes read at once: an archive bounds each read
GROWTH = 21  # as in numpy, a header leaves room for a longer first dimension, so that the bytes are equal


@dataclass(frozen=True)
class ArrayHeader:
    """Header of an array: element type, shape, order, and the offset of the first element."""

    dtype: str
    shape: tuple[int, ...]
    fortran: bool
    start: int

    @property
    def width(self) -> int:
        """The number of bytes of one element."""
        return int(self.dtype[2:]) * (4 if self.dtype[1] == "U" else 1)

    @property
    def size(self) -> int:
        """The number of bytes of all elements."""
        return self.width * math.prod(self.shape)

    def text(self) -> str:
        """Format the element type and shape for people: `float32 [3, 4]`."""
        kind, width = self.dtype[1], self.dtype[2:]
        bits = "" if kind == "b" else width if kind in "US" else str(8 * int(width))
        return f"{NAMES[kind]}{bits} {[*self.shape]}"


def read_header(stream: BinaryIO, where: str) -> ArrayHeader:
    """Parse an untrusted header in bounded time and memory; raises InputError if it is invalid or needs a pickle."""
    begin = stream.read(8)
    if begin[:6] != MAGIC:
        pickle = begin[:1] == b"\x80" and begin[1:2] in b"\x02\x03\x04\x05"
        raise array_error("it is a pickle, and none is ever opened" if pickle else "it is no .npy file", where)
    if begin[6:] not in LENGTHS:
        raise array_error("its version of the format is not known", where)
    length = LENGTHS[begin[6:]]
    field = struct.calcsize(length)
    [size] = struct.unpack(length, read_exactly(stream, field, where))
    if size > HEADER:
        raise array_error(f"its header would have {size:,} bytes, at most {HEADER:,} are read", where)
    try:
        said = ast.literal_eval(bytes(read_exactly(stream, size, where)).decode("utf-8").strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise array_error("its header cannot be read", where) from None
    if not isinstance(said, dict) or said.keys() != {"descr", "fortran_order", "shape"}:
        raise array_error("its header does not say type, order and shape", where)
    return _believable(said["descr"], said["fortran_order"], said["shape"], 8 + field + size, where)


def _believable(kind: Any, fortran: Any, shape: Any, start: int, where: str) -> ArrayHeader:
    if isinstance(kind, str) and kind.lstrip("<>|=").startswith("O"):
        raise array_error("it holds Python objects, which are pickles", where)
    if not isinstance(kind, str) or not KIND.fullmatch(kind):
        what = "records" if isinstance(kind, list) else repr(kind)[:40]
        raise array_error(f"it holds {what}, and neither numbers, true and false, nor texts", where)
    if not isinstance(fortran, bool):
        raise array_error("its header does not say the order of its elements", where)
    if not isinstance(shape, tuple) or len(shape) > 32 or not all(type(one) is int and one >= 0 for one in shape):
        raise array_error("its header has a shape that is not valid", where)
    head = ArrayHeader(kind, shape, fortran and len(shape) > 1, start)
    if head.width * math.prod(max(one, 1) for one in shape) > LARGEST:
        raise array_error("its header has a shape beyond all memory", where)
    return head


def require_size(head: ArrayHeader, size: int, where: str) -> None:
    """Raise InputError for a file whose size does not match its header, before memory is allocated for the array."""
    has = size - head.start
    if has < head.size:
        raise array_error(f"it is cut short: {head.text()} has {head.size:,} bytes, {has:,} are there", where)
    if has > head.size:
        raise array_error(f"{has - head.size:,} bytes follow {head.text()} that belong to nothing", where)


def array_error(
    what: str, where: str, mend: str = "write it again, as numpy.save writes arrays of numbers"
) -> InputError:
    """Return the error for an array that is refused: what is wrong, where, and what to do about it."""
    return InputError(f"this array is refused: {what}", where=where, next=mend)


def read_exactly(stream: BinaryIO, size: int, where: str) -> bytes | memoryview:
    """Read exactly `size` bytes, a piece at a time; raises InputError if the file is cut short."""
    if size <= PIECE:
        data = stream.read(size)
        if len(data) != size:
            raise array_error("it is cut short", where)
        return data
    whole = memoryview(bytearray(size))
    done = 0
    while done < size:
        piece = stream.read(min(PIECE, size - done))
        if not piece:
            raise array_error("it is cut short", where)
        whole[done : done + len(piece)] = piece
        done += len(piece)
    return whole.toreadonly()


def dtype_text(dtype: Any) -> str:
    """Return the name of an element type as files spell it, always little-endian.

    Raises InputError for a type that would need a pickle.
    """
    import numpy as np  # noqa: PLC0415

    kind: str = np.dtype(dtype).newbyteorder("<").str
    if not KIND.fullmatch(kind):
        raise InputError(f"arrays of {np.dtype(dtype)} are not written", next="write numbers, true and false, or texts")
    return kind


def header_bytes(kind: str, shape: tuple[int, ...]) -> bytes:
    """Encode a header byte for byte as numpy.save does, so that equal arrays have equal files."""
    told = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {(*map(int, shape),)!r}, }}"
    told += " " * (GROWTH - len(str(int(shape[0])))) if shape else ""
    told += " " * (64 - (len(MAGIC) + 4 + len(told) + 1) % 64) + "\n"
    return MAGIC + b"\x01\x00" + struct.pack("<H", len(told)) + told.encode()
