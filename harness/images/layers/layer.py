"""Reproducible tar of a layer: its bytes depend on its contents alone, never on a clock, a user or a folder's order."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from harness.digest import CHUNK
from harness.files import translating_os_errors


class Layer:
    """Tar writer: every folder once, before what it holds, and one date for everything."""

    def __init__(self, tar: tarfile.TarFile, epoch: int) -> None:
        self._tar = tar
        self._epoch = epoch
        self._folders: set[str] = set()
        self._files: set[str] = set()

    def add(self, member: tarfile.TarInfo, content: IO[bytes] | None = None) -> None:
        """Add a member with its own owner IDs and mode, dated at the epoch; names of owners are dropped."""
        member.mtime, member.uname, member.gname, member.pax_headers = self._epoch, "", "", {}
        if member.isdir():
            self._folders.add(member.name)
        self._tar.addfile(member, content)

    def file(self, name: str, size: int, content: IO[bytes], mode: int = 0o644) -> None:
        """Add a regular file owned by root, after its parent folders; a path already there is skipped."""
        if name in self._files:
            return
        self._files.add(name)
        for folder in reversed(PurePosixPath(name).parents[:-1]):
            if str(folder) not in self._folders:
                above = tarfile.TarInfo(str(folder))
                above.type, above.mode = tarfile.DIRTYPE, 0o755
                self.add(above)
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, mode
        self.add(member, content)


@contextmanager
def layer(path: Path, epoch: int) -> Iterator[Layer]:
    """Open a layer's tar for writing; it is complete only after the block."""
    with (
        translating_os_errors(path),
        open(path, "wb", buffering=CHUNK) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        yield Layer(tar, epoch)
