"""Trusted reading of runs: a run counts as far as the list of runs, its journal and its record agree by digest.

A journal that differs from the list is refused as forged; a run that is not on the list was never started.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.digest import sha256
from harness.errors import DamageError, HarnessError
from harness.store.journal import MOST_START, Chain, Event
from harness.store.reader import MOST_LOG, MOST_RECORD
from harness.store.store import Store

BEFORE = {"run.finished": "run.started", "attempt.closed": "attempt.started"}  # what a line ends


@dataclass(frozen=True)
class Listed:
    """A run on the list of runs: the digests of its journal's first and last line, and of its record."""

    run: str
    started: str
    ended: str = ""  # empty: still running, or killed
    record: str = ""


def listed(store: Store) -> dict[str, Listed]:
    """Give every run on a store's list by its id, in the order of their start; DamageError if the list is broken."""
    heads = store.heads.read()
    if heads.broken:
        raise DamageError(
            f"the list of runs is broken at {heads.broken}",
            where=str(store.heads.path),
            next="restore heads.jsonl from a copy; `harness fsck` says what else is wrong",
        )
    return runs_of(heads)


def runs_of(heads: Chain) -> dict[str, Listed]:
    """Collect the listed facts of each run; invalid lines are skipped here and reported by `strange_lines`."""
    runs: dict[str, Listed] = {}
    for event in heads.events:
        run = str(event["run"])
        if event["event"] == "run.started":
            runs.setdefault(run, Listed(run, event["journal"]))
        elif event["event"] == "run.finished" and run in runs and not runs[run].ended:
            runs[run] = Listed(run, runs[run].started, event["journal"], event["record"])
    return runs


def strange_lines(heads: Chain) -> Iterator[tuple[str, str]]:
    """Find lines of the list that repeat a run's start or end, or end what no line starts: run, and what is wrong."""
    seen: set[tuple[str, str]] = set()
    for event in heads.events:
        run, kind = str(event["run"]), str(event["event"])
        if (run, kind) in seen:
            yield run, f"line {event['n'] + 1} repeats the {kind} of run {run}"
        elif kind in BEFORE and (run, BEFORE[kind]) not in seen:
            yield run, f"line {event['n'] + 1} ends run {run}, which no line before it starts"
        seen.add((run, kind))


def started(store: Store, known: Listed) -> Event | None:
    """Read the first event of a run; None where it is not the line that the list names."""
    try:
        with store.tree.open_file(store.journal(known.run), MOST_LOG) as lines:
            line = lines.readline(MOST_START)
        event = json.loads(line) if sha256(line) == known.started else None
    except (HarnessError, OSError, ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and event.get("run") == known.run else None


def follow_journal(store: Store, known: Listed) -> Chain:
    """Read the journal of a run; DamageError where it is missing, broken, or not the one that the list names."""
    path = store.journal(known.run)
    if not store.tree.is_file(path):
        raise damaged("this run has no journal", str(path), known.run)
    chain = store.read_journal(known.run, spelled=not known.ended)
    if chain.broken:
        raise damaged(f"the journal of this run is broken at {chain.broken}", str(path), known.run)
    if not chain.lines or chain.lines[0] != known.started or chain.events[0].get("run") != known.run:
        raise damaged("the journal of this run does not begin as the list of runs says", str(path), known.run)
    if known.ended and (chain.head != known.ended or chain.torn):
        raise damaged("the journal of this run does not end as the list of runs says", str(path), known.run)
    return chain


def require_listed(store: Store, run: str, runs: Mapping[str, Listed] | None = None) -> Listed:
    """Find a run on the list; DamageError where it is missing: killed before its first event, or forged."""
    known = (listed(store) if runs is None else runs).get(run)
    if known is None:
        raise damaged("the list of runs does not name this run", str(store.heads.path), run)
    return known


def read_recorded(store: Store, known: Listed) -> bytes:
    """Read the bytes of a run's record; DamageError where they are missing, or not those that the list names."""
    path = store.record(known.run)
    data = store.tree.read_file(path, MOST_RECORD) if store.tree.is_file(path) else b""
    if sha256(data) != known.record:
        raise damaged("the record of this run is not the one that the list of runs names", str(path), known.run)
    return data


def damaged(what: str, where: str, run: str) -> DamageError:
    """Make the error for a run that differs from the list of runs."""
    return DamageError(what, where=where, next=f"`harness audit {run}` says more")
