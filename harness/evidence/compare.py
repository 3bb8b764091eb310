"""Outputs held against what is expected, each at the level its manifest declares: bytes, numbers, or intervals."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from harness.digest import walk
from harness.errors import InputError
from harness.evidence.record import Record
from harness.manifest.lockfile import Expect

MAX_VALUES = 20_000
Level = str | Mapping[str, str]


@dataclass(frozen=True)
class Verdict:
    """How one output compares."""

    name: str
    sha256: str
    level: Level
    verdict: str  # agreed | disagreed | unconfirmed | missing
    detail: str = ""


def numbers(path: Path) -> dict[str, str]:
    """Give every number of a summary by its JSON Pointer, as decimal text."""
    if path.stat().st_size > 1 << 26:
        raise InputError("this output is too large to compare number by number", next="declare it `exact`")
    found = {}
    for pointer, value in walk(json.loads(path.read_bytes())):
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[pointer] = repr(value)
    if len(found) > MAX_VALUES:
        raise InputError(f"this output holds more than {MAX_VALUES} numbers", next="declare it `exact`")
    return found


def values_of(level: Level, path: Path) -> dict[str, str]:
    """Give the values an expectation keeps for an output: none where bytes decide."""
    return {} if level == "exact" else numbers(path)


def compare(record: Record, expect: Expect | None, lock_sha256: str, deliver: Callable[[str], Path]) -> list[Verdict]:
    """Hold every output of a run against the expectation."""
    verdicts = []
    for name, output in sorted(record.outputs.items()):
        digest = output["sha256"]
        wanted = expect.outputs.get(name) if expect else None
        if expect is None or wanted is None or expect.lock_sha256 != lock_sha256:
            why = "no run was accepted under this lock"
            verdicts.append(Verdict(name, digest, "none", "unconfirmed", why))
            continue
        level = wanted["level"]
        if wanted["sha256"] == digest:
            verdicts.append(Verdict(name, digest, level, "agreed"))
        elif level == "exact":
            verdicts.append(Verdict(name, digest, level, "disagreed", f"expected {wanted['sha256'][:12]}"))
        else:
            detail = parted(level, wanted["values"], deliver(digest))
            verdicts.append(Verdict(name, digest, level, "disagreed" if detail else "agreed", detail))
    for name in sorted(set(expect.outputs) - set(record.outputs) if expect else ()):
        verdicts.append(Verdict(name, "", expect.outputs[name]["level"] if expect else "none", "missing"))
    return verdicts


def parted(level: Mapping[str, str], expected: Mapping[str, str], path: Path) -> str:
    """Say where numbers leave their tolerance or interval; empty where all agree."""
    found = numbers(path)
    if set(found) != set(expected):
        return f"other fields: {sorted(set(found) ^ set(expected))[0]}"
    if "within" in level:
        room = Decimal(level["within"])
        for pointer, value in expected.items():
            if abs(_decimal(found[pointer]) - _decimal(value)) > room:
                return f"{pointer} is {found[pointer]}, expected {value} within {level['within']}"
        return ""
    for pointer in (pointer for pointer in expected if pointer.endswith("/value")):
        low, high = (found.get(f"{pointer.removesuffix('/value')}/interval/{end}") for end in (0, 1))
        if low is None or high is None:
            return f"{pointer} has no interval beside it"
        if not _decimal(low) <= _decimal(expected[pointer]) <= _decimal(high):
            return f"{pointer}: {expected[pointer]} lies outside [{low}, {high}]"
    return ""


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as bad:
        raise InputError(f"{text!r} is no number") from bad


def overall(record: Record, verdicts: list[Verdict]) -> str:
    """Give one word for a run: agreed, disagreed, incomplete or unconfirmed."""
    if not record.complete or record.body.get("limit"):
        return "incomplete"
    words = {verdict.verdict for verdict in verdicts}
    if words & {"disagreed", "missing"}:
        return "disagreed"
    return "unconfirmed" if "unconfirmed" in words or not words else "agreed"
