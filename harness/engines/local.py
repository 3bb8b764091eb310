"""The local engine: a subprocess in a private folder with a scrubbed environment, as isolated as the machine allows.

`bubblewrap` sees the system read-only, nothing else of the disk, no network and no other process; `namespaces` has no
network and no other process; `process` is a process. Whatever the isolation, the step dies with the harness.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.engines import gpu
from harness.engines.engine import NO_IMAGE, SOCKETS, Job, Kind, Outcome
from harness.engines.process import run_process
from harness.engines.watch import Watch
from harness.errors import MissingError

ISOLATIONS = ("bubblewrap", "namespaces", "process")
BYTECODE, BYTECODE_LIST = "bytecode", "bytecode.list"  # beside the packages: our own, and what was made of it
STEP_PATH = "/usr/bin:/bin"  # where the programs around a step are looked for, whatever the user's PATH says

# The harness holds the other end of the guard's stdin: whenever and however it dies, the guard reads the end of that
# pipe and kills the whole process group. PDEATHSIG alone leaves a gap: bubblewrap's own child may not have set it yet.
_SCRIPT = (
    "exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL 0) & watch=$!; exec 3<&-; "
    '"$@"; status=$?; kill -KILL $watch 2>/dev/null; exit $status'
)
_GUARD = ("setpriv", "--pdeathsig", "KILL", "--no-new-privs", "sh", "-c", _SCRIPT, "guard")
_NAMESPACES = ("unshare", "--user", "--map-current-user", "--net", "--ipc", "--pid", "--fork", "--kill-child=KILL")


@functools.cache
def available() -> tuple[str, ...]:
    """List the isolations this machine really offers, best first, by trying each once; `process` it always does."""
    for program in ("prlimit", "setpriv"):
        if not shutil.which(program, path=STEP_PATH):
            raise MissingError(f"`{program}` is not installed, and no step runs without it", next="install util-linux")
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
    for path in _python():
        wrap += ["--ro-bind", path, path]
    if folder != Path("/"):
        wrap += ["--ro-bind", str(folder), str(folder)]
        for name in ("out", "tmp"):
            wrap += ["--bind", str(folder / name), str(folder / name)]
        wrap += ["--chdir", str(folder)]
    return [*wrap, *shown, "--remount-ro", "/"]


def _python() -> Iterator[str]:
    """Name what the interpreter and the packages need to be seen, less what lies inside of what was named."""
    named = ["/usr"]
    for path in sorted({sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix), _packages()}):
        if not any(path == above or path.startswith(f"{above}/") for above in named):
            named.append(path)
            yield path


def _packages() -> str:
    """Say where the packages really lie: our bytecode of them has its place by that."""
    return os.path.realpath(sysconfig.get_path("purelib"))


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
        """Spell a command for the interpreter that runs the harness: no user site, no .pth files, no others' bytecode.

        Where none of our own was made it finds none: nothing can lie below `/dev/null`.
        """
        prefix = os.path.realpath(sys.prefix)
        own = os.path.join(prefix, BYTECODE) if os.path.isfile(os.path.join(prefix, BYTECODE_LIST)) else os.devnull
        read = ("-X", f"pycache_prefix={own}", "--check-hash-based-pycs", "always")
        return (sys.executable, "-s", "-S", "-P", "-B", *read, script, _packages())

    def inside(self, folder: Path) -> Path:
        """Say where a step finds its private folder: where it lies."""
        return folder

    def socket(self, path: Path) -> Path:
        """Say where a step finds a socket of its job."""
        return SOCKETS / path.name if self.isolation == "bubblewrap" else path

    def facts(self) -> Mapping[str, Any]:
        """Say what the engine is, for the record: the machine's own facts tell it all."""
        return {}

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run one command; every process it started has ended when this returns."""
        watch = Watch(job.limits, on_log, cancel, (job.folder / "out", job.folder / "tmp"))
        strays = self.isolation == "process"  # elsewhere what a step started ends with its namespace
        code, usage = run_process(self._argv(job), job, watch, strays=strays)
        oom = code != 0 and b"MemoryError" in watch.log[-2000:]
        return watch.outcome(code, self.isolation, oom=oom, usage=usage)

    def _argv(self, job: Job) -> list[str]:
        """Spell the step's command behind all that bounds, guards and isolates it."""
        on_gpu = job.infers and self.device.kind != "cpu"
        bounds = ["--core=0", f"--fsize={job.limits.file_bytes}"]
        if not on_gpu:  # a driver maps far more than it uses
            bounds.append(f"--data={job.limits.memory}")
        shown = _gpus() if on_gpu else []
        for socket in job.sockets:
            shown += ["--bind", str(socket), str(self.socket(socket))]
        wrap = _wrap(self.isolation, job.folder, job.limits.memory, shown)
        return ["prlimit", *bounds, *_GUARD, *wrap, *job.argv]


ENGINE = Kind(
    "processes of this machine, as isolated as it allows",
    in_image=False,
    open=lambda setting: LocalEngine(setting.isolation, setting.gpus),
    isolations=ISOLATIONS,
)
