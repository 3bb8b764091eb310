"""A step has its memory once, however many processes it starts and whatever they share: beyond it, it is ended."""

from __future__ import annotations

import mmap
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support_draws import drawn
from support_walls import FILES, NAMES, TAKEN, WAITS

from harness.engines import monitor
from harness.engines.engine import Limits, Outcome
from harness.engines.isolation import isolation_command
from harness.engines.local import available_isolations
from harness.engines.monitor import MemoryMeter, list_processes, read_proc

MIB = 1 << 20
OFFERED = available_isolations()
CLOSED = [name for name in OFFERED if name != "process"]
MEMORY = 128 * MIB
UNSEEN = ("process", "sockets that are full")  # it has the network of the host, whose sockets are not its own


def ended_for_memory(outcome: Outcome) -> None:
    assert outcome.oom and not outcome.fine and not outcome.timed_out, outcome
    told = re.search(rb"needed more than 128 MiB of memory: ([0-9]+) MiB", outcome.log)
    assert told and int(told[1]) * MIB >= MEMORY, outcome.log


@pytest.mark.parametrize("isolation,way", sorted({(one, way) for one in OFFERED for way in TAKEN} - {UNSEEN}))
def test_a_step_past_its_memory_as_a_whole_is_ended(run: Callable[..., Outcome], isolation: str, way: str) -> None:
    ended_for_memory(run(isolation, TAKEN[way] + WAITS, memory=MEMORY, seconds=30))


@pytest.mark.parametrize("way", [*TAKEN, "files in memory", "names in memory"])
def test_a_container_past_its_memory_as_a_whole_is_ended(step: Callable[..., Outcome], way: str) -> None:
    """By its control group, which counts what the kernel keeps for it, too, and ends whoever asked for more."""
    code = {**TAKEN, "files in memory": FILES, "names in memory": NAMES}[way]
    outcome = step(code + WAITS, memory=MEMORY, seconds=15)
    assert outcome.oom and not outcome.fine, outcome


@pytest.mark.parametrize("isolation", CLOSED)
def test_files_in_memory_and_memory_count_together(run: Callable[..., Outcome], isolation: str) -> None:
    ended_for_memory(run(isolation, FILES + WAITS, memory=MEMORY, seconds=30))
    assert not [name for name in os.listdir("/dev/shm") if name.isdigit()], "it is the step's own"


@pytest.mark.parametrize("isolation", CLOSED)
def test_names_in_memory_count_without_contents(run: Callable[..., Outcome], isolation: str) -> None:
    ended_for_memory(run(isolation, NAMES + WAITS, memory=MEMORY, seconds=30))


@pytest.mark.long
@pytest.mark.parametrize("isolation", OFFERED)
def test_what_processes_share_counts_once(run: Callable[..., Outcome], isolation: str) -> None:
    """Eight processes of 64 MiB that they have in common: by what each holds it would be four times too much."""
    code = """
        import mmap, time
        common, held = mmap.mmap(-1, 32 << 20), b"x" * (32 << 20)
        common.write(b"x" * (32 << 20))
        for _ in range(7):
            if not os.fork():
                sum(common[::4096]), sum(held[::4096])
                break
        time.sleep(1)
        os._exit(0)
    """
    outcome = run(isolation, code, memory=MEMORY)
    assert outcome.fine, outcome.log.decode()


@pytest.mark.parametrize("isolation", CLOSED)
def test_a_mapped_file_in_memory_counts_once(run: Callable[..., Outcome], isolation: str) -> None:
    code = """
        import mmap, time
        with open("/dev/shm/one", "w+b") as file:
            file.truncate(80 << 20)
            held = mmap.mmap(file.fileno(), 0)
        for _ in range(80):
            held.write(bytes(1 << 20))
        time.sleep(0.5)
    """
    outcome = run(isolation, code, memory=MEMORY)
    assert outcome.fine, outcome.log.decode()


def test_a_process_that_ends_while_it_is_measured_counts_no_mapped_file_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are counted by their file system; it ended just after its sizes were read."""
    code = (
        "import mmap, sys; held = mmap.mmap(-1, 16 << 20); held.write(bytes(16 << 20)); print(1, flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline()
        lines = Path(f"/proc/{process.pid}/maps").read_text().splitlines()
        [device] = {line.split()[3] for line in lines if "/dev/zero" in line}
        read = monitor._sum_lines

        def ending(path: str, names: tuple[bytes, ...]) -> int:
            found = read(path, names)
            if path.endswith("smaps_rollup"):
                process.kill()
                process.wait()
            return found

        monkeypatch.setattr(monitor, "_sum_lines", ending)
        shared = os.makedev(*(int(one, 16) for one in device.split(":")))
        assert 0 < monitor._own_share(process.pid, {shared}) < 16 * MIB


@contextmanager
def child(work: Callable[[], object]) -> Iterator[int]:
    """Give a process that has done its work and waits."""
    out, into = os.pipe()
    one = os.fork()
    if not one:
        kept = work()
        os.write(into, b"x")
        signal.pause()
        os._exit(kept is None)
    try:
        os.read(out, 1)
        yield one
    finally:
        os.kill(one, signal.SIGKILL)
        os.waitpid(one, 0)
        os.close(out)
        os.close(into)


def filled() -> object:
    held = mmap.mmap(-1, 64 * MIB)
    held.write(b"x" * (64 * MIB))
    return held


@pytest.mark.parametrize("closed", [False, True])
def test_a_measure_is_of_the_pages_that_are_there(closed: bool) -> None:
    with child(lambda: mmap.mmap(-1, 64 * MIB)) as bare, child(filled) as full:
        for most in (0, 1 << 40):  # exact, and as rough as will do
            more, less = (MemoryMeter(one, closed=closed).measure(most) for one in (full, bare))
            assert abs(more - less - 64 * MIB) < 4 * MIB


ORPHANS = """
import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
if not os.fork():
    if not os.fork():
        signal.sigwait({signal.SIGUSR1})
        os.fork()
        time.sleep(60)
    os._exit(0)
os.wait()
print(flush=True)
time.sleep(60)
"""


def test_an_orphan_is_searched_for_once_in_a_turn_and_followed_meanwhile() -> None:
    command = [sys.executable, "-c", ORPHANS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as first:
        try:
            assert first.stdout and first.stdout.readline()
            meter = MemoryMeter(first.pid, closed=False)
            [_, orphan] = sorted(meter._processes(), key=lambda one: one != first.pid)
            assert meter.count_threads() == 2
            meter._next_search = float("inf")  # between two searches
            os.kill(orphan, signal.SIGUSR1)
            for _ in range(600):
                if len(found := meter._processes()) == 3:
                    break
                time.sleep(0.05)
            assert len(found) == 3 and meter.count_threads() == 2
            meter._next_search = 0.0
            assert meter.count_threads() == 3
        finally:
            os.killpg(first.pid, signal.SIGKILL)


def test_what_the_kernel_gives_in_parts_is_read_whole() -> None:
    for name in ("mountinfo", "smaps", "environ"):
        found, whole = read_proc(f"/proc/{os.getppid()}/{name}"), Path(f"/proc/{os.getppid()}/{name}").read_bytes()
        assert found.splitlines()[-1:] == whole.splitlines()[-1:]
    with pytest.raises(OSError, match="No such file"):
        read_proc("/proc/self/nothing")


@pytest.mark.long
@pytest.mark.exhaustive  # of more starts at night
def test_a_step_that_is_being_set_up_is_never_measured_by_the_machines_disk(tmp_path: Path) -> None:
    """Its root is exchanged meanwhile: looks at the wrong moment took what the disk holds for the step's memory."""
    if "bubblewrap" not in OFFERED:
        pytest.skip("no bubblewrap here")
    walls = isolation_command("bubblewrap", tmp_path, Limits(seconds=60, memory=MEMORY))
    most = 0
    for name in ("out", "tmp"):
        (tmp_path / name).mkdir()
    for _ in drawn(range(500), 150):
        with subprocess.Popen([*walls, "true"], stdin=subprocess.PIPE) as started:
            meter = MemoryMeter(started.pid, closed=True)
            while started.poll() is None:
                most = max(most, sum(meter._scratch(list_processes(started.pid, closed=True)).values()))
        assert started.returncode == 0
    assert 0 < most < MEMORY
