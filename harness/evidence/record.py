"""The record of a run (`record.json`): computed from its journal alone, verified when read, found by path."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import document, parse
from harness.errors import InputError
from harness.files import read_plain
from harness.store.entries import Entry
from harness.store.journal import Chain, Event
from harness.store.listed import Listed, damaged, follow_journal, read_recorded, require_listed
from harness.store.reader import MOST_RECORD
from harness.store.store import Store

STATES = {"step.done": "executed", "step.cached": "cached", "step.failed": "failed"}
FINISHED = ("step.done", "step.cached")
FILES = ("journal.jsonl", "record.json")  # what a run leaves
# Fields of `run.started` that the record repeats: what was run, and where.
STARTED = (
    "run", "manifest", "lock", "plan", "engine", "isolation", "image", "environment", "facts", "limit", "data",
    "sandbox",
)  # fmt: skip
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
            where=str(path), next="a study writes its self-checks so, or gives that output another name",
        )  # fmt: skip
    return str(verdict)
