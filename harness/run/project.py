"""A project from outside: its manifests, their locks, and the callables that audit is handed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from harness.digest import differences, sha256
from harness.engines.engine import NO_IMAGE
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.evidence.audit import Replay, audit
from harness.evidence.checks import Report
from harness.evidence.compare import compare, overall
from harness.evidence.record import read_record
from harness.manifest.load import Loaded, load, parse_manifest
from harness.manifest.lockfile import Lock, expect_path, load_expect, lock_path, read_lock
from harness.manifest.schema import Resources
from harness.run.closure import Code
from harness.run.engines import Choice, engine_of_run, limits
from harness.run.plan import meant, plan
from harness.run.stopping import stoppable
from harness.run.workshop import Workshop
from harness.steps import Plan, Step
from harness.store.journal import read_first
from harness.store.store import Store


def manifests(root: Path) -> Iterator[Path]:
    """List the manifests of a project."""
    yield from sorted((root / "manifests").rglob("*.yaml"))


def replan(data: bytes, lock: Lock, limit: int) -> Plan:
    """Go from a manifest's bytes and its lock back to the plan, for audit."""
    manifest, tree = parse_manifest(data, "manifest")
    loaded = Loaded(manifest, data, tree, Path("manifest"), Path())
    return plan(meant(loaded), lock, limit)


def replay(workshop: Workshop) -> Replay:
    """Give audit the way to make a step again, with the installed code if it is the code of the run."""

    def again(step: Step, parts: Mapping[str, Any]) -> Mapping[str, str] | None:
        if step.calls:
            raise MissingError(
                "this step asked models elsewhere", next="`tape: replay`, and run again: equal digests say more"
            )
        here = workshop.setting
        if step.infers and parts["device"] != here.device:
            raise MissingError(
                f"this step computed on {parts['device']}, and here is {here.device}",
                next="audit it on a machine with such a device",
            )
        same = workshop.code.closure(step.kind).digest == parts["code"] and parts["numerics"] == here.numerics
        if not same or parts["environment"] != here.environment:
            return None
        return workshop.replay(step, parts)

    return again


def newest_run(store: Store, name: str) -> str:
    """Find the newest run of a manifest, by the name its lock gives it."""
    for event in reversed(store.heads.read().events):
        if event["event"] == "run.started" and manifest_name(store, str(event["run"])) == name:
            return str(event["run"])
    raise InputError(f"no run of {name!r} in this store", where=str(store.root), next="`harness run` its manifest")


def levels_of(store: Store, run: str) -> tuple[str, Mapping[str, Any]]:
    """Give the digest of a run's lock, and the levels at which its manifest wants each output compared."""
    digest = str(read_first(store.journal(run))["lock"])
    return digest, read_lock(store.blobs.read(digest), "lock").intent["outputs"]


def manifest_name(store: Store, run: str) -> str:
    """Say which manifest a run ran, or nothing where that cannot be read."""
    try:
        started = read_first(store.journal(run))
        return str(read_lock(store.blobs.read(started["lock"]), "lock").intent["name"])
    except (HarnessError, LookupError, FileNotFoundError):
        return ""


def audit_files(store: Store, run: str, loaded: Loaded, report: Report) -> None:
    """Hold a run against the working files: manifest, lock and expectation, naming JSON Pointers."""
    started = read_first(store.journal(run))
    if started["manifest"] != loaded.sha256:
        ran = parse_manifest(store.blobs.read(started["manifest"]), "manifest")[0]
        pointers = list(differences(ran.intent(), loaded.manifest.intent())) or ["its text, not its meaning"]
        report.settle("manifest.changed", loaded.path.name, pointers)
    path = lock_path(loaded.root, loaded.manifest.name)
    data = path.read_bytes() if path.is_file() else b""
    if sha256(data) != started["lock"]:
        report.settle("lock.changed", path.name, _pointers(store.blobs.read(started["lock"]), data))
    try:
        expect = load_expect(loaded.root, loaded.manifest.name)
    except HarnessError as bad:
        report.fail("expect.changed", expect_path(loaded.root, loaded.manifest.name).name, bad.what)
        return
    if expect and report.verdict == "agreed":
        verdicts = compare(read_record(store, run), expect, *levels_of(store, run), store.blobs.deliver)
        if any(one.verdict == "unconfirmed" for one in verdicts):
            report.skip("expect.changed", "expect", "no run was accepted under this lock")
        bad_words = ("disagreed", "missing")
        flaws = [f"{one.name}: {one.verdict} {one.detail}" for one in verdicts if one.verdict in bad_words]
        report.settle("output.differs", "expect", flaws)


def _pointers(old: bytes, new: bytes) -> list[str]:
    """Name the fields at which two documents part, also where the newer one was damaged."""
    try:
        return list(differences(json.loads(old), json.loads(new))) or ["its spelling"]
    except ValueError:
        return ["it is missing" if not new else "it is not JSON"]


def loaded_manifest(path: Path) -> Loaded:
    """Load a manifest from the path a person gives."""
    if path.is_dir():
        raise InputError("this is a folder, not a manifest", where=str(path), next="name a .yaml file of manifests/")
    return load(path)


def audited(store: Store, run: str, level: str = "derive", rerun: int = 0, images: Path | None = None) -> Report:
    """Audit one run with everything the installed harness brings: its planner, its engine, its code."""
    code = Code()
    hold = partial(audit, store, run, replan, level=level, rerun=rerun, installed=lambda kind: code.closure(kind).files)
    try:
        workshop = _workshop_of(store, run, images or store.root)
    except MissingError as bad:
        why = bad

        def unable(step: Step, parts: Mapping[str, Any]) -> Mapping[str, str] | None:
            raise why

        return hold(unable)
    with stoppable(workshop.cancel):
        return hold(replay(workshop))


def _workshop_of(store: Store, run: str, images: Path) -> Workshop:
    """Give a place where the steps of a run can be made again: its engine, its image, what its manifest allowed."""
    try:
        started = read_first(store.journal(run))
        resources = parse_manifest(store.blobs.read(started["manifest"]), "manifest")[0].resources
        image = str(started["image"])
        seen = store.blobs.read(started["environment"]) if image != NO_IMAGE else None
    except (HarnessError, LookupError, OSError):
        resources, image, seen = Resources(), NO_IMAGE, None  # the audit itself says what is wrong
    engine = engine_of_run(Choice(images=images), image, resources)
    return Workshop(store, engine, limits(resources), environment=seen)


def last_verdict(root: Path, loaded: Loaded) -> str:
    """Say how the newest run of a manifest compared: `damaged` where that is lost, nothing where there is none."""
    try:
        store = Store.open(root)
        run = newest_run(store, loaded.manifest.name)
        record, lock = read_record(store, run), levels_of(store, run)
    except DamageError:
        return "damaged"
    except HarnessError:
        return ""
    expect = load_expect(loaded.root, loaded.manifest.name)
    return overall(record, compare(record, expect, *lock, store.blobs.deliver))
