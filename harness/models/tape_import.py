"""Taping what others recorded: JSON Lines of {"request", "response"} and maybe "repeat", complete exchanges only.

The whole file is checked before its first exchange is taped. It must never know a study's own format.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import canonical
from harness.errors import InputError
from harness.files import told
from harness.models.tape_line import LIMIT, Ready, ready
from harness.models.tape_recorder import Recorder

_FIELDS = frozenset({"request", "response", "repeat"})


@dataclass(frozen=True)
class Imported:
    """What an import did."""

    read: int
    added: int


def import_lines(file: Path, folder: Path, provider: str) -> Imported:
    """Tape a file's exchanges; those the tape has already are counted and left alone."""
    if not provider:
        raise InputError("a provider has a name", next="give --provider, such as openai")
    at = 0

    def exchanges() -> Iterator[Ready]:
        nonlocal at
        seen: Counter[str] = Counter()
        for number, line in _lines(file):
            at = number
            yield _exchange(line, provider, seen)

    @contextmanager
    def placed() -> Iterator[None]:
        try:
            yield
        except InputError as bad:
            raise InputError(bad.what, where=f"{file}:{at}" if at else bad.where, next=bad.next) from bad

    with placed():
        for _ in exchanges():
            pass
    with Recorder(folder) as recorder, placed():
        added = recorder.extend(exchanges())
    return Imported(at, added)


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    with told(file), open(file, "rb") as lines:
        number = 0
        while line := lines.readline(LIMIT + 1):
            number += 1
            yield number, line


def _exchange(line: bytes, provider: str, seen: Counter[str]) -> Ready:
    """Spell one exchange; without a repeat it is the next asking of its request in the file."""
    if len(line) > LIMIT:
        raise InputError(f"a line of more than {LIMIT >> 20} MiB", next="give one exchange a line")
    try:
        row = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"not a line of JSON: {bad}", next="give one JSON object a line") from bad
    shape = 'an exchange is {"request": {…}, "response": {…}}, maybe with "repeat": n'
    if not isinstance(row, dict) or not all(isinstance(row.get(name), dict) for name in ("request", "response")):
        raise InputError(f"this is no exchange: {shape}", next="write it so")
    if odd := sorted({*row} - _FIELDS):
        raise InputError(f"an exchange has no field {odd[0]!r}: {shape}", next="take it out, or rename it")
    if flaw := unfinished(row["response"]):
        raise InputError(f"this answer is not complete: {flaw}", next="tape complete answers only; leave it out")
    repeat = row.get("repeat")
    if repeat is not None and (type(repeat) is not int or repeat < 0):
        raise InputError("`repeat` is a whole number, counted from 0", next="mend it, or leave it out")
    one = ready(provider, row["request"], repeat or 0, 200, canonical(row["response"]))
    if repeat is None and seen[one.digest]:
        one = ready(provider, row["request"], seen[one.digest], 200, canonical(row["response"]))
    seen[one.digest] = max(seen[one.digest], one.repeat + 1)
    return one


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field stands twice in one object")
    return found


def unfinished(response: Mapping[str, Any]) -> str:
    """Say why an answer is not known to be complete; nothing if it is, by the marks of the wire formats."""
    if response.get("error") is not None or response.get("type") == "error":
        return "it is an error"
    choices = response.get("choices")
    if isinstance(choices, list) and choices:
        for choice in choices:
            if not isinstance(choice, dict) or not choice.get("finish_reason"):
                return "a choice has no finish_reason"
        return ""
    if response.get("stop_reason") or response.get("status") == "completed":
        return ""
    return "it has neither choices with a finish_reason nor a stop_reason"
