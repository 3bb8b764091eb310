"""Say whether a store is sound (`fsck`), and what may go (`gc`).

`gc` errs on the side of keeping: anything it cannot parse stops it before it deletes, entries go before the blobs they
name, and a crash between the two leaves only blobs that nothing names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.digest import parse, walk
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.files import is_leftover, locked, remove_tree, sync_folder, told
from harness.store.blobs import is_digest
from harness.store.entries import Entry, read_entry
from harness.store.journal import read_chain
from harness.store.store import Store

MOST_NAMING = 16 << 20  # bytes of a file that nobody calls a document, and that is looked into all the same
NAMING = ("closure/1", "environment/1", "environment/2", "lock/1")  # the documents that name further blobs


@dataclass(frozen=True)
class Flaw:
    """One thing that is wrong in a store."""

    id: str
    subject: str
    detail: str


def fsck(store: Store) -> Iterator[Flaw]:
    """Read every byte of a store and name what is damaged."""
    for path in blob_files(store):
        if not is_digest(path.name) or path.parent.name != path.name[:2]:
            yield Flaw("unaccounted", str(path), "no blob has such a name")
        elif (state := store.blobs.state(path.name)) != "sound":
            yield Flaw(f"blob.{state}", str(path), "its bytes are not what its name says")
    for path in store.entries.all():
        try:
            entry = _entry(store, path)
        except HarnessError as bad:
            yield Flaw("entry.changed", str(path), bad.what)
            continue
        for name, output in entry.outputs.items():
            if store.blobs.state(output.sha256) == "missing":
                yield Flaw("blob.missing", output.sha256, f"output {name!r} of entry {entry.key[:12]}")
    yield from _shelf(store)
    yield from _runs(store)


def _shelf(store: Store) -> Iterator[Flaw]:
    """Follow what the shelf of images names; what they were made of may be gone, what they consist of may not."""
    for path in _images(store):
        try:
            body = _image(path)
            parts = {body["config"], body["manifest"], *body["layers"]}
        except (HarnessError, LookupError, TypeError) as bad:
            yield Flaw("image.changed", str(path), str(getattr(bad, "what", "") or "it names no layers"))
            continue
        for digest in sorted(parts):
            if store.blobs.state(digest) == "missing":
                yield Flaw("blob.missing", digest, f"image {body.get('name')}")


def _images(store: Store) -> list[Path]:
    return sorted(store.images.glob("*.json")) if store.images.is_dir() else []


def _image(path: Path) -> dict[str, Any]:
    """Read an entry of the shelf; the sweep knows no more of it than that it names blobs."""
    with told(path):
        return parse(path.read_bytes(), "image/1", str(path))


def _runs(store: Store) -> Iterator[Flaw]:
    """Follow every chain; a run that a kill cut short is unfinished, and no flaw of the store."""
    heads = store.heads.read()
    if heads.broken:
        yield Flaw("chain.broken", str(store.heads.path), heads.broken)
    started = {str(event["run"]) for event in heads.events if event["event"] == "run.started"}
    for run in sorted(started - set(store.run_ids())):
        yield Flaw("unaccounted", run, "heads.jsonl names this run, which left nothing")
    for run in store.run_ids():
        if not store.journal(run).exists():
            if run in started:
                yield Flaw("chain.broken", run, "the run has no journal")
            continue
        chain = read_chain(store.journal(run))
        if chain.broken:
            yield Flaw("chain.broken", str(store.journal(run)), chain.broken)
        elif run not in started and chain.events and chain.events[-1]["event"] == "run.finished":
            yield Flaw("unaccounted", run, "heads.jsonl does not name this run")


def blob_files(store: Store) -> Iterator[Path]:
    """List every file that lies where blobs lie."""
    yield from sorted((store.root / "blobs" / "sha256").glob("*/*"))


def _entry(store: Store, path: Path) -> Entry:
    if not is_digest(path.stem) or path != store.entries.path(path.stem):
        raise InputError("no entry has such a name", where=str(path))
    with told(path):
        return read_entry(path.read_bytes(), path.stem, str(path))


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
                with told(store.entries.path(key)):
                    store.entries.path(key).unlink(missing_ok=True)
            for folder in {store.entries.path(key).parent for key in found.entries}:
                with told(folder):
                    sync_folder(folder)  # before any blob goes: a crash may leave blobs without entries only
            for digest in found.blobs:
                store.blobs.remove(digest)
            for folder in found.folders:
                if folder.is_dir() and not folder.is_symlink():
                    remove_tree(folder)
                else:
                    with told(folder):
                        folder.unlink(missing_ok=True)
    return found


def _unnamed(store: Store) -> Sweep:
    named_blobs, named_keys, documents = _named_by_runs(store)
    found = Sweep()
    kept: list[Entry] = []
    for path in store.entries.all():
        try:
            entry = _entry(store, path)
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
    for digest in sorted(named_blobs):  # documents that name further blobs: closures, environments, locks
        named_blobs |= _named_in(store, digest, needed=digest in needed)
    for path in _images(store):
        try:
            named_blobs |= _digests(_image(path))
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
            kept = parse(path.read_bytes(), "layer/1", str(path))["layer"] in named
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
    heads = store.heads.read()
    if heads.broken:
        raise _stop(store.heads.path, heads.broken)
    listed: dict[str, set[str]] = {}  # run -> the journal lines that the list of runs has seen
    for head in heads.events:
        listed.setdefault(head["run"], set()).add(head["journal"])
    for run in sorted({*store.run_ids(), *listed}):
        path = store.journal(run)
        if not path.exists():
            if run in listed or any(path.parent.iterdir()):
                raise _stop(path, "the run has no journal")
            continue  # killed before its first word
        chain = read_chain(path)
        if chain.broken:
            raise _stop(path, chain.broken)
        if not listed.get(run, set()) <= set(chain.lines):
            raise _stop(path, "it holds less than the list of runs has seen")
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
    with told(path):
        if not needed and path.stat().st_size > MOST_NAMING:
            return set()
        data = path.read_bytes()
    try:
        kind = json.loads(data).get("type") if data.startswith(b"{") else None
    except (ValueError, AttributeError, RecursionError):
        return set()  # a table: it names no further blob
    return _digests(parse(data, kind, str(path))) if kind in NAMING else set()


def _digests(value: object) -> set[str]:
    return {item for _, item in walk(value) if isinstance(item, str) and is_digest(item)}


def _stop(path: Path, why: str) -> DamageError:
    return DamageError(
        f"nothing was deleted: {why}",
        where=str(path),
        next="`harness fsck` lists all damage; mend or move that file away, then sweep again",
    )
