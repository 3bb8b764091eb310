"""Disk quota of a step: bytes and files it writes, counted from outside while it runs and when it has ended."""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness.engines.engine import Limits

EVERY = 0.1  # seconds between two looks
SPARE = 20  # a disk with less than this part of it left is nearly full
SHARE = 0.1  # of the time that looking may take: a step with many files is looked at more seldom


@dataclass
class DiskBudget:
    """Counter of what a step wrote to its folders; never follows a link, and stops counting once over the limit."""

    folders: tuple[Path, ...]
    limits: Limits
    over: str = field(default="", init=False)
    _next: float = field(default=0.0, init=False)
    _free: int = field(default=0, init=False)  # bytes of the disk that were free at the first look

    def spent(self, *, now: bool = False) -> str:
        """Name the limit that is exceeded, as last counted; empty where none is.

        It counts again only after a pause, and gives nothing meanwhile, unless `now`.
        """
        started = time.monotonic()
        if started < self._next and not now:
            return ""
        self.over = self._count()
        ended = time.monotonic()
        self._next = ended + max(EVERY, (ended - started) / SHARE)
        return self.over

    def _count(self) -> str:
        bytes_, files, open_ = 0, 0, list(map(str, self.folders))
        while open_:
            try:
                with os.scandir(open_.pop()) as found:
                    for one in found:
                        files += 1
                        try:
                            facts = one.stat(follow_symlinks=False)
                        except FileNotFoundError:
                            continue  # gone meanwhile
                        bytes_ += max(facts.st_size, 512 * facts.st_blocks)  # a file of holes is read as its size
                        if one.is_dir(follow_symlinks=False):
                            open_.append(one.path)
                        if files > self.limits.files:
                            return f"more than {self.limits.files} files"
                        if bytes_ > self.limits.disk:
                            return f"more than {self.limits.disk >> 20} MiB"
            except OSError as bad:
                if bad.errno in (errno.ENAMETOOLONG, errno.EACCES):
                    return "folders that cannot be looked into"  # too deep, or shut: what is in them cannot be counted
        return self._unseen()

    def _unseen(self) -> str:
        """Detect deleted files that a step keeps open, which fill the disk and have no name to be counted by."""
        if not self.folders:
            return ""
        disk = os.statvfs(self.folders[0].parent)
        free = disk.f_bavail * disk.f_frsize
        self._free = max(self._free, free)
        if self._free - free > self.limits.disk and free < disk.f_blocks * disk.f_frsize // SPARE:
            return "so much, or somebody beside it did, that the disk is nearly full"
        return ""
