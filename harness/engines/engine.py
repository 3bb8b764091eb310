"""Interface of an engine, which runs one command in one private folder and reports how it ended.

It also chooses the device of a step: the GPUs that the driver lists, or the CPU. Independent of what a step computes,
of stores, and of what a result means.
"""

from __future__ import annotations

import csv
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from harness.errors import MissingError

NO_IMAGE = "none"
# What an isolation may claim to keep from a step; each claim is tested before a run's first step.
NETWORK = frozenset(("abstract", "dns", "host", "ipv4", "ipv6", "raw"))
MACHINE = frozenset(("kernel", "others", "users"))
DISK = frozenset(("engine", "inputs", "steps", "store"))
PROCESSES = frozenset(("processes",))
SHARED = frozenset(("shared",))
CALLS = frozenset(  # interfaces of the kernel, by a system call filter
    ("bpf", "clone3", "io_uring", "keyring", "netlink", "packet", "ptrace", "tables", "userfaultfd", "vsock")
)
SOCKETS = Path("/run/harness")  # folder of a job's sockets in an isolation with its own file system


@dataclass(frozen=True)
class Limits:
    """Resource limits of a step; never part of a key, since a step that hit one is never stored."""

    seconds: float = 1800.0
    memory: int = 4 << 30
    disk: int = 16 << 30  # bytes in all that it writes
    files: int = 10_000  # files and folders that it writes
    processes: int = 256
    cpus: float = 0.0  # 0: as many as there are
    log_bytes: int = 64 << 10
    most: int = 0  # most bytes of memory that a step can get on this machine; 0: not known
    beyond: str = ""  # in words, the memory that a manifest asks for and does not get; empty if it gets all
    disk_beyond: str = ""  # the same for disk

    @property
    def file_bytes(self) -> int:
        """The size limit of one file; a file cut at this size is over the disk budget and is reported as such."""
        return self.disk + 4096


@dataclass(frozen=True)
class Job:
    """One command to run in a private folder: it reads `in/` and `code/`, and writes `out/` and `tmp/`.

    Only an engine with `seals_inputs` makes it impossible to write to `in/` and `code/`.
    """

    argv: tuple[str, ...]
    folder: Path
    env: Mapping[str, str]
    limits: Limits
    sockets: tuple[Path, ...] = ()  # given only to a step that declares calls to a model
    infers: bool = False  # a model computes here: the engine's device is given to it


@dataclass(frozen=True)
class Outcome:
    """Result of a job: exit code or signal, limits it hit, resource usage, and the end of its output."""

    exit: int
    signal: int = 0
    oom: bool = False
    timed_out: bool = False
    cancelled: bool = False
    over: str = ""  # in words, which part of the disk budget the command exceeded
    usage: Mapping[str, int] = field(default_factory=dict)
    isolation: str = "process"
    log: bytes = b""

    @property
    def fine(self) -> bool:
        """Whether the command succeeded; a command whose child was killed for memory did not."""
        return not (self.exit or self.signal or self.oom or self.timed_out or self.cancelled or self.over)


@dataclass(frozen=True)
class Device:
    """Device that a step computes on: its kind is part of every key, its facts go to the record only."""

    kind: str = "cpu"  # cpu | cuda:sm_90
    facts: Mapping[str, Any] = field(default_factory=dict)


class Engine(Protocol):
    """Interface of an engine, which runs jobs; independent of what a job computes."""

    name: str
    isolation: str
    image: str  # the ID of the image that steps run in: `sha256:…`, or `none`
    device: Device
    claims: frozenset[str]  # what the isolation keeps from a step
    seals_inputs: bool  # whether it is impossible for a step to write to its inputs

    def command(self, script: str) -> tuple[str, ...]:
        """Return the command line that runs a script of the step's folder with the engine's own Python."""
        ...

    def inside(self, folder: Path) -> Path:
        """Return the path of a step's private folder as the step sees it."""
        ...

    def socket(self, path: Path) -> Path:
        """Return the path of a job's socket as the step sees it."""
        ...

    def facts(self) -> Mapping[str, Any]:
        """Return facts about the engine for the record, such as its name and version."""
        ...

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run a command until it ends, hits a limit or is cancelled; none of its processes survives the call."""
        ...


@dataclass(frozen=True)
class LoadableImage:
    """Container image that an engine can load: its digests, and a stream of bytes that `docker load` accepts."""

    id: str
    manifest: str
    load: Callable[[], Iterable[bytes]]


@dataclass(frozen=True)
class EngineOptions:
    """Options for opening an engine: isolation, GPUs, image."""

    isolation: str  # one of its kind's isolations; empty: its best
    gpus: int | str  # how many, or `prefer`
    image: Callable[[], LoadableImage]  # called only by an engine that runs in an image


@dataclass(frozen=True)
class EngineKind:
    """Description of an engine (the `ENGINE` of its module), which is available before the engine is opened."""

    about: str  # one line for the user who chooses
    in_image: bool  # steps run in the image that the manifest names, not in what is installed here
    open: Callable[[EngineOptions], Engine]
    isolations: tuple[str, ...] = ()  # those a user may choose from
    only: str = ""  # the isolation of an engine that leaves no choice, as written in records
    probe: Callable[[], str] | None = None  # names what it would run on here, or says what is missing


FIELDS = ("name", "uuid", "driver_version", "compute_cap", "memory.total")
QUERY = ("nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits")
NONE = "no GPU can be used here: "
PATIENCE = 60.0  # seconds that the driver may take to answer
CAPABILITY = re.compile(r"[0-9]+\.[0-9]+")
Wanted = int | str  # how many, or `prefer`


VISIBLE = "CUDA_VISIBLE_DEVICES"  # names the GPUs that a process may use, as numbers or as the beginnings of UUIDs


def choose_device(wanted: Wanted, ask: Callable[[Sequence[str]], str], visible: str | None = None) -> Device:
    """Choose the device for the GPUs that a manifest wants, from the driver's answer to `ask`.

    `visible` is the value of VISIBLE where the harness runs, if it has one: only these GPUs are chosen, in this order.
    Raises MissingError if there is no GPU, too few, or GPUs that differ. With `prefer`, the CPU is returned instead,
    and its facts say why.
    """
    if wanted == 0:
        return Device()
    try:
        return _cuda(ask(QUERY), 1 if wanted == "prefer" else int(wanted), visible)
    except MissingError as bad:
        if wanted == "prefer":
            return Device("cpu", {"gpus_wanted": "prefer", "gpus_missing": bad.what.removeprefix(NONE)})
        raise


def query_driver(query: Sequence[str]) -> str:
    """Run `nvidia-smi` on this machine and return what it prints; raise MissingError if it fails."""
    try:
        done = subprocess.run(
            list(query), capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False
        )
    except OSError as bad:
        raise missing_gpu_error("`nvidia-smi` is not here, so neither is NVIDIA's driver") from bad
    except subprocess.TimeoutExpired as bad:
        raise missing_gpu_error(f"`nvidia-smi` gave no answer in {PATIENCE:g} s") from bad
    if done.returncode:
        raise missing_gpu_error(f"`nvidia-smi` says: {(done.stdout + done.stderr).strip()[:200]}")
    return done.stdout


def missing_gpu_error(why: str) -> MissingError:
    """Return the MissingError for a GPU that a manifest wants and this machine lacks, with the reason `why`."""
    return MissingError(
        f"{NONE}{why}",
        next="install NVIDIA's driver (and, for docker, nvidia-container-toolkit), "
        "or say `gpus: prefer` or `gpus: 0` under `resources`",
    )


def _visible(gpus: Sequence[dict[str, Any]], visible: str | None) -> list[dict[str, Any]]:
    """Return the GPUs that VISIBLE names; a number counts them in the driver's order, which is that of their slots."""
    if visible is None:
        return list(gpus)
    found: list[dict[str, Any]] = []
    for name in filter(None, map(str.strip, visible.split(","))):
        fitting = [gpu for place, gpu in enumerate(gpus) if name == str(place) or _is_named(gpu, name)]
        if len(fitting) != 1 or fitting[0] in found:
            raise missing_gpu_error(f"{VISIBLE} names {name[:80]!r}, which is no GPU of its own here")
        found += fitting
    return found


def _is_named(gpu: Mapping[str, Any], name: str) -> bool:
    return name.startswith("GPU-") and str(gpu["uuid"]).startswith(name)


def _cuda(answer: str, count: int, visible: str | None = None) -> Device:
    """Parse the driver's answer; the GPUs of a step must be alike, because a key names one compute capability."""
    gpus: list[dict[str, Any]] = [
        dict(zip(FIELDS, (part.strip() for part in row), strict=False)) if len(row) == len(FIELDS) else {}
        for row in csv.reader(answer.splitlines())
        if row
    ]
    if not all(CAPABILITY.fullmatch(gpu.get("compute_cap", "")) for gpu in gpus):
        raise missing_gpu_error(f"`nvidia-smi` answered {answer.strip()[:200]!r}")
    gpus = _visible(gpus, visible)
    if len(gpus) < count:
        raise missing_gpu_error(
            f"{count} wanted, {len(gpus)} found" + (f" that {VISIBLE} names" if visible is not None else "")
        )
    used = gpus[:count]
    kinds = sorted({gpu["compute_cap"] for gpu in used})
    if len(kinds) != 1:
        raise missing_gpu_error(f"the first {count} have different compute capabilities ({', '.join(kinds)})")
    facts = [
        {
            "model": gpu["name"],
            "uuid": gpu["uuid"],
            "driver": gpu["driver_version"],
            "compute_capability": gpu["compute_cap"],
            "memory_mib": gpu["memory.total"],
        }
        for gpu in used
    ]
    return Device(f"cuda:sm_{kinds[0].replace('.', '')}", {"gpus": facts})
