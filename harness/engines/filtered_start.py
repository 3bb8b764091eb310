"""Start of a step's first process with a session keyring of its own and, where asked, under a filter of system calls.

Keyrings, filters and the loss of new privileges belong to a thread and to what it starts. So a thread of the harness
lays them upon itself, starts the process, and lives as long as it: the kernel kills a child whose starter is gone.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

KEYCTL, JOIN_SESSION_KEYRING = 250, 1
HIGH = 100  # above the numbers that the shells around a step use
NO_NEW_PRIVS, SECCOMP, BY_FILTER = 38, 22, 2  # of prctl
# The last program before a step whose walls need calls that the filter refuses. The interpreter ignores two signals
# that a step must hear, and lets go of what its locale made it add to the environment.
_LOADER = f"""
import ctypes, os, signal, sys
program = bytes.fromhex(sys.argv[1])
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_char_p)]
call = ctypes.CDLL(None, use_errno=True).prctl
given = Filter(len(program) // 8, program)
if call({NO_NEW_PRIVS}, 1, 0, 0, 0) or call({SECCOMP}, {BY_FILTER}, ctypes.byref(given), 0, 0):
    os._exit(126)
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
with open("/proc/self/environ", "rb") as first:
    given = dict(pair.split(b"=", 1) for pair in first.read().split(b"\\0") if b"=" in pair)
os.execvpe(sys.argv[2], sys.argv[2:], given)
"""


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


def loader_command(program: bytes) -> list[str]:
    """Spell a command prefix that loads a filter from inside walls that are up; empty without a filter."""
    return [sys.executable, "-I", "-S", "-B", "-c", _LOADER, program.hex()] if program else []


@contextmanager
def open_filter(program: bytes) -> Iterator[int]:
    """Open a filter as a file that a program reads to its end; -1 without a filter."""
    if not program:
        yield -1
        return
    out, into = os.pipe()
    try:
        with os.fdopen(into, "wb") as pipe:
            pipe.write(program)  # a pipe holds 64 KiB
        file = fcntl.fcntl(out, fcntl.F_DUPFD_CLOEXEC, HIGH)
    finally:
        os.close(out)
    try:
        yield file
    finally:
        os.close(file)


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
            met.append(subprocess.Popen(
                start.argv, cwd=start.folder, env=dict(start.env), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True, pass_fds=start.passed,
            ))  # fmt: skip
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


def _leave_session_keyring() -> None:
    """Join a new session keyring: what a step starts with holds no key of the harness's user.

    It may fail where a user has too many; the filter refuses every use of keys all the same.
    """
    ctypes.CDLL(None).syscall(KEYCTL, JOIN_SESSION_KEYRING, None)


def _load(program: bytes) -> None:
    """Load a filter into this thread, for good."""
    call = ctypes.CDLL(None, use_errno=True).prctl
    given = _Filter(len(program) // 8, program)
    if call(NO_NEW_PRIVS, 1, 0, 0, 0) or call(SECCOMP, BY_FILTER, ctypes.byref(given), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls was not loaded")
