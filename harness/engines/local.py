"""Local engine: runs steps as subprocesses, each in a private folder, with the chosen isolation or the best one.

With `bubblewrap` a step sees the system read-only, nothing else of the disk, no network and no other process. With
`namespaces` it has no network and sees no other process. With `process` it is not isolated. In all of them, the step
dies with the harness.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
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
from harness.engines.monitor import JobMonitor
from harness.engines.process import KeptProcess, ProcessStart, kept_process, open_filter, run_process
from harness.engines.system_calls import can_filter, filter_program
from harness.errors import MissingError

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

        The command is told two pipes by its last words (`process.py: KeptProcess`).
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
