"""Audit of a run's files: its journal chain, its lines in the list of runs, its record, and files that no run makes.

It reads bytes and chains alone, and never the meaning of a step.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from harness.clock import MONOTONE
from harness.digest import differences, sha256
from harness.errors import DamageError
from harness.evidence.audit.checks import Report
from harness.evidence.record import FINISHED, LATE, contradicting_times, listed_late, spell, summarise
from harness.files import is_leftover, translating_os_errors
from harness.store.attempts import ATTEMPT_ID, CLOSED, STARTED
from harness.store.attempts import FILE as ATTEMPT_FILE
from harness.store.blobs import is_digest
from harness.store.journal import MOST_START, Chain, Event
from harness.store.reader import MOST_LOG, MOST_RECORD
from harness.store.store import Store
from harness.store.sweep import show_name

TAIL = 4096  # no last line of a run is longer


def audit_run_files(store: Store, run: str, report: Report) -> Chain | None:
    """Check a run's journal, its lines in the list of runs, its record and its folder; return the journal.

    None where the journal is missing or does not begin with the start of this run.
    """
    chain = _journal(store, run, report)
    if chain:
        for flaw in _strangers(chain):
            report.fail("unaccounted", "journal.jsonl", flaw)
        ended = _heads(store, run, chain, report)
        _record(store, run, chain, ended, report)
        _folder(store, run, report)
    return chain


def _journal(store: Store, run: str, report: Report) -> Chain | None:
    if not store.tree.is_file(store.journal(run)):
        report.fail("chain.broken", "journal.jsonl", "the run has no journal")
        return None
    try:
        chain = store.read_journal(run)
    except DamageError as bad:
        report.fail("chain.broken", "journal.jsonl", bad.what)
        return None
    if chain.broken:
        report.fail("chain.broken", "journal.jsonl", chain.broken)
    if chain.torn:
        report.skip("chain.incomplete", "journal.jsonl", chain.torn)
    if not chain.events or chain.events[0]["event"] != "run.started" or chain.events[0].get("run") != run:
        report.fail("chain.broken", "journal.jsonl", "it does not begin with the start of this run")
        return None
    last = chain.events[-1]
    if last["event"] != "run.finished":
        report.skip("chain.incomplete", "journal.jsonl", "the run never ended")
    elif last["status"] != "done":
        report.skip("chain.incomplete", "journal.jsonl", f"the run ended as {last['status']!r}")
    elif not chain.broken and not chain.torn:
        report.settle(
            "chain.broken",
            "journal.jsonl",
            [] if last["events"] == len(chain.events) else [f"it holds {len(chain.events)} of {last['events']} events"],
            f"{len(chain.events)} events",
        )
    return chain


def _strangers(chain: Chain) -> Iterator[str]:
    """Name the lines that no run writes where they stand: the record sums up whatever it is given."""
    seen: set[tuple[str, str]] = set()
    done = chain.events[-1].get("status") == "done"
    for number, event in enumerate(chain.events, 1):
        kind = event["event"]
        if kind in ("run.started", "run.finished", "calls", "output") or kind in FINISHED:
            once = ("end", event["step"]) if kind in FINISHED else (kind, str(event.get("name", "")))
            if once in seen:
                yield f"line {number} repeats the {' of '.join(filter(None, once))}"
            seen.add(once)
        elif kind == "step.failed" and done:
            yield f"line {number} says that {event['step']} failed, in a run that is done"
        if kind == "run.finished" and number < len(chain.events):
            yield f"line {number} ends the run, and lines follow it"
    if chain.events[0].get("limit", 1) < 1:
        yield "line 1 limits the run to no item"


def _heads(store: Store, run: str, chain: Chain, report: Report) -> bool:
    """Find this run in the store's list of runs, by the digests of its first and last line; say if it ends there."""
    heads = store.heads.read()
    if heads.broken:
        report.fail("chain.broken", "heads.jsonl", heads.broken)
    if heads.torn:
        report.skip("chain.incomplete", "heads.jsonl", heads.torn)
    mine, flaws = _lines_of(store, run, heads)
    if "run.started" not in mine:
        flaws.append("the start of this run is not in the store's list of runs")
    elif mine["run.started"]["journal"] != chain.lines[0]:
        report.fail("chain.broken", "journal.jsonl", "its first line is not the one heads.jsonl names")
    ended = chain.events[-1]["event"] == "run.finished"
    if "run.finished" in mine:
        if mine["run.finished"]["journal"] != chain.head:
            report.fail("chain.broken", "journal.jsonl", "its last line is not the one heads.jsonl names")
        data = _read_record(store, run)
        if data is None or sha256(data) != mine["run.finished"]["record"]:
            report.fail("record.changed", "record.json", "it is not the record that heads.jsonl names")
    elif ended:
        report.skip("chain.incomplete", "heads.jsonl", "the end of this run is not in the list of runs")
    report.settle("unaccounted", "heads.jsonl", flaws)
    for late, before in listed_late(store, heads):
        if late == run:
            report.skip("unaccounted", "heads.jsonl", f"it {LATE} {before}")
    return "run.finished" in mine


def _lines_of(store: Store, run: str, heads: Chain) -> tuple[dict[str, Event], list[str]]:
    """Return the lines of the list that speak of this run, and name those that no run wrote, or that lost theirs."""
    mine: dict[str, Event] = {}
    flaws = []
    for head in heads.events:
        if head["run"] == run:
            if head["event"] in mine:
                flaws.append(f"line {head['n'] + 1} repeats the {head['event']} of this run")
            mine[head["event"]] = head
        elif not store.tree.is_file(path := _log(store, head)):
            flaws.append(f"line {head['n'] + 1} names run {head['run']}, which left no journal")
        elif _line(store, path, last=head["event"] in ("run.finished", CLOSED)) != head["journal"]:
            flaws.append(f"line {head['n'] + 1} names run {head['run']}, whose journal is not the one that was listed")
    return mine, flaws


def _log(store: Store, head: Event) -> Path:
    """Name the log that a line of the list speaks of: the journal of a run, or the transcript of an attempt."""
    journal = store.journal(head["run"])
    return journal.parent / ATTEMPT_FILE if head["event"] in (STARTED, CLOSED) else journal


def _line(store: Store, path: Path, *, last: bool) -> str:
    """Name the first or the last line of a journal, without reading what lies between; empty where none may be read."""
    try:
        with translating_os_errors(path), store.tree.open_file(path, MOST_LOG) as file:
            if last:
                file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
                tail = file.read(TAIL)
                return sha256(tail[tail.rfind(b"\n", 0, -1) + 1 :])
            return sha256(file.readline(MOST_START))
    except DamageError:
        return ""


def _read_record(store: Store, run: str) -> bytes | None:
    """Read the record of a run; None where there is none that may be read."""
    try:
        return store.tree.find_file(store.record(run), MOST_RECORD)
    except DamageError:
        return None


def _record(store: Store, run: str, chain: Chain, ended: bool, report: Report) -> None:
    """Compute the record again, since it is the summary of the journal and nothing else; compare field by field."""
    data = _read_record(store, run)
    if data is None:
        if ended:
            report.fail("record.changed", "record.json", "it is missing")
        elif chain.events[-1]["event"] == "run.finished":
            report.skip("chain.incomplete", "record.json", "the run was killed before it wrote its record")
        return
    if chain.broken:
        report.skip("record.changed", "record.json", "it cannot be computed from a broken journal")
        return
    wanted = summarise(chain.events, chain.head)
    if data == spell(wanted):
        report.held("record.changed", "record.json")
        return
    try:
        found = json.loads(data)
        pointers = list(differences(wanted, found)) or ["its spelling"]
    except (ValueError, RecursionError):
        pointers = ["it is not JSON"]
    report.settle("record.changed", "record.json", pointers)


def _folder(store: Store, run: str, report: Report) -> None:
    """Name what lies in a run's folder besides its journal and its record: somebody added it."""
    known = {"journal.jsonl", "record.json", *([ATTEMPT_FILE] if ATTEMPT_ID.fullmatch(run) else [])}
    found = (name for name in store.tree.list_names(store.runs / run) if not is_leftover(name))
    strangers = sorted(set(found) - known)
    for name in strangers:
        report.fail("unaccounted", f"runs/{run}/{show_name(name)}", "no run makes such a file")


_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_IMAGE = re.compile(r"none|sha256:[0-9a-f]{64}")
_USED = {"cpu_ms", "rss_kib", "wall_ms"}
_MACHINE = {"python": str, "kernel": str, "machine": str, "cpu": str, "cores": int, "processor": dict}
_DIGESTS = {
    "run.started": ("manifest", "lock", "plan", "environment"),
    "step.done": ("key", "entry"),
    "step.cached": ("key", "entry"),
    "trial.done": ("trial", "outcome"),
    "output": ("sha256",),
}
_STATES = ("done", "failed", "interrupted")


def audit_values(chain: Chain, isolations: Callable[[str], Collection[str] | None], report: Report) -> None:
    """Report each value in a journal that no harness can have written, and an isolation that the engine does not have.

    `isolations` returns those of an engine; None, for an engine that is not installed, skips that check.
    """
    run = str(chain.events[0]["run"])
    flaws = [f"line {number}: {flaw}" for number, event in enumerate(chain.events, 1) for flaw in _odd(event)]
    report.settle(
        "unaccounted",
        "values",
        [*flaws, *contradicting_times(chain, run), *_outputs(chain)],
        f"{len(chain.events)} lines",
    )
    _isolation(chain.events[0], isolations, report)


def _isolation(started: Event, isolations: Callable[[str], Collection[str] | None], report: Report) -> None:
    """Hold the isolation that a run claims against those that its engine writes down."""
    known = isolations(started["engine"])
    if known is None:
        report.skip("unaccounted", "engine", f"no engine {started['engine'][:40]!r} is installed here")
    elif started["isolation"] not in known:
        said = f"the {started['engine']} engine writes down {' or '.join(known)}"
        report.fail("unaccounted", "isolation", f"{said}, and not {started['isolation'][:40]!r}")
    else:
        report.held("unaccounted", "isolation", started["isolation"])


def _odd(event: Event) -> Iterator[str]:
    """Name the values of one line that are not what stands there."""
    kind = event["event"]
    if not _is_time(event["at"]):
        yield f"{event['at'][:40]!r} is no time"
    for name in _DIGESTS.get(kind, ()):
        if not is_digest(event[name]):
            yield f"{name} is no digest"
    if kind == "run.started":
        yield from _start(event)
    elif kind == "step.done" and not _is_usage(event["usage"]):
        yield "its usage is none"
    elif kind == "output" and event["size"] < 0:
        yield "its size is none"
    elif kind == "run.finished" and event["status"] not in _STATES:
        yield f"no run ends as {event['status'][:40]!r}"


def _start(event: Event) -> Iterator[str]:
    if not _IMAGE.fullmatch(event["image"]):
        yield "image is neither `none` nor a digest"
    sandbox = event.get("sandbox", {"image": "none", "environment": event["environment"]})
    if sandbox.keys() != {"image", "environment"} or not all(isinstance(one, str) for one in sandbox.values()):
        yield "sandbox is not an image and what it holds"
    elif not _IMAGE.fullmatch(sandbox["image"]) or not is_digest(sandbox["environment"]):
        yield "sandbox names no digests"
    if event["steps"] < 1:
        yield "a run has steps"
    if event.get("clock", MONOTONE) != MONOTONE:
        yield f"no run has the clock {event['clock'][:40]!r}"
    facts = event["facts"]
    odd = [name for name, kind in _MACHINE.items() if name in facts and type(facts[name]) is not kind]
    if odd or facts.get("cores", 1) < 1:
        yield f"facts: {', '.join(odd) or 'cores'} cannot be"
    elif "processor" in facts:
        said = facts["processor"]
        if said.keys() != {"name", "class"} or not all(isinstance(one, str) for one in said.values()):
            yield "facts: processor is not its name and class"


def _is_usage(usage: dict[str, Any]) -> bool:
    return usage.keys() <= _USED and all(type(value) is int and value >= 0 for value in usage.values())


def _is_time(text: str) -> bool:
    try:
        return bool(_TIME.fullmatch(text) and datetime.datetime.fromisoformat(text))
    except ValueError:
        return False


def _outputs(chain: Chain) -> Iterator[str]:
    """Name what stands among the outputs and is none, or an output out of the order of their names."""
    kinds = [event["event"] for event in chain.events]
    names = [event["name"] for event in chain.events if event["event"] == "output"]
    if names != sorted(names):
        yield "outputs do not stand in the order of their names"
    if names and set(kinds[kinds.index("output") :]) - {"output", "run.finished"}:
        yield "a line stands among the outputs that is none"
