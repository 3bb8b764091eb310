"""Garbage collection of a store (`gc`): deletes entries, blobs and temporary files that no run names.

It does not delete when in doubt: an entry, journal, transcript, image file or document that it cannot parse stops it
before any deletion. An unreadable note of an image layer is garbage, and so is a view that no attempt was shown.
Entries are deleted before the blobs they name, so that a crash in between leaves only blobs that nothing names.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from harness.digest import parse_document
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.files import is_leftover
from harness.store.attempts import FILE, VIEWS, attempt_ids, read_transcript
from harness.store.blobs import is_digest
from harness.store.store import Entry, Store, follow_journal, list_runs, read_entry
from harness.store.tree import MOST_DOCUMENT, MOST_ENTRY, MOST_LOG, MOST_NOTE

STAMP = "[0-9]{8}T[0-9]{6}Z"
RUN_ID = re.compile(rf"{STAMP}-[0-9a-f]{{8}}|{STAMP}-[0-9a-f]{{32}}(\.[1-9][0-9]*)?")
COMPARED = "compare-[0-9a-f]{32}"  # name of a comparison of two runs among the indexes
INDEXES = "index"
NOTES = "notes"  # what people say of answers; never garbage
_DIGEST, _SHORT, _ANY = "[0-9a-f]{64}", "[0-9a-f]{2}", ".+"
_LINKED = "this is neither a file nor a folder, and whoever follows it is led elsewhere"


@dataclass(frozen=True)
class FolderLevel:
    """One level of the folders of a store: which file names belong there, and which folders with what below.

    `deep` folders are private to their creator and are not examined. No file has more than `most` bytes, if that is
    given. In an `own` folder, files are written in place and must have no second name elsewhere.
    """

    files: str = ""
    folders: Mapping[str, FolderLevel] = field(default_factory=dict)
    deep: bool = False
    most: int | None = None
    own: bool = False


_SHELVES = {
    _SHORT: FolderLevel(_ANY, {_ANY: FolderLevel(deep=True)})
}  # the readers of blobs and entries report other files
ROOT = FolderLevel(
    r"format|heads\.jsonl|tokens\.toml",
    {
        "tmp": FolderLevel("[a-z]+-.+", {"[a-z]+-.+": FolderLevel(deep=True)}),
        "locks": FolderLevel("[a-z]+(-[0-9A-Za-z.-]+)?", most=0, own=True),
        "blobs": FolderLevel("", {"sha256": FolderLevel("", _SHELVES)}),
        "keys": FolderLevel("", _SHELVES),
        "runs": FolderLevel("", {RUN_ID.pattern: FolderLevel(r"(journal|transcript)\.jsonl|record\.json")}),
        "images": FolderLevel(
            r".+\.json",
            {
                "layers": FolderLevel(rf"{_DIGEST}\.json", most=MOST_NOTE),
                "inventories": FolderLevel(rf"{_DIGEST}\.spdx\.json"),
            },
        ),
        "imported": FolderLevel(_DIGEST, most=0),
        "receipts": FolderLevel(rf"{_DIGEST}\.json", most=MOST_NOTE),
        "views": FolderLevel("", {_DIGEST: FolderLevel(r"items\.jsonl|media\.bin|canary\.json")}),
        "hidden": FolderLevel(rf"{_DIGEST}\.json", most=MOST_LOG),
        "sessions": FolderLevel(rf"{STAMP}-[0-9a-f]+\.jsonl", most=MOST_LOG),
        INDEXES: FolderLevel(
            rf"({RUN_ID.pattern}|{COMPARED})\.sqlite", own=True
        ),  # of the viewer, made anew when it is gone
        NOTES: FolderLevel(rf"({RUN_ID.pattern})-[0-9a-f]{{16}}\.jsonl", most=MOST_NOTE, own=True),
        "asked": FolderLevel(rf"{STAMP}-[0-9a-f]{{8}}\.(asked|state|stop)\.json", most=MOST_NOTE),
    },
    own=True,
)


@dataclass(frozen=True)
class StrangeFile:
    """A file or folder in a store that nothing accounts for; `shut` says that its contents cannot be known."""

    path: Path
    flaw: str
    shut: bool = False


def find_strangers(store: Store) -> Iterator[StrangeFile]:
    """Yield all files and folders in a store that belong to no part of it."""
    waiting = [("", ROOT)]
    while waiting:
        place, level = waiting.pop()
        try:
            found = store.tree.list_kinds(place)
        except HarnessError as bad:
            yield StrangeFile(store.root / place, bad.what, shut=True)
            continue
        yield from _collisions(store.root / place, [name for name, _ in found])
        for name, kind in found:
            path = store.root / place / name
            below = _below(level, name) if kind == "folder" else None
            if kind == "other":
                yield StrangeFile(path, _LINKED, shut=place != "tmp")
            elif kind == "folder" and below and not below.deep:
                waiting.append((f"{place}/{name}".removeprefix("/"), below))
            elif flaw := _flaw(level, name, kind):
                yield StrangeFile(path, flaw, shut=kind != "folder" and _below(level, name) is not None)
            elif kind == "file" and (flaw := _odd_file(store, path, level)):
                yield StrangeFile(path, flaw)


def show_name(name: str) -> str:
    """Return the name of a file in ASCII, which is safe for any terminal and encoding."""
    return json.dumps(name)


def _flaw(level: FolderLevel, name: str, kind: str) -> str:
    """Return why a file or folder does not belong on a level; empty if it does."""
    if kind == "folder":
        return "" if _below(level, name) else "no such folder belongs here"
    if is_leftover(name) or (level.files and re.fullmatch(level.files, name)):
        return ""
    return "here belongs a folder" if _below(level, name) else "no such file belongs here"


def _odd_file(store: Store, path: Path, level: FolderLevel) -> str:
    """Return what is wrong with the size or links of a file that belongs here; empty if nothing is."""
    if level.most is None and not level.own:
        return ""
    facts = store.tree.facts(path)
    if facts and level.most is not None and facts.st_size > level.most:
        return f"this file has {facts.st_size:,} bytes, and none of its kind has more than {level.most:,}"
    twice = facts and level.own and facts.st_nlink > 1
    return "this file has a second name, and whoever writes here writes there" if twice else ""


def _below(level: FolderLevel, name: str) -> FolderLevel | None:
    found = (inside for pattern, inside in level.folders.items() if re.fullmatch(pattern, name))
    return next(found, None)


def _collisions(folder: Path, names: Sequence[str]) -> Iterator[StrangeFile]:
    """Yield names that would be the same file on a disk that folds case or normalises letters."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[unicodedata.normalize("NFKC", name).casefold()].append(name)
    for same in alike.values():
        if len(same) > 1:
            yield StrangeFile(
                folder / same[1], f"on a disk that folds case this is {' and '.join(map(show_name, same))}"
            )


MOST_NAMING = 16 << 20  # most bytes of a possible document that is searched for digests
DIGEST = 64  # characters
NAMING = ("closure/1", "environment/1", "environment/2", "lock/1")  # types of documents that name further blobs


def image_files(store: Store) -> list[Path]:
    """Return the files (`image/1`) that describe stored images, by name."""
    return [store.images / name for name in store.tree.list_names("images") if name.endswith(".json")]


def read_image(store: Store, path: Path) -> dict[str, Any]:
    """Parse the file of a stored image, for the blobs it names."""
    return parse_document(store.tree.read_file(path, MOST_NOTE), "image/1", str(path))


def blob_files(store: Store) -> Iterator[Path]:
    """Yield every file in the folders of blobs."""
    shelf = store.blobs.root / "sha256"
    for folder in store.tree.list_folders(shelf):
        yield from (shelf / folder / name for name in store.tree.list_names(shelf / folder))


def read_entry_file(store: Store, path: Path) -> Entry:
    """Read the entry in a file, checked against the key in its name; raises InputError if they differ."""
    if not is_digest(path.stem) or path != store.entries.path(path.stem):
        raise InputError("no entry has such a name", where=str(path))
    return read_entry(store.tree.read_file(path, MOST_ENTRY), path.stem, str(path))


@dataclass
class Sweep:
    """What garbage collection found, deleted or not: keys of entries, digests of blobs, other paths, blobs' bytes."""

    entries: list[str] = field(default_factory=list)
    blobs: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    bytes: int = 0


def collect_garbage(store: Store, *, delete: bool = False) -> Sweep:
    """Find what no run names, and delete it if `delete`.

    Raises DamageError, and deletes nothing, if a file is unreadable. Raises MissingError while a run uses the store.
    """
    with store.lock("store", wait=False) as alone:
        if not alone:
            raise MissingError(
                "a run is using this store", where=str(store.root), next="wait for it to end, then sweep again"
            )
        found = _find_garbage(store)
        if delete:
            for key in found.entries:
                store.tree.remove(store.entries.path(key))
            for folder in {store.entries.path(key).parent for key in found.entries}:
                store.tree.sync_folder(folder)  # before blobs, so a crash leaves only blobs without entries
            for digest in found.blobs:
                store.blobs.remove(digest)
            for folder in found.folders:
                store.tree.remove(folder)
    return found


def _find_garbage(store: Store) -> Sweep:
    for one in filter(attrgetter("shut"), find_strangers(store)):
        raise _unreadable(one.path, one.flaw)
    named_blobs, named_keys, documents = _named_by_runs(store)
    views = _named_by_attempts(store, named_blobs, documents)
    found = Sweep()
    kept = _kept_entries(store, named_keys, found)
    for entry in kept:
        named_blobs |= find_digests(dict(entry.preimage)) | {out.sha256 for out in entry.outputs.values()}
    named_blobs |= set(filter(is_digest, store.tree.list_names("imported")))
    needed = {str(entry.preimage[part]) for entry in kept for part in ("code", "environment")} | documents
    there = {path.name for path in blob_files(store)}  # a journal has many digests that are not blobs
    for digest in sorted(named_blobs & there | needed):  # documents that name blobs: closures, environments, locks
        named_blobs |= _named_in(store, digest, needed=digest in needed)
    for path in image_files(store):
        try:
            named_blobs |= find_digests(read_image(store, path))
        except HarnessError as bad:
            raise _unreadable(path, bad.what) from bad
    for path in blob_files(store):
        if not is_digest(path.name) or path.parent.name != path.name[:2]:
            raise _unreadable(path, "no blob has such a name")
        if path.name not in named_blobs:
            found.blobs.append(path.name)
            found.bytes += facts.st_size if (facts := store.tree.facts(path)) else 0
    found.folders = [store.temp / name for name in store.tree.list_names("tmp")]
    found.folders += _idle_layers(store, named_blobs)
    found.folders += [store.root / VIEWS / name for name in store.tree.list_names(VIEWS) if name not in views]
    found.folders += _idle_indexes(store)
    found.folders += _halves(store)
    return found


def _kept_entries(store: Store, named: set[str], found: Sweep) -> list[Entry]:
    """Return the entries that runs name; add the others, which are garbage, to `found`."""
    kept: list[Entry] = []
    for path in store.entries.all():
        try:
            entry = read_entry_file(store, path)
        except HarnessError as bad:
            raise _unreadable(path, bad.what) from bad
        if entry.key in named:
            kept.append(entry)
        else:
            found.entries.append(entry.key)
    return kept


def _halves(store: Store) -> Iterator[Path]:
    """Yield leftovers of killed writes in the root, in its folders, and in those of the entries and runs."""
    tops = [store.root / name for name in store.tree.list_folders(".") if name != "tmp"]
    tops += [top / name for top in (store.entries.root, store.runs) for name in store.tree.list_folders(top)]
    for top in (store.root, *tops):
        yield from (top / name for name in store.tree.list_names(top) if is_leftover(name))


def _idle_indexes(store: Store) -> Iterator[Path]:
    """Yield the viewer's indexes of runs that are not on the list, and its comparisons, which a look makes again."""
    runs = list_runs(store)
    for name in store.tree.list_names(INDEXES):
        if name.endswith(".sqlite") and name.removesuffix(".sqlite") not in runs:
            yield store.root / INDEXES / name


def _idle_layers(store: Store, named: set[str]) -> list[Path]:
    """Return cached notes of image layers whose layer is to be deleted."""
    idle = []
    layers = store.images / "layers"
    for path in (layers / name for name in store.tree.list_names(layers) if name.endswith(".json")):
        try:
            kept = parse_document(store.tree.read_file(path, MOST_NOTE), "layer/1", str(path))["layer"] in named
        except (OSError, HarnessError, LookupError):
            kept = False
        if not kept:
            idle.append(path)
    return idle


def _named_by_runs(store: Store) -> tuple[set[str], set[str], set[str]]:
    """Return the blobs and keys that journals name, and which blobs are documents that name others."""
    blobs: set[str] = set()
    keys: set[str] = set()
    documents: set[str] = set()
    try:
        runs = list_runs(store)
    except HarnessError as bad:
        raise _unreadable(store.heads.path, bad.what) from bad
    for run in sorted({*store.run_ids(), *runs}):
        path = store.journal(run)
        if run not in runs and not store.has_journal(run) and set(store.tree.list_names(path.parent)) <= {FILE}:
            continue  # killed before its first event, or an attempt that is not scored yet
        try:
            chain = follow_journal(store, runs[run]) if run in runs else store.read_journal(run)
        except HarnessError as bad:
            raise _unreadable(path, bad.what) from bad
        if chain.broken:
            raise _unreadable(path, chain.broken)
        for event in chain.events:
            blobs |= find_digests(event)
            if "key" in event:
                keys.add(str(event["key"]))
            if event["event"] == "run.started":
                documents |= {event["lock"], event["environment"]}
    return blobs, keys, documents


def _named_by_attempts(store: Store, blobs: set[str], documents: set[str]) -> set[str]:
    """Add the blobs that attempts name, scored or not, and return the names of the views that they were shown."""
    views: set[str] = set()
    for attempt in attempt_ids(store):
        chain = read_transcript(store, attempt)
        if chain.broken:
            raise _unreadable(store.runs / attempt / FILE, chain.broken)
        for event in chain.events[:1]:
            blobs |= find_digests(event)
            documents.add(event["lock"])
            views.add(event["view"])
    return views


def _named_in(store: Store, digest: str, *, needed: bool) -> set[str]:
    """Return the digests in a document; a needed document that cannot be read stops the garbage collection."""
    path = store.blobs.path(digest)
    try:
        if not needed and store.blobs.size(digest) > MOST_NAMING:
            return set()
        data = store.blobs.read(digest, MOST_DOCUMENT if needed else MOST_NAMING)
    except DamageError as bad:
        if needed:
            raise _unreadable(path, f"{bad.what}, and what it names cannot be known") from bad
        return set()
    try:
        kind = json.loads(data).get("type") if data.startswith(b"{") else None
    except (ValueError, AttributeError, RecursionError):
        return set()  # a table, which names no further blobs
    return find_digests(parse_document(data, kind, str(path))) if kind in NAMING else set()


def find_digests(value: object) -> set[str]:
    """Return every digest that occurs in a JSON value."""
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


def _unreadable(path: Path, why: str) -> DamageError:
    return DamageError(
        f"nothing was deleted: {why}",
        where=str(path),
        next="`harness fsck` lists all damage; repair that file or move it away, then sweep again",
    )
