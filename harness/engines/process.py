"""Subprocess of the local engine, from start to end, with every process that it started."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import selectors
import signal
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.engines.monitor import JobMonitor, MemoryMeter, count_threads

KEYCTL, JOIN_SESSION_KEYRING = 250, 1
HIGH = 100  # above the numbers that the shells around a step use
NO_NEW_PRIVS, SECCOMP, BY_FILTER = 38, 22, 2  # of prctl
MFD_EXEC = 0x10
# Walls that need calls which the filter refuses are followed by a program of 103 bytes, for an interpreter would take
# longer to start than all of them. It closes the file that it lies in, gives up new privileges, loads the filter that
# follows it, and becomes the program that its arguments name; or it ends with 126. In the assembler's words:
#   close: mov eax,3; mov edi,FILE; syscall
#   prctl: mov eax,157; mov edi,38; mov esi,1; xor edx,edx; xor r10d,r10d; xor r8d,r8d; syscall
#   prctl: mov eax,157; mov edi,22; mov esi,2; lea rdx,[rip+end]; syscall; test eax,eax; jnz fail
#   execve: mov rax,[rsp]; mov rdi,[rsp+16]; lea rsi,[rsp+16]; lea rdx,[rsp+8*rax+16]; mov eax,59; syscall
#   fail: mov eax,231; mov edi,126; syscall; end:
_LOADER = (
    "b803000000bf",
    "0f05b89d000000bf26000000be0100000031d24531d24531c00f05b89d000000bf16000000be02000000488d152c000000"
    "0f0585c0751a488b0424488b7c2410488d742410488d54c410b83b0000000f05b8e7000000bf7e0000000f05",
)
_AT, _HEADERS = 0x400000, 120  # where it lies in memory, and the bytes of its ELF headers


class _Filter(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


@dataclass(frozen=True)
class Start:
    """What a step's first process is started with: its command, and the filter that it is under from the start."""

    argv: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    program: bytes = b""
    passed: tuple[int, ...] = ()  # open files that it is given beside its standard ones


@contextmanager
def open_filter(program: bytes, *, runs: bool) -> Iterator[int]:
    """Open a filter as a file to be read to its end, or as a program that `runs` to load it; -1 without a filter."""
    if not program:
        yield -1
        return
    file = _open_loader(program) if runs else _open_pipe(program)
    try:
        yield file
    finally:
        os.close(file)


def _open_pipe(text: bytes) -> int:
    out, into = os.pipe()
    try:
        with os.fdopen(into, "wb") as pipe:
            pipe.write(text)  # a pipe holds 64 KiB
        return fcntl.fcntl(out, fcntl.F_DUPFD_CLOEXEC, HIGH)
    finally:
        os.close(out)


def _open_loader(program: bytes) -> int:
    """Make a file in memory that anybody may run, which loads a filter."""
    try:
        made = os.memfd_create("filter", os.MFD_CLOEXEC | MFD_EXEC)
    except OSError:  # before Linux 6.3 every such file could be run
        made = os.memfd_create("filter")
    try:
        file = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, HIGH)
        os.write(made, _loader(program, file))
        return file
    finally:
        os.close(made)


def _loader(program: bytes, file: int) -> bytes:
    """Assemble the program that loads a filter, as an ELF file which is mapped as a whole."""
    before, after = map(bytes.fromhex, _LOADER)
    code = before + struct.pack("<I", file) + after
    lines = _AT + _HEADERS + len(code) + 16
    whole = code + struct.pack("<H6xQ", len(program) // 8, lines) + program
    size = _HEADERS + len(whole)
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, _AT + _HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, _AT, _AT, size, size, 4096) + whole


@contextmanager
def started(start: Start) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process from a thread that lives until this ends, and raise here what that thread met."""
    met: list[subprocess.Popen[bytes] | Exception] = []
    ready, over = threading.Event(), threading.Event()

    def work() -> None:
        try:
            _leave_session_keyring()
            if start.program:
                _load(start.program)
            met.append(
                subprocess.Popen(
                    start.argv,
                    cwd=start.folder,
                    env=dict(start.env),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    pass_fds=start.passed,
                )
            )
        except (OSError, ValueError, subprocess.SubprocessError) as bad:
            met.append(bad)
        finally:
            ready.set()
        over.wait()

    thread = threading.Thread(target=work, name="start of a step", daemon=True)
    thread.start()
    try:
        ready.wait()
        if isinstance(met[0], Exception):
            raise met[0]
        yield met[0]
    finally:
        over.set()
        thread.join()


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _leave_session_keyring() -> None:
    """Join a new session keyring: what a step starts with holds no key of the harness's user.

    It may fail where a user has too many; the filter refuses every use of keys all the same.
    """
    _libc().syscall(KEYCTL, JOIN_SESSION_KEYRING, None)


def _load(program: bytes) -> None:
    """Load a filter into this thread, for good."""
    call = _libc().prctl
    given = _Filter(len(program) // 8, program)
    if call(NO_NEW_PRIVS, 1, 0, 0, 0) or call(SECCOMP, BY_FILTER, ctypes.byref(given), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls was not loaded")


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
