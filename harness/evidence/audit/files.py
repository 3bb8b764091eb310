"""Audit of a run's files: its journal chain, its lines in the list of runs, its record, and files that no run makes.

Only bytes and chains are read; the meaning of a step does not matter here.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.clock import MONOTONE
from harness.digest import differing_pointers, sha256
from harness.errors import DamageError
from harness.evidence.audit.checks import Report
from harness.evidence.bundle import Bundle
from harness.evidence.record import (
    FINISHED,
    LATE,
    contradicting_times,
    runs_listed_late,
    spell_record,
    summarise_journal,
)
from harness.files import is_leftover, translating_os_errors
from harness.store.attempts import ATTEMPT_ID, CLOSED, STARTED
from harness.store.attempts import FILE as ATTEMPT_FILE
from harness.store.blobs import is_digest
from harness.store.journal import MOST_START, Chain, Event, HeadEvent
from harness.store.store import Store
from harness.store.sweep import show_name
from harness.store.tree import MOST_LOG, MOST_RECORD

TAIL = 4096  # most bytes of the last line of a run


def audit_run_files(store: Store, run: str, report: Report, bundle: Bundle | None = None) -> Chain[Event] | None:
    """Check a run's journal, its lines in the list of runs, its record and its folder; return the journal.

    Returns None if the journal is missing or does not begin with the start of this run. Of the other runs in the list,
    a `bundle` has only the logs that this run needs.
    """
    chain = _journal(store, run, report)
    for flaw in _strangers(chain) if chain else ():
        report.fail("unaccounted", "journal.jsonl", flaw)
    ended = _heads(store, run, chain, report, bundle)
    _record(store, run, chain, ended, report)
    if chain:
        _folder(store, run, report)
    return chain


def _journal(store: Store, run: str, report: Report) -> Chain[Event] | None:
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
        return chain
    if last["status"] != "done":
        report.skip("chain.incomplete", "journal.jsonl", f"the run ended as {last['status']!r}")
    if not chain.broken:
        report.settle(
            "chain.broken",
            "journal.jsonl",
            [] if last["events"] == len(chain.events) else [f"it holds {len(chain.events)} of {last['events']} events"],
            f"{len(chain.events)} events",
        )
    return chain


def _strangers(chain: Chain[Event]) -> Iterator[str]:
    """Yield the lines that no run writes at their place, since the record sums up any lines."""
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


def _heads(store: Store, run: str, chain: Chain[Event] | None, report: Report, bundle: Bundle | None) -> bool:
    """Check this run's first and last lines against the store's list of runs; return whether its end is listed.

    A journal that cannot be read from its first line on was named before; of such a run only the record is compared.
    """
    heads = store.heads.read()
    if heads.broken:
        report.fail("chain.broken", "heads.jsonl", heads.broken)
    if heads.torn:
        report.skip("chain.incomplete", "heads.jsonl", heads.torn)
    mine, flaws, others = _lines_of(store, run, heads, bundle)
    if bundle:
        if away := {head["run"] for head in heads.events if not bundle.holds(head["run"])}:
            report.held("unaccounted", "other runs", f"{len(away)} runs of the list are not in the bundle")
        others += _broken_logs(store, sorted(bundle.runs - {run}))
        for flaw in others:
            report.fail("chain.broken", "heads.jsonl", flaw)
    if "run.started" not in mine:
        flaws.append("the start of this run is not in the store's list of runs")
    if chain:
        _ends(chain, mine, report)
    if "run.finished" in mine:
        data = _read_record(store, run)
        if data is None or sha256(data) != mine["run.finished"]["record"]:
            report.fail("record.changed", "record.json", "it is not the record that heads.jsonl names")
    report.settle("unaccounted", "heads.jsonl", flaws if bundle else [*flaws, *others])
    for late, before in runs_listed_late(store, heads):
        if late == run:
            report.skip("unaccounted", "heads.jsonl", f"it {LATE} {before}")
    return "run.finished" in mine


def _ends(chain: Chain[Event], mine: Mapping[str, HeadEvent], report: Report) -> None:
    """Compare the first and the last line of the journal with those that the list of runs names."""
    for event, line, place in (("run.started", chain.lines[0], "first"), ("run.finished", chain.head, "last")):
        if event in mine and mine[event]["journal"] != line:
            report.fail("chain.broken", "journal.jsonl", f"its {place} line is not the one heads.jsonl names")
    if "run.finished" not in mine and chain.events[-1]["event"] == "run.finished":
        report.skip("chain.incomplete", "heads.jsonl", "the end of this run is not in the list of runs")


def _broken_logs(store: Store, runs: Sequence[str]) -> Iterator[str]:
    """Yield the journals of other runs in a bundle whose chain is broken, at any line."""
    for other in runs:
        if store.tree.is_file(store.journal(other)):
            try:
                flaw = store.read_journal(other).broken
            except DamageError as bad:
                flaw = bad.what
            if flaw:
                yield f"the journal of run {other} is broken at {flaw}"


def _lines_of(
    store: Store, run: str, heads: Chain[HeadEvent], bundle: Bundle | None
) -> tuple[dict[str, HeadEvent], list[str], list[str]]:
    """Return the list's lines about this run, those that repeat one, and those of other runs whose journal is lost.

    A journal that is not the one that was listed is lost, too.
    """
    mine: dict[str, HeadEvent] = {}
    flaws, others = list[str](), list[str]()
    for head in heads.events:
        if head["run"] == run:
            if head["event"] in mine:
                flaws.append(f"line {head['n'] + 1} repeats the {head['event']} of this run")
            mine.setdefault(head["event"], head)
        elif bundle and not bundle.holds(head["run"]):
            continue
        elif not store.tree.is_file(path := _log(store, head)):
            others.append(f"line {head['n'] + 1} names run {head['run']}, which left no journal")
        elif _line(store, path, last=head["event"] in ("run.finished", CLOSED)) != head["journal"]:
            others.append(f"line {head['n'] + 1} names run {head['run']}, whose journal is not the one that was listed")
    return mine, flaws, others


def _log(store: Store, head: HeadEvent) -> Path:
    """Return the log that a line of the list refers to: the journal of a run, or the transcript of an attempt."""
    journal = store.journal(head["run"])
    return journal.parent / ATTEMPT_FILE if head["event"] in (STARTED, CLOSED) else journal


def _line(store: Store, path: Path, *, last: bool) -> str:
    """Return the digest of the first or last line of a journal without reading the rest; empty if unreadable."""
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
    """Return the record of a run; None if there is none that may be read."""
    try:
        return store.tree.find_file(store.record(run), MOST_RECORD)
    except DamageError:
        return None


def _record(store: Store, run: str, chain: Chain[Event] | None, ended: bool, report: Report) -> None:
    """Compute the record again from the journal, of which it is only a summary, and compare it field by field."""
    data = _read_record(store, run)
    if data is None:
        if ended:
            report.fail("record.changed", "record.json", "it is missing")
        else:
            report.skip("record.changed", "record.json", "the run was killed before it wrote its record")
        return
    if chain is None or chain.broken:
        report.skip("record.changed", "record.json", "it cannot be computed from a broken journal")
        return
    wanted = summarise_journal(chain.events, chain.head)
    if data == spell_record(wanted):
        report.held("record.changed", "record.json")
        return
    try:
        found = json.loads(data)
        pointers = list(differing_pointers(wanted, found)) or ["its spelling"]
    except (ValueError, RecursionError):
        pointers = ["it is not JSON"]
    report.settle("record.changed", "record.json", pointers)


def _folder(store: Store, run: str, report: Report) -> None:
    """Report files in a run's folder other than its journal and its record, which must have been added later."""
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


def audit_values(chain: Chain[Event], isolations: Callable[[str], Collection[str] | None], report: Report) -> None:
    """Report each value in a journal that no harness writes, and an isolation that the engine does not have.

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
    """Compare the isolation that a run claims with those that its engine records."""
    known = isolations(started["engine"])
    if known is None:
        report.skip("unaccounted", "engine", f"no engine {started['engine'][:40]!r} is installed here")
    elif started["isolation"] not in known:
        said = f"the {started['engine']} engine writes down {' or '.join(known)}"
        report.fail("unaccounted", "isolation", f"{said}, and not {started['isolation'][:40]!r}")
    else:
        report.held("unaccounted", "isolation", started["isolation"])


def _odd(event: Event) -> Iterator[str]:
    """Yield the invalid values of one line."""
    kind = event["event"]
    fields: Mapping[str, Any] = event
    if not _is_time(event["at"]):
        yield f"{event['at'][:40]!r} is no time"
    for name in _DIGESTS.get(kind, ()):
        if not is_digest(fields[name]):
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


def _is_usage(usage: Mapping[str, int]) -> bool:
    return usage.keys() <= _USED and all(type(value) is int and value >= 0 for value in usage.values())


def _is_time(text: str) -> bool:
    try:
        return bool(_TIME.fullmatch(text) and datetime.datetime.fromisoformat(text))
    except ValueError:
        return False


def _outputs(chain: Chain[Event]) -> Iterator[str]:
    """Yield lines among the outputs that are not outputs, or outputs that are not sorted by name."""
    kinds = [event["event"] for event in chain.events]
    names = [event["name"] for event in chain.events if event["event"] == "output"]
    if names != sorted(names):
        yield "outputs do not stand in the order of their names"
    if names and set(kinds[kinds.index("output") :]) - {"output", "run.finished"}:
        yield "a line stands among the outputs that is none"
