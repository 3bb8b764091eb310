"""Monitor of a running job, the same for every engine: time, cancellation, disk, processes, output, memory.

The memory of a step is measured from outside as a whole: of its processes, of what they share, and of files in memory,
since the kernel bounds each process alone where no control group can be made. A page that several processes of a step
map counts once, by the proportional sizes that the kernel tells.
"""

from __future__ import annotations

import errno
import os
import re
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


def count_threads(first: int) -> int:
    """Count the threads of a process, of its descendants, and of its session, from /proc."""
    return sum(_look_for(first).values())


def list_processes(first: int, *, closed: bool) -> list[int]:
    """List a process and its descendants; also of its session, unless it is `closed`: no orphan gets out of it.

    Who may be an orphan is looked for among all processes of the machine, which takes longer.
    """
    if not closed or not Path("/proc/self/task", str(os.getpid()), "children").exists():
        return list(_look_for(first))
    found = [first]
    for one in found:  # it grows meanwhile
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                found += map(int, Path(f"/proc/{one}/task/{task}/children").read_bytes().split())
        except OSError:
            continue  # it has ended
    return found


def _look_for(first: int) -> dict[int, int]:
    """Find a process, its descendants, and its session in /proc; how many threads each has."""
    tasks, below = {}, dict[int, list[int]]()
    open_ = [first]
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                facts = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue  # it has ended
            pid, parent, session = int(name), int(facts[1]), int(facts[3])
            tasks[pid] = int(facts[17])
            below.setdefault(parent, []).append(pid)
            if session == first:
                open_.append(pid)
    found = dict[int, int]()
    while open_:
        one = open_.pop()
        if one not in found:
            found[one] = tasks.get(one, 0)
            open_ += below.get(one, ())
    return found


TABLES = ("VmPTE",)  # what the kernel keeps to map pages, which is much where few are mapped in many places
PAGES = ("RssAnon", "RssShmem", "VmSwap", *TABLES)
SHARES = ("Pss_Anon", "Pss_Shmem", "SwapPss")
NAMED = 1024  # bytes that the kernel keeps of each file in memory, however empty
_DEFAULT = Path("/proc/sys/net/core/wmem_default")
_OCTAL = re.compile(r"\\([0-7]{3})")  # how a blank in the name of a place is spelled
_MAPPING = re.compile(rb"[0-9a-f]+-[0-9a-f]+ \S+ \S+ ([0-9a-f]+):([0-9a-f]+) ")


class MemoryMeter:
    """Meter of the memory of a step, known by its first process (`closed`: as `list_processes` takes it)."""

    def __init__(self, first: int, *, closed: bool) -> None:
        self._first, self._closed = first, closed
        self._elsewhere = set(_in_memory("self").values())  # file systems in memory that are not the step's
        self._own = set[int]()  # those that were looked for among the machine's, and not found
        self._rough = self._exact = 0  # as they were when it was last measured exactly
        self._next = 0.0

    def measure(self, most: int) -> int:
        """Measure bytes: exactly where they are above `most`, else as rough as it takes to know that they are not.

        What several processes share is soon told as if each had it alone. To tell it apart takes the kernel long where
        there is much of it, so that this is done when as much came to it as half of what is left, or after a while.
        """
        started = time.monotonic()
        processes = [_living_thread(one) for one in list_processes(self._first, closed=self._closed)]
        scratch = self._scratch(processes)
        kept = sum(scratch.values()) + _buffered(processes)
        rough = kept + sum(_sum_lines(f"/proc/{one}/status", PAGES) for one in processes)
        if rough <= most:
            return rough
        grown = max(rough - self._rough, 0)
        if started < self._next and 2 * grown <= most - self._exact:
            return self._exact + grown
        self._rough, self._exact = rough, kept + sum(_own_share(one, set(scratch)) for one in processes)
        ended = time.monotonic()
        self._next = ended + (ended - started) / SHARE
        return self._exact

    def _scratch(self, processes: list[int]) -> dict[int, int]:
        """Find the file systems in memory that are the step's own: each device, and the bytes that it takes.

        A place is opened once and asked what it is and what it holds: a step's root is exchanged while it is set up,
        and the same path would lead to the disk of the machine a moment later.
        """
        for process in reversed(processes):  # the innermost first
            found = dict[int, int]()
            try:
                if os.readlink(f"/proc/{process}/ns/mnt") == os.readlink("/proc/self/ns/mnt"):
                    continue
                for place, device in _in_memory(str(process)).items():
                    if self._is_own(device) and (used := _used(f"/proc/{process}/root" + place, device)) is not None:
                        found[device] = used
            except OSError:
                continue  # it has ended, or is not yet inside
            return found
        return {}

    def _is_own(self, device: int) -> bool:
        """Whether a file system in memory is none of the machine's, such as one that was mounted a moment ago."""
        if device in self._elsewhere:
            return False
        if device not in self._own:
            self._elsewhere = set(_in_memory("self").values())
            self._own.add(device)
        return device not in self._elsewhere


def _used(path: str, device: int) -> int | None:
    """Return the bytes that a file system takes, its names counted; None where another is mounted there."""
    place = os.open(path, os.O_PATH)
    try:
        if os.fstat(place).st_dev != device:
            return None
        disk = os.fstatvfs(place)
    finally:
        os.close(place)
    return (disk.f_blocks - disk.f_bfree) * disk.f_frsize + (disk.f_files - disk.f_ffree) * NAMED


def _room() -> int:
    """Return the bytes that a socket of files may keep: the system's default, and the one message that went past it."""
    try:
        return 2 * int(_DEFAULT.read_text())
    except (OSError, ValueError):
        return 2 * 212_992


def _buffered(processes: list[int]) -> int:
    """Bound what the kernel keeps for the sockets of a step with a network of its own: for each, all that it may."""
    for process in reversed(processes):
        try:
            if os.readlink(f"/proc/{process}/ns/net") != os.readlink("/proc/self/ns/net"):
                return int(Path(f"/proc/{process}/net/sockstat").read_text().split()[2]) * _room()
        except (OSError, IndexError):
            continue  # it has ended
    return 0


def _living_thread(process: int) -> int:
    """Find a thread that has the memory of a process: the process itself, unless its first thread has ended."""
    try:
        if not Path(f"/proc/{process}/statm").read_bytes().startswith(b"0 "):
            return process
        for thread in os.listdir(f"/proc/{process}/task"):
            if not Path(f"/proc/{process}/task/{thread}/statm").read_bytes().startswith(b"0 "):
                return int(thread)
    except OSError:
        pass  # it has ended
    return process


def _own_share(process: int, scratch: set[int]) -> int:
    """Measure what is a process's own of the pages it maps, but files of the step's file systems in memory.

    Those files are looked at first: of a process that ends in between nothing is left, and nothing is counted twice.
    """
    mapped = _mapped_of(process, scratch) if scratch else 0
    found = _sum_lines(f"/proc/{process}/smaps_rollup", SHARES)
    if not found:  # it has ended, or is shut to whoever asks
        return _sum_lines(f"/proc/{process}/status", PAGES)
    found += _sum_lines(f"/proc/{process}/status", TABLES)
    return max(found - mapped, 0)


def _mapped_of(process: int, devices: set[int]) -> int:
    """Measure the pages that a process maps of files on some devices, without its own copies of them."""
    found, counted = 0, False
    try:
        lines = Path(f"/proc/{process}/smaps").read_bytes().splitlines()
    except OSError:
        return 0
    for line in lines:
        if told := _MAPPING.match(line):
            counted = os.makedev(int(told[1], 16), int(told[2], 16)) in devices
        elif counted and line.startswith((b"Pss:", b"Anonymous:")):
            size = int(line.split()[1]) << 10
            found += size if line.startswith(b"Pss:") else -size
    return max(found, 0)


def _sum_lines(path: str, names: tuple[str, ...]) -> int:
    """Add up lines of a file of /proc that are given in KiB; 0 where it cannot be read."""
    try:
        text = Path(path).read_bytes()
    except OSError:
        return 0
    found = 0
    for line in text.splitlines():
        name, _, size = line.partition(b":")
        if name.decode() in names:
            found += int(size.split()[0]) << 10
    return found


def _in_memory(process: str) -> dict[str, int]:
    """Find the places where file systems in memory are mounted for a process, each with the device of the topmost."""
    found = dict[str, int]()
    for line in Path(f"/proc/{process}/mountinfo").read_text(errors="surrogateescape").splitlines():
        facts, _, source = line.partition(" - ")
        device, place = facts.split()[2], _OCTAL.sub(lambda sign: chr(int(sign[1], 8)), facts.split()[4])
        found.pop(place, None)
        if source.startswith("tmpfs "):
            found[place] = os.makedev(*map(int, device.split(":")))
    return found
