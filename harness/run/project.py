"""Runs of a project: finding the newest of a manifest, and auditing one with the installed planner, engine and code.

It executes nothing that a recorded run brought along, and takes no older run where a newer one cannot be read.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.digest import differences, sha256
from harness.engines.engine import NO_IMAGE
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.evidence.audit.audit import InstalledHarness, audit
from harness.evidence.audit.checks import UNCONFIRMED, Report
from harness.evidence.audit.reexecution import Reexecuted, ReexecutionOptions
from harness.evidence.compare import compare, overall
from harness.evidence.record import read_record
from harness.evidence.selfcheck import FAIL, self_check
from harness.manifest.load import Loaded, parse_manifest
from harness.manifest.lockfile import Lock, expect_path, load_expect, lock_path, read_lock
from harness.manifest.schema import Resources
from harness.run.closure import Code
from harness.run.engines import EngineChoice, engine_of_run, kinds, limits
from harness.run.installed import InstallCheck
from harness.run.installed import check_once as look_at_packages
from harness.run.plan import check_manifest, plan
from harness.run.reexecute import batch_reexecutor, step_reexecutor
from harness.run.shutdown import stoppable
from harness.run.workshop import Workshop
from harness.steps import Plan, Step
from harness.store.journal import Event, read_chain
from harness.store.listed import damaged, listed, require_listed, started
from harness.store.store import Store


def replan(data: bytes, lock: Lock, limit: int) -> Plan:
    """Plan a recorded run again, from its manifest's bytes and its lock."""
    manifest, tree = parse_manifest(data, "manifest")
    loaded = Loaded(manifest, data, tree, Path("manifest"), Path())
    return plan(check_manifest(loaded), lock, limit)


@dataclass(frozen=True)
class Newest:
    """The newest run of a manifest, if any, and a newer one that cannot be read and may be of that manifest."""

    run: str = ""
    hidden: str = ""


def newest_runs(store: Store, names: Collection[str]) -> dict[str, Newest]:
    """Find the newest run of each manifest in one pass over the list of runs."""
    found: dict[str, Newest] = {}
    hidden = ""
    called: dict[str, str] = {}
    for known in reversed(listed(store).values()):
        if len(found) == len(set(names)):
            break
        first_event = started(store, known)
        lock = str(first_event["lock"]) if first_event else ""
        if lock not in called:
            called[lock] = _named(store, lock) if lock else ""
        hidden = hidden or ("" if called[lock] else known.run)
        if called[lock] in names:
            found.setdefault(called[lock], Newest(known.run, hidden))
    return {name: found.get(name, Newest(hidden=hidden)) for name in names}


def newest_run(store: Store, name: str) -> str:
    """Find the newest run of a manifest; refuse where a possibly newer one cannot be read."""
    newest = newest_runs(store, {name})[name]
    if newest.hidden:
        raise damaged(f"run {newest.hidden} cannot be read, and may be the newest", str(store.runs), newest.hidden)
    if not newest.run:
        raise InputError(f"no run of {name!r} in this store", where=str(store.root), next="`harness run` its manifest")
    return newest.run


def first_event(store: Store, run: str) -> Event:
    """Return the first event of a run, which names manifest, lock and environment; refuse one not as listed."""
    event = started(store, require_listed(store, run))
    if event is None:
        raise damaged("this run does not begin as the list of runs says", str(store.journal(run)), run)
    return event


def levels_of(store: Store, run: str) -> tuple[str, Mapping[str, Any]]:
    """Return the digest of a run's lock, and the comparison level of each output."""
    digest = str(first_event(store, run)["lock"])
    return digest, read_lock(store.blobs.read(digest), "lock").intent["outputs"]


def manifest_name(store: Store, run: str) -> str:
    """Return the name of the manifest of a run; "" where it cannot be read."""
    try:
        return _named(store, str(first_event(store, run)["lock"]))
    except HarnessError:
        return ""


def _named(store: Store, lock: str) -> str:
    try:
        return str(read_lock(store.blobs.read(lock), "lock").intent["name"])
    except (HarnessError, LookupError):
        return ""


def audit_files(store: Store, run: str, loaded: Loaded, report: Report) -> None:
    """Audit a run against the working files: its manifest, lock and expectation as they are now."""
    try:
        begin = first_event(store, run)
        if begin["manifest"] != loaded.sha256:
            ran = parse_manifest(store.blobs.read(begin["manifest"]), "manifest")[0]
            pointers = list(differences(ran.intent(), loaded.manifest.intent())) or ["its text, not its meaning"]
            report.settle("manifest.changed", loaded.path.name, pointers)
        path = lock_path(loaded.root, loaded.manifest.name)
        data = path.read_bytes() if path.is_file() else b""
        if sha256(data) != begin["lock"]:
            report.settle("lock.changed", path.name, _pointers(store.blobs.read(begin["lock"]), data))
        _expected(store, run, loaded, report)
    except HarnessError as bad:
        report.skip(
            "expect.changed", loaded.path.name, f"the working files cannot be held against this run: {bad.what}"
        )


def _expected(store: Store, run: str, loaded: Loaded, report: Report) -> None:
    """Hold the outputs of a run against the expectation, whatever else was found; without one nothing is confirmed."""
    where = expect_path(loaded.root, loaded.manifest.name).name
    try:
        expect = load_expect(loaded.root, loaded.manifest.name)
    except HarnessError as bad:
        report.fail("expect.changed", where, bad.what)
        return
    record = read_record(store, run)
    if limit := record.body.get("limit"):
        report.skip("expect.changed", where, f"the run was limited to {limit} items of each dataset")
        return
    verdicts = compare(record, expect, *levels_of(store, run), store.blobs.deliver)
    if any(one.verdict == "unconfirmed" for one in verdicts):
        report.skip(UNCONFIRMED, where, "no run was accepted under this lock: `harness lock --accept RUN`")
    flaws = [f"{one.name}: {one.verdict} {one.detail}" for one in verdicts if one.verdict in ("disagreed", "missing")]
    report.settle("output.differs", "expect", flaws)


def _pointers(old: bytes, new: bytes) -> list[str]:
    """Name the fields at which two documents part, also where the newer one was damaged."""
    try:
        return list(differences(json.loads(old), json.loads(new))) or ["its spelling"]
    except ValueError:
        return ["it is missing" if not new else "it is not JSON"]


def audit_run(
    store: Store,
    run: str,
    images: Path | None = None,
    how: ReexecutionOptions | None = None,
    stop: threading.Event | None = None,
) -> Report:
    """Audit one run with the installed planner, engine and code; executes no code that the run brought along."""
    how = how or ReexecutionOptions(jobs=len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(1) as reader:  # what is installed is read while steps are made again
        look = reader.submit(look_at_packages, full=True) if how.level != "hashes" else None
        report = _audited(store, run, images or store.root, how, stop)
        if look:
            _packages(look.result(), report)
    return report


def _packages(look: InstallCheck, report: Report) -> None:
    """Say whether what is installed here is what was installed and locked: whatever was made again rests on it."""
    for one in look.altered:
        tell = {"file": report.fail, "version": report.skip, "unlocked": report.held}[one.kind]
        tell("package.changed", one.path, one.why)
    cost = f"{look.files:,} files, {look.bytes >> 20:,} MiB read in {look.wall:.1f} s"
    report.held("package.changed", "packages", f"{cost}; {len(look.altered)} are not as they were installed or locked")
    report.packages = {"files": look.files, "bytes": look.bytes, "cpu_ms": round(1000 * look.cpu)}


def _audited(store: Store, run: str, images: Path, how: ReexecutionOptions, stop: threading.Event | None) -> Report:
    code = Code()
    installed = InstalledHarness(replan, lambda kind: code.closure(kind).files, recordable_isolations)
    try:
        workshop = _workshop_of(store, run, images, stop)
    except MissingError as bad:
        why = bad

        def unable(step: Step, parts: Mapping[str, Any], seconds: float) -> Reexecuted:
            raise why

        return audit(store, run, installed, replace(how, one=unable))
    with stoppable(workshop.cancel):
        return audit(
            store, run, installed, replace(how, one=step_reexecutor(workshop), batch=batch_reexecutor(workshop))
        )


def recordable_isolations(engine: str) -> Collection[str] | None:
    """Return the isolations that an engine can write into a journal; None where it is not installed."""
    kind = kinds().get(engine)
    return None if kind is None else (kind.isolations or (kind.only,))


def _workshop_of(store: Store, run: str, images: Path, stop: threading.Event | None) -> Workshop:
    """Give a place where the steps of a run can be made again: its engine and image, what its manifest allowed.

    Where the engine of its image is not to be had, this machine does: equal bytes prove as much.
    """
    try:
        begin = read_chain(store.journal(run)).events[0]
        resources = parse_manifest(store.blobs.read(begin["manifest"]), "manifest")[0].resources
        image = str(begin["image"])
        seen = store.blobs.read(begin["environment"]) if image != NO_IMAGE else None
    except (HarnessError, LookupError):
        resources, image, seen = Resources(), NO_IMAGE, None  # the audit itself says what is wrong
    choice = EngineChoice(images=images)
    try:
        engine = engine_of_run(choice, image, resources)
    except MissingError:
        if image == NO_IMAGE:
            raise
        engine, seen = engine_of_run(choice, NO_IMAGE, resources), None
    return Workshop(store, engine, limits(resources), environment=seen, threads=resources.threads, cancel=stop)


def newest_verdict(root: Path, loaded: Loaded, newest: Newest) -> str:
    """Return the verdict of a manifest's newest run: `damaged` if it is lost, "" if there is none."""
    try:
        store = Store.open(root)
        if newest.hidden:
            return "damaged"
        if not newest.run:
            return ""
        record, lock = read_record(store, newest.run), levels_of(store, newest.run)
    except DamageError:
        return "damaged"
    except HarnessError:
        return ""
    expect = load_expect(loaded.root, loaded.manifest.name)
    verdict = overall(record, compare(record, expect, *lock, store.blobs.deliver))
    failing = self_check(record.outputs, store.blobs.deliver) == FAIL
    return f"{verdict}, its own checks fail" if failing else verdict
