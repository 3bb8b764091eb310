"""The reviewer's verb `claims`: what was published, and what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, here, store_root
from harness.cli.terminal import say, show, table
from harness.errors import AGREED, DISAGREED

if TYPE_CHECKING:
    from harness.evidence.about import Work
    from harness.evidence.claims import Judged
    from harness.evidence.history import History
    from harness.evidence.record import Record
    from harness.manifest.load import Loaded
    from harness.manifest.lockfile import Lock
    from harness.manifest.schema import Claim

    Claimed = Mapping[str, tuple[Work, Sequence[Claim]]]  # by the manifest's name: what it is about, what it claims

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
    claimed: dict[Path, Claimed] = {}
    found: list[Judged] = []
    hidden: set[str] = set()
    for loaded in todo:
        root = store_root(store, loaded.root)
        if root not in histories:
            histories[root] = _history(root)
        if loaded.root not in claimed:
            claimed[loaded.root] = _claimed(loaded.root, todo)
        history = histories[root]
        judged = _judged(loaded, history, claimed[loaded.root])
        found += [one for one in judged if not one.withdrawn or _lost(one) not in map(_lost, found)]
        hidden |= history.unread if history and judged else set()
    unread = sorted(hidden)
    for run in unread:
        say(f"run {run} cannot be read: what it registered and made is not known (`harness audit {run}` says more)")
    show({"claims": [one.data for one in found], "unread": unread}, _text(found), json)
    return DISAGREED if any(one.verdict == "missed" for one in found) else AGREED


def _lost(one: Judged) -> tuple[object, ...]:
    """Tell claims that are gone apart: what nobody claims any more may have been about several manifests."""
    return one.withdrawn, one.manifest, one.of, one.tolerance, one.published, one.where


def _claimed(root: Path, todo: list[Loaded]) -> Claimed:
    """Give what all manifests of a project claim, by their names, and what each is about.

    One that nobody asked for and that cannot be read claims nothing here: to name it says why.
    """
    from harness.errors import HarnessError
    from harness.evidence.about import work_of
    from harness.run import project

    found = {one.path: one for one in todo if one.root == root}
    for path in project.manifests(root):
        if path.resolve() not in found:
            with suppress(HarnessError):
                found[path.resolve()] = project.loaded_manifest(path)
    return {one.manifest.name: (work_of(one.manifest.intent(), {}), one.manifest.claims) for one in found.values()}


def _history(root: Path) -> History | None:
    """Read what was run in a store; where there is no folder yet, nothing was."""
    from harness.evidence.history import History
    from harness.store.store import Store

    if not root.exists():
        say(f"there is no store in {root} yet: nothing was run")
        return None
    return History(Store.open(root))


def _judged(loaded: Loaded, history: History | None, claimed: Claimed) -> list[Judged]:
    from harness.evidence.about import work_of
    from harness.evidence.claims import judge
    from harness.evidence.pointed import Outputs
    from harness.evidence.variants import Past
    from harness.manifest.lockfile import load_lock

    name, claims = loaded.manifest.name, loaded.manifest.claims
    lock = load_lock(loaded.root, name)
    if history is None:
        return judge(name, claims, None, lacks=_run(loaded, lock, None)[1])
    past = Past(
        history,
        work_of(loaded.manifest.intent(), lock.pins if lock else {}),
        [claim for other, (_, theirs) in claimed.items() if other != name for claim in theirs],
    )
    registered, dropped = history.registered(name), past.dropped(name, claimed)
    if not (claims or registered or dropped):
        return []
    record, lacks = _run(loaded, lock, history)
    if record is None:
        values, run = None, None
    else:
        past = replace(past, untouched=history.untouched(record.run))
        values, run = Outputs(record.outputs, history.store.blobs.deliver, past.found).at, record.run
    found = judge(name, claims, registered, values, lacks=lacks, run=run, past=past)
    for old, gone in dropped.items():
        found += judge(old, (), gone, values, lacks=lacks, run=run, past=past)
    return found


def _run(loaded: Loaded, lock: Lock | None, history: History | None) -> tuple[Record | None, list[str]]:
    """Find the run whose values count, or say what is lacking: a lock, what it could not resolve, a run."""
    from harness.evidence.history import moved
    from harness.run.plan import unresolved_pins

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
    """Say the verdict; one that is met says how often the same was tried."""
    notes = ["withdrawn" if one.withdrawn else "moved"] * one.moved
    notes += [str(one.count)] if one.count and one.verdict == "met" else []
    return _cut(one.verdict, WIDE) + (f" ({'; '.join(notes)})" if notes else "")


def _place(one: Judged) -> str:
    return _cut(one.where, WIDE) + (f" [{one.status}]" if one.status else "")


def _story(one: Judged) -> str:
    """Say how a claim stood when the manifest was run for the first time."""
    from harness.evidence.asks import tolerance

    at = f"{one.manifest} {one.id}:"
    if one.withdrawn:
        return f"{at} was registered by an earlier run, and is gone from the manifest"
    if one.was is None:
        return f"{at} was not registered by the first run"
    asked = " ".join(filter(None, (one.was.get("published"), _plain(tolerance(one.was)))))
    places = one.was["of"] if isinstance(one.was["of"], list) else [one.was["of"]]
    return f"{at} the first run registered {asked}" + (f" of {', '.join(places)}" if one.was["of"] != one.of else "")


def _plain(tolerance: str) -> str:
    return f"± {tolerance}" if not tolerance[:1].isalpha() else tolerance


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
