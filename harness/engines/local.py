"""The local engine: a subprocess in a private folder with a scrubbed environment, as isolated as the machine allows.

`bubblewrap` sees the system read-only, nothing else of the disk, no network and no other process; `namespaces` has no
network and no other process; `process` is a process. Whatever the isolation, the step dies with the harness.
"""

from __future__ import annotations

import functools
import os
import selectors
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.engines import gpu
from harness.engines.budget import Budget
from harness.engines.engine import NO_IMAGE, SOCKETS, Job, Outcome
from harness.errors import InputError, MissingError

ISOLATIONS = ("bubblewrap", "namespaces", "process")
STEP_PATH = "/usr/bin:/bin"  # where the programs around a step are looked for, whatever the user's PATH says
TURN = 0.1  # seconds between two looks at the step's disk, its time and the user's word
LAST_BLOCKS = 64  # what a pipe may still hold when its writers have been killed

# The harness holds the other end of the guard's stdin: whenever and however it dies, the guard reads the end of that
# pipe and kills the whole process group. PDEATHSIG alone leaves a gap: bubblewrap's own child may not have set it yet.
_WATCH = (
    "exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL 0) & watch=$!; exec 3<&-; "
    '"$@"; status=$?; kill -KILL $watch 2>/dev/null; exit $status'
)
_GUARD = ("setpriv", "--pdeathsig", "KILL", "--no-new-privs", "sh", "-c", _WATCH, "guard")
_NAMESPACES = ("unshare", "--user", "--map-current-user", "--net", "--ipc", "--pid", "--fork", "--kill-child=KILL")


@functools.cache
def available() -> tuple[str, ...]:
    """List the isolations this machine really offers, best first, by trying each once."""
    found = []
    for name in ISOLATIONS:
        try:
            tried = subprocess.run(
                [*_wrap(name, Path("/")), "true"],
                env={"PATH": STEP_PATH},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if tried.returncode == 0:
            found.append(name)
    return tuple(found)


def _wrap(isolation: str, folder: Path, memory: int = 1 << 30, shown: Sequence[str] = ()) -> list[str]:
    """Spell the programs that stand between the harness and the step."""
    if isolation == "namespaces":
        return list(_NAMESPACES)
    if isolation == "process":
        return []
    wrap = [
        "bwrap",
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--cap-drop",
        "ALL",
        "--as-pid-1",  # so that bubblewrap waits for the step itself, and the kernel tells what it used
        "--die-with-parent",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ]
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - the step's own, inside its isolation
        wrap += ["--size", str(memory), "--tmpfs", place]
    for path in ("/usr", "/etc/ld.so.cache", "/etc/alternatives"):
        wrap += ["--ro-bind-try", path, path]
    for path in ("/bin", "/lib", "/lib64", "/sbin"):
        if os.path.islink(path):
            wrap += ["--symlink", os.readlink(path), path]
        else:
            wrap += ["--ro-bind-try", path, path]
    for path in sorted({sys.prefix, sys.base_prefix}):
        if not path.startswith("/usr"):
            wrap += ["--ro-bind", path, path]
    if folder != Path("/"):
        wrap += ["--ro-bind", str(folder), str(folder)]
        for name in ("out", "tmp"):
            wrap += ["--bind", str(folder / name), str(folder / name)]
        wrap += ["--chdir", str(folder)]
    return [*wrap, *shown, "--remount-ro", "/"]


def _gpus() -> list[str]:
    """Let a step see the devices of NVIDIA's driver."""
    binds = ["--ro-bind-try", "/sys", "/sys"]
    for device in sorted(Path("/dev").glob("nvidia*")):
        binds += ["--dev-bind", str(device), str(device)]
    return binds


class LocalEngine:
    """Runs steps on this machine."""

    name = "local"
    image = NO_IMAGE

    def __init__(self, isolation: str = "", gpus: gpu.Wanted = 0) -> None:
        if isolation and isolation not in ISOLATIONS:
            raise InputError(f"no isolation is called {isolation!r}", next=f"choose one of: {', '.join(ISOLATIONS)}")
        if not shutil.which("setpriv", path=STEP_PATH):
            raise MissingError(
                "`setpriv` is not installed, and no step may outlive its harness", next="install util-linux"
            )
        offered = available()
        if isolation and isolation not in offered:
            raise MissingError(
                f"this machine does not offer the isolation {isolation!r}",
                next="`harness doctor` says what would make it so (often: apt-get install bubblewrap)",
            )
        self.isolation = isolation or offered[0]
        self.seals_inputs = self.isolation == "bubblewrap"
        self.device = gpu.choose(gpus, gpu.ask_here)

    def command(self, script: str) -> tuple[str, ...]:
        """Spell a command for the interpreter that runs the harness: no user site, no .pth files, no bytecode."""
        site = sysconfig.get_path("purelib")
        return (sys.executable, "-s", "-S", "-P", "-B", script, site)

    def inside(self, folder: Path) -> Path:
        """Say where a step finds its private folder: where it lies."""
        return folder

    def socket(self, path: Path) -> Path:
        """Say where a step finds a socket of its job."""
        return SOCKETS / path.name if self.isolation == "bubblewrap" else path

    def facts(self) -> Mapping[str, Any]:
        """Say what the engine is, for the record: the machine's own facts tell it all."""
        return {}

    def _bind(self, socket: Path) -> tuple[str, ...]:
        return ("--bind", str(socket), str(self.socket(socket)))

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run one command; every process it started has ended when this returns."""
        limits, on_gpu = job.limits, job.infers and self.device.kind != "cpu"
        bounds = ["--core=0", f"--fsize={limits.file_bytes}"]
        if not on_gpu:  # a driver maps far more than it uses
            bounds.append(f"--data={limits.memory}")
        shown = [*(_gpus() if on_gpu else ()), *(word for one in job.sockets for word in self._bind(one))]
        wrap = _wrap(self.isolation, job.folder, limits.memory, shown)
        argv = ["prlimit", *bounds, *_GUARD, *wrap, *job.argv]
        budget = Budget((job.folder / "out", job.folder / "tmp"), limits)
        started = time.monotonic()
        process = subprocess.Popen(
            argv, cwd=job.folder, env=dict(job.env), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        deadline = started + limits.seconds
        try:
            why, log = _watch(process, deadline, cancel, budget, on_log, limits.log_bytes)
        finally:
            _kill(process)
            if self.isolation == "process":  # elsewhere what a step started ends with its namespace
                _kill_strays(os.fsencode(job.folder))
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        code = process.returncode
        if code > 128:  # a shell's word for a signal
            code = 128 - code
        usage = {
            "cpu_ms": round(1000 * (used.ru_utime + used.ru_stime)),
            "wall_ms": round(1000 * (time.monotonic() - started)),
            "rss_kib": used.ru_maxrss,
        }
        return Outcome(
            exit=max(code, 0), signal=max(-code, 0), oom=b"MemoryError" in log[-2000:] and code != 0,
            timed_out=why == "deadline", cancelled=why == "cancel", over=budget.over or budget.spent(now=True),
            usage=usage, isolation=self.isolation, log=log,
        )  # fmt: skip


def _watch(
    process: subprocess.Popen[bytes],
    deadline: float,
    cancel: threading.Event,
    budget: Budget,
    on_log: Callable[[bytes], None],
    keep: int,
) -> tuple[str, bytes]:
    """Wait for the command's end, keeping the tail of what it prints; says what ended the wait."""
    assert process.stdin and process.stdout
    log, why = bytearray(), ""
    ended = os.pidfd_open(process.pid)
    pipe = process.stdout.fileno()
    os.set_blocking(pipe, False)
    try:
        with selectors.DefaultSelector() as ready:
            ready.register(ended, selectors.EVENT_READ)
            ready.register(pipe, selectors.EVENT_READ)
            while not why:
                left = deadline - time.monotonic()
                events = ready.select(timeout=max(0.0, min(left, TURN)))
                for found, _ in events:
                    if found.fd == pipe and not _take(pipe, log, on_log, keep):
                        ready.unregister(pipe)
                    elif found.fd == ended:
                        why = "ended"
                if why:
                    break
                if budget.spent():
                    why = "budget"
                elif cancel.is_set():
                    why = "cancel"
                elif left <= 0:
                    why = "deadline"
        _kill(process)
        for _ in range(LAST_BLOCKS):
            if not _take(pipe, log, on_log, keep):
                break
    finally:
        os.close(ended)
        process.stdout.close()
        process.stdin.close()
    return why, bytes(log)


def _take(pipe: int, log: bytearray, on_log: Callable[[bytes], None], keep: int) -> bool:
    """Read what lies in the pipe; False where there is nothing more to come now."""
    try:
        block = os.read(pipe, 65536)
    except BlockingIOError:
        return False
    if block:
        on_log(block)
        log += block
        del log[:-keep]
    return bool(block)


def _kill_strays(folder: bytes) -> None:
    """End what left the command's session: the private folder in its environment says whose it is."""
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


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the command's whole session; its process group is ours, since we started it as a session of its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
