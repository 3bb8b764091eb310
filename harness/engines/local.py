"""Local engine: runs steps as subprocesses, each in a private folder, with the chosen isolation or the best one.

With `bubblewrap` a step sees the system read-only, nothing else of the disk, no network and no other process. With
`namespaces` it has no network and sees no other process. With `process` it is not isolated. In all of them, the step
dies with the harness, and every process that it started with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import os
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.clean_start import own_bytecode
from harness.engines import engine
from harness.engines.engine import (
    CALLS,
    DISK,
    MACHINE,
    NETWORK,
    NO_IMAGE,
    PROCESSES,
    SHARED,
    EngineKind,
    Job,
    Limits,
    Outcome,
)
from harness.engines.isolation import (
    GUARD,
    PROGRAMS,
    chown_back,
    chown_to_step,
    counts_per_step,
    drops_root,
    isolation_command,
    site_packages,
    socket_inside,
    unreadable_to_steps,
)
from harness.engines.monitor import JobMonitor, MemoryMeter, count_threads, read_proc
from harness.engines.system_calls import can_filter, filter_program
from harness.errors import MissingError

KEYCTL, JOIN_SESSION_KEYRING = 250, 1
HIGH = 100  # above the file descriptors that the shells around a step use
NO_NEW_PRIVS, SECCOMP, BY_FILTER = 38, 22, 2  # arguments of prctl
MFD_EXEC = 0x10
# An isolation that needs calls which the filter refuses runs a program of 103 bytes last: an interpreter would take
# longer to start than the isolation. It closes the file it is in, gives up new privileges, loads the filter that
# follows it, and becomes the program that its arguments name; or it ends with 126. In assembly language:
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
_AT, _HEADERS = 0x400000, 120  # its address in memory, and the bytes of its ELF headers


class _Filter(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


@dataclass(frozen=True)
class ProcessStart:
    """How a step's first process is started: its command, and the system call filter that it has from the start."""

    argv: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    program: bytes = b""
    passed: tuple[int, ...] = ()  # open files that it gets besides the standard ones


@contextmanager
def open_filter(program: bytes, *, runs: bool) -> Iterator[int]:
    """Context manager that opens a filter as a file and yields its descriptor; -1 without a filter.

    With `runs`, the file is a program that loads the filter. Otherwise the filter is to be read from the file to its
    end.
    """
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
    """Return a file in memory that anyone may execute and that loads a filter."""
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
def started_process(start: ProcessStart) -> Iterator[subprocess.Popen[bytes]]:
    """Context manager that starts a process from a thread, which lives until the block ends.

    Errors in that thread are raised here.
    """
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
    """Join a new session keyring, so that a step holds no key of the harness's user.

    This may fail if a user has too many keyrings. The filter refuses every use of keys anyway.
    """
    _libc().syscall(KEYCTL, JOIN_SESSION_KEYRING, None)


def _load(program: bytes) -> None:
    """Load a filter into this thread; it cannot be removed again."""
    call = _libc().prctl
    given = _Filter(len(program) // 8, program)
    if call(NO_NEW_PRIVS, 1, 0, 0, 0) or call(SECCOMP, BY_FILTER, ctypes.byref(given), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls was not loaded")


LAST_BLOCKS = 64  # what a pipe may still hold when its writers have been killed


def run_process(
    start: ProcessStart, monitor: JobMonitor, *, strays: bool, counted: bool = False, weighed: bool = True
) -> tuple[int, dict[str, int]]:
    """Run a command until it ends or must be killed; return its exit code and resource usage.

    The other end of the command's stdin stays open during the call. Nothing that the command started survives the call.
    `strays` says that a process may have left its session and is searched for. `counted` says that nothing else limits
    the number of its processes, `weighed` that nothing else limits the memory of all of them.
    """
    with started_process(start) as process:
        meter = MemoryMeter(process.pid, closed=not strays)
        if counted:
            monitor.count_with(meter.count_threads)
        if weighed:
            monitor.weigh_with(meter.measure)
        try:
            _follow(process, monitor)
        finally:
            _kill(process)
            _close(process)
            if strays:
                _kill_strays(os.fsencode(start.folder))
            code, usage = _reap(process)
    return code, usage


@dataclass
class KeptProcess:
    """A process that does one piece of work after another: told to begin over one pipe, it reports over another."""

    process: subprocess.Popen[bytes]
    go: int
    done: int
    ended: bool = False

    def work(self, monitor: JobMonitor, *, counted: bool) -> tuple[int, dict[str, int]]:
        """Have the process do one piece of work, watched by a monitor; return exit code and resource usage.

        The command lives on only if it said that it did the work. Otherwise it has ended, or it is killed.
        """
        if counted:
            monitor.count_with(lambda: count_threads(self.process.pid))
        monitor.weigh_with(MemoryMeter(self.process.pid, closed=True).measure)
        with suppress(BrokenPipeError):  # it has ended, which is seen at once
            os.write(self.go, b"\n")
        try:
            cpu, resident = map(int, _follow(self.process, monitor, self.done).split())
        except ValueError:  # nothing, or not what the command of a kept process says
            return self.end()
        except BaseException:
            self.end()
            raise
        return 0, {"cpu_ms": cpu, "rss_kib": resident}

    def is_over(self) -> bool:
        """Whether the process has ended by itself; it is not reaped, so its process id is not given to another."""
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, look) is not None

    def end(self) -> tuple[int, dict[str, int]]:
        """Kill the command with all that it started; return its exit code and usage, both empty the second time."""
        if self.ended:
            return 0, {}
        self.ended = True
        _kill(self.process)
        _close(self.process)
        return _reap(self.process)


@contextmanager
def kept_process(start: ProcessStart) -> Iterator[KeptProcess]:
    """Context manager that starts a command, and ends it.

    Its last words are the numbers of two pipes, and the namespace of processes that it must not be in.
    """
    with ExitStack() as stack:
        with ExitStack() as theirs:
            (given, go), (done, said) = os.pipe(), os.pipe()
            for mine, other in ((go, given), (done, said)):
                stack.callback(os.close, mine)
                theirs.callback(os.close, other)
            high = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, HIGH) for one in (given, said)]
            for one in high:
                theirs.callback(os.close, one)
            words = (*start.argv, *map(str, high), os.readlink("/proc/self/ns/pid"))
            process = stack.enter_context(started_process(replace(start, argv=words, passed=(*start.passed, *high))))
        kept = KeptProcess(process, go, done)
        stack.callback(kept.end)
        yield kept


def _follow(process: subprocess.Popen[bytes], monitor: JobMonitor, done: int = -1) -> bytes:
    """Read what the command prints until it ends, must be ended, or says on `done` that it is; return what it says.

    A command that says nothing there is killed.
    """
    assert process.stdout
    ended, said = os.pidfd_open(process.pid), b""
    pipe = process.stdout.fileno()
    os.set_blocking(pipe, False)
    try:
        with selectors.DefaultSelector() as ready:
            for file in (ended, pipe, *((done,) if done >= 0 else ())):
                ready.register(file, selectors.EVENT_READ)
            while True:
                found = {one.fd for one, _ in ready.select(timeout=monitor.poll_seconds)}
                if pipe in found and not _take(pipe, monitor):
                    ready.unregister(pipe)
                if done in found:
                    said = os.read(done, 4096)
                    ready.unregister(done)
                if said or ended in found or monitor.must_end():
                    break
        if not said:
            _kill(process)
        for _ in range(LAST_BLOCKS):
            if not _take(pipe, monitor):
                break
    finally:
        os.close(ended)
    return said


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin and process.stdout
    process.stdout.close()
    process.stdin.close()


def _reap(process: subprocess.Popen[bytes]) -> tuple[int, dict[str, int]]:
    """Wait for the end of a process that was killed or has ended; return its exit code and resource usage."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, {"cpu_ms": round(1000 * (used.ru_utime + used.ru_stime)), "rss_kib": used.ru_maxrss}


def _take(pipe: int, monitor: JobMonitor) -> bool:
    """Read what is in the pipe; return False if there is nothing more now."""
    try:
        block = os.read(pipe, 65536)
    except BlockingIOError:
        return False
    if block:
        monitor.log_output(block)
    return bool(block)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the command's process group, whose ID is not reused until the command is waited for."""
    os.killpg(process.pid, signal.SIGKILL)


def _kill_strays(folder: bytes) -> None:
    """Kill processes that left the command's session, found by the private folder in their environment."""
    mark = b"=" + folder + b"/"
    for _ in range(100):  # one that forks meanwhile is found by the next pass
        found = False
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                try:
                    if mark in read_proc(f"/proc/{name}/environ"):
                        os.kill(int(name), signal.SIGKILL)
                        found = True
                except OSError:
                    continue  # it has ended, or is not ours
        if not found:
            return


STEP_PATH = PROGRAMS  # also the PATH of a step
ISOLATIONS = ("bubblewrap", "namespaces", "process")
_FORBID = {  # kernel settings that forbid user namespaces to ordinary users, and how to fix each
    ("user/max_user_namespaces", "0"): "`sysctl user.max_user_namespaces=15000`",
    ("kernel/unprivileged_userns_clone", "0"): "`sysctl kernel.unprivileged_userns_clone=1`",
    ("kernel/apparmor_restrict_unprivileged_userns", "1"): "give bubblewrap its profile: apt-get install "
    "apparmor-profiles, copy /usr/share/apparmor/extra-profiles/bwrap-userns-restrict to /etc/apparmor.d, and load it "
    "with apparmor_parser -r",
}


@functools.cache
def available_isolations() -> tuple[str, ...]:
    """List the isolations that work here, best first, by trying each once; `process` always works.

    Raises MissingError if util-linux is not installed, since no step runs without it.
    """
    for program in ("prlimit", "setpriv"):
        if not shutil.which(program, path=STEP_PATH):
            raise MissingError(f"`{program}` is not installed, and no step runs without it", next="install util-linux")
    found = []
    for name in ISOLATIONS:
        try:
            with open_filter(filter_program(), runs=name == "namespaces") as file:
                tried = subprocess.run(
                    [*isolation_command(name, Path("/"), Limits(), filter_file=file), "true"],
                    env={"PATH": STEP_PATH},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=10,
                    check=False,
                    pass_fds=[file] if file >= 0 else [],
                )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if tried.returncode == 0:
            found.append(name)
    return tuple(found)


def advise_isolation(switches: Path = Path("/proc/sys")) -> str:
    """Return what to do so that bubblewrap works here: install it, or allow the user namespaces that it needs."""
    install = "" if shutil.which("bwrap", path=STEP_PATH) else "apt-get install bubblewrap"
    for (switch, stands), mends in _FORBID.items():
        with contextlib.suppress(OSError):
            if (switches / switch).read_text().strip() == stands:
                told = f"{switch.replace('/', '.')} is {stands}, which forbids user namespaces; as root, {mends}"
                return f"{told}; then {install}" if install else told
    return install or "allow user namespaces"


class LocalEngine:
    """Engine that runs steps as subprocesses of this machine, in the chosen isolation or the best that works here.

    Raises MissingError if this machine lacks the chosen isolation or the wanted GPUs.
    """

    name = "local"
    image = NO_IMAGE
    emulator: tuple[str, ...] = ()  # command that runs a step's interpreter; tests set emulators of other processors

    def __init__(self, isolation: str = "", gpus: engine.Wanted = 0) -> None:
        offered = available_isolations()
        if isolation and isolation not in offered:
            raise MissingError(
                f"this machine does not have the isolation {isolation!r}",
                next=f"{advise_isolation()}; `harness doctor` says more",
            )
        self.isolation = isolation or offered[0]
        if self.isolation != "process" and (shut := unreadable_to_steps()):
            raise MissingError(
                "root's steps run as nobody, who may not read the interpreter",
                where=shut,
                next=f"`chmod -R go+rX {shut}`, or run as an ordinary user",
            )
        self.seals_inputs = self.isolation == "bubblewrap"
        counted = PROCESSES if counts_per_step() else frozenset[str]()
        self.claims = {
            "bubblewrap": NETWORK | MACHINE | DISK | counted | SHARED,
            "namespaces": NETWORK | MACHINE | counted | SHARED,
            "process": frozenset[str](),
        }[self.isolation] | (CALLS if can_filter() else frozenset())
        self.device = engine.choose_device(gpus, engine.query_driver, os.environ.get(engine.VISIBLE))

    def command(self, script: str) -> tuple[str, ...]:
        """Return the command line for the harness's own interpreter: no user site, no .pth files, our bytecode only.

        If we made no bytecode, none is found, because nothing can exist below `/dev/null`.
        """
        read = ("-X", f"pycache_prefix={own_bytecode()}", "--check-hash-based-pycs", "always")
        return (*self.emulator, sys.executable, "-s", "-S", "-P", "-B", *read, script, site_packages())

    def inside(self, folder: Path) -> Path:
        """Return the path of a step's private folder as the step sees it: its path on the host."""
        return folder

    def socket(self, path: Path) -> Path:
        """Return the path of a job's socket as the step sees it."""
        return socket_inside(self.isolation, path)

    def facts(self) -> Mapping[str, Any]:
        """Return an empty map, because the facts about the machine already describe this engine."""
        return {}

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run one command, isolated and limited; every process it started has ended when this returns."""
        bare = self.isolation == "process"  # otherwise what a step started ends with its namespace
        monitor = JobMonitor(job.limits, on_log, cancel, (job.folder / "out", job.folder / "tmp"))
        if drops_root() and not bare:
            chown_to_step(job.folder / "out", job.folder / "tmp")
        on_gpu = self._on_gpu(job)
        program = filter_program(on_gpu=on_gpu, on_loopback=bool(job.sockets) and not bare)
        with open_filter(b"" if bare else program, runs=self.isolation == "namespaces") as file:
            passed = (file,) if file >= 0 else ()
            start = ProcessStart(self._argv(job, file), job.folder, self._env(job), program if bare else b"", passed)
            counted = bare or not counts_per_step()
            code, usage = run_process(start, monitor, strays=bare, counted=counted, weighed=not on_gpu)
        if drops_root() and not bare:
            chown_back(job.folder / "out")
        oom = code != 0 and b"MemoryError" in monitor.log[-2000:]
        return monitor.outcome(code, self.isolation, oom=oom, usage=usage)

    @property
    def keeps(self) -> bool:
        """Whether a process can be kept for several jobs: all that they share can be emptied between them.

        That is so in a bubble whose filter refuses shared memory without a file. A GPU's driver does not survive the
        fork that each job is.
        """
        own = self.isolation == "bubblewrap" and self.claims >= CALLS
        return own and self.device.kind == "cpu" and not self.emulator

    @contextmanager
    def keep(self, job: Job) -> Iterator[KeptJobs]:
        """Context manager that starts a command which executes one job after another, all in the folder of the first.

        The command is told two pipes by its last words (`KeptProcess`).
        """
        with ExitStack() as stack:
            with open_filter(filter_program(), runs=False) as file:
                passed = (file,) if file >= 0 else ()
                start = ProcessStart(self._argv(job, file), job.folder, job.env, b"", passed)
                kept = stack.enter_context(kept_process(start))
            yield KeptJobs(kept, job, self.isolation)

    def _on_gpu(self, job: Job) -> bool:
        """Whether a job computes on a GPU, whose driver maps far more memory than it uses."""
        return job.infers and self.device.kind != "cpu"

    def _env(self, job: Job) -> Mapping[str, str]:
        """Return the variables of a job, with which CUDA shows one on a GPU the engine's own GPUs and no others."""
        own = [str(gpu["uuid"]) for gpu in self.device.facts["gpus"]] if self._on_gpu(job) else []
        return {**job.env, engine.VISIBLE: ",".join(own)} if own else job.env

    def _argv(self, job: Job, filter_file: int) -> list[str]:
        """Return the command line of a step, wrapped in limits, guard and isolation."""
        on_gpu = self._on_gpu(job)
        bounds = ["--core=0", f"--fsize={job.limits.file_bytes}"]
        if not on_gpu:
            bounds.append(f"--data={job.limits.memory}")
        walls = isolation_command(
            self.isolation, job.folder, job.limits, job.sockets, on_gpu=on_gpu, filter_file=filter_file
        )
        return ["prlimit", *bounds, *GUARD, *walls, *job.argv]


@dataclass(frozen=True)
class KeptJobs:
    """Jobs of one folder, executed one after another by one command, each under limits and a monitor of its own."""

    process: KeptProcess
    job: Job
    isolation: str

    @property
    def ended(self) -> bool:
        """Whether the command has ended, so that the next job needs a new one."""
        return self.process.ended or self.process.is_over()

    def run(self, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Have the job that lies in the folder executed; unless it succeeds, nothing of the command survives."""
        folder = self.job.folder
        monitor = JobMonitor(self.job.limits, on_log, cancel, (folder / "out", folder / "tmp"))
        if drops_root():
            chown_to_step(folder / "out", folder / "tmp")
        code, usage = self.process.work(monitor, counted=not counts_per_step())
        if drops_root():
            chown_back(folder / "out")
        oom = code != 0 and b"MemoryError" in monitor.log[-2000:]
        return monitor.outcome(code, self.isolation, oom=oom, usage=usage)


ENGINE = EngineKind(
    "processes of this machine, as isolated as it allows",
    in_image=False,
    open=lambda options: LocalEngine(options.isolation, options.gpus),
    isolations=ISOLATIONS,
)
