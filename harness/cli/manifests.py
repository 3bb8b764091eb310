"""What is meant and what it is pinned to: list, show, lock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import (
    LOCAL,
    Debug,
    EngineName,
    Images,
    Isolation,
    Json,
    MaxErrors,
    StoreDir,
    chosen,
    here,
    open_run,
    store_root,
)
from harness.cli.terminal import progress, say, short, show, table
from harness.errors import AGREED, DamageError, HarnessError, InputError

if TYPE_CHECKING:
    from harness.manifest.load import Loaded
    from harness.run.service import Place


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.command("list")(list_)
    app.command("show")(show_manifest)
    app.command()(lock)


def list_(store: StoreDir = None, json: Json = False, debug: Debug = False) -> None:
    """List the manifests, their locks and their last verdicts."""
    from harness.run.project import manifests

    root = here()
    found, read = [], {}
    for path in manifests(root):
        row = {
            "manifest": str(path.relative_to(root)),
            "name": path.stem,
            "study": "",
            "lock": "broken",
            "verdict": "-",
        }
        try:
            loaded, state = _state(path)
            about = loaded.manifest
            row |= {"name": about.name, "study": about.study, "lock": state, "about": about.about}
            read[about.name] = (loaded, row)
        except HarnessError as bad:
            row["about"] = bad.what
        found.append(row)
    _verdicts(store_root(store, root), list(read.values()))
    rows = [[one["manifest"], one["study"], one["lock"], one["verdict"], one["about"]] for one in found]
    text = table(["manifest", "study", "lock", "last verdict", "about"], rows) if rows else "no manifest in manifests/"
    show({"manifests": found}, text, json)


def _verdicts(root: Path, rows: list[tuple[Loaded, dict[str, str]]]) -> None:
    """Say of each manifest how its newest run compared; the list of runs is read once for all of them."""
    from harness.run.project import last_verdict, newest_runs
    from harness.store.store import Store

    try:
        newest = newest_runs(Store.open(root), {loaded.manifest.name for loaded, _ in rows})
    except DamageError:
        newest = None
    except HarnessError:
        return  # nothing was run here yet
    for loaded, row in rows:
        try:
            name = loaded.manifest.name
            row["verdict"] = (last_verdict(root, loaded, newest[name]) if newest else "damaged") or "-"
        except HarnessError as bad:
            row |= {"lock": "broken", "about": bad.what}


def _state(path: Path) -> tuple[Loaded, str]:
    from harness.manifest.lockfile import load_lock
    from harness.run.lock import moved_pins
    from harness.run.project import loaded_manifest

    loaded = loaded_manifest(path)
    held = load_lock(loaded.root, loaded.manifest.name)
    return loaded, "none" if held is None else "stale" if moved_pins(loaded, held) else "fits"


def show_manifest(
    manifest: Annotated[Path, typer.Argument(help="A manifest file.")], json: Json = False, debug: Debug = False
) -> None:
    """Show what a manifest pins, and what it would run."""
    from harness.manifest.lockfile import load_expect, load_lock
    from harness.run.lock import moved_pins
    from harness.run.plan import meant, plan, unresolved_pins
    from harness.run.project import loaded_manifest

    loaded = loaded_manifest(manifest)
    this = meant(loaded)
    held = load_lock(loaded.root, loaded.manifest.name)
    data: dict[str, Any] = {"intent": loaded.manifest.intent(), "lock": None, "moved": [], "stages": {}}
    lines = [f"{loaded.manifest.name} ({loaded.manifest.study}): {loaded.manifest.about}"]
    if held:
        data |= {"lock": {"sha256": held.sha256, "pins": held.pins}, "moved": moved_pins(loaded, held)}
        lines.append(
            f"lock {short(held.sha256)}" + (f", stale: {', '.join(data['moved'])}" if data["moved"] else ", fits")
        )
        for kind, pins in held.pins.items():
            for name, pin in sorted(pins.items()):
                lines.append(f"  {kind:9} {name}: {_pin_text(pin)}")
    else:
        lines.append("no lock yet: `harness lock` resolves its names to digests")
    if (expect := load_expect(loaded.root, loaded.manifest.name)) and expect.carried:
        data["carried"] = dict(expect.carried)
        lines.append(f"expectation carried from lock {short(expect.carried['from'])}")
    if held and not data["moved"] and not unresolved_pins(held):
        steps = plan(this, held).steps
        for step in steps:
            data["stages"][step.stage] = data["stages"].get(step.stage, 0) + 1
        lines.append(f"{len(steps)} steps: " + ", ".join(f"{n} {stage}" for stage, n in data["stages"].items()))
    show(data, "\n".join(lines), json)


def _pin_text(pin: Any) -> str:
    if "unresolved" in pin:
        return f"unresolved: {pin['unresolved']}"
    if "image_id" in pin:
        return short(pin["image_id"].removeprefix("sha256:"))
    if "sha256" in pin:
        return short(pin["sha256"])
    return ", ".join(
        f"{name} {short(part['sha256'])} ({part['rows']} row{'s' * (part['rows'] != 1)})" for name, part in pin.items()
    )


def lock(
    manifests: Annotated[list[Path] | None, typer.Argument(help="Manifest files.", show_default=False)] = None,
    accept: Annotated[str, typer.Option("--accept", help="Accept this run's outputs as expected.")] = "",
    failing: Annotated[
        bool, typer.Option("--failing-checks", help="Accept a run whose own checks fail; every verdict says so then.")
    ] = False,
    carry: Annotated[
        bool, typer.Option("--carry", help="Lock anew and run; the expectation goes along if every byte is the same.")
    ] = False,
    max_errors: MaxErrors = "",
    store: StoreDir = None,
    engine: EngineName = LOCAL,
    isolation: Isolation = "",
    images: Images = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Resolve every name to a digest, or accept what a run made."""
    if bool(accept) == bool(manifests) or (carry and accept):
        raise InputError("give manifests to lock, or --accept RUN", next="`harness lock --help` shows both")
    if max_errors and not (accept or carry):
        raise InputError("--max-errors is for --accept: a lock asks nobody", next="leave it out, or add --accept RUN")
    if carry:
        from harness.cli.carrying import carried

        asked = {"engine": engine, "isolation": isolation, "images": images, "max_errors": max_errors}
        return carried(store, json, manifests=manifests, **asked)
    if accept:
        _accept(accept, max_errors, store, failing, json)
        return AGREED
    from harness.run.project import loaded_manifest
    from harness.run.service import Place

    found = []
    for loaded in [loaded_manifest(path) for path in manifests or []]:
        choice = chosen(engine, isolation, images, loaded.root, store=store)
        found.append(_locked(loaded, Place(store_root(store, loaded.root), choice)))
    show({"locks": found}, "\n".join(str(one["sha256"]) for one in found), json)
    return AGREED


def _locked(loaded: Loaded, place: Place) -> dict[str, Any]:
    """Lock one manifest, and say what moved in its lock."""
    from harness.run.service import lock_manifest

    locked = lock_manifest(loaded, place)
    at = locked.path.relative_to(loaded.root)
    moved = ", ".join(locked.moved) or "nothing but its form"
    say(f"{loaded.manifest.name}: {at} " + (f"written; moved: {moved}" if locked.changed else "still fits"))
    for pin, reason in locked.unresolved.items():
        say(f"  unresolved {pin}: {reason}")
    return {
        "manifest": str(loaded.path),
        "lock": str(locked.path),
        "sha256": locked.lock.sha256,
        "changed": locked.changed,
        "moved": locked.moved if locked.changed else [],
        "unresolved": locked.unresolved,
    }


def _accept(name: str, max_errors: str, store: Path | None, failing: bool, json: bool) -> None:
    from harness.evidence.again import How
    from harness.run.accept import accept
    from harness.run.answers import NONE, most
    from harness.run.project import audited

    root, allowed = here(), most(max_errors) or NONE
    where, found = open_run(store, name)
    with progress(f"audit {found}") as bar:
        report = audited(where, found, how=How(jobs=len(os.sched_getaffinity(0)), progress=bar))
    accepted = accept(where, found, report, root, allowed, failing=failing)
    rows = [[output, short(old) or "-", short(new) or "-"] for output, old, new in accepted.changes]
    data = {"run": found, "expect": str(accepted.path)}
    changes = [{"output": output, "old": old, "new": new} for output, old, new in accepted.changes]
    text = table(["output", "old", "new"], rows) if rows else "nothing moved"
    show({**data, "changes": changes}, f"{text}\naccepted run {found} in {accepted.path.relative_to(root)}", json)
