"""What one side of the GPU check found: decisions, numbers and times, written as they come and read by the judge."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.digest import sha256

Array = Any  # of numpy
LINES = "findings.jsonl"
TOLD = ("part", "model", "batch", "near", "permitted", "spare", "seconds", "least", "digest")


class Late(Exception):
    """The time of a side is spent; it names what was left out."""


@dataclass(frozen=True)
class Clock:
    """The time that a side has, from when it began."""

    seconds: float
    begun: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Give the seconds that are left."""
        return self.seconds - (time.monotonic() - self.begun)

    def require(self, what: str, seconds: float = 0.0) -> None:
        """Raise `Late` where fewer seconds are left than `what` may take."""
        if self.left() <= seconds:
            raise Late(what)


@dataclass(frozen=True)
class Finding:
    """One result of a side: what was decided, by which margin, the numbers behind it, and how long it took."""

    part: str
    model: str
    batch: str
    decisions: Array = field(default_factory=lambda: np.zeros(0, np.int64))  # [item] or [item, place]; -1: none
    margins: Array = field(default_factory=lambda: np.zeros(0))  # how far ahead of the next; empty: not measured
    values: Mapping[str, Array] = field(default_factory=dict)  # [item, …]
    near: float = 0.0  # a margin up to this is a near tie, which rounding may turn
    permitted: float = 0.0  # how far values may lie apart, of the largest
    spare: float = 0.0  # share of the decisions that may be others without a near tie
    seconds: float = 0.0
    least: float = 0.0  # seconds that copying and products alone would take, by what this side measured
    digest: str = ""  # of every byte that came out; empty: nobody promises them

    @property
    def what(self) -> str:
        """What the CPU's finding of the same is called, too."""
        return f"{self.part}, {self.model}"

    @property
    def label(self) -> str:
        """The name of it, its batch too."""
        return f"{self.what}, batch {self.batch}" if self.batch else self.what


def digest_of(*arrays: Array) -> str:
    """Hash the bytes of arrays, with their types and shapes."""
    parts = [f"{one.dtype.str}{[*one.shape]}".encode() + np.ascontiguousarray(one).tobytes() for one in arrays]
    return sha256(b"".join(parts))


class Notes:
    """The folder in which a side writes down each finding as it comes, so that a side that is ended leaves the rest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        lines = _lines(folder)
        self.begun = {line["begun"] for line in lines if "begun" in line}
        self.count = sum("found" in line for line in lines)

    def add(self, found: Finding) -> None:
        """Write a finding: its arrays in a file, the rest in a line."""
        arrays = {f"value {name}": array for name, array in found.values.items()}
        np.savez(self.folder / f"{self.count}.npz", decisions=found.decisions, margins=found.margins, **arrays)
        self.say(found={"arrays": self.count, **{name: getattr(found, name) for name in TOLD}})
        self.count += 1

    def say(self, **told: Any) -> None:
        """Write a line: `begun`, `found`, `late`, `failed`, `refused`, `missing`, or `about` the side itself."""
        with (self.folder / LINES).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(told) + "\n")


@dataclass(frozen=True)
class Side:
    """All that one side wrote."""

    findings: tuple[Finding, ...]
    about: Mapping[str, Any]
    late: Sequence[str]
    failed: Sequence[str]
    refused: Sequence[str]
    missing: Sequence[str]

    def named(self, what: str) -> Finding | None:
        """Find what is called so, whatever its batch."""
        return next((one for one in self.findings if one.what == what), None)


def read_side(folder: Path) -> Side:
    """Read what a side wrote down."""
    lines = _lines(folder)
    found: list[Finding] = []
    about: dict[str, Any] = {}
    for line in lines:
        about |= line.get("about", {})
        if "found" in line:
            told = dict(line["found"])
            with np.load(folder / f"{told.pop('arrays')}.npz") as kept:
                values = {name.removeprefix("value "): kept[name] for name in kept if name.startswith("value ")}
                found.append(Finding(decisions=kept["decisions"], margins=kept["margins"], values=values, **told))
    said = {kind: [line[kind] for line in lines if kind in line] for kind in ("late", "failed", "refused", "missing")}
    return Side(tuple(found), about, **said)


def _lines(folder: Path) -> list[dict[str, Any]]:
    """Read the lines that are there; a process that died may have left half of one."""
    path = folder / LINES
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]
