"""Content-addressed blob store: files named by their SHA-256, written once, read-only, verified when delivered.

A blob once found sound is not read again while its file is untouched. It must never know what a blob means.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

from harness.digest import CHUNK, sha256, sha256_file, sha256_stream
from harness.errors import DamageError, InputError
from harness.files import move_durable, read_plain, sync_folder, translate_os_error, translating_os_errors, write_all

READ_ONLY = 0o444
_HEX = "0123456789abcdef"


def is_digest(text: str) -> bool:
    """Whether a text is a SHA-256 in lower-case hex, so that no other text ever becomes a path."""
    return len(text) == 64 and not text.strip(_HEX)


class Blobs:
    """The blobs of a store, by digest: puts, checks, delivers and removes them; a written blob is never changed."""

    def __init__(self, root: Path, temp: Path) -> None:
        self.root = root
        self.temp = temp
        self._top = f"{root}/sha256"
        self._seen: dict[str, tuple[int, ...]] = {}
        self.healed: dict[str, str] = {}  # blobs that were written over damage, and what it was: whoever runs tells it

    def path(self, digest: str) -> Path:
        """Make the path of a blob, present or not; InputError for a text that is no digest."""
        if not is_digest(digest):
            raise InputError(f"{digest[:80]!r} is not a SHA-256", next="give 64 lower-case hex digits")
        return self.root / "sha256" / digest[:2] / digest

    def put(self, data: bytes) -> str:
        """Store bytes and return their digest; equal bytes are stored once."""
        digest = sha256(data)
        if (state := self.state(digest)) != "sound":
            with translating_os_errors(self.root):
                self.temp.mkdir(parents=True, exist_ok=True)
                temp = self.temp / f"blob-{os.getpid()}-{os.urandom(6).hex()}"
                try:
                    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                    try:
                        write_all(handle, data)
                    finally:
                        os.close(handle)
                    move_durable(temp, self.path(digest), READ_ONLY)
                    self._seen[digest] = _mark(self.path(digest).lstat())
                    self._note_healed(digest, state)
                finally:
                    temp.unlink(missing_ok=True)
        return digest

    def copy(self, path: Path) -> tuple[str, int]:
        """Store a copy of a file, in constant memory; returns digest and size."""
        with translating_os_errors(path):
            self.temp.mkdir(parents=True, exist_ok=True)
            temp = self.temp / f"blob-{os.getpid()}-{os.urandom(6).hex()}"
            try:
                shutil.copyfile(path, temp)
                return self.adopt(temp)
            finally:
                temp.unlink(missing_ok=True)

    def adopt(self, path: Path) -> tuple[str, int]:
        """Move a file on the same disk into the store, never a copy or a link; returns its digest and size.

        It stays where it is if the store has a sound blob of these bytes; InputError where it is no regular file.
        """
        with translating_os_errors(path):
            if not stat.S_ISREG(path.lstat().st_mode):
                raise InputError("only a plain file can become a blob", where=str(path))
            digest, size = sha256_file(path)
            if (state := self.state(digest)) != "sound":
                move_durable(path, self.path(digest), READ_ONLY)
                self._seen[digest] = _mark(self.path(digest).lstat())
                self._note_healed(digest, state)
        return digest, size

    def _note_healed(self, digest: str, state: str) -> None:
        """Keep in mind that other bytes lay here; where nothing lay, nobody can know that something had."""
        if state == "changed":
            self.healed[digest] = state

    def state(self, digest: str) -> str:
        """Check whether a blob is `sound`, `missing` or `changed`; cached while its file is untouched."""
        path = self.path(digest)
        try:
            mark = _mark(path.lstat())
        except OSError:
            return self.check(digest)  # which tells a missing file from one that cannot be read
        if self._seen.get(digest) == mark:
            return "sound"
        state = self.check(digest)
        if state == "sound":
            self._seen[digest] = mark
        return state

    def check(self, digest: str, size: int | None = None) -> str:
        """Check a blob by reading all of it, without a cache: `sound`, `missing` or `changed`.

        One whose size is not `size`, where that is given, is `changed`; so is a link or a device, never followed.
        """
        if not is_digest(digest):
            return "missing"
        path = f"{self._top}/{digest[:2]}/{digest}"
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return "missing"
        except OSError as bad:
            if bad.errno in (errno.ELOOP, errno.ENXIO, errno.ENOTDIR):
                return "changed"
            raise translate_os_error(bad, path) from bad
        try:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or size not in (None, facts.st_size):
                return "changed"
            return "sound" if _digest(handle, facts.st_size) == digest else "changed"
        except OSError as bad:
            raise translate_os_error(bad, path) from bad
        finally:
            os.close(handle)

    def deliver(self, digest: str) -> Path:
        """Return the path of a blob after a check by `state`; DamageError where it is missing or changed."""
        state = self.state(digest)
        if state != "sound":
            raise self._damaged(digest, state)
        return self.path(digest)

    def _damaged(self, digest: str, state: str) -> DamageError:
        return DamageError(
            f"blob {digest[:12]} is {state}",
            where=str(self.path(digest)),
            next="run the manifest again: what is damaged is made anew; `harness fsck` lists all damage",
        )

    def read(self, digest: str) -> bytes:
        """Read a blob's bytes, checked after reading; DamageError where they are missing or changed."""
        path = self.deliver(digest)  # a plain file: a link or a FIFO was refused
        data = read_plain(path)
        if sha256(data) != digest:
            self._seen.pop(digest, None)
            raise self._damaged(digest, "changed")
        return data

    def remove(self, digest: str) -> None:
        """Delete a blob; the caller has made sure that nothing refers to it."""
        path = self.path(digest)
        with translating_os_errors(path):
            path.unlink(missing_ok=True)
            sync_folder(path.parent)


def _digest(handle: int, size: int) -> str:
    """Compute the digest of an open file, in constant memory; empty where its size changed."""
    if size < CHUNK:
        data = os.read(handle, size + 1)
        return sha256(data) if len(data) == size else ""
    with open(handle, "rb", buffering=0, closefd=False) as file:
        return sha256_stream(file)[0]


def _mark(facts: os.stat_result) -> tuple[int, ...]:
    """Identify an unchanged file by device, inode, size and mtime (steps may change its link count)."""
    return (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
