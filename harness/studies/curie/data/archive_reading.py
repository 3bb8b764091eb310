"""A reader of the published zip archive that does not trust it: names, sizes, ratios and kinds are checked first.

Nothing is unpacked to disk. Independent of what the members mean.
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from harness.errors import InputError
from harness.studies.curie.data.file_texts import LARGEST
from harness.studies.curie.data.published import PublishedFiles

MOST_MEMBERS = 20_000
MOST_BYTES = 4 << 30  # of all members, unpacked
MOST_DIRECTORY = 8 << 20  # bytes of the list of members, which is read in one piece
RATIO, SMALL = 200, 1 << 20  # a member above SMALL may not unpack to more than RATIO times its packed bytes
POINTER = b"version https://git-lfs"
ADVICE = "fetch the published archive, whose digest the manifest pins"
_NAME = re.compile(r"[!-~][ -~]{0,299}")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
_TAIL = 22 + (1 << 16)


@contextmanager
def opened(path: Path) -> Iterator[PublishedFiles]:
    """Context manager that opens a zip or tar archive and yields its plain files by name, to be read one by one.

    Raises InputError if the file is not a zip archive, such as the pointer that Git LFS leaves in its place; for a name
    that leads out of the archive or occurs twice; for links and encrypted members; and if there are more or larger
    members than the MOST_… constants allow.
    """
    with open(path, "rb") as file:
        if file.read(len(POINTER)) == POINTER:
            raise InputError(
                "this is a pointer of Git LFS and not the archive",
                where=str(path),
                next="get the file itself: `git lfs pull`, or the address of the media, not of the blob",
            )
        _bound_directory(file)
        try:
            archive = zipfile.ZipFile(file)
        except _BROKEN as bad:
            raise _broken(path.name, bad) from bad
        with archive:
            members = {one.filename: one for one in _plain(archive.infolist()) if not one.is_dir()}
            yield PublishedFiles(tuple(sorted(members)), lambda name: _read(archive, members[name]))


def _plain(members: Sequence[zipfile.ZipInfo]) -> Sequence[zipfile.ZipInfo]:
    """Return the members if each is harmless according to the archive's list, before any is unpacked."""
    if len(members) > MOST_MEMBERS:
        raise InputError(f"the archive has more than {MOST_MEMBERS} members", next=ADVICE)
    for one in members:
        _harmless(one)
    if twice := [name for name, times in Counter(one.filename for one in members).items() if times > 1]:
        raise InputError("a name stands twice in the archive", where=twice[0], next=ADVICE)
    if (size := sum(one.file_size for one in members)) > MOST_BYTES:
        raise InputError(f"the archive would unpack to {size} bytes, more than {MOST_BYTES}", next=ADVICE)
    return members


def _harmless(one: zipfile.ZipInfo) -> None:
    name, mode = one.orig_filename, one.external_attr >> 16
    parts = name.removesuffix("/").split("/")
    if not _NAME.fullmatch(name) or "\\" in name or ":" in parts[0] or any(part in ("", ".", "..") for part in parts):
        raise InputError("a name in the archive leads out of it, or is no name", where=ascii(name[:80]), next=ADVICE)
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise InputError("a member of the archive is no plain file", where=name, next=ADVICE)
    if one.flag_bits & 1:
        raise InputError("a member of the archive is encrypted", where=name, next=ADVICE)
    if one.file_size > max(SMALL, RATIO * one.compress_size):
        raise InputError(
            f"a member of the archive would unpack {one.compress_size} bytes to {one.file_size}",
            where=name,
            next=ADVICE,
        )


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack one member in memory; zipfile returns no more bytes than the archive states, and checks their checksum."""
    if member.file_size > LARGEST:
        raise InputError(f"a member of more than {LARGEST} bytes", where=member.filename, next=ADVICE)
    try:
        with archive.open(member) as file:
            return file.read(LARGEST + 1)
    except _BROKEN as bad:
        raise _broken(member.filename, bad) from bad


def _bound_directory(file: BinaryIO) -> None:
    """Refuse an archive whose list of members is too long to be read in one piece, judged by its end record."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _TAIL))
    tail = file.read()
    end = tail.rfind(b"PK\5\6")
    if end < 0 or len(tail) - end < 22:
        raise InputError("this is no zip archive", next=ADVICE)
    listed = int.from_bytes(tail[end + 12 : end + 16], "little")
    large = tail[max(0, end - 76) : max(0, end - 20)]  # where the end record of a zip64 archive would be
    if large.startswith(b"PK\6\6"):
        listed = int.from_bytes(large[40:48], "little")
    if listed > MOST_DIRECTORY:
        raise InputError("the archive's list of members is too long", next=ADVICE)


def _broken(where: str, bad: Exception) -> InputError:
    return InputError(f"the archive is damaged: {str(bad)[:80]}", where=where, next=ADVICE)
