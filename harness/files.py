"""Atomic, durable file writes and file locks; all files that must survive a crash are written here.

After a power failure at any instant, a file that is written whole has either the old bytes or the new ones, never a
mixture. A log that is appended to may end in a partial line.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from harness.errors import DamageError, HarnessError, InputError, MissingError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_WRONG = {errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP}
_SHUT = {errno.EROFS, errno.EACCES, errno.EPERM}
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_STRANGE = {errno.ELOOP, errno.ENXIO, errno.ENODEV}  # errors on opening a link, a socket or a missing device


@contextlib.contextmanager
def translating_os_errors(where: Path | str) -> Iterator[None]:
    """Context manager that turns an OSError into a HarnessError that says what is wrong, where, and what to do next."""
    try:
        yield
    except OSError as bad:
        raise translate_os_error(bad, where) from bad


def translate_os_error(bad: OSError, where: Path | str) -> HarnessError:
    """Translate an OSError (disk full, no permission, wrong path) into an error that a user can act on."""
    at = str(bad.filename or where)
    if bad.errno in _FULL:
        return MissingError(
            "the disk is full", where=at, next="free some room and run again: everything finished so far is kept"
        )
    if bad.errno in _SHUT:
        return MissingError(
            "this place cannot be written",
            where=at,
            next="give a store that you may write with --store DIR, or make this one writable",
        )
    if bad.errno in _WRONG:
        return InputError(f"this file cannot be read: {bad.strerror}", where=at[:200], next="check the path")
    return MissingError(f"the disk refused: {bad.strerror}", where=at, next="check the disk, then run again")


def open_plain(path: Path) -> BinaryIO:
    """Open a regular file for reading; raises DamageError if it is a link, FIFO, device or folder.

    Only the last component of the path is checked: a parent folder that is a link is followed. A missing file or
    permission is an OSError.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as bad:
        if bad.errno in _STRANGE:
            raise _no_file(path) from bad
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _no_file(path)
    return open(handle, "rb")


def read_plain(path: Path) -> bytes:
    """Read a regular file; raises DamageError if it is a link, FIFO, device or folder, like `open_plain`.

    An OSError is translated by `translate_os_error`: InputError for a wrong path, MissingError for the rest.
    """
    with translating_os_errors(path), open_plain(path) as file:
        return file.read()


def is_plain_file(path: Path) -> bool:
    """Whether a path is a regular file, not a link, device or folder; links among its parent folders are followed."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _no_file(path: Path) -> DamageError:
    return DamageError("this is not a regular file", where=str(path), next="see what it is, and move it away")


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk (fsync): a renamed file survives a crash only after this."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync_handle(handle)
    finally:
        os.close(handle)


def sync_handle(handle: int) -> None:
    """Flush an open file or folder to disk (fsync), so that it survives a crash of the machine."""
    os.fsync(handle)


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents durably."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def remove_tree(folder: Path) -> None:
    """Delete a folder tree of any depth, including unreadable folders, without following links.

    What cannot be deleted is left in place.
    """
    with contextlib.suppress(OSError):
        above = os.open(folder.parent, _FOLDER)
        try:
            remove_at(above, folder.name)
        finally:
            os.close(above)


def remove_at(folder: int, name: str) -> None:
    """Delete the entry `name` of an open folder, which may be a tree of any depth; a link is deleted, not followed.

    Parts of a tree that cannot be deleted are left in place. A single file that cannot be deleted raises OSError.
    """
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=folder)
        return
    with contextlib.suppress(OSError):
        handle = _open_to_empty(folder, name)
        try:
            _empty(handle)
        finally:
            os.close(handle)
        os.rmdir(name, dir_fd=folder)


def _empty(folder: int) -> None:
    """Empty an open folder without recursion: each round moves folders of the second level to the first."""
    while found := list(os.scandir(folder)):
        for one in found:
            if not one.is_dir(follow_symlinks=False):
                os.unlink(one.name, dir_fd=folder)
                continue
            below = _open_to_empty(folder, one.name)
            try:
                for inner in list(os.scandir(below)):
                    if inner.is_dir(follow_symlinks=False):
                        os.close(_open_to_empty(below, inner.name))
                        lifted = f".lifted-{secrets.token_hex(8)}"
                        os.rename(inner.name, lifted, src_dir_fd=below, dst_dir_fd=folder)
                    else:
                        os.unlink(inner.name, dir_fd=below)
            finally:
                os.close(below)
            os.rmdir(one.name, dir_fd=folder)


def _open_to_empty(folder: int, name: str) -> int:
    """Open a folder inside an open folder, without following a link, and give its owner all permissions on it."""
    there = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        with contextlib.suppress(OSError):
            os.chmod(f"/proc/self/fd/{there}", 0o700)  # the opened folder, whatever has its name now
        return os.open(".", _FOLDER, dir_fd=there)
    finally:
        os.close(there)


def is_leftover(name: str) -> bool:
    """Whether a file name is that of a temporary file of `write_atomic`, left behind by a write that was killed."""
    return re.fullmatch(r"\..+\.[0-9a-f]{8}\.tmp", name) is not None


def write_atomic(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file atomically: temporary file, fsync, rename, fsync of the folder."""
    with translating_os_errors(path):
        make_folder(path.parent)
        folder = os.open(path.parent, _FOLDER)
        try:
            write_at(folder, path.name, data, mode)
        finally:
            os.close(folder)
        sync_folder(path.parent)


def write_at(folder: int, name: str, data: bytes, mode: int) -> None:
    """Write a file in an open folder atomically: temporary file, fsync, rename; the caller syncs the folder."""
    temp = f".{name}.{secrets.token_hex(4)}.tmp"
    try:
        handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            write_every_byte(handle, data)
            os.fchmod(handle, mode)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp, dir_fd=folder)
        raise


def move_durable(source: Path, target: Path, mode: int) -> None:
    """Rename a finished file to its final name on the same disk, durably, with the permissions `mode`."""
    handle = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.fchmod(handle, mode)
        os.fsync(handle)
    finally:
        os.close(handle)
    make_folder(target.parent)
    source.rename(target)
    sync_folder(target.parent)


def write_every_byte(handle: int, data: bytes | memoryview) -> None:
    """Write every byte to a descriptor, even if the kernel takes only a few at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def append_durable(handle: int, lines: Sequence[bytes]) -> None:
    """Append lines to an open log in one write and one fdatasync."""
    write_every_byte(handle, b"".join(lines))
    os.fdatasync(handle)


def open_log(path: Path) -> int:
    """Open a log for appending, create it and its folder if needed, and return its descriptor, which no child inherits.

    Raises DamageError if the path is a link or anything else that is not a regular file.
    """
    with translating_os_errors(path):
        make_folder(path.parent)
        handle = _own(path, os.O_APPEND)
        try:
            sync_folder(path.parent)
        except OSError:
            os.close(handle)
            raise
        return handle


def _own(path: Path, more: int = 0) -> int:
    """Open a regular file of the store for reading and writing, creating it if needed."""
    if os.path.lexists(path) and not is_plain_file(path):
        raise _no_file(path)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | more, 0o644)


@contextlib.contextmanager
def hold_lock(path: Path, *, exclusive: bool = True, wait: bool = True) -> Iterator[bool]:
    """Context manager that holds a file lock, which ends with its process; shared unless `exclusive`.

    Yields True, or with `wait=False` False if another process holds the lock.
    """
    with translating_os_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _own(path)
    try:
        yield lock_handle(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH, path, wait=wait)
    finally:
        os.close(handle)


def lock_handle(handle: int, how: int, path: Path, *, wait: bool = True) -> bool:
    """Lock the open file `handle` until it is closed; `path` is its name for errors.

    Returns False if another process holds the lock and `wait` is not set.
    """
    try:
        fcntl.flock(handle, how if wait else how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as bad:  # some network disks do not support locks
        raise translate_os_error(bad, path) from bad
    return True
