"""Integrity check of a store (fsck): blobs hashed, entries and images read, listed runs followed down to their blobs.

All damage is named and none repaired. A run that a kill cut short is unfinished, and no flaw of the store.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.digest import sha256_file
from harness.errors import HarnessError
from harness.evidence.record import FINISHED, verified_record
from harness.files import is_plain
from harness.store.attempts import (
    FILE,
    VIEWS,
    ListedAttempt,
    attempt_ids,
    listed_attempts,
    read_transcript,
    transcript_flaws,
)
from harness.store.blobs import is_digest
from harness.store.entries import Entry
from harness.store.journal import Chain, Event, read_chain
from harness.store.listed import Listed, follow_journal, runs_of, strange_lines
from harness.store.store import Store
from harness.store.sweep import blob_files, image_files, read_entry_file, read_image


@dataclass(frozen=True)
class StoreFlaw:
    """One defect of a store: a check id, what is damaged, and how."""

    id: str
    subject: str
    detail: str


def fsck(store: Store) -> Iterator[StoreFlaw]:
    """Check a whole store and yield its defects: damaged or missing files, and files that no part of it accounts for.

    It repairs nothing, and raises nothing for what it finds damaged.
    """
    yield from _strangers(store.root)
    for path in blob_files(store):
        if not is_digest(path.name) or path.parent.name != path.name[:2]:
            yield StoreFlaw("unaccounted", str(path), "no blob has such a name")
        elif (state := store.blobs.state(path.name)) != "sound":
            yield StoreFlaw(f"blob.{state}", str(path), "its bytes are not what its name says")
    entries: dict[str, Entry] = {}
    for path in store.entries.all():
        try:
            entry = read_entry_file(store, path)
        except HarnessError as bad:
            yield StoreFlaw("entry.changed", str(path), bad.what)
            continue
        entries[entry.key] = entry
        for name, output in entry.outputs.items():
            if store.blobs.state(output.sha256) == "missing":
                yield StoreFlaw("blob.missing", output.sha256, f"output {name!r} of entry {entry.key[:12]}")
    yield from _shelf(store)
    yield from _runs(store, entries)


def _strangers(root: Path) -> Iterator[StoreFlaw]:
    """Name whatever is neither a file nor a folder: a reader would hang at it, or be led elsewhere."""
    for folder, folders, files in os.walk(root):
        for name in sorted([*folders, *files]):
            mode = os.lstat(f"{folder}/{name}").st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                yield StoreFlaw("unaccounted", f"{folder}/{name}", "it is no plain file")


def _shelf(store: Store) -> Iterator[StoreFlaw]:
    """Follow what the shelf of images names; what they were made of may be gone, what they consist of may not."""
    for path in image_files(store):
        try:
            body = read_image(path)
            parts = {body["config"], body["manifest"], *body["layers"]}
        except (HarnessError, LookupError, TypeError) as bad:
            yield StoreFlaw("image.changed", str(path), str(getattr(bad, "what", "") or "it names no layers"))
            continue
        for digest in sorted(parts):
            if store.blobs.state(digest) == "missing":
                yield StoreFlaw("blob.missing", digest, f"image {body.get('name')}")


def _runs(store: Store, entries: Mapping[str, Entry]) -> Iterator[StoreFlaw]:
    """Follow every run that the list of runs names, and name those that it does not."""
    try:
        heads = store.heads.read()
    except HarnessError as bad:
        yield StoreFlaw("chain.broken", str(store.heads.path), bad.what)
        return
    if heads.broken:
        yield StoreFlaw("chain.broken", str(store.heads.path), heads.broken)
    for _, flaw in strange_lines(heads):
        yield StoreFlaw("unaccounted", str(store.heads.path), flaw)
    runs = runs_of(heads)
    there = store.run_ids()
    for run in sorted(set(runs) - set(there)):
        yield StoreFlaw("unaccounted", run, "heads.jsonl names this run, which left nothing")
    for run in there:
        yield from _listed(store, runs[run], entries) if run in runs else _unlisted(store, run, heads.broken)
    yield from _attempts(store, heads)


def _listed(store: Store, known: Listed, entries: Mapping[str, Entry]) -> Iterator[StoreFlaw]:
    """Follow a run from the list down to the entries of its steps; their blobs were read by then."""
    try:
        chain = follow_journal(store, known)
    except HarnessError as bad:
        yield StoreFlaw("chain.broken", bad.where or known.run, bad.what)
        return
    lost = [event for event in chain.events if event["event"] in FINISHED and not _has(entries, event)]
    for event in lost:
        yield StoreFlaw("entry.changed", str(event["key"]), f"the entry of step {event['step']} of run {known.run}")
    yield from _named(store, chain.events[0])
    if known.ended and not lost:
        try:
            verified_record(store, known, chain, lambda event: entries[event["key"]])
        except HarnessError as bad:
            yield StoreFlaw("record.changed", bad.where or known.run, bad.what)


def _has(entries: Mapping[str, Entry], event: Event) -> bool:
    entry = entries.get(event["key"])
    return entry is not None and entry.digest == event["entry"]


def _named(store: Store, started: Event) -> Iterator[StoreFlaw]:
    """Name what a run began with and that is gone."""
    for name in ("manifest", "lock", "environment"):
        if store.blobs.state(started[name]) == "missing":
            yield StoreFlaw("blob.missing", started[name], f"{name} of run {started['run']}")


def _unlisted(store: Store, run: str, broken: str) -> Iterator[StoreFlaw]:
    """Name a run that nobody vouches for, unless a kill came between its first words and the list."""
    try:
        chain = read_chain(store.journal(run))
    except HarnessError:
        if not {path.name for path in (store.runs / run).iterdir()} <= {FILE}:
            yield StoreFlaw("chain.broken", run, "the run has no journal")
        return
    if chain.broken:
        yield StoreFlaw("chain.broken", str(store.journal(run)), chain.broken)
    elif len(chain.events) > 1 and not broken:
        yield StoreFlaw("unaccounted", run, "heads.jsonl does not name this run")


def _attempts(store: Store, heads: Chain) -> Iterator[StoreFlaw]:
    """Follow every attempt, scored or not, from the list of runs to its transcript and the view that it was shown."""
    known, there = listed_attempts(heads), attempt_ids(store)
    for attempt in sorted(set(known) - set(there)):
        yield StoreFlaw("unaccounted", attempt, "heads.jsonl names this attempt, which left no transcript")
    for attempt in there:
        yield from _attempt(store, attempt, known.get(attempt))


def _attempt(store: Store, attempt: str, known: ListedAttempt | None) -> Iterator[StoreFlaw]:
    chain = read_transcript(store, attempt)
    if known is None and not chain.broken and len(chain.events) <= 1:
        return  # a kill came between its first words and the list
    yield from (StoreFlaw("chain.broken", f"{attempt}/{FILE}", flaw) for flaw in transcript_flaws(chain, known))
    for event in chain.events[:1]:
        for name in ("manifest", "lock"):
            if store.blobs.state(event[name]) == "missing":
                yield StoreFlaw("blob.missing", event[name], f"{name} of attempt {attempt}")
        for name, file in (("view", "items.jsonl"), ("media", "media.bin")):
            path = store.root / VIEWS / str(event["view"]) / file
            if not is_plain(path) or sha256_file(path)[0] != event[name]:
                yield StoreFlaw("view.changed", str(path), f"it is not the {name} that attempt {attempt} was shown")
