"""Audit: do manifest, lock, record and store agree? Offline, from the bytes alone, every disagreement by name.

It knows no study: it is handed two callables, one that plans again and one that makes a step again. It executes only
the installed harness; the code a run brought along is hashed, never run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from harness import rows, seeds
from harness.digest import canonical, differences, document, sha256
from harness.errors import HarnessError, MissingError
from harness.evidence.checks import Report
from harness.evidence.record import summarise
from harness.evidence.steps import Made, audit_steps
from harness.files import is_leftover
from harness.manifest.load import parse_manifest
from harness.manifest.lockfile import Lock, image_state, read_lock
from harness.steps import Plan, Step, maker
from harness.store.journal import Chain, Event, read_chain
from harness.store.store import Store

Replan = Callable[[bytes, Lock, int], Plan]
Replay = Callable[[Step, Mapping[str, Any]], Mapping[str, str] | None]  # None: the installed code is other code
LEVELS = ("hashes", "derive", "rescore")


def audit(store: Store, run: str, replan: Replan, replay: Replay, *, level: str = "derive", rerun: int = 0) -> Report:
    """Hold one run of a store against itself: its chain, its record, its keys, its bytes, its aggregates."""
    report = Report()
    chain = _journal(store, run, report)
    if chain is None:
        return report
    started = chain.events[0]
    ended = _heads(store, run, chain, report)
    _record(store, run, chain, ended, report)
    _folder(store, run, report)
    lock, planned = _plan(store, started, replan, report)
    made = audit_steps(store, chain, planned, report)
    if lock:
        _pins(store, lock, made, report)
        _image(lock, str(started["image"]), report)
    if planned:
        for step in _chosen(planned, run, level, rerun):
            if step.name in made:
                _again(step, made[step.name], replay, report)
    return report


def _journal(store: Store, run: str, report: Report) -> Chain | None:
    """Follow the chain; without a first event there is nothing to hold against anything."""
    path = store.journal(run)
    if not path.is_file() or path.is_symlink():
        report.fail("chain.broken", "journal.jsonl", "the run has no journal")
        return None
    chain = read_chain(path)
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
        path = store.record(run)
        if not path.is_file() or sha256(path.read_bytes()) != mine["run.finished"]["record"]:
            report.fail("record.changed", "record.json", "it is not the record that heads.jsonl names")
    elif ended:
        report.skip("chain.incomplete", "heads.jsonl", "the end of this run is not in the list of runs")
    report.settle("unaccounted", "heads.jsonl", flaws)
    return "run.finished" in mine


def _lines_of(store: Store, run: str, heads: Chain) -> tuple[dict[str, Event], list[str]]:
    """Give the lines of the list that speak of this run, and name those that no run wrote."""
    mine: dict[str, Event] = {}
    flaws = []
    for head in heads.events:
        if head["run"] == run:
            if head["event"] in mine:
                flaws.append(f"line {head['n'] + 1} repeats the {head['event']} of this run")
            mine[head["event"]] = head
        elif not store.journal(head["run"]).exists():
            flaws.append(f"line {head['n'] + 1} names run {head['run']}, which left no journal")
    return mine, flaws


def _record(store: Store, run: str, chain: Chain, ended: bool, report: Report) -> None:
    """Compute the record again, since it is the summary of the journal and nothing else; compare field by field."""
    path = store.record(run)
    if not path.is_file() or path.is_symlink():
        if ended:
            report.fail("record.changed", "record.json", "it is missing")
        elif chain.events[-1]["event"] == "run.finished":
            report.skip("chain.incomplete", "record.json", "the run was killed before it wrote its record")
        return
    data = path.read_bytes()
    if chain.broken:
        report.skip("record.changed", "record.json", "it cannot be computed from a broken journal")
        return
    wanted = summarise(chain.events, chain.head)
    if data == document(wanted) + b"\n":
        report.held("record.changed", "record.json")
        return
    try:
        found = json.loads(data)
        pointers = list(differences(wanted, found)) or ["its spelling"]
    except ValueError:
        pointers = ["it is not JSON"]
    report.settle("record.changed", "record.json", pointers)


def _folder(store: Store, run: str, report: Report) -> None:
    """Name what lies in a run's folder besides its journal and its record: somebody added it."""
    known = {"journal.jsonl", "record.json"}
    found = (path.name for path in (store.runs / run).iterdir() if not is_leftover(path.name))
    strangers = sorted(set(found) - known)
    for name in strangers:
        report.fail("unaccounted", f"runs/{run}/{canonical(name).decode()}", "no run makes such a file")


def _plan(store: Store, started: Mapping[str, Any], replan: Replan, report: Report) -> tuple[Lock | None, Plan | None]:
    """Read the manifest and lock the run kept, hold them against each other, and plan again."""
    try:
        manifest = store.blobs.read(str(started["manifest"]))
        report.held("manifest.changed", "manifest", sha256(manifest)[:12])
    except HarnessError as bad:
        report.fail("manifest.changed", "manifest", bad.what)
        return None, None
    try:
        lock = read_lock(store.blobs.read(str(started["lock"])), "lock")
        intent = parse_manifest(manifest, "manifest")[0].intent()
    except HarnessError as bad:
        report.fail("lock.changed", "lock", bad.what)
        return None, None
    flaws = [f"/intent{pointer}" for pointer in differences(lock.intent, intent)]
    if lock.manifest_sha256 != sha256(manifest):
        flaws.append("/manifest_sha256")
    if not report.settle("lock.changed", "lock", flaws):
        return lock, None
    try:
        plan = replan(manifest, lock, int(started.get("limit", 0)))
    except HarnessError as bad:
        report.skip("code.differs", "plan", f"the installed harness cannot plan this run: {bad.what}")
        return lock, None
    if sha256(document(plan.as_data())) != started["plan"]:
        report.skip("code.differs", "plan", "the installed harness plans other steps than the run had")
        return lock, None
    report.held("code.differs", "plan", f"{len(plan.steps)} steps")
    return lock, plan


def _pins(store: Store, lock: Lock, made: Made, report: Report) -> None:
    """Hold the data a run used against the data its lock pins."""
    flaws = []
    for name, pin in lock.pins["datasets"].items():
        outputs = made.get(maker(name), {}).get("outputs", {})
        sound = {output: digest for output, digest in outputs.items() if store.blobs.state(digest) == "sound"}
        found = {
            output: {"sha256": digest, "rows": rows.count(store.blobs.path(digest))} for output, digest in sound.items()
        }
        held = {output: part for output, part in pin.items() if output in sound or output not in outputs}
        flaws += [f"/pins/datasets/{name}{pointer}" for pointer in differences(held, found)] if outputs else []
    report.settle("pin.differs", "lock", flaws)


def _image(lock: Lock, image: str, report: Report) -> None:
    """Hold the image a run ran in against the one its lock pins; a local run had none."""
    state = image_state(lock, image)
    if state == "moved":
        report.skip("pin.differs", "image", f"image: moved; the run ran in {image[:19]}, which its lock does not pin")
    elif state == "pinned":
        report.held("pin.differs", "image", image[:19])


def _chosen(plan: Plan, run: str, level: str, rerun: int) -> list[Step]:
    """Choose which steps to make again: aggregates, scores too if asked, and a sample that the run's name seeds."""
    stages = {"rescore": ("scores",)}.get(level, ())
    chosen = [step for step in plan.steps if level != "hashes" and (step.derive or step.stage in stages)]
    others = [step for step in plan.steps if step not in chosen]
    return chosen + seeds.sample(seeds.stream(seeds.derive(0, "audit.rerun", run)), others, rerun)


def _again(step: Step, parts: Mapping[str, Any], replay: Replay, report: Report) -> None:
    """Make one step again and hold what comes out against what was recorded."""
    check = "aggregate.differs" if step.derive else "output.differs"
    try:
        found = replay(step, parts["preimage"])
    except MissingError as bad:
        report.skip("code.differs", step.name, f"it cannot be made again here: {bad.what}")
        return
    except HarnessError as bad:
        report.fail(check, step.name, f"it cannot be made again: {bad.what}")
        return
    if found is None:
        report.skip("code.differs", step.name, "the installed code or packages are not those of the run")
        return
    recorded = parts["outputs"]
    report.settle(check, step.name, [f"output {name}" for name in recorded if found.get(name) != recorded[name]])
