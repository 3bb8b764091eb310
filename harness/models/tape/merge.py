"""Merging of tapes: exchanges that the first tape lacks are added to it.

On a conflict, one request with different answers, it reports and never writes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from harness.models.tape.line import PreparedExchange, prepare_copy
from harness.models.tape.reader import Tape
from harness.models.tape.recorder import Recorder

MOST = 100  # conflicts that are named; the others are counted


@dataclass(frozen=True)
class Conflict:
    """A conflict: one request and repeat with different answers on several tapes."""

    request: str
    repeat: int
    model: str
    tapes: tuple[str, ...]


@dataclass
class MergeReport:
    """The report of a merge: exchanges read and added, or the conflicts, in which case nothing was added."""

    read: int = 0
    added: int = 0
    conflicting: int = 0
    conflicts: list[Conflict] = field(default_factory=list)


def merge(into: Path, sources: Sequence[Path]) -> MergeReport:
    """Add the exchanges of other tapes to a tape, in their order; on any conflict nothing is written."""
    with ExitStack() as stack:
        tapes = [stack.enter_context(Tape.open(folder)) for folder in (into, *sources)]
        found = _compared(tapes)
        if found.conflicting:
            return found
        with Recorder(into) as recorder:
            found.added = recorder.extend(_exchanges(tapes[1:]))
    return found


def _exchanges(tapes: Sequence[Tape]) -> Iterator[PreparedExchange]:
    for tape in tapes:
        yield from map(prepare_copy, tape.requests())


def _compared(tapes: Sequence[Tape]) -> MergeReport:
    """Compare the sorted entries of all tapes in one pass, in constant memory."""
    found = MergeReport(read=sum(len(tape) for tape in tapes[1:]))
    walks = [_walk(tape, number) for number, tape in enumerate(tapes)]
    for (digest, repeat), same in groupby(heapq.merge(*walks), key=lambda entry: entry[:2]):
        have: dict[str, int] = {}
        for _, _, answer, number in same:
            have.setdefault(answer, number)
        if len(have) > 1:
            found.conflicting += 1
            if len(found.conflicts) < MOST:
                found.conflicts.append(_named(tapes, digest, repeat, sorted(have.values())))
    return found


def _walk(tape: Tape, number: int) -> Iterator[tuple[str, int, str, int]]:
    for entry in tape.entries():
        yield *entry, number


def _named(tapes: Sequence[Tape], digest: str, repeat: int, numbers: Sequence[int]) -> Conflict:
    taped = tapes[numbers[0]].find(digest, repeat)
    model = str(taped.body.get("model", "")) if taped else ""
    return Conflict(digest, repeat, model, tuple(str(tapes[number].folder) for number in numbers))
