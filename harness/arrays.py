"""NumPy array files as every step reads and writes them: `.npy` and `.npz` without pickles, in bounded memory.

What a file says of itself is held against its bytes before anything is made of it: an array of objects, a header that
lies, a member that is no member are refused by name. It must never know what an array means.
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

Array = Any  # of numpy, which only the functions that make one load
ZIP = b"PK\x03\x04"
MOST = 1 << 30  # bytes of arrays that are held whole, or inflated
MEMBERS, DIRECTORY = 10_000, 16 << 20  # of an archive: how many there may be, and the bytes that list them
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error, ValueError)
STAMP = (1980, 1, 1, 0, 0, 0)  # of every member, so that equal arrays have equal bytes


def file_format(path: Path) -> str:
    """Detect by its first bytes whether a file is `npy`, `npz` or neither (empty), since outputs have no suffix."""
    with open(path, "rb") as file:
        begin = file.read(6)
    return "npy" if begin == MAGIC else "npz" if begin[:4] == ZIP else ""


def headers(path: Path) -> dict[str, ArrayHeader]:
    """Read the header of each array in a file, by name, checked against the bytes; a .npy has one, unnamed."""
    if file_format(path) != "npz":
        with _opened(path, "") as (_, head):
            return {"": head}
    with _archive(path) as archive:
        return {info.filename.removesuffix(".npy"): _member(archive, info, str(path))[1] for info in archive.infolist()}


def blocks(path: Path, member: str = "", *, any_order: bool = False) -> Iterator[Array]:
    """Iterate over an array in blocks of rows, in constant memory however large it is; one without rows has no block.

    Fortran order lays no row in one piece: it is refused, or with `any_order` read whole, up to 1 GiB.
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
    """Memory-map the array of a .npy file, read-only, in its own order; texts, booleans and empty arrays are read."""
    import numpy as np  # noqa: PLC0415

    with _opened(path, "") as (_, head):
        order: Any = "F" if head.fortran else "C"
        if not head.size or head.dtype[1] in "Ub":  # these are looked at, element by element
            return read(path)
        return np.memmap(path, head.dtype, "r", head.start, head.shape, order)


def read(path: Path, member: str = "", *, most: int = MOST) -> Array:
    """Read one array whole; InputError where it has more than `most` bytes. A `.npz` file needs the name `member`."""
    with _opened(path, member) as (stream, head):
        return _whole(stream, head, most, _at(path, member))


def read_all(path: Path, *, most: int = MOST) -> dict[str, Array]:
    """Read all arrays of a .npz file by name; InputError where they have more than `most` bytes together."""
    with _archive(path) as archive:
        found, left = {}, most
        for info in archive.infolist():
            stream, head = _member(archive, info, str(path))
            name = info.filename.removesuffix(".npy")
            found[name] = _whole(stream, head, left, _at(path, name))
            left -= head.size
        return found


def write(path: Path, array: Array) -> None:
    """Write one array as a .npy file, in C order: equal arrays have equal bytes."""
    with open(path, "wb") as out:
        _put(out, array)


def write_all(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write named arrays as an uncompressed .npz file without dates, sorted by name: equal arrays have equal bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(arrays):
            _named(f"{name}.npy", str(path))
            info = zipfile.ZipInfo(f"{name}.npy", STAMP)
            info.create_system, info.external_attr = 3, 0o644 << 16
            # The size, told beforehand, decides on the form of the entry: a forced one is spelt by each Python its way.
            info.file_size = len(header_bytes(dtype_text(arrays[name].dtype), arrays[name].shape)) + arrays[name].nbytes
            with archive.open(info, "w") as out:
                _put(cast(BinaryIO, out), arrays[name])


@contextmanager
def stream_writer(path: Path, dtype: Any, shape: tuple[int, ...]) -> Iterator[Callable[[Array], None]]:
    """Open a writer of a .npy file of a known shape: each call appends rows.

    InputError for rows of another shape or type, for too many, and at the end for too few.
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
    for start in range(0, flat.size, CHUNK):  # an archive takes no more than 4 GiB at once
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
    """Decode bytes as elements; invalid letters and booleans are refused, since numpy would crash on them."""
    import numpy as np  # noqa: PLC0415

    least = {"U": (head.dtype[0] + "u4", 0x10FFFF), "b": ("|u1", 1)}.get(head.dtype[1])
    if least and data and np.frombuffer(data, least[0]).max() > least[1]:
        raise array_error("it holds what is no letter, or neither true nor false", where)
    return np.frombuffer(data, head.dtype)


def _ended(stream: BinaryIO, where: str) -> None:
    """Check that nothing follows the last element; an archive's checksum of the bytes is verified here, too."""
    if stream.read(1):
        raise array_error("bytes follow it that belong to nothing", where)


class _Frugal(io.BufferedReader):
    """Read wrapper around an archive's file that bounds a single read, so no list of members exhausts memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read so many bytes, or what there is; a read beyond the bound means that the archive is broken."""
        data = super().read(min(DIRECTORY + 1, DIRECTORY + 1 if size is None or size < 0 else size))
        if len(data) > DIRECTORY:
            raise zipfile.BadZipFile(f"more than {DIRECTORY >> 20} MiB list its members")
        return data


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a .npz file whose members are plain: few, uniquely named, bounded, neither nested nor encrypted."""
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
