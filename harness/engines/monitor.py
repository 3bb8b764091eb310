"""Monitor of a running job, the same for every engine: time, cancellation, disk, processes, output, memory.

The memory of a step is measured from outside and as a whole, because the kernel limits each process alone if no control
group can be made. It includes the memory of the step's processes, what they share, and files in memory. A page that
several processes of a step map counts once, by the proportional sizes that the kernel reports.
"""

from __future__ import annotations

import errno
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from harness.engines.engine import Limits, Outcome

EVERY = 0.1  # seconds between two checks of the disk
SPARE = 20  # a disk is nearly full if less than 1/20 of it is free
SHARE = 0.1  # share of the time that checks may take: a step with many files is checked less often


@dataclass
class DiskBudget:
    """Counter of what a step wrote to its folders; never follows a link, and stops counting once over the limit."""

    folders: tuple[Path, ...]
    limits: Limits
    over: str = field(default="", init=False)
    _next: float = field(default=0.0, init=False)
    _free: int = field(default=0, init=False)  # most bytes of the disk that were free at any check

    def spent(self, *, now: bool = False) -> str:
        """Count what was written up to now, and return the limit that is exceeded in words; empty if none is.

        Counts again only after a pause. Until then it returns an empty text, unless `now`.
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
                        bytes_ += max(facts.st_size, 512 * facts.st_blocks)  # a sparse file counts with its full size
                        if one.is_dir(follow_symlinks=False):
                            open_.append(one.path)
                        if files > self.limits.files:
                            return f"more than {self.limits.files} files"
                        if bytes_ > self.limits.disk:
                            return f"more than {self.limits.disk >> 20} MiB"
            except OSError as bad:
                if bad.errno in (errno.ENAMETOOLONG, errno.EACCES):
                    return "folders that cannot be looked into"  # too deep or unreadable: not countable
        return self._unseen()

    def _unseen(self) -> str:
        """Detect deleted files that a step keeps open: they fill the disk, but have no name by which to count them."""
        if not self.folders:
            return ""
        disk = os.statvfs(self.folders[0].parent)
        free = disk.f_bavail * disk.f_frsize
        self._free = max(self._free, free)
        if self._free - free > self.limits.disk and free < disk.f_blocks * disk.f_frsize // SPARE:
            return "so much, or somebody beside it did, that the disk is nearly full"
        return ""


TURN = 0.1  # seconds between two checks
FAR, NEAR = 0.02, 0.01  # seconds between two checks of memory: if most is free, and if over a quarter is used


class JobMonitor:
    """Monitor of one command: says when it must be killed and why, collects its output, reports how it ended."""

    def __init__(
        self,
        limits: Limits,
        on_log: Callable[[bytes], None],
        cancel: threading.Event,
        folders: tuple[Path, ...] = (),  # folders that the command may write to
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
        """Start the command's clock; the time to set up its isolation does not count."""
        self._deadline = time.monotonic() + self._limits.seconds

    def count_with(self, counter: Callable[[], int]) -> None:
        """Count processes with this function from now on; needed if the kernel does not limit their number."""
        self._counter = counter

    def weigh_with(self, meter: Callable[[int], int]) -> None:
        """Measure memory with this function from now on; needed if the kernel does not limit all of it together.

        The function gets the number of bytes allowed, and may return a rough number if that is not above it.
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
        """The seconds to wait before the next check."""
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
        """Return the Outcome for an exit code and what was observed; a code below 0, or above 128, is a signal."""
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


_BLOCK = 1 << 16


def count_threads(first: int) -> int:
    """Count the threads of a process, of its descendants, and of its session, from /proc."""
    return sum(_look_for(first).values())


def read_proc(path: str) -> bytes:
    """Return the content of a file below /proc, without what `Path.read_bytes` costs: looks at steps read most of all.

    The kernel may give less than is asked for, though there is more.
    """
    handle, parts = os.open(path, os.O_RDONLY | os.O_CLOEXEC), list[bytes]()
    try:
        while part := os.read(handle, _BLOCK):
            parts.append(part)
    finally:
        os.close(handle)
    return b"".join(parts)


def list_processes(first: int, *, closed: bool) -> list[int]:
    """List a process and its descendants and, unless `closed`, the other processes of its session.

    `closed` says that an orphan stays a descendant of the process. Otherwise orphans are searched for among all
    processes of the machine, which takes longer.
    """
    return _descendants([first]) if closed and _lists_children() else list(_look_for(first))


def _descendants(known: Iterable[int]) -> list[int]:
    """List some processes and their descendants, each once."""
    found = dict.fromkeys(known)
    open_ = list(found)
    for one in open_:  # the list grows during the loop
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                born = list(map(int, read_proc(f"/proc/{one}/task/{task}/children").split()))
                open_ += (child for child in born if child not in found)
                found |= dict.fromkeys(born)
        except OSError:
            continue  # it has ended
    return open_


@cache
def _lists_children() -> bool:
    """Whether this kernel lists the children of a thread."""
    return Path("/proc/self/task", str(os.getpid()), "children").exists()


def _look_for(first: int) -> dict[int, int]:
    """Return the number of threads of a process, its descendants and its session's processes, by PID, from /proc."""
    tasks, below = {}, dict[int, list[int]]()
    open_ = [first]
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                facts = read_proc(f"/proc/{name}/stat").rpartition(b")")[2].split()
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


TABLES = (b"VmPTE",)  # page tables, which are large if few pages are mapped at many addresses
PAGES = (b"RssAnon", b"RssShmem", b"VmSwap", *TABLES)
SHARES = (b"Pss_Anon", b"Pss_Shmem", b"SwapPss")
NAMED = 1024  # bytes that the kernel keeps for each file in memory, even an empty one
_DEFAULT = Path("/proc/sys/net/core/wmem_default")
_OCTAL = re.compile(r"\\([0-7]{3})")  # how a blank in a mount point is escaped
_MAPPING = re.compile(rb"[0-9a-f]+-[0-9a-f]+ \S+ \S+ ([0-9a-f]+):([0-9a-f]+) ")


class MemoryMeter:
    """Meter of the memory of a step, which is given by its first process; `closed` is passed to `list_processes`."""

    def __init__(self, first: int, *, closed: bool) -> None:
        self._first, self._closed = first, closed
        self._elsewhere = set(_in_memory("self").values())  # file systems in memory that are not the step's
        self._own = set[int]()  # file systems that are not among the machine's
        self._rough = self._exact = 0  # both as of the last exact measurement
        self._next = 0.0
        self._seen, self._next_search = {first: 1}, 0.0  # processes as of the last search for orphans, their threads

    def measure(self, most: int) -> int:
        """Return the memory of the step in bytes; a rough number is enough if it is not above `most`.

        The rough number counts memory that several processes share once for each of them. The kernel takes long for the
        exact number if much is shared. So it is measured again only if the memory grew by more than half of what was
        left, or after a while. In between, the growth is added to the last exact number.
        """
        started = time.monotonic()
        processes = [_living_thread(one) for one in self._processes()]
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

    def _processes(self) -> list[int]:
        """List the step's processes; orphans are searched for once in a turn, and known ones are followed meanwhile."""
        if self._closed or not _lists_children():
            return list_processes(self._first, closed=self._closed)
        return list(self._seen) if self._search() else _descendants(self._seen)

    def count_threads(self) -> int:
        """Count the threads of the step's processes, as of the last search among all processes of the machine."""
        self._search()
        return sum(self._seen.values())

    def _search(self) -> bool:
        """Search all processes of the machine for the step's, once in a turn; return whether that was done."""
        started = time.monotonic()
        if started < self._next_search:
            return False
        self._seen = _look_for(self._first)
        ended = time.monotonic()
        self._next_search = ended + max(TURN, (ended - started) / SHARE)
        return True

    def _scratch(self, processes: list[int]) -> dict[int, int]:
        """Return the bytes that each of the step's own file systems in memory takes, by device.

        A mount point is opened once, and its device and usage are read from the open file. A step's root is exchanged
        while the step is set up, so the same path could lead to the machine's disk a moment later.
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
        """Whether a file system in memory is not one of the machine's, even of those mounted a moment ago."""
        if device in self._elsewhere:
            return False
        if device not in self._own:
            self._elsewhere = set(_in_memory("self").values())
            self._own.add(device)
        return device not in self._elsewhere


def _used(path: str, device: int) -> int | None:
    """Return the bytes that a file system takes, including its names; None if another one is mounted there."""
    place = os.open(path, os.O_PATH)
    try:
        if os.fstat(place).st_dev != device:
            return None
        disk = os.fstatvfs(place)
    finally:
        os.close(place)
    return (disk.f_blocks - disk.f_bfree) * disk.f_frsize + (disk.f_files - disk.f_ffree) * NAMED


@cache
def _room() -> int:
    """Return the bytes that a socket may buffer: the system's default, and the one message that may exceed it."""
    try:
        return 2 * int(_DEFAULT.read_text())
    except (OSError, ValueError):
        return 2 * 212_992


def _buffered(processes: list[int]) -> int:
    """Return an upper bound of the socket buffers of a step with a network of its own: the most for each socket."""
    for process in reversed(processes):
        try:
            if os.readlink(f"/proc/{process}/ns/net") != os.readlink("/proc/self/ns/net"):
                return int(read_proc(f"/proc/{process}/net/sockstat").split()[2]) * _room()
        except (OSError, IndexError):
            continue  # it has ended
    return 0


def _living_thread(process: int) -> int:
    """Return a thread that has the memory of a process: the process itself, unless its first thread has ended."""
    try:
        if not read_proc(f"/proc/{process}/statm").startswith(b"0 "):
            return process
        for thread in os.listdir(f"/proc/{process}/task"):
            if not read_proc(f"/proc/{process}/task/{thread}/statm").startswith(b"0 "):
                return int(thread)
    except OSError:
        pass  # it has ended
    return process


def _own_share(process: int, scratch: set[int]) -> int:
    """Measure a process's own part of the pages it maps, without files in the step's file systems in memory.

    Those files are measured first. If the process ends in between, nothing is left of it and nothing is counted twice.
    """
    mapped = _mapped_of(process, scratch) if scratch else 0
    found = _sum_lines(f"/proc/{process}/smaps_rollup", SHARES)
    if not found:  # it has ended, or may not be read by this user
        return _sum_lines(f"/proc/{process}/status", PAGES)
    found += _sum_lines(f"/proc/{process}/status", TABLES)
    return max(found - mapped, 0)


def _mapped_of(process: int, devices: set[int]) -> int:
    """Measure the pages of files on some devices that a process maps, without the process's own copies of them."""
    found, counted = 0, False
    try:
        lines = read_proc(f"/proc/{process}/smaps").splitlines()
    except OSError:
        return 0
    for line in lines:
        if told := _MAPPING.match(line):
            counted = os.makedev(int(told[1], 16), int(told[2], 16)) in devices
        elif counted and line.startswith((b"Pss:", b"Anonymous:")):
            size = int(line.split()[1]) << 10
            found += size if line.startswith(b"Pss:") else -size
    return max(found, 0)


def _sum_lines(path: str, names: tuple[bytes, ...]) -> int:
    """Return the sum in bytes of some lines of a /proc file, which are in KiB; 0 if the file cannot be read."""
    try:
        text = read_proc(path)
    except OSError:
        return 0
    found = 0
    for line in text.splitlines():
        name, _, size = line.partition(b":")
        if name in names:
            found += int(size.split()[0]) << 10
    return found


def _in_memory(process: str) -> dict[str, int]:
    """Return the mount points of file systems in memory as a process sees them, with the topmost mount's device."""
    found = dict[str, int]()
    for line in os.fsdecode(read_proc(f"/proc/{process}/mountinfo")).splitlines():
        facts, _, source = line.partition(" - ")
        device, place = facts.split()[2], _OCTAL.sub(lambda sign: chr(int(sign[1], 8)), facts.split()[4])
        found.pop(place, None)
        if source.startswith("tmpfs "):
            found[place] = os.makedev(*map(int, device.split(":")))
    return found
