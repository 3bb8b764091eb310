"""Audit of a run with the planner, engine and code installed here, and against the working files of the project.

No code that is stored with a run is executed.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.digest import differing_pointers, sha256
from harness.engines.engine import NO_IMAGE
from harness.errors import HarnessError, MissingError
from harness.evidence.attest import Authorship, envelope_path, find_author
from harness.evidence.audit.audit import InstalledHarness, audit_stored_run
from harness.evidence.audit.checks import UNCONFIRMED, UNSIGNED, Report
from harness.evidence.audit.reexecution import ReexecutedStep, ReexecutionOptions
from harness.evidence.bundle import Bundle
from harness.evidence.compare import compare_outputs, tolerance_text
from harness.evidence.explain import find_first_difference, name_processor, processor_change
from harness.evidence.keys import TrustedKey, current_day
from harness.evidence.record import read_record
from harness.evidence.trail import Trail, read_trail
from harness.manifest.load import LoadedManifest, parse_manifest
from harness.manifest.lockfile import Lock, expect_path, load_expect, lock_path, read_lock
from harness.manifest.schema import Resources
from harness.run.closure import Code
from harness.run.engines import EngineChoice, engine_kinds, engine_of_run, step_limits, within_disk
from harness.run.environment import machine_facts
from harness.run.executing.workshop import Workshop
from harness.run.installed.checked import InstallCheck
from harness.run.installed.checked import check_once as look_at_packages
from harness.run.locking.certificates import audit_certificates
from harness.run.planning.plan import check_parts, make_plan
from harness.run.progress import stop_on_signals
from harness.run.receipt import impossible_claims, list_escaped
from harness.run.recorded_runs import declared_levels, first_event
from harness.run.recording.reexecute import (
    batch_reexecutor,
    private_store,
    row_counter,
    slice_reexecutor,
    step_reexecutor,
)
from harness.step_kinds import current_kind
from harness.steps import Computing, Plan, Step
from harness.store.events import Preimage
from harness.store.store import Store
from harness.studies.registry import find

BOUNDED = "resources.bounded"  # the check that says what a manifest asks for and its steps did not get
EXPECTED = "expect"  # the subject of the check that outputs are what is expected


def replan_run(data: bytes, lock: Lock, limit: int) -> Plan:
    """Plan a recorded run again, from its manifest's bytes and its lock."""
    manifest, tree = parse_manifest(data, "manifest")
    loaded = LoadedManifest(manifest, data, tree, Path("manifest"), Path())
    return make_plan(check_parts(loaded), lock, limit)


def audit_files(store: Store, run: str, loaded: LoadedManifest, report: Report) -> None:
    """Compare a run with the manifest, lock and expectation as they are in the project; add checks to a report."""
    try:
        begin = first_event(store, run)
        if begin["manifest"] != loaded.sha256:
            ran = parse_manifest(store.blobs.read(begin["manifest"]), "manifest")[0]
            pointers = list(differing_pointers(ran.intent(), loaded.manifest.intent())) or ["its text, not its meaning"]
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


def expectation_author(root: Path, name: str, trusted: Sequence[TrustedKey]) -> Authorship | None:
    """Return who signed for the expectation of a manifest as it is now; None if nothing is expected."""
    if not expect_path(root, name).is_file():
        return None
    try:
        return find_author(root, name, trusted, current_day())
    except HarnessError as bad:
        return Authorship(flaw=bad.what)


def audit_author(root: Path, name: str, trusted: Sequence[TrustedKey], report: Report) -> None:
    """Report whether an author that the reviewer trusts signed for the expectation of a manifest as it is now.

    An expectation that was edited after it was signed, with or without the code that it goes with, fails.
    """
    path, found = expect_path(root, name), expectation_author(root, name, trusted)
    if not found:
        return  # that nothing is expected is said already
    if found.party:
        report.held(UNSIGNED, path.name, found.text)
    elif found.moved:
        report.fail(UNSIGNED, path.name, found.flaw)
    else:
        how = f"`harness attest --expect MANIFEST` writes {envelope_path(path).name}"
        report.skip(UNSIGNED, path.name, f"{found.flaw}; {how}")


def _expected(store: Store, run: str, loaded: LoadedManifest, report: Report) -> None:
    """Compare the outputs of a run with the expectation, whatever else was found; without one none is confirmed."""
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
    verdicts = compare_outputs(record, expect, *declared_levels(store, run), store.blobs.deliver)
    if any(one.verdict == "unconfirmed" for one in verdicts):
        report.skip(UNCONFIRMED, where, "no run was accepted under this lock: `harness lock --accept RUN`")
    flaws = [f"{one.name}: {one.verdict} {one.detail}" for one in verdicts if one.verdict in ("disagreed", "missing")]
    report.settle("output.differs", EXPECTED, flaws, tolerance_text(sum(one.by_tolerance for one in verdicts)))
    if expect and not report.cause and any(one.verdict != "agreed" or one.detail for one in verdicts):
        with contextlib.suppress(HarnessError):  # what cannot be read is named by the checks before
            trail = read_trail(store, run)
            report.cause = find_first_difference(trail, expect, _planned_order(trail))


def _planned_order(trail: Trail) -> Sequence[str]:
    """Return the names of a run's steps in the order of its plan; as they finished, if it cannot be planned here."""
    try:
        manifest, limit = trail.store.blobs.read(trail.started["manifest"]), int(trail.started.get("limit", 0))
        return [step.name for step in replan_run(manifest, trail.lock, limit).steps]
    except HarnessError:
        return list(trail.steps)


def _pointers(old: bytes, new: bytes) -> list[str]:
    """List the fields at which two documents differ, or say that the newer one is missing or damaged."""
    try:
        return list(differing_pointers(json.loads(old), json.loads(new))) or ["its spelling"]
    except ValueError:
        return ["it is missing" if not new else "it is not JSON"]


def audit_run(
    store: Store,
    run: str,
    images: Path | None = None,
    how: ReexecutionOptions | None = None,
    stop: threading.Event | None = None,
    bundle: Bundle | None = None,
) -> Report:
    """Audit one run with the installed planner, engine and code and, except at level `hashes`, check the packages.

    `images` is the store that holds images. If the run's image cannot be had, steps are executed again without it.
    `bundle` is what the store was unpacked from, if it was.
    """
    how = how or ReexecutionOptions(jobs=len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(1) as reader:  # packages are read while steps are executed again
        look = reader.submit(look_at_packages, full=True) if how.level != "hashes" else None
        report = _audited(store, run, images or store.root, how, stop, bundle)
        _containment(store, run, report)
        _shipped(store, run, report)
        audit_certificates(store, run, report)
        if look:
            _packages(look.result(), report)
    return report


def _packages(look: InstallCheck, report: Report) -> None:
    """Report whether the packages here are as installed and locked, because steps executed again depend on them."""
    for one in look.altered:
        kinds = {"file": report.fail, "unread": report.held, "version": report.skip, "unlocked": report.held}
        tell = kinds[one.kind]
        tell("package.changed", one.path, f"{one.why}; no step reads it" if one.kind == "unread" else one.why)
    cost = f"{look.files:,} files, {look.bytes >> 20:,} MiB read in {look.wall:.1f} s"
    report.held("package.changed", "packages", f"{cost}; {len(look.altered)} are not as they were installed or locked")
    report.packages = {"files": look.files, "bytes": look.bytes, "cpu_ms": round(1000 * look.cpu)}


def _containment(store: Store, run: str, report: Report) -> None:
    """Report an isolation that did not keep what it claims, by the run's own record; no run continues after that."""
    with contextlib.suppress(HarnessError):
        found = first_event(store, run)["facts"].get("containment")
        if found is None:
            return  # an older run tried none
        flaws = list(impossible_claims(found)) or [f"its steps could reach {what}" for what in list_escaped(found)]
        report.settle("unaccounted", "containment", flaws)


def _shipped(store: Store, run: str, report: Report) -> None:
    """Compare the wordings that a run pinned under a shipped name with those that are shipped under it here."""
    with contextlib.suppress(HarnessError):
        lock = read_lock(store.blobs.read(first_event(store, run)["lock"]), "lock")
        sets = find(str(lock.intent["study"])).prompt_sets
        for name, pin in lock.pins.get("prompts", {}).items():
            if name in sets and sha256(sets[name].read_bytes()) != pin.get("sha256"):
                report.skip("pin.differs", name, "the installed harness ships other wordings under this name")


def _audited(
    store: Store, run: str, images: Path, how: ReexecutionOptions, stop: threading.Event | None, bundle: Bundle | None
) -> Report:
    code = Code()
    installed = InstalledHarness(replan_run, lambda kind: code.closure(current_kind(kind)).files, recordable_isolations)
    with private_store(store) as private:
        try:
            workshop, processor = _workshop_of(private, run, images, stop, how.memory)
        except MissingError as bad:
            why = bad

            def unable(step: Step, parts: Preimage, seconds: float) -> ReexecutedStep:
                raise why

            return audit_stored_run(store, run, installed, replace(how, one=unable), bundle)
        with stop_on_signals(workshop.cancel):
            hands = replace(
                how,
                one=step_reexecutor(workshop, processor),
                batch=batch_reexecutor(workshop),
                slice=slice_reexecutor(workshop),
                rows=row_counter(store),
            )
            report = audit_stored_run(store, run, installed, hands, bundle)
        if workshop.limits.beyond and how.level != "hashes":
            report.held(BOUNDED, "memory", workshop.limits.beyond)
        return report


def recordable_isolations(engine: str) -> Collection[str] | None:
    """Return the isolations that an engine can write into a journal; None if it is not installed."""
    kind = engine_kinds().get(engine)
    return None if kind is None else (kind.isolations or (kind.only,))


def _workshop_of(
    store: Store, run: str, images: Path, stop: threading.Event | None, memory: int
) -> tuple[Workshop, str]:
    """Return a workshop in which the steps of a run can be executed again: its engine and image, and its limits.

    If no engine for its image can be had, this machine is used: equal bytes prove as much. The text names both
    processors if this one is not that of the run.
    """
    ran: Mapping[str, Any] = {}
    try:
        begin = store.read_journal(run).events[0]
        ran = begin["facts"]
        manifest = parse_manifest(store.blobs.read(begin["manifest"]), "manifest")[0]
        resources, computing = manifest.resources, Computing(manifest.resources.threads, manifest.numerics)
        image = str(begin["image"])
        seen = store.blobs.read(begin["environment"]) if image != NO_IMAGE else None
    except (HarnessError, LookupError):
        resources, image, seen, computing = (
            Resources(),
            NO_IMAGE,
            None,
            Computing(),
        )  # the audit itself says what is wrong
    choice = EngineChoice(images=images)
    try:
        engine = engine_of_run(choice, image, resources)
    except MissingError:
        if image == NO_IMAGE:
            raise
        engine, seen = engine_of_run(choice, NO_IMAGE, resources), None
    allowed = within_disk(step_limits(resources, memory), store.root)
    shop = Workshop(store, engine, allowed, environment=seen, computing=computing, cancel=stop)
    here = {
        name: value for name, value in machine_facts(shop.processor).items() if name in ran
    }  # an older run says less
    return shop, processor_change(name_processor(ran), name_processor(here))
