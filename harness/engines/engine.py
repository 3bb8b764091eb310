"""Interface of an engine: runs one command in one private folder and reports how it ended.

It does not know what a step computes, what a store is, or what a result means.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

NO_IMAGE = "none"
# What an isolation may claim to keep from a step; each is tried before a run's first one.
NETWORK = frozenset(("abstract", "dns", "host", "ipv4", "ipv6", "raw"))
MACHINE = frozenset(("kernel", "others", "users"))
DISK = frozenset(("engine", "inputs", "steps", "store"))
PROCESSES = frozenset(("processes",))
SHARED = frozenset(("shared",))
CALLS = frozenset(  # of the kernel, by a filter of system calls
    ("bpf", "clone3", "io_uring", "keyring", "netlink", "packet", "ptrace", "tables", "userfaultfd", "vsock")
)
SOCKETS = Path("/run/harness")  # where an isolation with a file system of its own shows the sockets of a job


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
    most: int = 0  # bytes of memory that anything may ask for here; 0: it is not known
    beyond: str = ""  # in words, what a manifest asks of memory and is not given; empty where it gets all of it
    disk_beyond: str = ""  # the same, of disk

    @property
    def file_bytes(self) -> int:
        """Size limit of one file: a file cut there is over the disk budget, and is reported as that."""
        return self.disk + 4096


@dataclass(frozen=True)
class Job:
    """One command to run in a private folder: it reads `in/` and `code/`, and writes `out/` and `tmp/`.

    Only an engine that `seals_inputs` makes it impossible to write to the first two.
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
    over: str = ""  # what of its disk budget the command had spent when it was ended
    usage: Mapping[str, int] = field(default_factory=dict)
    isolation: str = "process"
    log: bytes = b""

    @property
    def fine(self) -> bool:
        """Whether the command succeeded; one whose child was killed for memory did not."""
        return not (self.exit or self.signal or self.oom or self.timed_out or self.cancelled or self.over)


@dataclass(frozen=True)
class Device:
    """Device that a step computes on: its kind is part of every key, its facts go to the record only."""

    kind: str = "cpu"  # cpu | cuda:sm_90
    facts: Mapping[str, Any] = field(default_factory=dict)


class Engine(Protocol):
    """Interface of an engine: a place where jobs run. It never knows what a job computes."""

    name: str
    isolation: str
    image: str  # the ID of the image that steps run in: `sha256:…`, or `none`
    device: Device
    claims: frozenset[str]  # what the isolation keeps from a step
    seals_inputs: bool  # a step cannot write to what it is given to read, whatever it tries

    def command(self, script: str) -> tuple[str, ...]:
        """Command line that runs a script of the step's folder with the engine's own Python."""
        ...

    def inside(self, folder: Path) -> Path:
        """Path of a step's private folder as the step sees it."""
        ...

    def socket(self, path: Path) -> Path:
        """Path of a job's socket as the step sees it."""
        ...

    def facts(self) -> Mapping[str, Any]:
        """Facts about the engine for the record."""
        ...

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run a command to its end, its limits or its cancellation; no process of it survives the call."""
        ...


@dataclass(frozen=True)
class LoadableImage:
    """Container image by its digests (`sha256:…`), with a stream that `docker load` accepts."""

    id: str
    manifest: str
    load: Callable[[], Iterable[bytes]]


@dataclass(frozen=True)
class EngineOptions:
    """Options for opening an engine: isolation, GPUs, image."""

    isolation: str  # one of its kind's isolations; empty: its best
    gpus: int | str  # how many, or `prefer`
    image: Callable[[], LoadableImage]  # asked only by an engine that runs in one


@dataclass(frozen=True)
class Kind:
    """Description of an engine (the `ENGINE` of its file), known before one is opened."""

    about: str  # one line for a person who chooses
    in_image: bool  # steps run in the image that the manifest names, not in what is installed here
    open: Callable[[EngineOptions], Engine]
    isolations: tuple[str, ...] = ()  # those a person may choose from
    only: str = ""  # the isolation of an engine that leaves no choice, as it stands in records
    probe: Callable[[], str] | None = None  # names what it would run on here, or says what is missing
