"""Whether a large file is little else than holes: they cost nothing to make, and long to read.

No writer of a store makes any; but a disk that compresses keeps long runs of zeros as holes, so that some are allowed
where the bytes may be anything. It must never know what a file means.
"""

from __future__ import annotations

import errno
import os

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
