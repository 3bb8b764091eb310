"""Command line of the maintenance verbs `doctor`, `fsck` and `gc`, as tables."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import render, table


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    for verb in (doctor, fsck, gc):
        app.command()(verb)


def doctor(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Check what this machine can do, and how to improve it."""
    from harness.verbs.upkeep import doctor as verb

    done = verb(project(store))
    rows = [[one.state, one.subject, one.found] for one in done.findings]
    notes = [one.advice and f"next: {one.advice}" for one in done.findings]
    return render(done, table(["", "what", "found"], rows, notes), json)


def fsck(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Read every byte of the store and report damage."""
    from harness.verbs.upkeep import fsck as verb

    where = project(store)
    done = verb(where)
    text = table(["check", "subject", "detail"], [[flaw.id, flaw.subject, flaw.detail] for flaw in done.flaws])
    return render(done, text if done.flaws else f"the store {where.store} is sound", json)


def gc(
    delete: Annotated[bool, typer.Option("--delete", help="Delete it; without this option it is only listed.")] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List what no run uses; --delete deletes it."""
    from harness.verbs.upkeep import GcRequest
    from harness.verbs.upkeep import gc as verb

    done = verb(project(store), GcRequest(delete=delete))
    text = f"{'deleted' if delete else 'may go'}: {len(done.entries)} entries, {len(done.blobs)} blobs"
    text += f" ({done.bytes} bytes), {len(done.folders)} temporary"
    return render(done, text + ("" if delete else "; `harness gc --delete` lets them go"), json)
