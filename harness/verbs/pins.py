"""The verbs `list`, `show` and `lock`: manifests, and what they are pinned to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.digest import canonical_json, sha256
from harness.errors import DamageError, HarnessError
from harness.evidence.record import spell_healed
from harness.manifest.datasets import SHOWN, FetchedFiles, file_coverage, names_text
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import load_expect, load_lock
from harness.run.lock import changed_pins
from harness.run.locking.certificates import grader_standings
from harness.run.locking.published import HOW
from harness.run.planning.plan import check_manifest, check_parts, make_plan, unresolved_pins
from harness.run.recorded_runs import newest_runs, newest_verdict
from harness.run.service import WrittenLock, lock_manifest
from harness.verbs.certifying import compare_with_rows
from harness.verbs.project import Project, Result, Watch, choose_target
from harness.verbs.requests import LockRequest, ShowRequest
from harness.verbs.run_data import DataCoverage, data_coverage

__all__ = [
    "ListResult",
    "LockResult",
    "ShowResult",
    "list_",
    "lock",
    "show",
]


class ListedManifest(Result):
    """One manifest in the list: its lock's state and its last verdict."""

    manifest: str
    name: str
    study: str
    lock: str  # fits | stale | none | broken
    verdict: str
    about: str = ""
    derived: str = ""  # of a derived manifest: the path of its parent


class ListResult(Result):
    """Result of `list`: the manifests of a project."""

    manifests: list[ListedManifest]


def list_(project: Project) -> ListResult:
    """List the manifests of a project, the state of their locks, and how their newest runs ended."""
    found: list[dict[str, str]] = []
    read: list[tuple[LoadedManifest, dict[str, str]]] = []
    for path in project.manifests():
        at = str(path.relative_to(project.root))
        row = {"manifest": at, "name": path.stem, "study": "", "lock": "broken", "verdict": "-"}
        try:
            loaded, state = _state(project, path)
            about = loaded.manifest
            row |= {"name": about.name, "study": about.study, "lock": state, "about": about.about}
            if about.derived:
                row["derived"] = about.derived.parent
            read.append((loaded, row))
        except HarnessError as bad:
            row["about"] = _why(project, bad)
        found.append(row)
    _verdicts(project, read)
    return ListResult(manifests=[ListedManifest(**row) for row in found])


def _why(project: Project, bad: HarnessError) -> str:
    """Return what is wrong with a manifest, its lock or its run, and in which file."""
    where = bad.where.removeprefix(f"{project.root}/")
    return f"{bad.what} ({where})" if where else bad.what


def _state(project: Project, path: Path) -> tuple[LoadedManifest, str]:
    loaded = project.manifest(path)
    held = load_lock(loaded.root, loaded.manifest.name)
    return loaded, "none" if held is None else "stale" if changed_pins(loaded, held) else "fits"


def _verdicts(project: Project, rows: Sequence[tuple[LoadedManifest, dict[str, str]]]) -> None:
    """Set in each row the verdict of the manifest's newest run; the list of runs is read only once."""
    try:
        newest = newest_runs(project.open(), {loaded.manifest.name for loaded, _ in rows})
    except DamageError:
        newest = None
    except HarnessError:
        return  # nothing was run here yet
    for loaded, row in rows:
        try:
            name = loaded.manifest.name
            row["verdict"] = (newest_verdict(project.store, loaded, newest[name]) if newest else "damaged") or "-"
        except HarnessError as bad:
            row |= {"lock": "broken", "about": _why(project, bad)}


class LockPins(Result):
    """A lock: its digest and its pins."""

    sha256: str
    pins: dict[str, Any]


class ModelPin(Result):
    """Digests that pin a model: of its settings, its files, its tape and its imported answers."""

    settings: str
    weights: str = ""
    tape: str = ""
    answers: str = ""  # of a run made elsewhere


class ShowResult(Result):
    """Result of `show`: what a manifest means, what its lock pins and, if the lock fits, its steps by stage."""

    about: str
    intent: dict[str, Any]
    lock: LockPins | None
    models: dict[str, ModelPin]  # those that are resolved
    instruments: dict[str, ModelPin]  # by role, those that are resolved
    moved: list[str]  # what the lock no longer fits
    stages: dict[str, int]
    graders: dict[str, str] = Field(default_factory=dict, description="By name, what its certificate says of each.")
    data: dict[str, DataCoverage] = Field(default_factory=dict)  # by dataset of many files: how many the lock has
    partial: dict[str, DataCoverage] = Field(default_factory=dict)  # the same for the accepted run, if it lacked some
    carried: dict[str, Any] | None = None  # of a carried expectation: the lock and the record that it was carried from


def show(project: Project, asked: ShowRequest) -> ShowResult:
    """Return a manifest's intent, its lock's pins, and how many steps of each stage it would run; runs nothing."""
    loaded = project.manifest(asked.manifest)
    held = load_lock(loaded.root, loaded.manifest.name)
    moved = changed_pins(loaded, held) if held else []
    stages: dict[str, int] = {}
    if held and not moved and not unresolved_pins(held):
        for step in make_plan(check_parts(loaded), held).steps:
            stages[step.stage] = stages.get(step.stage, 0) + 1
    else:
        check_manifest(loaded)
    pinned = LockPins(sha256=held.sha256, pins=dict(held.pins)) if held else None
    meta, expect = loaded.manifest, load_expect(loaded.root, loaded.manifest.name)
    models, instruments = (_models(held.of(kind) if held else {}) for kind in ("models", "instruments"))
    said: dict[str, Any] = {"carried": dict(expect.carried)} if expect and expect.carried else {}
    held_to_rows = (compare_with_rows(each, loaded.root) for each in grader_standings(loaded.root, meta.study, held))
    if graders := {each.scorer: each.text for each in held_to_rows}:
        said["graders"] = graders
    if expect and expect.partial:
        said["partial"] = data_coverage(expect.partial)
    if held and (files := file_coverage(held.pins["datasets"])):
        said["data"] = data_coverage(files)
    return ShowResult(
        about=meta.about,
        intent=dict(meta.intent()),
        lock=pinned,
        models=models,
        instruments=instruments,
        moved=moved,
        stages=stages,
        **said,
    )


def _models(pins: Mapping[str, Mapping[str, Any]]) -> dict[str, ModelPin]:
    return {name: _model(pin) for name, pin in sorted(pins.items()) if "sha256" in pin}


def _model(pin: Mapping[str, Any]) -> ModelPin:
    """Return the digests of a model; the digests of its files are combined into one of its weights."""
    fields = {"weights": sha256(canonical_json(pin["files"]))} if "files" in pin else {}
    return ModelPin(
        settings=pin["sha256"], **fields, **{part: pin[part] for part in ("tape", "answers") if part in pin}
    )


class LockedFiles(DataCoverage):
    """Coverage of published data in a lock: how many of the files are here, and why the others are missing."""

    why: dict[str, str] = Field(default_factory=dict)


class LockedManifest(Result):
    """Lock of one manifest: its digest, whether its file changed, and what could not be resolved."""

    manifest: str
    lock: str
    sha256: str
    changed: bool
    moved: list[str]
    unresolved: dict[str, str]
    data: dict[str, LockedFiles] = Field(default_factory=dict)  # by dataset of many files


class LockResult(Result):
    """Result of `lock`: the locks, in the order of their manifests."""

    locks: list[LockedManifest]


def lock(project: Project, asked: LockRequest, watch: Watch | None = None) -> LockResult:
    """Resolve every name in manifests to a digest, run the steps that make data, and write the locks that changed.

    A name that cannot be resolved is written to the lock as unresolved, with the reason.
    """
    watch, found = watch or Watch(), []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        place = choose_target(asked, project.of(loaded), watch)
        if bounds := place.bounds(loaded):
            watch.say(f"{loaded.manifest.name}: memory: {bounds} (--max-memory)")
        locked = lock_manifest(loaded, place)
        at = locked.path.relative_to(loaded.root)
        moved = ", ".join(locked.moved) or "nothing but its form"
        watch.say(f"{loaded.manifest.name}: {at} " + (f"written; moved: {moved}" if locked.changed else "still fits"))
        for pin, reason in locked.unresolved.items():
            watch.say(f"  unresolved {pin}: {reason}")
        for lack in locked.needs:
            watch.say(f"  {lack.what}\n    next: {lack.next}")
        if locked.healed:
            watch.say(f"{loaded.manifest.name}: {spell_healed({'blobs': locked.healed})}")
        data = _files_here(loaded, locked, watch)
        one = LockedManifest(
            manifest=str(loaded.path),
            lock=str(locked.path),
            sha256=locked.lock.sha256,
            changed=locked.changed,
            moved=locked.moved if locked.changed else [],
            unresolved=locked.unresolved,
            **data,
        )
        found.append(one)
    return LockResult(locks=found)


def _files_here(loaded: LoadedManifest, locked: WrittenLock, watch: Watch) -> dict[str, Any]:
    """Count and report the files of published data that are here, with reasons and remedies for the missing ones."""
    found = {}
    covered = data_coverage(file_coverage(locked.lock.pins["datasets"]))
    for name, dataset in loaded.manifest.datasets.items():
        if not isinstance(dataset, FetchedFiles):
            continue
        one, why = covered[name], locked.absent[name]
        found[name] = LockedFiles(**vars(one), why=why)
        lacks = f"; missing: {names_text(one.absent)}" if one.absent else ""
        watch.say(f"  {name}: {one.here} of {one.files} files are here{lacks}")
        for path in one.absent[:SHOWN]:
            watch.say(f"    {path}: {why[path]} (published at {dataset.fetch[path].url})")
        if one.absent:
            watch.say(f"    next: {HOW}")
    return {"data": found} if found else {}
