"""The keeper's verbs: doctor, fsck, gc."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, store_root
from harness.cli.terminal import show, table
from harness.errors import AGREED, DISAGREED, MISSING


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    for verb in (doctor, fsck, gc):
        app.command()(verb)


def doctor(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Say what this machine can do, and how to do better."""
    from harness.run.doctor import examine

    findings = examine(store)
    data = {"findings": [vars(one) for one in findings]}
    rows = [[one.state, one.subject, one.found] for one in findings]
    notes = [one.advice and f"next: {one.advice}" for one in findings]
    show(data, table(["", "what", "found"], rows, notes), json)
    return MISSING if any(one.state == "missing" for one in findings) else AGREED


def fsck(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Read every byte of the store and name what is damaged."""
    from harness.evidence.fsck import fsck as check
    from harness.store.store import Store

    where = Store.open(store_root(store))
    flaws = list(check(where))
    data = {"verdict": "disagreed" if flaws else "agreed", "flaws": [vars(flaw) for flaw in flaws]}
    text = table(["check", "subject", "detail"], [[f.id, f.subject, f.detail] for f in flaws])
    show(data, text if flaws else f"the store {where.root} is sound", json)
    return DISAGREED if flaws else AGREED


def gc(
    delete: Annotated[bool, typer.Option("--delete", help="Delete it; without this, only say what may go.")] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what no run names and may go; --delete lets it go."""
    from harness.store.store import Store
    from harness.store.sweep import gc as sweep

    found = sweep(Store.open(store_root(store)), delete=delete)
    data = {
        "deleted": delete,
        "entries": found.entries,
        "blobs": found.blobs,
        "folders": [path.name for path in found.folders],
        "bytes": found.bytes,
    }
    verb = "deleted" if delete else "may go"
    text = f"{verb}: {len(found.entries)} entries, {len(found.blobs)} blobs ({found.bytes} bytes)"
    text += f", {len(found.folders)} temporary"
    show(data, text + ("" if delete else "; `harness gc --delete` lets them go"), json)
