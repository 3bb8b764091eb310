"""Content-addressed blob store: files named by their SHA-256, written once, read-only, verified when delivered.

A blob that was found sound is not read again while its file is unchanged.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from io import BufferedReader, FileIO, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING

from harness.digest import CHUNK, sha256, sha256_stream
from harness.errors import DamageError, InputError
from harness.files import sync_handle, translate_os_error, translating_os_errors, write_every_byte
from harness.store.tree import (
    HOLLOW_AS_SAID,
    MOST_DOCUMENT,
    READ,
    STRANGE,
    StoreReader,
    StoreTree,
    is_hollow,
    translating_full_disk,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer


SHELF = "blobs/sha256"
_FOLDER = os.O_PATH | os.O_DIRECTORY
_BLOB = READ | os.O_NOFOLLOW | os.O_CLOEXEC


class Shelves:
    """Opener of blob files by digest; the caller has checked that a digest is one, and not a path."""

    def __init__(self, tree: StoreReader) -> None:
        self._tree = tree
        self._kept: dict[str, int] | None = None

    def open(self, digest: str) -> int:
        """Open the file of a blob and return its descriptor; raises OSError as the kernel does."""
        if self._kept is None:
            return self._tree.open(f"{SHELF}/{digest[:2]}/{digest}", READ)
        folder = self._kept.get(digest[:2])
        if folder is None:
            folder = self._kept[digest[:2]] = self._tree.open(f"{SHELF}/{digest[:2]}", _FOLDER)
        return os.open(digest, _BLOB, dir_fd=folder)

    @contextlib.contextmanager
    def keep_open(self) -> Iterator[None]:
        """Context manager, for one thread, that keeps folders of blobs open between look-ups: at most 256."""
        if self._kept is not None:
            yield
            return
        kept = self._kept = {}
        try:
            yield
        finally:
            self._kept = None
            for folder in kept.values():
                os.close(folder)


READ_ONLY = 0o444


_HEX = "0123456789abcdef"
# Errors of disks that refuse a hard link.
_UNLINKED = frozenset((errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV))


def is_digest(text: str) -> bool:
    """Whether a text is a SHA-256 in lower-case hex; no other text may become a path."""
    return len(text) == 64 and not text.strip(_HEX)


class Blobs:
    """The blobs of a store, by digest: puts, checks, delivers and removes them; a written blob is never changed."""

    def __init__(self, tree: StoreTree) -> None:
        self.tree = tree
        self.root = tree.root / "blobs"
        self.shelves = Shelves(tree)
        self._seen: dict[str, tuple[int, ...]] = {}
        self.durable = True  # False in a store that nobody reads after a crash
        self.healed: dict[str, str] = {}  # blobs written over damaged ones, with the kind of damage

    def path(self, digest: str) -> Path:
        """Return the path of a blob, present or not; raises InputError for a text that is not a digest."""
        if not is_digest(digest):
            raise InputError(f"{digest[:80]!r} is not a SHA-256", next="give 64 lower-case hex digits")
        return self.root / "sha256" / digest[:2] / digest

    def size(self, digest: str) -> int:
        """Return the number of bytes of a blob; raises DamageError if it is missing or not a regular file."""
        path = self.path(digest)
        facts = self.tree.facts(path)
        if facts is None or not stat.S_ISREG(facts.st_mode):
            raise self.damage(digest, "missing" if facts is None else "changed")
        return facts.st_size

    def put(self, data: bytes) -> str:
        """Store bytes and return their digest; equal bytes are stored once."""
        digest = sha256(data)
        if (state := self.state(digest)) != "sound":
            with self.tree.folder("tmp", make=True) as temp, translating_full_disk(self.root, len(data)):
                name, handle = _begin(temp)
                try:
                    write_every_byte(handle, data)
                    self._move(temp, name, handle, digest)
                    self._note_healed(digest, state)
                finally:
                    os.close(handle)
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(name, dir_fd=temp)
        return digest

    def copy(self, path: Path) -> tuple[str, int]:
        """Store a copy of a file, in constant memory, and return digest and size."""
        with (
            self.tree.folder("tmp", make=True) as temp,
            translating_os_errors(path),
            _open_plain(path) as source,
            translating_full_disk(self.root, os.fstat(source.fileno()).st_size, path),
        ):
            name, handle = _begin(temp)
            try:
                digest, size = sha256_stream(_Copying(source, handle))
                if (state := self.state(digest)) != "sound":
                    self._move(temp, name, handle, digest)
                    self._note_healed(digest, state)
            finally:
                os.close(handle)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=temp)
        return digest, size

    def adopt(self, path: Path) -> tuple[str, int]:
        """Move a file on the same disk into the store, without a copy or link, and return its digest and size.

        The file stays in place if the store has a sound blob with these bytes. Raises InputError if it is not a regular
        file, or has a second name, under which it could be changed.
        """
        with translating_os_errors(path):
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                with _open_plain(path.name, folder) as file:
                    if os.fstat(file.fileno()).st_nlink != 1:
                        raise InputError("only a plain file can become a blob", where=str(path))
                    digest, size = sha256_stream(file)
                    if (state := self.state(digest)) != "sound":
                        self._move(folder, path.name, file.fileno(), digest)
                        self._note_healed(digest, state)
            finally:
                os.close(folder)
        return digest, size

    def _note_healed(self, digest: str, state: str) -> None:
        """Record that damaged bytes were replaced; a missing blob looks like one that never existed."""
        if state == "changed":
            self.healed[digest] = state

    def _move(self, folder: int, name: str, handle: int, digest: str) -> None:
        """Rename a finished open file to its digest, read-only, and durably unless the store says otherwise."""
        os.fchmod(handle, READ_ONLY)
        if self.durable:
            sync_handle(handle)
        facts = os.fstat(handle)
        with self.tree.folder(f"{SHELF}/{digest[:2]}", make=True) as shelf:
            os.rename(name, digest, src_dir_fd=folder, dst_dir_fd=shelf)
            there = os.stat(digest, dir_fd=shelf, follow_symlinks=False)
            if self.durable:
                sync_handle(shelf)
        if _mark(there) == _mark(facts):
            self._seen[digest] = _mark(there)
        elif (state := self.check(digest)) != "sound":  # otherwise another process has just stored the same bytes
            raise self.damage(digest, state)

    def state(self, digest: str) -> str:
        """Return whether a blob is `sound`, `missing` or `changed`; cached while its file is unchanged."""
        facts = self.tree.facts(self.path(digest))
        if facts is not None and self._seen.get(digest) == _mark(facts):
            return "sound"
        state = self.check(digest)  # distinguishes a missing file from an unreadable one
        if facts is not None and state == "sound":
            self._seen[digest] = _mark(facts)
        return state

    def check(self, digest: str, size: int | None = None, most: int | None = None) -> str:
        """Check a blob by reading all of it, without the cache; return `sound`, `missing` or `changed`.

        A blob whose size is not the given `size` is `changed` and not read. So is one of more than `most` bytes, one
        that is almost only holes, and a link or a device, which is not followed.
        """
        if not is_digest(digest):
            return "missing"
        try:
            handle = self.shelves.open(digest)
        except FileNotFoundError:
            return "missing"
        except OSError as bad:
            if bad.errno in STRANGE:
                return "changed"
            raise translate_os_error(bad, self.path(digest)) from bad
        try:
            return self._check(digest, handle, size, most)
        except OSError as bad:
            raise translate_os_error(bad, self.path(digest)) from bad
        finally:
            os.close(handle)

    def _check(self, digest: str, handle: int, size: int | None, most: int | None) -> str:
        facts = os.fstat(handle)
        found = facts.st_size
        if (size is not None and size != found) or (most is not None and found > most):
            return "changed"
        least = 0 if size is None else HOLLOW_AS_SAID
        if not stat.S_ISREG(facts.st_mode) or (found >= CHUNK and is_hollow(handle, found, least)):
            return "changed"
        if found < CHUNK:
            return "sound" if sha256(os.read(handle, found + 1)) == digest else "changed"
        with open(handle, "rb", buffering=0, closefd=False) as file:
            return "sound" if sha256_stream(file)[0] == digest else "changed"

    def deliver(self, digest: str) -> Path:
        """Return the path of a blob after a check by `state`; raises DamageError if it is missing or changed."""
        state = self.state(digest)
        if state != "sound":
            raise self.damage(digest, state)
        return self.path(digest)

    def damage(self, digest: str, state: str) -> DamageError:
        """Return the error for a blob that is missing or changed."""
        return DamageError(
            f"blob {digest[:12]} is {state}",
            where=str(self.path(digest)),
            next="run the manifest again: what is damaged is made anew; `harness fsck` lists all damage",
        )

    def open(self, digest: str, size: int | None = None) -> BufferedReader:
        """Open a blob whose bytes were hashed through the same descriptor; raises DamageError if it is not sound.

        A blob with another size than the given `size` is not read.
        """
        try:
            file = self.tree.open_file(self.path(digest))
        except FileNotFoundError:
            raise self.damage(digest, "missing") from None
        if self._check(digest, file.fileno(), size, None) != "sound":
            file.close()
            raise self.damage(digest, "changed")
        file.seek(0)
        return file

    def read(self, digest: str, most: int = MOST_DOCUMENT) -> bytes:
        """Read a blob's bytes, at most `most`, and check them; raises DamageError if they are missing or changed."""
        path = self.path(digest)
        try:
            data = self.tree.find_file(path, most)
        except DamageError as bad:
            raise DamageError(f"blob {digest[:12]} is changed: {bad.what}", where=bad.where, next=bad.next) from bad
        if data is None or sha256(data) != digest:
            raise self.damage(digest, "missing" if data is None else "changed")
        return data

    def copy_to(self, digest: str, target: Path, mode: int = 0o644, size: int | None = None) -> None:
        """Copy a blob into a new file, hashed during the copy.

        Raises DamageError, and leaves no file, if the blob is not sound. A blob with another size than the given `size`
        is not read.
        """
        try:
            source = self.tree.open_read(self.path(digest))
        except FileNotFoundError:
            raise self.damage(digest, "missing") from None
        facts = os.fstat(source)
        with open(source, "rb", buffering=0) as file, translating_full_disk(target, facts.st_size):
            if size not in (None, facts.st_size):
                raise self.damage(digest, "changed")
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                found, _ = sha256_stream(_Copying(file, handle))
                if found != digest:
                    target.unlink()
                    raise self.damage(digest, "changed")
                os.fchmod(handle, mode)
            finally:
                os.close(handle)

    def link_to(self, digest: str, target: Path) -> bool:
        """Link a checked blob to a new name; False if no link can be made, DamageError if something else was linked."""
        path = self.deliver(digest)
        mark = self._seen[digest]
        if target.parent.stat().st_dev != mark[0]:
            return False
        if not make_link(path, target):
            return False
        if _mark(target.lstat()) != mark:  # another file came to its place after the check
            target.unlink()
            raise self.damage(digest, "changed")
        return True

    def remove(self, digest: str) -> None:
        """Delete a blob; the caller has made sure that nothing refers to it."""
        path = self.path(digest)
        self.tree.remove(path)
        self.tree.sync_folder(path.parent)


def make_link(path: Path, target: Path) -> bool:
    """Link a file under a second name; False if the disk has no links, or no more, or another owner forbids it."""
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError as bad:
        if bad.errno in _UNLINKED:
            return False
        raise
    return True


class _Copying(RawIOBase):
    """A file that is copied to another one while it is read, so that the hashed bytes are the copied ones."""

    def __init__(self, source: FileIO, handle: int) -> None:
        self._source, self._handle = source, handle

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        count = self._source.readinto(view) or 0
        write_every_byte(self._handle, view[:count])
        return count


def _begin(folder: int) -> tuple[str, int]:
    """Open a new file in a folder of temporary files, and return its name and descriptor."""
    name = f"blob-{os.getpid()}-{os.urandom(6).hex()}"
    return name, os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)


def _open_plain(path: Path | str, folder: int | None = None) -> FileIO:
    """Open a regular file for reading: a user's own file, or one in an open folder that is not a link."""
    how = READ | os.O_CLOEXEC | (0 if folder is None else os.O_NOFOLLOW)
    try:
        file = open(os.open(path, how, dir_fd=folder), "rb", buffering=0)  # noqa: SIM115 - the caller closes it
    except OSError as bad:
        if bad.errno in STRANGE:
            raise InputError("only a plain file can become a blob", where=str(path)) from bad
        raise
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise InputError("only a plain file can become a blob", where=str(path))
    return file


def _mark(facts: os.stat_result) -> tuple[int, ...]:
    """Return what identifies an unchanged file: device, inode, size and mtime (steps may change its link count)."""
    return (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
