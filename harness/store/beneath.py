"""Opening of a path below a folder that follows no link and never leads out of that folder (`openat2`).

The kernel holds both for the whole way at once; where it does not know the call, or a container forbids it, the way is
gone part by part. It must never know what a store is.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable

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
