"""Files below a store's root: read, written and removed by descriptors, without following links, in bounded sizes.

A store may come from a stranger. So no link below its root is followed, and only regular files are read, of at most the
size that their kind may have. The root itself is given by the user and may be a link. `StoreReader` writes nothing. A
file that is changed or locked must have one name, so that no file elsewhere changes with it. Independent of what the
files say.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import os
import stat
import threading
import weakref
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path

from harness.digest import sha256_stream
from harness.errors import DamageError
from harness.files import (
    lock_handle,
    make_folder,
    remove_at,
    sync_handle,
    translate_os_error,
    translating_os_errors,
    write_at,
)

_NUMBER = 437  # number of the system call on every processor
_RESOLVE = 0x04 | 0x08  # RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH
_AGAIN = {errno.EAGAIN, errno.EINTR}
_UNKNOWN = {errno.ENOSYS, errno.EPERM}  # an old kernel, or a container that does not allow the call
_WAY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Open = Callable[[int, str, int, int], int]


def open_beneath(folder: int, path: str, flags: int, mode: int = 0) -> int:
    """Open a path below an open folder, and return the descriptor, which no child inherits.

    Raises OSError as `open` does: ELOOP or ENOTDIR if a link is on the path, EXDEV if the path leads out.
    """
    return _way()(folder, path, flags | os.O_CLOEXEC, mode)


def open_part_by_part(folder: int, path: str, flags: int, mode: int = 0) -> int:
    """Open a path below an open folder without `openat2`: each folder on the path, then the last part."""
    *parts, last = path.split("/")
    if ".." in (*parts, last) or not last:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    at, way = folder, list[int]()
    try:
        for part in parts:
            at = os.open(part, _WAY, dir_fd=at)
            way.append(at)
        return os.open(last, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=at)
    finally:
        for handle in way:
            os.close(handle)


@functools.cache
def _way() -> Open:
    """Return the function that opens paths on this machine, after one trial."""
    by_kernel = _openat2()
    here = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(by_kernel(here, ".", os.O_PATH | os.O_CLOEXEC, 0))
    except OSError as bad:
        if bad.errno in _UNKNOWN:
            return open_part_by_part
        raise
    finally:
        os.close(here)
    return by_kernel


def _openat2() -> Open:
    import ctypes  # noqa: PLC0415 - not needed by commands that open no store

    class How(ctypes.Structure):
        _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))

    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    size, told = ctypes.sizeof(How), ctypes.get_errno

    @functools.lru_cache(maxsize=64)
    def spelled(flags: int, mode: int) -> tuple[int, How]:
        how = How(flags, mode if flags & os.O_CREAT else 0, _RESOLVE)
        return ctypes.addressof(how), how

    def open_by_kernel(folder: int, path: str, flags: int, mode: int) -> int:
        at, said = spelled(flags, mode)[0], os.fsencode(path)
        while (handle := call(_NUMBER, folder, said, at, size)) < 0:
            number = told()
            if number not in _AGAIN:
                raise OSError(number, os.strerror(number), path)
        return int(handle)

    return open_by_kernel


HOLLOW = 1 << 30  # bytes of holes, if they are also nine tenths of the file
HOLLOW_AS_SAID = 16 << 30  # the same for a file with a stated size, which may be false
EXTENTS = 1000  # most extents of a file that are examined


def is_hollow(handle: int, size: int, least: int = 0) -> bool:
    """Whether a large file consists almost only of holes, which are cheap to make and slow to read."""
    least = least or HOLLOW
    if size < least:
        return False
    at = there = 0
    try:
        for _ in range(EXTENTS):
            begin = os.lseek(handle, at, os.SEEK_DATA)
            at = os.lseek(handle, begin, os.SEEK_HOLE)
            there += at - begin
        return False
    except OSError as bad:
        if bad.errno != errno.ENXIO:  # there is no more data
            raise
        return size - there >= least and there * 10 < size
    finally:
        os.lseek(handle, 0, os.SEEK_SET)


MOST_FORMAT = 1 << 8
MOST_LOG = 1 << 28  # a journal, a transcript, the list of runs: hundreds of thousands of lines
MOST_RECORD = 1 << 26
MOST_ENTRY = 1 << 26
MOST_DOCUMENT = 1 << 26  # a blob that is parsed: a manifest, a lock, a closure, an environment
MOST_NOTE = 1 << 24  # the file of an image or of a layer, a receipt, the secret of a view


READ = os.O_RDONLY | os.O_NONBLOCK
LOOK = os.O_PATH | os.O_NOFOLLOW
FOLDER = os.O_RDONLY | os.O_DIRECTORY
WHOLE = 1 << 20  # bytes from which on a document is checked for holes, which it must not have
STRANGE = {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EXDEV, errno.ENOTDIR, errno.EISDIR}

Place = Path | str  # below the root; a text is relative to the root


class StoreReader:
    """Reader of the files of a store by their path below its root; never follows a link.

    A link, a FIFO, a device or anything else in place of a file or folder raises a DamageError that names it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.top = f"{root}/"
        self._held: tuple[int, weakref.finalize[[int], StoreReader]] | None = None
        self._turn = threading.Lock()

    def open(self, place: Place, flags: int, mode: int = 0) -> int:
        """Open the file at a place, of any kind, and return its descriptor; raises OSError as the kernel does."""
        path = self.spell(place)
        try:
            return open_beneath(self._root(), path, flags, mode)
        except OSError as bad:
            if bad.errno == errno.ENOENT and self._moved():
                return self.open(place, flags, mode)
            raise OSError(bad.errno, os.strerror(bad.errno or 0), f"{self.top}{path}") from None

    def facts(self, place: Place) -> os.stat_result | None:
        """Return the stat result of a place, without following links; None if there is nothing, or a link."""
        try:
            handle = self.open(place, LOOK)
        except OSError:
            return None
        try:
            return os.fstat(handle)
        finally:
            os.close(handle)

    def is_file(self, place: Place) -> bool:
        """Whether there is a regular file at a place."""
        facts = self.facts(place)
        return facts is not None and stat.S_ISREG(facts.st_mode)

    def is_folder(self, place: Place) -> bool:
        """Whether there is a folder at a place."""
        facts = self.facts(place)
        return facts is not None and stat.S_ISDIR(facts.st_mode)

    def open_file(self, place: Place, most: int | None = None) -> BufferedReader:
        """Open a regular file for reading, of at most `most` bytes if given; raises OSError if it is missing.

        Raises DamageError if it is not a regular file, is larger, or is almost only holes, which no writer of a store
        leaves.
        """
        return open(self.open_read(place, most), "rb")

    def read_file(self, place: Place, most: int) -> bytes:
        """Read a regular file of at most `most` bytes; raises InputError if it is missing."""
        with translating_os_errors(self.top + self.spell(place)):
            return self._read(place, most)

    def find_file(self, place: Place, most: int) -> bytes | None:
        """Read a regular file as `read_file` does; None if nothing is there."""
        with translating_os_errors(self.top + self.spell(place)):
            try:
                return self._read(place, most)
            except FileNotFoundError:
                return None

    def hash_file(self, place: Place) -> str:
        """Return the SHA-256 of a file in constant memory; empty if there is no regular file."""
        try:
            with open(self.open_read(place), "rb", buffering=0) as file:
                return sha256_stream(file)[0]
        except (OSError, DamageError):
            return ""

    def list_names(self, place: Place) -> list[str]:
        """Return the sorted names in a folder; empty if there is no such folder."""
        return [name for name, _ in self.list_kinds(place)]

    def list_folders(self, place: Place) -> list[str]:
        """Return the sorted names of the folders in a folder, without links to folders."""
        return [name for name, kind in self.list_kinds(place) if kind == "folder"]

    def list_kinds(self, place: Place) -> list[tuple[str, str]]:
        """Return the names in a folder, each with its kind: `file`, `folder`, or `other`."""
        where = self.top + self.spell(place)
        with translating_os_errors(where):
            try:
                handle = self.open_folder(place)
            except FileNotFoundError:
                return []
            try:
                with os.scandir(handle) as found:
                    return sorted((one.name, _kind(one)) for one in found)
            finally:
                os.close(handle)

    def spell(self, place: Place) -> str:
        """Return a place as a text relative to the root."""
        text = place if isinstance(place, str) else "" if place == self.root else str(place).removeprefix(self.top)
        if text.startswith("/") or "\0" in text or ".." in text.split("/"):
            raise DamageError("this is no place in a store", where=f"{self.top}{text}"[:200])
        return text or "."

    def _root(self) -> int:
        held = self._held
        if held is None:
            with self._turn:
                if self._held is None:
                    handle = os.open(self.root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                    self._held = (handle, weakref.finalize(self, os.close, handle))
                held = self._held
        return held[0]

    def _moved(self) -> bool:
        """Whether the held root folder was deleted and another one is in its place, which is then opened next."""
        with self._turn:
            if self._held is None or os.fstat(self._held[0]).st_nlink or not os.path.isdir(self.root):
                return False
            self._held[1]()
            self._held = None
            return True

    def _read(self, place: Place, most: int) -> bytes:
        handle = self.open_read(place, most)
        try:
            size = os.fstat(handle).st_size
            if size >= WHOLE:
                if os.lseek(handle, 0, os.SEEK_HOLE) < size:
                    raise self.damaged(place, "this file has holes, and none of its kind has any")
                os.lseek(handle, 0, os.SEEK_SET)
            data = os.read(handle, size + 1)
            while len(data) < size and (piece := os.read(handle, size + 1 - len(data))):
                data += piece
        finally:
            os.close(handle)
        if len(data) > max(size, most):
            raise self.damaged(place, f"this file grew beyond {most:,} bytes while it was read")
        return data

    def open_read(self, place: Place, most: int | None = None) -> int:
        """Open a regular file for reading as `open_file` does, and return its descriptor."""
        try:
            handle = self.open(place, READ)
        except OSError as bad:
            if bad.errno in STRANGE:
                raise self.damaged(place, "this is not a regular file") from None
            raise
        facts = os.fstat(handle)
        flaw = ""
        if not stat.S_ISREG(facts.st_mode):
            flaw = "this is not a regular file"
        elif most is not None and facts.st_size > most:
            flaw = f"this file has {facts.st_size:,} bytes, and none of its kind has more than {most:,}"
        elif most is None and is_hollow(handle, facts.st_size):
            flaw = "this file is little else than holes"
        if flaw:
            os.close(handle)
            raise self.damaged(place, flaw)
        return handle

    def open_folder(self, place: Place) -> int:
        """Open a folder, and return its descriptor; raises OSError if it is missing."""
        try:
            return self.open(place, FOLDER)
        except OSError as bad:
            if bad.errno in STRANGE:
                raise self.damaged(place, "this is not a folder") from None
            raise

    def damaged(self, place: Place, what: str) -> DamageError:
        """Return the DamageError for a file of the store that is not what it should be."""
        return DamageError(
            what, where=self.top + self.spell(place), next="see what it is, and move it away; `harness fsck` says more"
        )


def _kind(found: os.DirEntry[str]) -> str:
    if found.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if found.is_file(follow_symlinks=False) else "other"


LOG = os.O_RDWR | os.O_APPEND | os.O_NONBLOCK


@contextlib.contextmanager
def translating_full_disk(target: Path | str, size: int, source: Path | str = "") -> Iterator[None]:
    """Context manager like `translating_os_errors`, for writing `size` bytes: of a full disk it says what they need.

    Other errors name the `source` that is copied, if there is one.
    """
    try:
        yield
    except OSError as bad:
        full = bad.errno in (errno.ENOSPC, errno.EDQUOT)
        error = translate_os_error(bad, target if full else source or target)
        if full:
            error.next = f"{room_text(Path(error.where), size)}: {error.next}"
        raise error from bad


def room_text(where: Path, size: int) -> str:
    """Return how much room `size` more bytes need on the disk of a path, and how much is free there."""
    near = next(place for place in (where.absolute(), *where.absolute().parents) if place.exists())
    found = os.statvfs(near)
    free = f"{found.f_bavail * found.f_frsize:,} bytes" + (f" and {found.f_favail:,} files" if found.f_files else "")
    return f"{size:,} more bytes are needed there at least, and {free} are free"


class StoreTree(StoreReader):
    """The files of a store by their place below its root, for reading and for writing."""

    def make_folder(self, place: Place, *, durable: bool = True) -> None:
        """Create a folder and its missing parents."""
        with self.folder(place, make=True, durable=durable):
            pass

    @contextlib.contextmanager
    def folder(self, place: Place, *, make: bool = False, durable: bool = True) -> Iterator[int]:
        """Context manager that yields the descriptor of a folder; `make` creates it, with its missing parents."""
        with translating_os_errors(self.top + self.spell(place)):
            handle = self._made(place, durable) if make else self.open_folder(place)
        try:
            yield handle
        finally:
            os.close(handle)

    def write_file(self, place: Place, data: bytes, mode: int = 0o644) -> None:
        """Write a file atomically and durably; a link at its place is replaced, and the link's target is unchanged."""
        path = self.spell(place)
        parent, _, name = path.rpartition("/")
        with self.folder(parent, make=True) as folder, translating_full_disk(self.top + path, len(data)):
            write_at(folder, name, data, mode)
            sync_handle(folder)

    def open_log(self, place: Place, *, make: bool = True) -> int:
        """Open a log for reading and appending, created with its folder if `make`, and return its descriptor.

        Raises DamageError if it has a second name, because that file would change too.
        """
        path = self.spell(place)
        with translating_os_errors(self.top + path):
            if not make:
                return self._own(path, LOG)
            parent, _, _ = path.rpartition("/")
            with self.folder(parent, make=True) as folder:
                handle = self._own(path, LOG | os.O_CREAT)
                try:
                    sync_handle(folder)
                except OSError:
                    os.close(handle)
                    raise
                return handle

    @contextlib.contextmanager
    def lock(self, place: Place, *, exclusive: bool = True, wait: bool = True) -> Iterator[bool]:
        """Context manager that holds the lock of a file, which ends with its process; shared unless `exclusive`.

        Yields True, or with `wait=False` False if another process holds the lock.
        """
        path = self.spell(place)
        with translating_os_errors(self.top + path):
            self.make_folder(path.rpartition("/")[0], durable=False)
            handle = self._own(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK)
        try:
            yield lock_handle(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH, self.root / path, wait=wait)
        finally:
            os.close(handle)

    def remove(self, place: Place) -> None:
        """Delete the file or folder at a place, including a tree of any depth; a link is deleted and not followed.

        Parts of a tree that cannot be deleted are left. A file that cannot be deleted raises an error; a missing one
        does not.
        """
        path = self.spell(place)
        parent, _, name = path.rpartition("/")
        with translating_os_errors(self.top + path), contextlib.suppress(FileNotFoundError):
            handle = self.open_folder(parent)
            try:
                remove_at(handle, name)
            finally:
                os.close(handle)

    def rename(self, source: Place, target: Place) -> None:
        """Rename a file or folder to another place, durably."""
        (above, _, old), (below, _, new) = (self.spell(place).rpartition("/") for place in (source, target))
        with (
            self.folder(above) as one,
            self.folder(below) as other,
            translating_os_errors(self.top + self.spell(target)),
        ):
            os.rename(old, new, src_dir_fd=one, dst_dir_fd=other)
            sync_handle(other)

    def sync_folder(self, place: Place) -> None:
        """Flush a folder's names to disk, so that a rename or deletion in it survives a crash."""
        with self.folder(place) as handle, translating_os_errors(self.top + self.spell(place)):
            sync_handle(handle)

    def _made(self, place: Place, durable: bool) -> int:
        """Open a folder, created if it is missing."""
        with contextlib.suppress(FileNotFoundError):
            return self.open_folder(place)
        path = self.spell(place)
        if path == ".":
            make_folder(self.root)
            return self.open_folder(place)
        parent, _, name = path.rpartition("/")
        with self.folder(parent, make=True, durable=durable) as above:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
            if durable:
                sync_handle(above)
        return self.open_folder(place)

    def _own(self, path: str, flags: int) -> int:
        """Open a regular file that is to be changed or locked, which must have only this name."""
        try:
            handle = self.open(path, flags, 0o644)
        except OSError as bad:
            if bad.errno in STRANGE:
                raise self.damaged(path, "this is not a regular file") from None
            raise
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            os.close(handle)
            plain = stat.S_ISREG(facts.st_mode)
            raise self.damaged(path, "this file has a second name" if plain else "this is not a regular file")
        return handle
