"""The researcher's verbs: run and reproduce."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.fresh import fresh
from harness.cli.options import (
    LOCAL,
    Debug,
    EngineName,
    Images,
    Isolation,
    Jobs,
    Json,
    Manifests,
    MaxErrors,
    Moved,
    StoreDir,
    chosen,
    store_root,
)
from harness.cli.terminal import level_text, progress, say, short, show, table
from harness.errors import AGREED, DISAGREED

if TYPE_CHECKING:
    from harness.run.answers import Most
    from harness.run.service import Ran


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.command()(run)
    app.command()(reproduce)


def run(
    manifests: Manifests,
    engine: EngineName = LOCAL,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", envvar="HARNESS_LIMIT", min=0, max=2**31, help="Only the first N items of each dataset."
        ),
    ] = 0,
    relock: Annotated[bool, typer.Option("--relock", help="Make the lock anew where it no longer fits.")] = False,
    isolation: Isolation = "",
    moved: Moved = False,
    jobs: Jobs = 0,
    max_errors: MaxErrors = "",
    images: Images = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Run what is not in the store yet, and write the record."""
    from harness.run.answers import most
    from harness.run.project import loaded_manifest
    from harness.run.service import Place, lock_manifest, run_manifest

    found, allowed = [], most(max_errors)
    for loaded in [loaded_manifest(path) for path in manifests]:
        choice = chosen(engine, isolation, images, loaded.root, store=store, moved=moved)
        place = Place(store_root(store, loaded.root), choice, jobs, errors=allowed)
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
    return _exit(found, allowed, lenient=True)


def reproduce(
    manifests: Manifests,
    engine: EngineName = LOCAL,
    isolation: Isolation = "",
    moved: Moved = False,
    jobs: Jobs = 0,
    max_errors: MaxErrors = "",
    store: Annotated[
        Path | None,
        typer.Option("--store", envvar="HARNESS_FRESH_STORE", help="A new folder for the fresh store; it is kept."),
    ] = None,
    images: Images = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Run in a fresh store and compare with what is expected."""
    from harness.run.answers import most
    from harness.run.project import loaded_manifest
    from harness.run.service import Place, run_manifest

    allowed, todo = most(max_errors), [loaded_manifest(path) for path in manifests]
    usual = Path(os.environ["HARNESS_STORE"]) if os.environ.get("HARNESS_STORE") else None  # --store is the fresh one
    found = []
    with fresh(store, todo[0].root) as place:
        for loaded in todo:
            choice = chosen(engine, isolation, images, loaded.root, store=usual, moved=moved)
            lent = store_root(usual, loaded.root)
            with progress(loaded.manifest.name) as bar:
                ran = run_manifest(loaded, Place(place.root, choice, jobs, lent, allowed), bar)
            found.append(ran)
            _tell_code(ran)
        code = _exit(found, allowed, lenient=False)
        place.stays = place.stays or code != AGREED
    show({"runs": [one.as_data() for one in found]}, _table(found), json)
    if place.stays:
        say(f"the store of this reproduction stays in {place.root}")
    else:
        say(f"reproduced: {len(found)} of {len(found)} manifests agree with what is expected; the fresh store is gone")
    return code


def _tell_code(ran: Ran) -> None:
    """Where a run disagrees, name the files of code that are not those of the accepted run."""
    from harness.evidence.trail import follow
    from harness.run.accept import moved_code

    if ran.verdict == "disagreed" and ran.expect:
        changed = moved_code(ran.expect, follow(ran.store, ran.record.run).code()[1])
        told = ", ".join(changed) or "none; the same code made other outputs"
        say(f"code that is not what was accepted: {told}")


def _table(found: list[Ran]) -> str:
    rows: list[list[str]] = []
    summary = [""]
    for one in found:
        remarks = {output.detail for output in one.outputs}
        shared = remarks.pop() if len(remarks) == 1 else ""  # said once, where it is true of every output
        for output in one.outputs:
            level, remark = level_text(output.level), "" if shared else output.detail
            rows.append([one.manifest, output.name, short(output.sha256), level, output.verdict, remark])
        failing = ", its own checks fail" if one.checks == "fail" else ""
        verdict = f"{one.verdict}{failing}" + (f", {shared}" if shared else "")
        summary.append(f"{one.manifest}: {verdict} ({_surroundings(one)})")
    return "\n".join([table(["manifest", "output", "sha256", "level", "verdict", ""], rows), *summary])


def _surroundings(ran: Ran) -> str:
    """Say on what a verdict rests: the engine, the image, the device, and what stand-ins were shown."""
    body = ran.record.body
    words = [f"engine {body['engine']}", f"isolation {body['isolation']}"]
    if ran.image_state != "none":
        words.append(f"image: {ran.image_state} {short(body['image'].removeprefix('sha256:'))}")
    if ran.device != "cpu":
        words.append(f"device: {ran.device}")
    for model, told in body.get("calls", {}).items():
        counts = {"refused": 0, **told, "live": told["live"] - told["recorded"]}  # what was recorded was live, too
        counts["without an answer"] = sum(told["errors"].values()) - counts["refused"]
        parts = ("replayed", "recorded", "live", "refused", "without an answer")
        words.append(f"{model}: {', '.join(f'{counts[part]} {part}' for part in parts if counts[part]) or 'not asked'}")
    if body["sees_gold"]:
        words.append(f"stand-ins were shown the answers in {len(body['sees_gold'])} steps")
    return ", ".join(words)


def _exit(found: list[Ran], allowed: Most | None, lenient: bool) -> int:
    """Choose the exit code: a run of which nothing was expected has done its work; a reproduction of it has not."""
    fine = {"agreed", "unconfirmed", "incomplete"} if lenient else {"agreed"}
    lacking = [one for one in found if not _answered(one, allowed)]
    return AGREED if not lacking and all(one.verdict in fine for one in found) else DISAGREED


def _answered(ran: Ran, allowed: Most | None) -> bool:
    """Tell what models left unanswered, in their providers' words, and say whether that is within what is allowed."""
    from harness.run.answers import too_many

    flaws = too_many(ran.gaps, allowed)
    for gap in ran.gaps:
        say(f"{ran.manifest}: {gap}")
    if flaws:
        more = "--max-errors says how many you put up with" if not allowed else "or allow more with --max-errors"
        say(f"  next:  mend what is named there and run again: what was answered is kept; {more}")
    return not flaws
