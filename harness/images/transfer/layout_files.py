"""Files of an untrusted OCI layout, folder or tar: read in place, without following links or unpacking.

Whoever wrote them may mean harm: links, devices, paths that climb, names that stand twice and headers without an end
are refused. Nothing is unpacked: a part is read from where it lies.
"""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from harness.errors import InputError
from harness.files import translating_os_errors
from harness.images.transfer.ingest import Read

MEMBERS = 10_000  # far more than any image has
HEADER = 1 << 16  # the longest piece of a tar's own fields that is ever read at once


class LayoutFiles(Protocol):
    """Interface of a layout's files."""

    path: Path

    def part(self, name: str) -> AbstractContextManager[Read]:
        """Open one file of the layout; gives the function that reads its bytes."""


@contextmanager
def open_layout(path: Path) -> Iterator[LayoutFiles]:
    """Open a layout's folder or archive."""
    with translating_os_errors(path):
        facts = path.stat()
    if stat.S_ISDIR(facts.st_mode):
        yield _Folder(path)
    elif stat.S_ISREG(facts.st_mode):
        with translating_os_errors(path), open(path, "rb") as file:
            yield _Archive(path, file, facts.st_size)
    else:
        raise InputError("neither a folder nor a file", where=str(path), next="give an OCI layout or an archive of one")


def _absent(path: Path, name: str) -> InputError:
    return InputError(
        f"{name} is missing", where=str(path), next="give a whole OCI layout, such as `harness images save` writes"
    )


class _Folder:
    """Layout in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in ("blobs", "blobs/sha256"):
            if (path / name).is_symlink():
                raise InputError(f"{name} is a link", where=str(path), next="give a layout without links")

    @contextmanager
    def part(self, name: str) -> Iterator[Read]:
        """Open one file; a link or a device is never followed."""
        try:
            handle = os.open(self.path / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError as bad:
            raise _absent(self.path, name) from bad
        except OSError as bad:
            raise InputError(
                f"{name} cannot be read: {bad.strerror}", where=str(self.path), next="give a layout without links"
            ) from bad
        with open(handle, "rb", buffering=0) as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(f"{name} is not a plain file", where=str(self.path), next="give a plain layout")
            yield file.read


class _Bounded:
    """File wrapper for the tar reader that bounds each read; it may seek as it likes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= HEADER:
            raise ValueError("a header of this tar is too long")
        return self._file.read(size)


class _Archive:
    """Layout in a tar; its members are listed once and read in place."""

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self.path = path
        self._file = file
        self._found: dict[str, tuple[int, int]] = {}
        try:
            with tarfile.open(fileobj=_Bounded(file), mode="r:") as tar:  # type: ignore[call-overload]
                count = 0
                while member := tar.next():
                    count += 1
                    if count > MEMBERS:
                        raise self._refused(f"this archive has more than {MEMBERS} members")
                    self._note(member, size)
        except (tarfile.TarError, ValueError, OverflowError, RecursionError, EOFError) as bad:
            raise InputError(
                "this is not an archive of an image, or it was cut short or compressed",
                where=str(path),
                next="fetch it again, and decompress it first; `harness images save` writes such archives",
            ) from bad

    def _note(self, member: tarfile.TarInfo, size: int) -> None:
        name = member.name.removeprefix("./")
        if name.startswith("/") or ".." in name.split("/"):
            raise self._refused(f"a path in this archive leads out of it: {name[:80]!r}")
        if member.isdir():
            return
        if not member.isreg() or member.issparse():
            raise self._refused(f"{name[:80]!r} in this archive is a link, a device or a sparse file")
        if member.size < 0 or member.offset_data + member.size > size:
            raise self._refused(f"{name[:80]!r} is longer than this archive: it was cut short")
        if name in self._found:
            raise self._refused(f"{name[:80]!r} stands in this archive twice")
        self._found[name] = (member.offset_data, member.size)

    def _refused(self, what: str) -> InputError:
        return InputError(what, where=str(self.path), next="fetch the archive again from its source")

    @contextmanager
    def part(self, name: str) -> Iterator[Read]:
        """Open one member of the tar."""
        if name not in self._found:
            raise _absent(self.path, name)
        offset, left = self._found[name]

        def read(size: int) -> bytes:
            nonlocal offset, left
            with translating_os_errors(self.path):
                self._file.seek(offset)
                piece = self._file.read(min(size, left))
            offset, left = offset + len(piece), left - len(piece)
            return piece

        yield read
