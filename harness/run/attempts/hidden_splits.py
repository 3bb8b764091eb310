"""Hidden splits across manifests: no split shows agents what another split of the project or the store hides.

Digests are compared: of the private files that data is made from, and of what each item asks, whatever its name, seed
or count. The attempts of a principal and their splits are read from the first lines of transcripts, each once.
"""

from __future__ import annotations

import functools
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from harness import rows
from harness.attempts.transcript import CLOSED, KIND
from harness.clock import current_time
from harness.digest import canonical_json, parse_document, sha256, walk_values
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors
from harness.manifest.datasets import Fetched, FetchedFiles, OwnFile
from harness.manifest.load import LoadedManifest, load_manifest, parse_manifest
from harness.manifest.lockfile import Lock, load_lock, read_lock
from harness.manifest.schema import SPLITS, Manifest, manifest_splits, split_datasets
from harness.rowtypes import Item
from harness.run.locking.datasets import FILES, MANY, made_datasets
from harness.store.attempts import SplitData, attempt_ids, hidden_data, listed_attempts, mark_hidden, transcript_path
from harness.store.journal import MOST_START, AttemptEvent
from harness.store.store import Store
from harness.store.tree import MOST_LOG, StoreReader
from harness.studies.registry import find

_NEEDED = {"attempt", "principal", "name", "split", "subset", "label", "idempotency", "view", "gold_reachable"}


@dataclass(frozen=True)
class AttemptHeader:
    """The first line of an attempt's transcript, which says how the attempt began, and the digest of that line."""

    fields: AttemptEvent
    digest: str


def attempt_header(store: Store, attempt: str) -> AttemptHeader | None:
    """Return how an attempt began; None if no attempt has this id, or its first line is not complete."""
    path = transcript_path(store, attempt)
    facts = store.tree.facts(path)
    if facts is None or not stat.S_ISREG(facts.st_mode):
        return None
    return _read(store.root, path, (facts.st_ino, facts.st_mtime_ns))


@functools.lru_cache(maxsize=1 << 14)
def _read(root: Path, path: Path, _mark: tuple[int, int]) -> AttemptHeader | None:
    """Read a first line; the result is cached until the file changes."""
    with translating_os_errors(path), StoreReader(root).open_file(path, MOST_LOG) as file:
        line = file.readline(MOST_START)
    try:
        fields = parse_document(line, KIND, str(path))
    except InputError:
        return None
    return AttemptHeader(cast(AttemptEvent, fields), sha256(line)) if fields.keys() >= _NEEDED else None


def principal_headers(store: Store, principal: str) -> Iterator[AttemptHeader]:
    """Yield the headers of the attempts that a principal began, the oldest first."""
    for attempt in attempt_ids(store):
        header = attempt_header(store, attempt)
        if header and header.fields["principal"] == principal:
            yield header


def attempts_used(store: Store, principal: str, name: str, split: str) -> int:
    """Count the attempts that a principal began at a split of a manifest, whatever their outcome."""
    begun = (header.fields for header in principal_headers(store, principal))
    return sum((fields["name"], fields["split"]) == (name, split) for fields in begun)


def open_attempts(store: Store, principal: str) -> list[str]:
    """List the attempts of a principal that have neither ended nor expired."""
    known, at = listed_attempts(store.heads.read()), current_time()
    begun = [
        str(one.fields["attempt"]) for one in principal_headers(store, principal) if str(one.fields.get("expires")) > at
    ]
    return [one for one in begun if not (one in known and known[one].closed) and not _has_ended(store, one)]


def _has_ended(store: Store, attempt: str) -> bool:
    """Whether the last line of a transcript closes its attempt; the list of runs may not record this yet."""
    with store.tree.open_file(transcript_path(store, attempt), MOST_LOG) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_START))
        return f'"event":"{CLOSED}"'.encode() in file.read().rstrip(b"\n").rpartition(b"\n")[2]


def same_key(store: Store, principal: str, key: str) -> AttemptHeader | None:
    """Return the attempt that a principal began under a key, which is given by its digest; None if there is none."""
    return next((header for header in principal_headers(store, principal) if header.fields["idempotency"] == key), None)


_BEGUN = {"manifest", "lock", "split", "hidden"}
OWN_DATA = "give this split data of its own; what was hidden once stays hidden for all that share the store"


def split_data(loaded: LoadedManifest, lock: Lock | None, split: str, store: Store | None) -> SplitData:
    """Return the digests of a split's data: of its source files and, if a lock pins them, of its items' questions.

    Items of a recipe that reads no file are left out, because anyone can make them. Of a hidden split only the private
    files are included, because they are what makes it hidden.
    """
    manifest = loaded.manifest
    made = made_datasets(manifest, find(manifest.study), loaded.tree)
    files, asked, hides = set[str](), set[str](), manifest_splits(manifest)[split].hidden
    for name in split_datasets(manifest, split):
        sources = [name, *made[name].files.values(), *made[name].folders.values()] if name in made else [name]
        found = set(_digests(manifest, sources, private=hides))
        if lock and isinstance(manifest.datasets.get(name), OwnFile):
            found |= _own_digests(lock, name)
        files |= found
        pin = lock.pins["datasets"].get(name, {}).get("items") if lock and found else None
        if store and pin and store.blobs.state(pin["sha256"]) == "sound":
            asked |= asked_digests(store.blobs.deliver(pin["sha256"]))
    return SplitData(manifest.name, split, frozenset(files), frozenset(asked))


def _digests(manifest: Manifest, names: Iterable[str], *, private: bool) -> Iterator[str]:
    """Yield the digests of fetched files; with `private`, those of private files only."""
    for name in names:
        said = manifest.datasets.get(name)
        if isinstance(said, Fetched) and said.sha256 and (said.private or not private):
            yield said.sha256
        elif isinstance(said, FetchedFiles) and not private:
            yield from (file.sha256 for file in said.fetch.values() if file.sha256)


def _own_digests(lock: Lock, name: str) -> set[str]:
    """Return the digests of the project's files from which a lock pins a dataset."""
    pins = [pin for pin in (lock.of(FILES).get(name), lock.of(FILES).get(f"{name}/shots")) if pin]
    return {digest for pin in pins for _, digest in (pin[MANY] if MANY in pin else [["", pin["sha256"]]])}


def asked_digests(table: Path) -> set[str]:
    """Return the digests of the questions that the items of a table ask."""
    return {key for row in rows.read(table, Item) if (key := question_digest(row))}


def question_digest(item: Mapping[str, Any]) -> str:
    """Return the digest of what an item asks, independent of its id and the order of its options.

    Empty if the item has no text.
    """
    texts = [value for _, value in walk_values([item["input"], list(item.get("options", {}).values())])]
    plain = {" ".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in texts if _is_text(text)}
    images = {image["sha256"] for image in item.get("attachments", ())}
    return sha256(canonical_json(sorted(plain | images))) if plain else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def require_hidden_elsewhere(loaded: LoadedManifest, lock: Lock, store: Store) -> None:
    """Raise InputError for splits that show what the project or the store hides, or hide what it shows.

    All manifests of the project and of the store are compared; the error names the other manifest and its split.
    Without an error, what this manifest hides is marked in the store.
    """
    mine = {name: split_data(loaded, lock, name, store) for name in manifest_splits(loaded.manifest)}
    if not mine:
        return
    shown, hidden = _around(loaded, store)
    for name, data in mine.items():
        (hidden if manifest_splits(loaded.manifest)[name].hidden else shown).append(data)
    for name, data in mine.items():
        hides = manifest_splits(loaded.manifest)[name].hidden
        for other in shown if hides else hidden:
            if data.shares(other):
                raise _refusal(loaded, name, other, hides=hides)
    mark_splits(store, (data for name, data in mine.items() if manifest_splits(loaded.manifest)[name].hidden))


def require_served(manifests: Iterable[LoadedManifest], store: Store, project: Iterable[LoadedManifest]) -> None:
    """Raise InputError for a public split that shows what any manifest of the project or the store hides.

    What those manifests hide is marked in the store, so that a running server refuses it, too.
    """
    for loaded in project:
        mark_splits(store, _splits(loaded, store, hidden=True))
    mark_splits(store, (data for data, hides in _attempted(store) if hides))
    known = list(hidden_data(store))
    for loaded in manifests if known else ():
        for data in _splits(loaded, store, hidden=False):
            for other in known:
                if data.shares(other):
                    raise _refusal(loaded, data.split, other, hides=False)


def mark_splits(store: Store, hidden: Iterable[SplitData]) -> None:
    """Record in a store that the data of some splits is hidden; a split without private files is skipped."""
    for data in hidden:
        if data.files:
            mark_hidden(store, data)


def shows_hidden(store: Store, loaded: LoadedManifest, lock: Lock, split: str) -> bool:
    """Whether a public split shows what anything in this store hides."""
    known = list(hidden_data(store))
    if not known or manifest_splits(loaded.manifest)[split].hidden:
        return False
    mine = split_data(loaded, lock, split, store)
    return any(mine.shares(other) for other in known)


def attempt_shows_hidden(store: Store, start: AttemptEvent) -> bool:
    """Whether an attempt at a public split, given by its transcript's first line, shows what this store hides."""
    known = [] if start["hidden"] else list(hidden_data(store))
    mine = _begun_data(store.root, str(start["manifest"]), str(start["lock"]), str(start["split"])) if known else None
    return mine is not None and any(mine.shares(other) for other in known)


def _around(loaded: LoadedManifest, store: Store) -> tuple[list[SplitData], list[SplitData]]:
    """Return what other manifests, marks and attempts of this store show to agents, and what they hide."""
    shown, hidden = [], list(hidden_data(store))
    for other in neighbour_manifests(loaded):
        shown += _splits(other, store, hidden=False)
        hidden += _splits(other, store, hidden=True)
    for data, hides in _attempted(store):
        (hidden if hides else shown).append(data)
    return shown, hidden


def neighbour_manifests(loaded: LoadedManifest) -> Iterator[LoadedManifest]:
    """Yield the other manifests of a project; manifests that cannot be read are skipped."""
    for path in sorted((loaded.root / "manifests").rglob("*.yaml")):
        if path.resolve() != loaded.path:
            try:
                yield load_manifest(path)
            except InputError:
                continue


def _splits(loaded: LoadedManifest, store: Store, *, hidden: bool) -> list[SplitData]:
    """Return the data of the hidden or public splits of a manifest; empty if the manifest or its lock is wrong."""
    try:
        lock = load_lock(loaded.root, loaded.manifest.name) if manifest_splits(loaded.manifest) else None
        named = [name for name, split in manifest_splits(loaded.manifest).items() if split.hidden is hidden]
        return [split_data(loaded, lock, name, store) for name in named]
    except HarnessError:
        return []


def _attempted(store: Store) -> Iterator[tuple[SplitData, bool]]:
    """Yield the data of every split that was ever attempted in a store, and whether the split was hidden."""
    seen = set[tuple[str, str, str, bool]]()
    for attempt in attempt_ids(store):
        header = attempt_header(store, attempt)
        if header and header.fields.keys() >= _BEGUN:
            start = header.fields
            seen.add((str(start["manifest"]), str(start["lock"]), str(start["split"]), bool(start["hidden"])))
    for manifest, lock, split, hides in sorted(seen):
        if found := _begun_data(store.root, manifest, lock, split):
            yield found, hides


@lru_cache(maxsize=256)
def _begun_data(root: Path, manifest: str, lock: str, split: str) -> SplitData | None:
    """Return the data of an attempt's split from the manifest and lock it began under; None if they are not here."""
    store = Store(root)
    try:
        data = store.blobs.read(manifest)
        said, tree = parse_manifest(data, "the manifest of an attempt")
        loaded = LoadedManifest(said, data, tree, root / "manifests" / said.name, root)
        return split_data(loaded, read_lock(store.blobs.read(lock), "the lock of an attempt"), split, store)
    except HarnessError:
        return None


def _refusal(loaded: LoadedManifest, split: str, other: SplitData, *, hides: bool) -> InputError:
    place = loaded.tree.at((*SPLITS, split))
    if hides:
        what = f"split {split!r} hides what the split {other.split!r} of the manifest {other.name!r} shows to agents"
        return InputError(what, where=place, next="give this split data that no agent was shown")
    what = f"split {split!r} shows agents what the split {other.split!r} of the manifest {other.name!r} hides"
    return InputError(what, where=place, next=OWN_DATA)
