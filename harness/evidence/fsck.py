"""Integrity check of a store (fsck): blobs hashed, entries and images read, listed runs followed down to their blobs.

All damage is reported and none repaired. A run that was killed is unfinished, which is not a defect of the store.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from dataclasses import dataclass

from harness.errors import HarnessError
from harness.evidence.record import FINISHED, LATE, contradicting_times, runs_listed_late, verified_record
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
from harness.store.journal import Chain, Event, HeadEvent
from harness.store.notes import list_labels
from harness.store.store import Entry, Listed, Store, follow_journal, gather_listed_runs, strange_lines
from harness.store.sweep import blob_files, find_strangers, image_files, read_entry_file, read_image


@dataclass(frozen=True)
class StoreFlaw:
    """One defect of a store: a check id, what is damaged, and how."""

    id: str
    subject: str
    detail: str


def find_store_flaws(store: Store) -> Iterator[StoreFlaw]:
    """Check a whole store and yield its defects: damaged or missing files, and files that belong to no part of it.

    It repairs nothing, and raises nothing for damage that it finds.
    """
    for one in find_strangers(store):
        yield StoreFlaw("unaccounted", str(one.path), one.flaw)
    entries: dict[str, Entry] = {}
    sizes: dict[str, int] = {}  # of blobs, if an entry has one
    try:
        for path in store.entries.all():
            try:
                entry = read_entry_file(store, path)
            except HarnessError as bad:
                yield StoreFlaw("entry.changed", str(path), bad.what)
                continue
            entries[entry.key] = entry
            for name, output in entry.outputs.items():
                if sizes.setdefault(output.sha256, output.size) != output.size:
                    yield StoreFlaw("entry.changed", str(path), f"another entry says another size of output {name!r}")
    except HarnessError as bad:
        yield StoreFlaw("entry.changed", bad.where, bad.what)
    there = yield from _blobs(store, sizes)
    for entry in entries.values():
        for name, output in entry.outputs.items():
            if output.sha256 not in there:
                yield StoreFlaw("blob.missing", output.sha256, f"output {name!r} of entry {entry.key[:12]}")
    try:
        yield from _shelf(store, there)
        yield from _runs(store, entries, there)
    except HarnessError as bad:
        yield StoreFlaw("unaccounted", bad.where, bad.what)


def _blobs(store: Store, sizes: Mapping[str, int]) -> Generator[StoreFlaw, None, set[str]]:
    """Yield damaged blobs; a blob of another size than an entry says is not hashed. Return the digests of the blobs."""
    there: set[str] = set()
    with store.blobs.shelves.keep_open():
        yield from _hashed(store, sizes, there)
    return there


def _hashed(store: Store, sizes: Mapping[str, int], there: set[str]) -> Iterator[StoreFlaw]:
    try:
        for path in blob_files(store):
            if not is_digest(path.name) or path.parent.name != path.name[:2]:
                yield StoreFlaw("unaccounted", str(path), "no blob has such a name")
                continue
            there.add(path.name)
            if (state := store.blobs.check(path.name, sizes.get(path.name))) != "sound":
                yield StoreFlaw(f"blob.{state}", str(path), "its bytes are not what its name says")
    except HarnessError as bad:
        yield StoreFlaw("blob.changed", bad.where, bad.what)


def _shelf(store: Store, there: Collection[str]) -> Iterator[StoreFlaw]:
    """Check the blobs that the list of images names; layers must exist, their packages need not."""
    for path in image_files(store):
        try:
            body = read_image(store, path)
            parts = {body["config"], body["manifest"], *body["layers"]}
            if path.stem != body["config"]:
                yield StoreFlaw("image.changed", str(path), "it is not the image that its name says")
        except (HarnessError, LookupError, TypeError) as bad:
            yield StoreFlaw("image.changed", str(path), str(getattr(bad, "what", "") or "it names no layers"))
            continue
        for digest in sorted(map(str, parts - set(there))):
            yield StoreFlaw("blob.missing", digest, f"image {body.get('name')}")


def _runs(store: Store, entries: Mapping[str, Entry], blobs: Collection[str]) -> Iterator[StoreFlaw]:
    """Follow every run that the list of runs names, and report those that it does not name."""
    try:
        heads = store.heads.read()
    except HarnessError as bad:
        yield StoreFlaw("chain.broken", str(store.heads.path), bad.what)
        return
    if heads.broken:
        yield StoreFlaw("chain.broken", str(store.heads.path), heads.broken)
    for _, flaw in strange_lines(heads):
        yield StoreFlaw("unaccounted", str(store.heads.path), flaw)
    for run, before in runs_listed_late(store, heads):
        yield StoreFlaw("unaccounted", str(store.heads.path), f"run {run} {LATE} {before}")
    runs = gather_listed_runs(heads)
    there = store.run_ids()
    for run in sorted(set(runs) - set(there)):
        yield StoreFlaw("unaccounted", run, "heads.jsonl names this run, which left nothing")
    for run in there:
        known = runs.get(run)
        yield from _listed(store, known, entries, blobs) if known else _unlisted(store, run, heads.broken)
    yield from _attempts(store, heads, blobs)
    yield from _labels(store, runs, blobs)


def _labels(store: Store, runs: Mapping[str, Listed], blobs: Collection[str]) -> Iterator[StoreFlaw]:
    """Check the labels that people gave to answers: their chains, the run they name, and the blobs with the answers."""
    for found in list_labels(store):
        place, first = str(found.path), found.first
        if found.chain.broken:
            yield StoreFlaw("chain.broken", place, found.chain.broken)
        known = runs.get(first.get("run", ""))
        if known is None or known.record != first.get("record") or not found.path.name.startswith(known.run):
            yield StoreFlaw("unaccounted", place, "these labels are of no run that is on the list")
        for blob in sorted({one.blob for one in found.given} - set(blobs)):
            yield StoreFlaw("blob.missing", blob, f"answers that {first.get('labeller')} labelled")


def _listed(store: Store, known: Listed, entries: Mapping[str, Entry], blobs: Collection[str]) -> Iterator[StoreFlaw]:
    """Follow a run from the list down to the entries of its steps, whose blobs are already checked."""
    try:
        chain = follow_journal(store, known)
    except HarnessError as bad:
        yield StoreFlaw("chain.broken", bad.where or known.run, bad.what)
        return
    lost = [event for event in chain.events if event["event"] in FINISHED and not _has(entries, event)]
    for event in lost:
        yield StoreFlaw("entry.changed", str(event["key"]), f"the entry of step {event['step']} of run {known.run}")
    yield from _named(chain.events[0], blobs)
    for flaw in contradicting_times(chain, known.run):
        yield StoreFlaw("unaccounted", str(store.journal(known.run)), flaw)
    if known.ended and not lost:
        try:
            verified_record(store, known, chain, lambda event: entries[event["key"]])
        except HarnessError as bad:
            yield StoreFlaw("record.changed", bad.where or known.run, bad.what)


def _has(entries: Mapping[str, Entry], event: Event) -> bool:
    entry = entries.get(event["key"])
    return entry is not None and entry.digest == event["entry"]


def _named(started: Event, blobs: Collection[str]) -> Iterator[StoreFlaw]:
    """Yield the documents of a run's start that are missing."""
    for name in ("manifest", "lock", "environment"):
        if started[name] not in blobs:
            yield StoreFlaw("blob.missing", started[name], f"{name} of run {started['run']}")


def _unlisted(store: Store, run: str, broken: str) -> Iterator[StoreFlaw]:
    """Report a run that is not listed, unless it was killed between its first line and the list."""
    try:
        chain = store.read_journal(run)
    except HarnessError:
        if not set(store.tree.list_names(store.runs / run)) <= {FILE}:
            yield StoreFlaw("chain.broken", run, "the run has no journal")
        return
    if chain.broken:
        yield StoreFlaw("chain.broken", str(store.journal(run)), chain.broken)
    elif len(chain.events) > 1 and not broken:
        yield StoreFlaw("unaccounted", run, "heads.jsonl does not name this run")


def _attempts(store: Store, heads: Chain[HeadEvent], blobs: Collection[str]) -> Iterator[StoreFlaw]:
    """Follow every attempt, scored or not, from the list of runs to its transcript and the view that it was shown."""
    known, there = listed_attempts(heads), attempt_ids(store)
    for attempt in sorted(set(known) - set(there)):
        yield StoreFlaw("unaccounted", attempt, "heads.jsonl names this attempt, which left no transcript")
    for attempt in there:
        yield from _attempt(store, attempt, known.get(attempt), blobs)


def _attempt(store: Store, attempt: str, known: ListedAttempt | None, blobs: Collection[str]) -> Iterator[StoreFlaw]:
    try:
        chain = read_transcript(store, attempt)
    except HarnessError as bad:
        yield StoreFlaw("chain.broken", f"{attempt}/{FILE}", bad.what)
        return
    if known is None and not chain.broken and len(chain.events) <= 1:
        return  # it was killed between its first line and the list
    yield from (StoreFlaw("chain.broken", f"{attempt}/{FILE}", flaw) for flaw in transcript_flaws(chain, known))
    for flaw in contradicting_times(chain, attempt) if chain.events else ():
        yield StoreFlaw("unaccounted", f"{attempt}/{FILE}", flaw)
    for event in chain.events[:1]:
        for name in ("manifest", "lock"):
            if event[name] not in blobs:
                yield StoreFlaw("blob.missing", event[name], f"{name} of attempt {attempt}")
        for name, file, digest in (("view", "items.jsonl", event["view"]), ("media", "media.bin", event["media"])):
            path = store.root / VIEWS / str(event["view"]) / file
            if store.tree.hash_file(path) != digest:
                yield StoreFlaw("view.changed", str(path), f"it is not the {name} that attempt {attempt} was shown")
