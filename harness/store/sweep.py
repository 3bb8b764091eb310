"""Say what of a store may go (`gc`).

It errs on the side of keeping: anything it cannot parse stops it before it deletes, entries go before the blobs they
name, and a crash between the two leaves only blobs that nothing names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.digest import parse
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.files import is_leftover, locked, read_plain, remove_tree, sync_folder, translating_os_errors
from harness.store.blobs import is_digest
from harness.store.entries import Entry, read_entry
from harness.store.journal import read_chain
from harness.store.listed import follow_journal, listed
from harness.store.store import Store

MOST_NAMING = 16 << 20  # bytes of a file that nobody calls a document, and that is looked into all the same
DIGEST = 64  # characters
NAMING = ("closure/1", "environment/1", "environment/2", "lock/1")  # the documents that name further blobs


def image_files(store: Store) -> list[Path]:
    """List the entries of the shelf of images."""
    return sorted(store.images.glob("*.json")) if store.images.is_dir() else []


def read_image(path: Path) -> dict[str, Any]:
    """Read an entry of the shelf; the sweep knows no more of it than that it names blobs."""
    return parse(read_plain(path), "image/1", str(path))


def blob_files(store: Store) -> Iterator[Path]:
    """List every file that lies where blobs lie."""
    yield from sorted((store.root / "blobs" / "sha256").glob("*/*"))


def read_entry_file(store: Store, path: Path) -> Entry:
    """Read an entry by the file it lies in."""
    if not is_digest(path.stem) or path != store.entries.path(path.stem):
        raise InputError("no entry has such a name", where=str(path))
    return read_entry(read_plain(path), path.stem, str(path))


@dataclass
class Sweep:
    """What may go."""

    entries: list[str] = field(default_factory=list)
    blobs: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    bytes: int = 0


def gc(store: Store, *, delete: bool = False) -> Sweep:
    """Find what no run names, and delete it if told to; stops at the first thing it cannot read."""
    with locked(store.locks / "store", wait=False) as alone:
        if not alone:
            raise MissingError(
                "a run is using this store", where=str(store.root), next="wait for it to end, then sweep again"
            )
        found = _unnamed(store)
        if delete:
            for key in found.entries:
                with translating_os_errors(store.entries.path(key)):
                    store.entries.path(key).unlink(missing_ok=True)
            for folder in {store.entries.path(key).parent for key in found.entries}:
                with translating_os_errors(folder):
                    sync_folder(folder)  # before any blob goes: a crash may leave blobs without entries only
            for digest in found.blobs:
                store.blobs.remove(digest)
            for folder in found.folders:
                if folder.is_dir() and not folder.is_symlink():
                    remove_tree(folder)
                else:
                    with translating_os_errors(folder):
                        folder.unlink(missing_ok=True)
    return found


def _unnamed(store: Store) -> Sweep:
    named_blobs, named_keys, documents = _named_by_runs(store)
    found = Sweep()
    kept: list[Entry] = []
    for path in store.entries.all():
        try:
            entry = read_entry_file(store, path)
        except HarnessError as bad:
            raise _stop(path, bad.what) from bad
        if entry.key in named_keys:
            kept.append(entry)
        else:
            found.entries.append(entry.key)
    for entry in kept:
        named_blobs |= _digests(dict(entry.preimage)) | {out.sha256 for out in entry.outputs.values()}
    named_blobs |= {path.name for path in store.imported.glob("*") if is_digest(path.name)}
    needed = {str(entry.preimage[part]) for entry in kept for part in ("code", "environment")} | documents
    there = {path.name for path in blob_files(store)}  # a journal holds many digests that name no blob
    for digest in sorted(named_blobs & there | needed):  # documents that name blobs: closures, environments, locks
        named_blobs |= _named_in(store, digest, needed=digest in needed)
    for path in image_files(store):
        try:
            named_blobs |= _digests(read_image(path))
        except HarnessError as bad:
            raise _stop(path, bad.what) from bad
    for path in blob_files(store):
        if not is_digest(path.name) or path.parent.name != path.name[:2]:
            raise _stop(path, "no blob has such a name")
        if path.name not in named_blobs:
            found.blobs.append(path.name)
            found.bytes += path.lstat().st_size
    found.folders = sorted(store.temp.iterdir()) if store.temp.is_dir() else []
    found.folders += _idle_layers(store, named_blobs)
    halves = (path for top in (store.entries.root, store.runs, store.root) for path in top.glob("*/.*.tmp"))
    found.folders += sorted(path for path in halves if is_leftover(path.name))
    return found


def _idle_layers(store: Store, named: set[str]) -> list[Path]:
    """List the notes of how a layer was made whose layer goes: they only save work, and keep nothing."""
    idle = []
    for path in sorted((store.images / "layers").glob("*.json")):
        try:
            kept = parse(read_plain(path), "layer/1", str(path))["layer"] in named
        except (OSError, HarnessError, LookupError):
            kept = False
        if not kept:
            idle.append(path)
    return idle


def _named_by_runs(store: Store) -> tuple[set[str], set[str], set[str]]:
    """Give the blobs and the keys that journals name, and which of the blobs are documents that name others."""
    blobs: set[str] = set()
    keys: set[str] = set()
    documents: set[str] = set()
    try:
        runs = listed(store)
    except HarnessError as bad:
        raise _stop(store.heads.path, bad.what) from bad
    for run in sorted({*store.run_ids(), *runs}):
        path = store.journal(run)
        if run not in runs and not path.exists() and not any(path.parent.iterdir()):
            continue  # killed before its first word
        try:
            chain = follow_journal(store, runs[run]) if run in runs else read_chain(path)
        except HarnessError as bad:
            raise _stop(path, bad.what) from bad
        if chain.broken:
            raise _stop(path, chain.broken)
        for event in chain.events:
            blobs |= _digests(event)
            if "key" in event:
                keys.add(str(event["key"]))
            if event["event"] == "run.started":
                documents |= {event["lock"], event["environment"]}
    return blobs, keys, documents


def _named_in(store: Store, digest: str, *, needed: bool) -> set[str]:
    """Give what a document names in turn; one that cannot be read keeps everything where it is."""
    state = store.blobs.state(digest)
    if needed and state != "sound":
        raise _stop(store.blobs.path(digest), f"this blob is {state}, and what it names cannot be known")
    path = store.blobs.path(digest)
    if state != "sound":
        return set()
    with translating_os_errors(path):
        if not needed and path.stat().st_size > MOST_NAMING:
            return set()
        data = read_plain(path)
    try:
        kind = json.loads(data).get("type") if data.startswith(b"{") else None
    except (ValueError, AttributeError, RecursionError):
        return set()  # a table: it names no further blob
    return _digests(parse(data, kind, str(path))) if kind in NAMING else set()


def _digests(value: object) -> set[str]:
    """Give every digest that stands in a document; of a journal this is asked for each line."""
    found, waiting = set(), [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if len(one) == DIGEST and is_digest(one):
                found.add(one)
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


def _stop(path: Path, why: str) -> DamageError:
    return DamageError(
        f"nothing was deleted: {why}",
        where=str(path),
        next="`harness fsck` lists all damage; mend or move that file away, then sweep again",
    )
