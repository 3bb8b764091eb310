"""What an engine is: it runs one command in one private folder and says how that ended.

It must never know what a step computes, what a store is, or what a result means.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Limits:
    """What a step may use; never part of a key, since a step that ran out is never stored."""

    seconds: float = 1800.0
    memory: int = 4 << 30
    file_bytes: int = 16 << 30
    log_bytes: int = 64 << 10


@dataclass(frozen=True)
class Job:
    """One command: `in/` and `code/` of its folder are for reading, `out/` and `tmp/` for writing."""

    argv: tuple[str, ...]
    folder: Path
    env: Mapping[str, str]
    limits: Limits
    image: str = "none"
    sockets: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it used."""

    exit: int
    signal: int = 0
    oom: bool = False
    timed_out: bool = False
    cancelled: bool = False
    usage: Mapping[str, int] = field(default_factory=dict)
    isolation: str = "process"
    log: bytes = b""


class Engine(Protocol):
    """A place where steps run."""

    name: str
    isolation: str
    seals_inputs: bool  # a step cannot write to what it is given to read, whatever it tries

    def command(self, script: str, *arguments: str) -> tuple[str, ...]:
        """Spell the command that runs a script of the step's folder with the engine's own Python."""
        ...

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run a command to its end, its limits or its cancellation; nothing of it survives the call."""
        ...
