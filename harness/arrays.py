"""Reading and writing of NumPy array files for all steps: `.npy` and `.npz` without pickles, in bounded memory.

The header of a file is checked against its bytes before an array is made. Arrays of objects, headers that do not match
the data and invalid archive members are refused with an error that names them.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from harness.digest import CHUNK
from harness.errors import InputError
from harness.npy import (
    MAGIC,
    ArrayHeader,
    array_error,
    dtype_text,
    header_bytes,
    read_exactly,
    read_header,
    require_size,
)

Array = Any  # a numpy array; only functions that create arrays import numpy
ZIP = b"PK\x03\x04"
MOST = 1 << 30  # bytes of arrays that are held in memory at once, or decompressed
MEMBERS, DIRECTORY = 10_000, 16 << 20  # of an archive: the most members, and the most bytes of its directory
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error, ValueError)
STAMP = (1980, 1, 1, 0, 0, 0)  # date of every member, so that equal arrays have equal bytes


def file_format(path: Path) -> str:
    """Return the format of a file by its first bytes: `npy`, `npz`, or an empty string for any other file.

    Outputs of steps have no suffix, so the name does not tell the format.
    """
    with open(path, "rb") as file:
        begin = file.read(6)
    return "npy" if begin == MAGIC else "npz" if begin[:4] == ZIP else ""


def read_headers(path: Path) -> dict[str, ArrayHeader]:
    """Read the header of each array in a file, by name, checked against the bytes; a `.npy` array has an empty name."""
    if file_format(path) != "npz":
        with _opened(path, "") as (_, head):
            return {"": head}
    with _archive(path) as archive:
        return {info.filename.removesuffix(".npy"): _member(archive, info, str(path))[1] for info in archive.infolist()}


def read_blocks(path: Path, member: str = "", *, any_order: bool = False) -> Iterator[Array]:
    """Iterate over an array in blocks of rows, in constant memory however large the array is.

    An array without rows yields no block. In Fortran order a row is not contiguous: such an array is refused with an
    InputError, or with `any_order` read whole, up to 1 GiB.
    """
    with _opened(path, member) as (stream, head):
        where = _at(path, member)
        if head.fortran:
            if not any_order:
                raise array_error("it is in Fortran order, in which no row is one piece", where, "write it in C order")
            yield _whole(stream, head, MOST, where)
            return
        rows, inner = (head.shape[0], head.shape[1:]) if head.shape else (1, ())
        row = head.width * math.prod(inner)
        if row > MOST:
            raise array_error(f"one row of it has {row:,} bytes, at most {MOST:,} are held", where, "give it more rows")
        at_once = max(1, CHUNK // max(row, 1)) if head.size else max(rows, 1)
        for start in range(0, rows, at_once):
            count = min(at_once, rows - start)
            block = _elements(read_exactly(stream, count * row, where), head, where)
            yield block.reshape((count, *inner) if head.shape else ())
        _ended(stream, where)


def memory_map(path: Path) -> Array:
    """Memory-map the array of a `.npy` file, read-only, in its own order.

    Texts, booleans and empty arrays are read into memory instead.
    """
    import numpy as np  # noqa: PLC0415

    with _opened(path, "") as (_, head):
        order: Any = "F" if head.fortran else "C"
        if not head.size or head.dtype[1] in "Ub":  # each element of these is checked
            return read(path)
        return np.memmap(path, head.dtype, "r", head.start, head.shape, order)


def read(path: Path, member: str = "", *, most: int = MOST) -> Array:
    """Read one array whole; raises InputError if it has more than `most` bytes.

    A `.npz` file needs the name `member`.
    """
    with _opened(path, member) as (stream, head):
        return _whole(stream, head, most, _at(path, member))


def read_all(path: Path, *, most: int = MOST) -> dict[str, Array]:
    """Read all arrays of a `.npz` file by name; raises InputError if they have more than `most` bytes together."""
    with _archive(path) as archive:
        found, left = {}, most
        for info in archive.infolist():
            stream, head = _member(archive, info, str(path))
            name = info.filename.removesuffix(".npy")
            found[name] = _whole(stream, head, left, _at(path, name))
            left -= head.size
        return found


def write(path: Path, array: Array) -> None:
    """Write one array as a `.npy` file, in C order; equal arrays have equal bytes."""
    with open(path, "wb") as out:
        _put(out, array)


def write_all(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write named arrays as an uncompressed `.npz` file, sorted by name and without dates.

    Equal arrays have equal bytes.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(arrays):
            _named(f"{name}.npy", str(path))
            info = zipfile.ZipInfo(f"{name}.npy", STAMP)
            info.create_system, info.external_attr = 3, 0o644 << 16
            # With the size known beforehand, zipfile chooses the form of the entry; a forced form differs between
            # Pythons.
            info.file_size = len(header_bytes(dtype_text(arrays[name].dtype), arrays[name].shape)) + arrays[name].nbytes
            with archive.open(info, "w") as out:
                _put(cast(BinaryIO, out), arrays[name])


@contextmanager
def stream_writer(path: Path, dtype: Any, shape: tuple[int, ...]) -> Iterator[Callable[[Array], None]]:
    """Context manager that opens a writer of a `.npy` file of known shape; each call of the writer appends rows.

    Raises InputError for rows of another shape or type, for too many rows, and at the end for too few.
    """
    import numpy as np  # noqa: PLC0415

    kind, done = dtype_text(dtype), 0
    with open(path, "wb", buffering=CHUNK) as out:
        out.write(header_bytes(kind, shape))

        def add(rows: Array) -> None:
            nonlocal done
            if rows.shape[1:] != shape[1:] or dtype_text(rows.dtype) != kind or done + len(rows) > shape[0]:
                told = f"{len(rows)} rows {[*rows.shape[1:]]} of {rows.dtype} do not fit after {done}"
                raise InputError(
                    told, where=f"{path.name}: {kind} {[*shape]}", next="give the rows that were announced"
                )
            out.write(np.ascontiguousarray(rows, kind).data)
            done += len(rows)

        yield add
    if done != shape[0]:
        raise InputError(f"{done} rows came of {shape[0]}", where=path.name, next="give the rows that were announced")


def _put(out: BinaryIO, array: Array) -> None:
    import numpy as np  # noqa: PLC0415

    kind = dtype_text(array.dtype)
    out.write(header_bytes(kind, array.shape))
    flat = np.ascontiguousarray(array, kind).reshape(-1)
    for start in range(0, flat.size, CHUNK):  # a zip archive takes at most 4 GiB at once
        out.write(flat[start : start + CHUNK].tobytes())


def _at(path: Path, member: str) -> str:
    return f"{path}: {member}" if member else str(path)


@contextmanager
def _opened(path: Path, member: str) -> Iterator[tuple[BinaryIO, ArrayHeader]]:
    if member or file_format(path) == "npz":
        with _archive(path) as archive:
            if f"{member}.npy" not in archive.namelist():
                has = ", ".join(name.removesuffix(".npy") for name in archive.namelist()[:8])
                raise InputError(f"the file has no array {member!r}", where=str(path), next=f"it has: {has or 'none'}")
            yield _member(archive, archive.getinfo(f"{member}.npy"), str(path))
        return
    with open(path, "rb") as file:
        head = read_header(file, str(path))
        require_size(head, path.stat().st_size, str(path))
        yield file, head


def _whole(stream: BinaryIO, head: ArrayHeader, most: int, where: str) -> Array:

    if head.size > most:
        raise array_error(f"it has {head.size:,} bytes, at most {max(most, 0):,} are held at once", where, "cut it up")
    flat = _elements(read_exactly(stream, head.size, where), head, where)
    _ended(stream, where)
    return flat.reshape(head.shape[::-1]).transpose() if head.fortran else flat.reshape(head.shape)


def _elements(data: bytes | memoryview, head: ArrayHeader, where: str) -> Array:
    """Decode bytes as elements; raises InputError for invalid characters and booleans, on which numpy would crash."""
    import numpy as np  # noqa: PLC0415

    least = {"U": (head.dtype[0] + "u4", 0x10FFFF), "b": ("|u1", 1)}.get(head.dtype[1])
    if least and data and np.frombuffer(data, least[0]).max() > least[1]:
        raise array_error("it holds what is no letter, or neither true nor false", where)
    return np.frombuffer(data, head.dtype)


def _ended(stream: BinaryIO, where: str) -> None:
    """Check that nothing follows the last element; reading to the end also verifies an archive's checksum."""
    if stream.read(1):
        raise array_error("bytes follow it that belong to nothing", where)


class _Frugal(io.BufferedReader):
    """Reader of an archive's file that bounds each single read, so that no list of members exhausts memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most `size` bytes; a read that returns more than the bound raises BadZipFile."""
        data = super().read(min(DIRECTORY + 1, DIRECTORY + 1 if size is None or size < 0 else size))
        if len(data) > DIRECTORY:
            raise zipfile.BadZipFile(f"more than {DIRECTORY >> 20} MiB list its members")
        return data


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Context manager that opens a `.npz` file and checks its members.

    There may not be too many members. Their names must be unique, their sizes bounded, and none may be nested or
    encrypted.
    """
    where = str(path)
    try:
        with _Frugal(open(path, "rb", buffering=0)) as file, zipfile.ZipFile(file) as archive:
            _sound(archive.infolist(), path.stat().st_size, where)
            yield archive
    except BROKEN as bad:
        raise array_error(f"it is no sound .npz file: {bad}"[:200], where) from None


def _sound(members: list[zipfile.ZipInfo], size: int, where: str) -> None:
    if len(members) > MEMBERS:
        raise array_error(f"it has {len(members):,} members, at most {MEMBERS:,} are read", where)
    seen: set[str] = set()
    for info in members:
        _named(info.orig_filename, where)
        if info.filename in seen:
            raise array_error(f"two of its members are called {info.filename!r}", where)
        seen.add(info.filename)
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise array_error(
                f"its member {info.filename!r} is encrypted or compressed in a way that is not read", where
            )
    if sum(info.compress_size for info in members) > size:
        raise array_error("its members overlap: together they are larger than the file", where)
    inflated = sum(info.file_size for info in members if info.compress_type == zipfile.ZIP_DEFLATED)
    if inflated > MOST:
        raise array_error(
            f"it would inflate to {inflated:,} bytes, at most {MOST:,} are held", where, "do not compress it"
        )


def _named(name: str, where: str) -> None:
    if not re.fullmatch(r"[^/\\\0]{1,200}\.npy", name) or not name.isprintable():
        raise array_error(f"its member {name[:60]!r} has no array's name: a name without a path is needed", where)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> tuple[BinaryIO, ArrayHeader]:
    where = f"{where}: {info.filename.removesuffix('.npy')}"
    stream = cast(BinaryIO, archive.open(info))
    head = read_header(stream, where)
    require_size(head, info.file_size, where)
    return stream, head
