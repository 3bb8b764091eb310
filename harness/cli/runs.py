"""The researcher's verbs: list, show, lock, run, reproduce."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import (
    Debug,
    EngineName,
    Images,
    Isolation,
    Jobs,
    Json,
    Manifests,
    Moved,
    StoreDir,
    chosen,
    here,
    open_run,
    store_root,
)
from harness.cli.terminal import level_text, progress, say, short, show, table
from harness.errors import AGREED, DISAGREED, HarnessError, InputError

if TYPE_CHECKING:
    from harness.manifest.load import Loaded
    from harness.run.service import Ran


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.command("list")(list_)
    app.command()(show_manifest)
    app.registered_commands[-1].name = "show"
    for verb in (lock, run, reproduce):
        app.command()(verb)


def list_(store: StoreDir = None, json: Json = False, debug: Debug = False) -> None:
    """List the manifests, their locks and their last verdicts."""
    from harness.run.project import last_verdict, manifests

    root = here()
    found = []
    for path in manifests(root):
        name, state, study, about = path.stem, "", "", ""
        verdict = "-"
        try:
            loaded, state = _state(path)
            name, study, about = loaded.manifest.name, loaded.manifest.study, loaded.manifest.about
            verdict = last_verdict(store_root(store, root), loaded) or "-"
        except HarnessError as bad:
            state, about = "broken", bad.what
        at = str(path.relative_to(root))
        found.append({"manifest": at, "name": name, "study": study, "lock": state, "verdict": verdict, "about": about})
    rows = [[one["manifest"], one["study"], one["lock"], one["verdict"], one["about"]] for one in found]
    show({"manifests": found}, table(["manifest", "study", "lock", "last verdict", "about"], rows), json)


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
    from harness.manifest.lockfile import load_lock
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
        lines += [
            f"lock {short(held.sha256)}" + (f", stale: {', '.join(data['moved'])}" if data["moved"] else ", fits")
        ]
        for kind, pins in held.pins.items():
            for name, pin in sorted(pins.items()):
                lines.append(f"  {kind:9} {name}: {_pin_text(pin)}")
    else:
        lines.append("no lock yet: `harness lock` resolves its names to digests")
    if held and not data["moved"] and not unresolved_pins(held, ("models", "prompts", "datasets")):
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
    return ", ".join(f"{name} {short(part['sha256'])} ({part['rows']} rows)" for name, part in pin.items())


def lock(
    manifests: Annotated[list[Path] | None, typer.Argument(help="Manifest files.", show_default=False)] = None,
    accept: Annotated[
        str, typer.Option("--accept", envvar="HARNESS_ACCEPT", help="Accept this run's outputs as expected.")
    ] = "",
    store: StoreDir = None,
    engine: EngineName = "local",
    isolation: Isolation = "",
    images: Images = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Resolve every name to a digest, or accept what a run made."""
    if bool(accept) == bool(manifests):
        raise InputError("give manifests to lock, or --accept RUN", next="`harness lock --help` shows both")
    if accept:
        _accept(accept, store, json)
        return
    from harness.run.project import loaded_manifest
    from harness.run.service import Place, lock_manifest

    found = []
    for loaded in [loaded_manifest(path) for path in manifests or []]:
        choice = chosen(engine, isolation, images, loaded.root, store=store)
        locked = lock_manifest(loaded, Place(store_root(store, loaded.root), choice))
        at = locked.path.relative_to(loaded.root)
        moved = ", ".join(locked.moved) or "nothing but its form"
        say(f"{loaded.manifest.name}: {at} " + (f"written; moved: {moved}" if locked.changed else "still fits"))
        for pin, reason in locked.unresolved.items():
            say(f"  unresolved {pin}: {reason}")
        found.append(
            {
                "manifest": str(loaded.path),
                "lock": str(locked.path),
                "sha256": locked.lock.sha256,
                "changed": locked.changed,
                "moved": locked.moved if locked.changed else [],
                "unresolved": locked.unresolved,
            }
        )
    show({"locks": found}, "\n".join(str(one["sha256"]) for one in found), json)


def _accept(name: str, store: Path | None, json: bool) -> None:
    from harness.run.accept import accept
    from harness.run.project import audited

    root = here()
    where, found = open_run(store, name)
    accepted = accept(where, found, audited(where, found), root)
    rows = [[output, short(old) or "-", short(new) or "-"] for output, old, new in accepted.changes]
    data = {"run": found, "expect": str(accepted.path)}
    changes = [{"output": output, "old": old, "new": new} for output, old, new in accepted.changes]
    text = table(["output", "old", "new"], rows) if rows else "nothing moved"
    show({**data, "changes": changes}, f"{text}\naccepted run {found} in {accepted.path.relative_to(root)}", json)


def run(
    manifests: Manifests,
    engine: EngineName = "local",
    limit: Annotated[
        int,
        typer.Option(
            "--limit", envvar="HARNESS_LIMIT", min=0, max=2**31, help="Only the first N items of each dataset."
        ),
    ] = 0,
    relock: Annotated[
        bool, typer.Option("--relock", envvar="HARNESS_RELOCK", help="Make the lock anew where it no longer fits.")
    ] = False,
    isolation: Isolation = "",
    moved: Moved = False,
    jobs: Jobs = 0,
    images: Images = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Run what is not in the store yet, and write the record."""
    from harness.run.project import loaded_manifest
    from harness.run.service import Place, lock_manifest, run_manifest

    found = []
    for loaded in [loaded_manifest(path) for path in manifests]:
        choice = chosen(engine, isolation, images, loaded.root, store=store, moved=moved)
        place = Place(store_root(store, loaded.root), choice, jobs)
        if relock and lock_manifest(loaded, place).changed:
            say(f"{loaded.manifest.name}: the lock was made anew, as --relock says; review it in git")
        with progress(loaded.manifest.name) as bar:
            ran = run_manifest(loaded, place, bar, limit)
        found.append(ran)
        steps = ran.record.body["steps"]
        say(
            f"{loaded.manifest.name}: run {ran.record.run}, {steps['executed']} steps executed, "
            f"{steps['cached']} from the store" + ("; nothing was left to do" if not steps["executed"] else "")
        )
    show({"runs": [one.as_data() for one in found]}, _table(found), json)
    return _exit(found, lenient=True)


def reproduce(
    manifests: Manifests,
    engine: EngineName = "local",
    isolation: Isolation = "",
    moved: Moved = False,
    jobs: Jobs = 0,
    store: Annotated[
        Path | None,
        typer.Option("--store", envvar="HARNESS_FRESH_STORE", help="A new folder for the fresh store; it is kept."),
    ] = None,
    images: Images = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Run in a fresh store and compare with what is expected."""
    import os

    from harness.evidence.trail import follow
    from harness.run.accept import moved_code
    from harness.run.project import loaded_manifest
    from harness.run.service import Place, run_manifest

    todo = [loaded_manifest(path) for path in manifests]
    root = _fresh(store, todo[0].root)
    choice = chosen(engine, isolation, images, todo[0].root, moved=moved)
    beside = Path(os.environ["HARNESS_STORE"]) if os.environ.get("HARNESS_STORE") else None
    found = []
    for loaded in todo:
        with progress(loaded.manifest.name) as bar:
            ran = run_manifest(loaded, Place(root, choice, jobs, beside), bar)
        found.append(ran)
        if ran.verdict == "disagreed" and ran.expect:
            changed = moved_code(ran.expect, follow(ran.store, ran.record.run).code()[1])
            say(
                "code that is not what was accepted: "
                + (", ".join(changed) or "none; the same code made other outputs")
            )
    show({"runs": [one.as_data() for one in found]}, _table(found), json)
    code = _exit(found, lenient=False)
    if code == AGREED and store is None:
        shutil.rmtree(root)
        say(f"reproduced: {len(found)} of {len(found)} manifests agree with what is expected; the fresh store is gone")
    else:
        say(f"the store of this reproduction stays in {root}")
    return code


def _fresh(given: Path | None, project: Path) -> Path:
    """Choose a place where nothing stands, so that nothing old can pass for new."""
    if given is None:
        from harness.clock import stamp

        return project / ".reproduce" / stamp()
    if given.exists() and any(given.iterdir()):
        raise InputError("a reproduction needs a fresh store", where=str(given), next="name a new or empty folder")
    return given.absolute()


def _table(found: list[Ran]) -> str:
    rows = [
        [one.manifest, output.name, short(output.sha256), level_text(output.level), output.verdict, output.detail]
        for one in found
        for output in one.outputs
    ]
    summary = [f"{one.manifest}: {one.verdict} ({_surroundings(one)})" for one in found]
    return table(["manifest", "output", "sha256", "level", "verdict", ""], rows) + "\n\n" + "\n".join(summary)


def _surroundings(ran: Ran) -> str:
    """Say on what a verdict rests: the engine, the image, the device, and what stand-ins were shown."""
    body = ran.record.body
    words = [f"engine {body['engine']}", f"isolation {body['isolation']}"]
    if ran.image_state != "none":
        words.append(f"image: {ran.image_state} {short(body['image'].removeprefix('sha256:'))}")
    if ran.device != "cpu":
        words.append(f"device: {ran.device}")
    for model, told in body.get("calls", {}).items():
        counts = {**told, "live": told["live"] - told["recorded"]}  # what was recorded was asked live, too
        asked = ", ".join(f"{counts[part]} {part}" for part in ("replayed", "recorded", "live") if counts[part])
        failed = sum(told["errors"].values())
        words.append(f"{model}: {asked or 'nothing asked'}" + (f", {failed} without an answer" if failed else ""))
    if body["sees_gold"]:
        words.append(f"stand-ins were shown the answers in {len(body['sees_gold'])} steps")
    return ", ".join(words)


def _exit(found: list[Ran], lenient: bool) -> int:
    """Choose the exit code: a run of which nothing was expected has done its work; a reproduction of it has not."""
    fine = {"agreed", "unconfirmed", "incomplete"} if lenient else {"agreed"}
    return AGREED if all(one.verdict in fine for one in found) else DISAGREED
