"""Monitor of a running job, the same for every engine: time, cancellation, disk, processes, output."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.engines.engine import Limits, Outcome

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


TURN = 0.1  # seconds between two looks
FAR, NEAR = 0.02, 0.01  # seconds between two looks at memory: where most is free, and where a quarter is used


class JobMonitor:
    """Monitor of one command: says when it must be killed and why, collects its output, reports how it ended."""

    def __init__(
        self,
        limits: Limits,
        on_log: Callable[[bytes], None],
        cancel: threading.Event,
        folders: tuple[Path, ...] = (),  # those the command may fill
    ) -> None:
        self.why = ""  # the command was ended: budget | memory | cancel | processes | deadline
        self.log = bytearray()  # the end of what it printed
        self._limits, self._on_log, self._cancel = limits, on_log, cancel
        self._budget = DiskBudget(folders, limits)
        self._started = time.monotonic()
        self._counter: Callable[[], int] | None = None
        self._look = 0.0
        self._meter: Callable[[int], int] | None = None
        self._weight, self._next_weight, self._weight_pause = 0, 0.0, TURN
        self.begin()

    def begin(self) -> None:
        """Start the command's clock: the time to set up its isolation does not count."""
        self._deadline = time.monotonic() + self._limits.seconds

    def count_with(self, counter: Callable[[], int]) -> None:
        """Count processes by this function from now on, where the kernel does not bound their number."""
        self._counter = counter

    def weigh_with(self, meter: Callable[[int], int]) -> None:
        """Measure memory by this function from now on, where the kernel does not bound all of it together.

        It is told how much is allowed, and may give a rougher number as long as that is below.
        """
        self._meter, self._next_weight = meter, time.monotonic() + FAR
        self._weight_pause = FAR

    def _too_heavy(self) -> bool:
        started = time.monotonic()
        if self._meter is None or started < self._next_weight:
            return False
        self._weight = self._meter(self._limits.memory)
        ended = time.monotonic()
        near = 4 * self._weight > self._limits.memory
        self._weight_pause = max(NEAR if near else FAR, min((ended - started) / SHARE, 2 * TURN))
        self._next_weight = ended + self._weight_pause
        return self._weight > self._limits.memory

    def _too_many(self) -> bool:
        started = time.monotonic()
        if self._counter is None or started < self._look:
            return False
        many = self._counter() > self._limits.processes
        ended = time.monotonic()
        self._look = ended + max(TURN, (ended - started) / SHARE)
        return many

    @property
    def poll_seconds(self) -> float:
        """Seconds to wait before the next check."""
        pause = TURN if self._meter is None else min(TURN, self._weight_pause)
        return max(0.0, min(self._deadline - time.monotonic(), pause))

    def must_end(self) -> bool:
        """Whether the command must be killed now: over its disk, memory, processes or time, or cancelled."""
        if self._budget.spent():
            self.why = "budget"
        elif self._too_heavy():
            self.why = "memory"
        elif self._too_many():
            self.why = "processes"
        elif self._cancel.is_set():
            self.why = "cancel"
        elif time.monotonic() >= self._deadline:
            self.why = "deadline"
        return bool(self.why)

    def log_output(self, text: bytes) -> None:
        """Pass on what the command printed, and keep the end of it."""
        self._on_log(text)
        self.log += text
        del self.log[: -self._limits.log_bytes]

    def outcome(
        self, code: int, isolation: str, *, oom: bool = False, usage: Mapping[str, int] | None = None
    ) -> Outcome:
        """Make the Outcome from an exit code and what was seen; a code below 0, or above 128, is a signal."""
        signal = max(-code, code - 128, 0)
        if self.why == "processes":
            said = f"\nmore than {self._limits.processes} processes at once, which is all that a step may have\n"
            self.log_output(said.encode())
        if self.why == "memory":
            said = (
                f"\nneeded more than {self._limits.memory >> 20} MiB of memory: {self._weight >> 20} MiB were in its "
                f"processes, in what they share, in /tmp and /dev/shm, at a look every {1000 * NEAR:g} ms at most\n"
            )
            self.log_output(said.encode())
        return Outcome(
            exit=int(self.why in ("processes", "memory")) if self.why or signal else code,
            signal=0 if self.why else signal,
            oom=oom or self.why == "memory",
            timed_out=self.why == "deadline",
            cancelled=self.why == "cancel",
            over=self._budget.over or self._budget.spent(now=True),
            usage={**(usage or {}), "wall_ms": round(1000 * (time.monotonic() - self._started))},
            isolation=isolation,
            log=bytes(self.log),
        )
