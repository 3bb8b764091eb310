"""Audit: do manifest, lock, record and store agree? Offline, from the bytes alone, every disagreement by name.

It knows no study: it is handed callables that plan again, make a step again, and say what code is installed. It
executes only the installed harness; the code a run brought along is hashed, never run.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from harness import rows, seeds
from harness.digest import differences, document, sha256
from harness.errors import HarnessError, MissingError
from harness.evidence.checks import Report
from harness.evidence.lines import audit_lines
from harness.evidence.seen import Seen
from harness.evidence.steps import Made, audit_steps
from harness.manifest.load import parse_manifest
from harness.manifest.lockfile import Lock, image_state, read_lock
from harness.steps import Plan, Step, maker
from harness.store.entries import Entry
from harness.store.store import Store

Replan = Callable[[bytes, Lock, int], Plan]
Replay = Callable[[Step, Mapping[str, Any]], Mapping[str, str] | None]  # None: the installed code is other code
Installed = Callable[[str], Mapping[str, str]]  # step kind -> the files of its code as it is installed, by digest
LEVELS = ("hashes", "derive", "rescore")


def audit(
    store: Store,
    run: str,
    replan: Replan,
    replay: Replay,
    *,
    level: str = "derive",
    rerun: int = 0,
    installed: Installed | None = None,
) -> Report:
    """Hold one run of a store against itself: its chain, its record, its keys, its bytes, its aggregates."""
    report = Report()
    chain = audit_lines(store, run, report)
    if chain is None:
        return report
    started, seen = chain.events[0], Seen(store, report)
    lock, planned = _plan(store, started, replan, report)
    made = audit_steps(store, chain, planned, seen, report)
    if lock:
        _pins(store, lock, made, seen, report)
        _image(lock, str(started["image"]), report)
    if planned:
        if installed and level != "hashes":
            _code(planned, made, seen, installed, report)
        for step in _chosen(planned, level, rerun):
            if step.name in made:
                _again(step, made[step.name], replay, report)
    return report


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
    if not report.settle("lock.changed", "lock", flaws) or int(started.get("limit", 0)) < 0:
        return lock, None  # no run limits itself so: its line is named
    return lock, _planned(manifest, lock, started, replan, report)


def _planned(manifest: bytes, lock: Lock, started: Mapping[str, Any], replan: Replan, report: Report) -> Plan | None:
    """Plan again, if the installed harness plans what the run had."""
    unpinned = sorted(set(lock.intent["datasets"]) - set(lock.pins["datasets"]))
    if unpinned:
        report.settle("lock.changed", "lock", [f"/pins/datasets/{name}" for name in unpinned])
        return None
    try:
        plan = replan(manifest, lock, int(started.get("limit", 0)))
    except HarnessError as bad:
        report.skip("code.differs", "plan", f"the installed harness cannot plan this run: {bad.what}")
        return None
    if sha256(document(plan.as_data())) != started["plan"]:
        report.skip("code.differs", "plan", "the installed harness plans other steps than the run had")
        return None
    report.held("code.differs", "plan", f"{len(plan.steps)} steps")
    return plan


def _pins(store: Store, lock: Lock, made: Made, seen: Seen, report: Report) -> None:
    """Hold the data a run used against the data its lock pins."""
    flaws = []
    for name, pin in lock.pins["datasets"].items():
        step = made.get(maker(name))
        if step:
            sound = {output: part.sha256 for output, part in step.outputs.items() if seen.sound.get(part.sha256)}
            found = {
                output: {"sha256": digest, "rows": rows.count(store.blobs.path(digest))}
                for output, digest in sound.items()
            }
            held = {output: part for output, part in pin.items() if output in sound or output not in step.outputs}
            flaws += [f"/pins/datasets/{name}{pointer}" for pointer in differences(held, found)]
    report.settle("pin.differs", "lock", flaws)


def _image(lock: Lock, image: str, report: Report) -> None:
    """Hold the image a run ran in against the one its lock pins; a local run had none."""
    state = image_state(lock, image)
    if state == "moved":
        report.skip("pin.differs", "image", f"image: moved; the run ran in {image[:19]}, which its lock does not pin")
    elif state == "pinned":
        report.held("pin.differs", "image", image[:19])


def _code(plan: Plan, made: Made, seen: Seen, installed: Installed, report: Report) -> None:
    """Hold the code of every kind of step against the installed code: what scored must be what a reader can read."""
    kinds = {step.kind: made[step.name] for step in plan.steps if step.name in made}
    differing = 0
    for kind, entry in kinds.items():
        try:
            moved = list(differences(seen.closures.get(entry.preimage["code"], {}), installed(kind)))
        except HarnessError as bad:
            moved = [bad.what]
        if moved:
            differing += 1
            shown = ", ".join(one.removeprefix("/").replace("~1", "/") for one in moved[:6])
            more = f" and {len(moved) - 6} more" if len(moved) > 6 else ""
            report.skip("code.differs", kind, f"the installed code is not that of the run: {shown}{more}")
    if not differing:
        report.held("code.differs", "code", f"{len(kinds)} kinds of steps")


def _chosen(plan: Plan, level: str, rerun: int) -> list[Step]:
    """Choose which steps to make again: aggregates, scores too if asked, and a sample that nobody could foresee."""
    stages = {"rescore": ("scores",)}.get(level, ())
    chosen = [step for step in plan.steps if level != "hashes" and (step.derive or step.stage in stages)]
    others = [step for step in plan.steps if step not in chosen]
    return chosen + seeds.sample(seeds.stream(secrets.randbits(64)), others, rerun)


def _again(step: Step, entry: Entry, replay: Replay, report: Report) -> None:
    """Make one step again and hold what comes out against what was recorded."""
    check = "aggregate.differs" if step.derive else "output.differs"
    try:
        found = replay(step, entry.preimage)
    except MissingError as bad:
        report.skip("code.differs", step.name, f"it cannot be made again here: {bad.what}")
        return
    except HarnessError as bad:
        report.fail(check, step.name, f"it cannot be made again: {bad.what}")
        return
    if found is None:
        report.skip("code.differs", step.name, "the installed code or packages are not those of the run")
        return
    flaws = (f"output {name}" for name, recorded in entry.outputs.items() if found.get(name) != recorded.sha256)
    report.settle(check, step.name, flaws)
