"""Subprocess of the local engine, from start to end, with every process that it started."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from pathlib import Path

from harness.engines.filtered_start import Start, started
from harness.engines.memory_use import MemoryMeter
from harness.engines.monitor import JobMonitor
from harness.engines.process_count import count_threads

LAST_BLOCKS = 64  # what a pipe may still hold when its writers have been killed


def run_process(
    start: Start, monitor: JobMonitor, *, strays: bool, counted: bool = False, weighed: bool = True
) -> tuple[int, dict[str, int]]:
    """Run a command to its end or to the first reason to kill it; returns its exit code and resource usage.

    It holds the other end of the command's stdin as long as it lives. Nothing that the command started survives the
    call; `strays` says that a process may have left its session and is looked for, `counted` that nobody else bounds
    the number of its processes, `weighed` that nobody else bounds the memory of all of them.
    """
    with started(start) as process:
        if counted:
            monitor.count_with(lambda: count_threads(process.pid))
        if weighed:
            monitor.weigh_with(MemoryMeter(process.pid, closed=not strays).measure)
        try:
            _follow(process, monitor)
        finally:
            _kill(process)
            if strays:
                _kill_strays(os.fsencode(start.folder))
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, {"cpu_ms": round(1000 * (used.ru_utime + used.ru_stime)), "rss_kib": used.ru_maxrss}


def _follow(process: subprocess.Popen[bytes], monitor: JobMonitor) -> None:
    """Read what the command prints until it ends or must be ended."""
    assert process.stdin and process.stdout
    ended = os.pidfd_open(process.pid)
    pipe = process.stdout.fileno()
    os.set_blocking(pipe, False)
    try:
        with selectors.DefaultSelector() as ready:
            ready.register(ended, selectors.EVENT_READ)
            ready.register(pipe, selectors.EVENT_READ)
            while True:
                found = {one.fd for one, _ in ready.select(timeout=monitor.poll_seconds)}
                if pipe in found and not _take(pipe, monitor):
                    ready.unregister(pipe)
                if ended in found or monitor.must_end():
                    break
        _kill(process)
        for _ in range(LAST_BLOCKS):
            if not _take(pipe, monitor):
                break
    finally:
        os.close(ended)
        process.stdout.close()
        process.stdin.close()


def _take(pipe: int, monitor: JobMonitor) -> bool:
    """Read what is in the pipe; False where nothing more is there now."""
    try:
        block = os.read(pipe, 65536)
    except BlockingIOError:
        return False
    if block:
        monitor.log_output(block)
    return bool(block)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the command's process group, which stays its own until it is waited for."""
    os.killpg(process.pid, signal.SIGKILL)


def _kill_strays(folder: bytes) -> None:
    """Kill processes that left the command's session, found by the private folder in their environment."""
    mark = b"=" + folder + b"/"
    for _ in range(100):  # one that forks meanwhile is found by the next pass
        found = False
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                try:
                    if mark in Path(f"/proc/{name}/environ").read_bytes():
                        os.kill(int(name), signal.SIGKILL)
                        found = True
                except OSError:
                    continue  # it has ended, or is not ours
        if not found:
            return
