"""The record of a run (`record.json`): computed from its journal alone, verified when read, found by path.

Times of a run or attempt (its id, the events of its log, this machine's clock) are checked for contradictions. A clock
that was set back between two runs contradicts nothing; within a log times only go forward.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness.clock import MONOTONE, after, now
from harness.digest import document, parse
from harness.errors import InputError
from harness.files import read_plain
from harness.store.attempts import ATTEMPT_ID, attempt_of
from harness.store.journal import Chain, Event
from harness.store.reader import MOST_RECORD
from harness.store.store import (
    Entry,
    Listed,
    Store,
    damaged,
    follow_journal,
    read_recorded,
    require_listed,
    runs_of,
    started,
)

STATES = {"step.done": "executed", "step.cached": "cached", "step.failed": "failed"}
FINISHED = ("step.done", "step.cached")
FILES = ("journal.jsonl", "record.json")  # what a run leaves
# Fields of `run.started` that the record repeats: what was run, and where.
STARTED = (
    "run",
    "manifest",
    "lock",
    "plan",
    "engine",
    "isolation",
    "image",
    "environment",
    "facts",
    "limit",
    "data",
    "sandbox",
)
# What the record takes of lines that tell of the whole run.
TOLD: Mapping[str, Callable[[Event], dict[str, Any]]] = {
    "calls": lambda event: {"calls": event["models"]},
    "run.healed": lambda event: {"healed": {"steps": event["steps"], "blobs": event["blobs"]}},
    "run.finished": lambda event: {"status": event["status"], "finished": event["at"]},
}


@dataclass(frozen=True)
class Record:
    """A run that ended, whether done, failed or interrupted, as its record describes it."""

    run: str
    body: Mapping[str, Any]

    @property
    def outputs(self) -> Mapping[str, Mapping[str, Any]]:
        """The outputs that the run made, by name: digest, size, and the step and output they come from."""
        outputs: Mapping[str, Mapping[str, Any]] = self.body["outputs"]
        return outputs

    @property
    def complete(self) -> bool:
        """Whether the run finished every step that it planned."""
        return bool(self.body["status"] == "done")


def summarise(events: Iterable[Event], head: str) -> dict[str, Any]:
    """Compute the body of a record from a journal's events and the head of its hash chain, as audits do again."""
    body: dict[str, Any] = {"type": "record/1", "status": "incomplete", "head": head, "events": 0}
    steps = {"total": 0, "executed": 0, "cached": 0, "failed": 0}
    shown: list[str] = []
    trials: list[str] = []  # in which steps foreign code ran
    outputs: dict[str, Any] = {}
    imported: dict[tuple[str, str], list[str]] = {}  # whose answers are somebody else's, from where: in which steps
    for event in events:
        body["events"] += 1
        name = event["event"]
        if name == "run.started":
            body |= {field: event[field] for field in STARTED if field in event}
            body["started"] = event["at"]
            steps["total"] = event["steps"]
        elif name in STATES:
            steps[STATES[name]] += 1
            if event.get("sees_gold"):
                shown.append(event["step"])
            if event.get("trial"):
                trials.append(event["step"])
            if told := event.get("imported"):
                imported.setdefault((str(told.get("model")), str(told.get("source"))), []).append(event["step"])
        elif name == "output":
            outputs[event["name"]] = {field: event[field] for field in ("sha256", "size", "step", "output")}
        elif name in TOLD:
            body |= TOLD[name](event)
    if imported:
        body["imported"] = [
            {"model": model, "source": source, "steps": sorted(names)}
            for (model, source), names in sorted(imported.items())
        ]
    if trials:
        body["trials"] = sorted(trials)
    return {**body, "steps": steps, "sees_gold": sorted(shown), "outputs": outputs}


def spell_healed(healed: Mapping[str, int]) -> str:
    """Say how much damage a run met in its store and made anew; nothing of one that met none."""
    kinds = (("step", healed.get("steps", 0)), ("blob", healed.get("blobs", 0)))
    met = [f"{many} damaged {what}{'s' * (many != 1)}" for what, many in kinds if many]
    return f"met {' and '.join(met)} in its store, made anew" if met else ""


def spell(body: Mapping[str, Any]) -> bytes:
    """Serialise a record to the bytes of its file."""
    return document(body) + b"\n"


def read_record(store: Store, run: str, runs: Mapping[str, Listed] | None = None) -> Record:
    """Read the record of a run that ended, verified from the list of runs down to the digests of its outputs.

    The list of runs vouches for journal and record, the journal for the entries, an entry for the outputs; the
    bytes of a blob are checked only when it is delivered. Refuses a run that has not ended, and any disagreement.
    """
    known = require_listed(store, run, runs)
    if not known.ended:
        if _in_use(store):
            raise InputError("this run has not ended yet", where=run, next="wait for it, or name another run")
        raise InputError("this run never ended", where=run, next="run its manifest again, then ask for `last`")
    return verified_record(store, known, follow_journal(store, known), lambda event: entry_of_event(store, event, run))


def verified_record(store: Store, known: Listed, chain: Chain, entry: Callable[[Event], Entry]) -> Record:
    """Return the record of a listed run; refuse one that does not sum up its journal or whose outputs differ."""
    run = known.run
    body = summarise(chain.events, chain.head)
    if read_recorded(store, known) != spell(body):
        raise damaged("the record of this run is not what its journal says", str(store.record(run)), run)
    finished = {event["step"]: event for event in chain.events if event["event"] in FINISHED}
    for name, output in body["outputs"].items():
        event = finished.get(output["step"])
        made = entry(event).outputs.get(output["output"]) if event else None
        if made is None or (made.sha256, made.size) != (output["sha256"], output["size"]):
            raise damaged(f"output {name} is not what its step made", str(store.journal(run)), run)
    return Record(run, body)


def entry_of_event(store: Store, event: Event, run: str) -> Entry:
    """Return the entry that a journal event names; refuse one that is missing or not the one the run saw."""
    entry = store.entries.get(str(event["key"]))
    if entry is None or entry.digest != event["entry"]:
        state = "missing" if entry is None else "not the one that the run saw"
        raise damaged(f"the entry of step {event['step']} is {state}", str(store.entries.path(event["key"])), run)
    return entry


def find_run(path: Path, usual: Callable[[], Store]) -> tuple[Store, str] | None:
    """Return the store and the id of the run that a path names: its folder, a file in it, or a copy of its record.

    None if the path is none of these. A copy must be, byte for byte, the record that the usual store has of that run;
    else it is refused.
    """
    there = path.resolve()
    folder = there if there.is_dir() else there.parent
    root = folder.parent.parent
    if folder.parent == Store(root).runs and Store(root).tree.is_file("format") and there.name in (folder.name, *FILES):
        return Store.open(root), folder.name
    if there.is_dir():
        return None
    data = read_plain(path) if path.stat().st_size <= MOST_RECORD else b""
    try:
        run = str(parse(data, "record/1", str(path))["run"])
    except (InputError, LookupError):
        return None
    store = usual()
    if run not in store.run_ids():
        raise InputError(f"run {run[:80]!r} of this record is not in the store", where=str(path), next="--store DIR")
    if store.tree.find_file(store.record(run), MOST_RECORD) != data:
        raise damaged(f"this record is not the one that run {run} has in the store", str(path), run)
    return store, run


def _in_use(store: Store) -> bool:
    """Whether a run is using the store: the lock that keeps `gc` away is taken."""
    path = store.locks / "store"
    if not os.access(path, os.R_OK | os.W_OK):
        return False  # nothing was run here, or somebody else's store: a reader needs no right to write
    with store.lock("store", wait=False) as alone:
        return not alone


OUTPUT = "checks"
PASS, FAIL = "pass", "fail"
MOST = 1 << 26  # bytes of such a document


def self_check(outputs: Mapping[str, Mapping[str, Any]], deliver: Callable[[str], Path]) -> str:
    """Return the verdict in a run's output `checks`, `pass` or `fail`; "" where the run has no such output.

    Refuses a document that is not JSON, is larger than MOST bytes or has another verdict.
    """
    if OUTPUT not in outputs:
        return ""
    path = deliver(outputs[OUTPUT]["sha256"])
    try:
        body = json.loads(path.read_bytes()) if path.stat().st_size <= MOST else None
    except (ValueError, RecursionError):
        body = None
    verdict = body.get("verdict") if isinstance(body, dict) else None
    if verdict not in (PASS, FAIL):
        raise InputError(
            "the output `checks` is no document with `verdict: pass` or `verdict: fail`",
            where=str(path),
            next="a study writes its self-checks so, or gives that output another name",
        )
    return str(verdict)


LATE = "stands behind a run that began later: the clock was set back, or the list put in another order:"
MOMENT = 1  # seconds within which two runs may begin and come onto the list in any order
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
DAY = 24 * 60 * 60  # seconds that two clocks may differ by, and that a start may take


def contradicting_times(chain: Chain, name: str) -> Iterator[str]:
    """Name the times of a journal or transcript that cannot be: each one flaw, and of each kind the first.

    A log begins when its id was made, or a moment later; the run of an attempt bears the attempt's id, and begins
    whenever that is scored. Older runs' clocks may have been set back while they ran.
    """
    begun = str(chain.events[0]["at"])
    if stamped := id_time(name):
        scored = chain.events[0]["event"] == "run.started" and ATTEMPT_ID.fullmatch(attempt_of(name)) is not None
        if begun < stamped and not scored:
            yield f"it begins at {begun[:40]}, before its id was made"
        elif begun > after(stamped, DAY) and not scored:
            yield f"it begins at {begun[:40]}, more than a day after its id was made"
    until = after(now(), DAY)
    late = next((event for event in chain.events if str(event["at"]) > until), None)
    if late:
        yield f"line {late['n'] + 1} is of {late['at'][:40]}, which is in the future"
    back = next((two for one, two in pairwise(chain.events) if _one_clock(chain, two) and two["at"] < one["at"]), None)
    if back:
        yield f"line {back['n'] + 1} is older than the line before it"


def _one_clock(chain: Chain, event: Event) -> bool:
    """Whether the line before this one was written by the same process, whose clock only goes forward."""
    begun = chain.events[0]
    if begun["event"] == "run.started":
        return bool(begun.get("clock") == MONOTONE)
    return event["event"] != "reopened" and int(event["n"]) > 1  # whoever opens an attempt writes its first line


def listed_late(store: Store, heads: Chain) -> Iterator[tuple[str, str]]:
    """Find the runs that stand on the list behind one that began later; gives both.

    Either the clock was set back between them, or somebody put the list in another order: which is the last run,
    nobody can tell. Two that began within a moment may stand either way.
    """
    latest, before = "", ""
    for known in runs_of(heads).values():
        begun = started(store, known)
        at = str(begun["at"]) if begun else ""
        if not _is_time(at):
            continue  # which its own check names
        if latest and at < after(latest, -MOMENT):
            yield known.run, before
        elif at > latest:
            latest, before = at, known.run


def _is_time(text: str) -> bool:
    try:
        return bool(TIME.fullmatch(text) and datetime.datetime.fromisoformat(text))
    except ValueError:
        return False


def id_time(name: str) -> str:
    """Spell the time in the id of a run or attempt as events do; empty where there is none."""
    try:
        made = datetime.datetime.strptime(name[:16], "%Y%m%dT%H%M%SZ")
    except ValueError:
        return ""
    return made.isoformat(timespec="milliseconds") + "Z"
