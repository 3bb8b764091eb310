"""The reviewer's verb `claims`: what was published, and what came out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, here, store_root
from harness.cli.terminal import say, show, table
from harness.errors import AGREED, DISAGREED

if TYPE_CHECKING:
    from harness.evidence.claims import Judged
    from harness.evidence.history import History
    from harness.evidence.record import Record
    from harness.manifest.load import Loaded

HEAD = ("manifest", "id", "published", "reproduced", "tolerance", "verdict", "where")
WIDE, LONG = 72, 24  # characters of a text and of a number in the table; --json has all of them


def register(app: typer.Typer) -> None:
    """Add this verb to the command line."""
    app.command()(claims)


def claims(
    manifests: Annotated[
        list[Path] | None, typer.Argument(help="Manifest files; default: all of the project.", show_default=False)
    ] = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Hold published numbers against those of the newest run."""
    from harness.run import project

    todo = [project.loaded_manifest(path) for path in manifests or project.manifests(here())]
    histories: dict[Path, History | None] = {}
    found: list[Judged] = []
    hidden: list[str] = []
    for loaded in todo:
        root = store_root(store, loaded.root)
        if root not in histories:
            histories[root] = _history(root)
        history = histories[root]
        judged = _judged(loaded, history)
        found += judged
        hidden += history.hidden(loaded.manifest.name) if history and judged else ()
    unread = sorted(set(hidden))
    for run in unread:
        say(f"run {run} cannot be read: what it registered is not known (`harness audit {run}` says more)")
    show({"claims": [vars(one) for one in found], "unread": unread}, _text(found), json)
    return DISAGREED if any(one.verdict == "missed" for one in found) else AGREED


def _history(root: Path) -> History | None:
    """Read what was run in a store; where there is no folder yet, nothing was."""
    from harness.evidence.history import History
    from harness.store.store import Store

    if not root.exists():
        say(f"there is no store in {root} yet: nothing was run")
        return None
    return History(Store.open(root))


def _judged(loaded: Loaded, history: History | None) -> list[Judged]:
    from harness.evidence.claims import judge
    from harness.evidence.pointed import Outputs

    name = loaded.manifest.name
    registered = history.registered(name) if history else None
    if not loaded.manifest.claims and not registered:
        return []
    record, lacks = _run(loaded, history)
    if record is None or history is None:
        return judge(name, loaded.manifest.claims, registered, lacks=lacks)
    outputs = Outputs(record.outputs, history.store.blobs.deliver)
    return judge(name, loaded.manifest.claims, registered, outputs.at, run=record.run)


def _run(loaded: Loaded, history: History | None) -> tuple[Record | None, list[str]]:
    """Find the run whose values count, or say what is lacking: a lock, what it could not resolve, a run."""
    from harness.evidence.history import moved
    from harness.manifest.lockfile import load_lock
    from harness.run.plan import unresolved_pins

    lock = load_lock(loaded.root, loaded.manifest.name)
    if lock is None:
        return None, ["a lock"]
    parted = moved(lock.intent, loaded.manifest.intent())
    if parted:
        return None, [f"a lock that fits: {parted[0]} moved"]
    gaps = [pin for pin, _ in unresolved_pins(lock)]
    if gaps or history is None:
        return None, gaps or ["a run"]
    pointed = {pointer.partition("#")[0] for claim in loaded.manifest.claims for pointer in claim.pointers}
    record, lack = history.newest(loaded.manifest.name, lock, pointed)
    return record, [lack]


def _text(found: list[Judged]) -> str:
    if not found:
        return "no manifest here claims anything"
    rows = [
        [one.manifest, one.id, one.published or "-", _numbers(one), _plain(one.tolerance), _word(one), _place(one)]
        for one in found
    ]
    words = Counter(one.verdict.partition(":")[0] for one in found)
    lines = [f"{one.manifest} {one.id}: {one.detail}" for one in found if one.verdict == "missed"]
    lines += [_story(one) for one in found if one.moved]
    lines.append(
        f"{len(found)} claim{'s' * (len(found) != 1)}: "
        + ", ".join(f"{words[word]} {word}" for word in ("met", "missed", "not run"))
    )
    return table(HEAD, rows) + "\n\n" + "\n".join(lines)


def _numbers(one: Judged) -> str:
    values = one.value if isinstance(one.value, list) else [one.value]
    return ", ".join(_cut(value or "-", LONG) for value in values[:4]) + (" …" if len(values) > 4 else "")


def _word(one: Judged) -> str:
    note = " (withdrawn)" if one.withdrawn else " (moved)" if one.moved else ""
    return _cut(one.verdict, WIDE) + note


def _place(one: Judged) -> str:
    return _cut(one.where, WIDE) + (f" [{one.status}]" if one.status else "")


def _story(one: Judged) -> str:
    """Say how a claim stood when the manifest was run for the first time."""
    from harness.evidence.asks import tolerance

    at = f"{one.manifest} {one.id}:"
    if one.withdrawn:
        return f"{at} was registered by the first run, and is gone from the manifest"
    if one.was is None:
        return f"{at} was not registered by the first run"
    asked = " ".join(filter(None, (one.was.get("published"), _plain(tolerance(one.was)))))
    places = one.was["of"] if isinstance(one.was["of"], list) else [one.was["of"]]
    return f"{at} the first run registered {asked}" + (f" of {', '.join(places)}" if one.was["of"] != one.of else "")


def _plain(tolerance: str) -> str:
    return f"± {tolerance}" if not tolerance[:1].isalpha() else tolerance


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
