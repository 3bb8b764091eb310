"""The one reader of what lies below a store's root: by descriptors, through no link, and never more than may be there.

A store may come from a stranger. So no link below its root is followed, and only regular files are read, of at most as
many bytes as their kind may have. The root itself is a person's own word and may be a link. It does not know what a
file means, and writes nothing.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
import threading
import weakref
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path

from harness.digest import sha256_stream
from harness.errors import DamageError
from harness.files import translating_os_errors

_NUMBER = 437  # of the system call, on every processor
_RESOLVE = 0x04 | 0x08  # RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH
_AGAIN = {errno.EAGAIN, errno.EINTR}
_UNKNOWN = {errno.ENOSYS, errno.EPERM}  # an old kernel; a container's list of allowed calls
_WAY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Open = Callable[[int, str, int, int], int]


def open_beneath(folder: int, path: str, flags: int, mode: int = 0) -> int:
    """Open a path below an open folder, and give the descriptor, which no child inherits.

    An OSError as of `open`: ELOOP or ENOTDIR where a link lies on the way, EXDEV where the path leads out.
    """
    return _way()(folder, path, flags | os.O_CLOEXEC, mode)


def open_part_by_part(folder: int, path: str, flags: int, mode: int = 0) -> int:
    """Open a path below an open folder without `openat2`: each folder on the way, then the last part."""
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
    """Choose how a path is opened on this machine; it is tried once."""
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
    import ctypes  # noqa: PLC0415 - a verb that opens no store need not load it

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


HOLLOW = 1 << 30  # bytes of holes, and nine parts of ten of the file
HOLLOW_AS_SAID = 16 << 30  # the same of a file whose size somebody stated: nobody need have told the truth
EXTENTS = 1000  # pieces of a file that are looked at


def is_hollow(handle: int, size: int, least: int = 0) -> bool:
    """Whether a large file is little else than holes, which cost nothing to make and long to read."""
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
WHOLE = 1 << 20  # bytes from which on a document is looked at for holes: it has none
STRANGE = {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EXDEV, errno.ENOTDIR, errno.EISDIR}

Place = Path | str  # below the root; a text is relative to it


class StoreReader:
    """The files of a store by their place below its root; a place is a path below it, or a text relative to it.

    A link, a FIFO, a device or whatever else lies where a file or folder should be is a DamageError that names it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.top = f"{root}/"
        self._held: tuple[int, weakref.finalize[[int], StoreReader]] | None = None
        self._turn = threading.Lock()

    def open(self, place: Place, flags: int, mode: int = 0) -> int:
        """Open what lies at a place, whatever it is, and give its descriptor; OSError as the kernel says it."""
        path = self.spell(place)
        try:
            return open_beneath(self._root(), path, flags, mode)
        except OSError as bad:
            if bad.errno == errno.ENOENT and self._moved():
                return self.open(place, flags, mode)
            raise OSError(bad.errno, os.strerror(bad.errno or 0), f"{self.top}{path}") from None

    def facts(self, place: Place) -> os.stat_result | None:
        """Look at what lies at a place, a link not followed; None where nothing is, or a link lies on the way."""
        try:
            handle = self.open(place, LOOK)
        except OSError:
            return None
        try:
            return os.fstat(handle)
        finally:
            os.close(handle)

    def is_file(self, place: Place) -> bool:
        """Whether a regular file lies at a place."""
        facts = self.facts(place)
        return facts is not None and stat.S_ISREG(facts.st_mode)

    def is_folder(self, place: Place) -> bool:
        """Whether a folder lies at a place."""
        facts = self.facts(place)
        return facts is not None and stat.S_ISDIR(facts.st_mode)

    def open_file(self, place: Place, most: int | None = None) -> BufferedReader:
        """Open a regular file for reading, of at most that many bytes, where its kind has a most; OSError if missing.

        DamageError where it is none, is larger, or is little else than holes: no writer of a store leaves any.
        """
        return open(self.open_read(place, most), "rb")

    def read_file(self, place: Place, most: int) -> bytes:
        """Read a regular file of at most that many bytes; one that is missing is an InputError."""
        with translating_os_errors(self.top + self.spell(place)):
            return self._read(place, most)

    def find_file(self, place: Place, most: int) -> bytes | None:
        """Read a regular file as `read_file` does; None where nothing lies there."""
        with translating_os_errors(self.top + self.spell(place)):
            try:
                return self._read(place, most)
            except FileNotFoundError:
                return None

    def hash_file(self, place: Place) -> str:
        """SHA-256 of a file in constant memory; empty where no regular file lies there."""
        try:
            with open(self.open_read(place), "rb", buffering=0) as file:
                return sha256_stream(file)[0]
        except (OSError, DamageError):
            return ""

    def list_names(self, place: Place) -> list[str]:
        """List the names in a folder, sorted; none where there is no such folder."""
        return [name for name, _ in self.list_kinds(place)]

    def list_folders(self, place: Place) -> list[str]:
        """List the names of the folders in a folder, sorted; a link to one is none."""
        return [name for name, kind in self.list_kinds(place) if kind == "folder"]

    def list_kinds(self, place: Place) -> list[tuple[str, str]]:
        """List the names in a folder, each with what lies there: `file`, `folder`, or `other`."""
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
        """Spell a place relative to the root."""
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
        """Whether the folder that was held is deleted, and another one lies in its place; that one is held then."""
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
        """Open a regular file for reading as `open_file` does, and give its descriptor."""
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
        """Open a folder, and give its descriptor; OSError where it is missing."""
        try:
            return self.open(place, FOLDER)
        except OSError as bad:
            if bad.errno in STRANGE:
                raise self.damaged(place, "this is not a folder") from None
            raise

    def damaged(self, place: Place, what: str) -> DamageError:
        """Make the error for what lies at a place and should not."""
        return DamageError(
            what, where=self.top + self.spell(place), next="see what it is, and move it away; `harness fsck` says more"
        )


def _kind(found: os.DirEntry[str]) -> str:
    if found.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if found.is_file(follow_symlinks=False) else "other"
