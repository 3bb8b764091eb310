"""Reproducible tar of a layer: its bytes depend on its contents alone, never on a clock, a user or a folder's order."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from harness.digest import CHUNK
from harness.errors import HarnessError, MissingError
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


_FULL = re.compile(r"no space left on device|disk quota exceeded|file too large", re.IGNORECASE)


def environment(temp: Path, *, network: bool = False) -> dict[str, str]:
    """Make the only environment variables such a program sees, so that nothing of the user's shell reaches an image.

    What fetches also sees the user's proxies and pip's settings; what it brings is held against a digest.
    """
    wanted = re.compile(r"(?i)\w*_proxy|PIP_\w+|SSL_CERT_\w+|NETRC")
    kept = {name: value for name, value in os.environ.items() if network and wanted.fullmatch(name)}
    home = os.environ.get("HOME", str(temp)) if network else str(temp)  # pip's settings lie there
    fixed = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return {**kept, **fixed, "HOME": home, "TMPDIR": str(temp)}


def require_program(program: str, package: str) -> str:
    """Find a program, or raise an error that names the Debian package with it."""
    found = shutil.which(program)
    if not found:
        raise MissingError(f"{program} is not installed", next=f"apt-get install {package}")
    return found


def program_error(what: str, said: str, advice: str) -> HarnessError:
    """Make the error of a failed program: the usual one for a full disk, else its own last lines."""
    lines = [line for line in said.strip().splitlines() if line.strip()]
    if full := next((line for line in lines if _FULL.search(line)), ""):
        return MissingError(
            "the disk is full",
            where=full[:300],
            next="free some room and run again: everything finished so far is kept",
        )
    return MissingError(f"{what} failed: " + "; ".join(line[:240] for line in lines[-3:]), next=advice)
