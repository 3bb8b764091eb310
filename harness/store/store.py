"""The store: blobs, entries of finished steps, runs and the list of runs in one folder, shared by several processes.

`Store.open` never writes, so readers need no write permission; `Store.make` creates a store. A step is finished when
its entry has been renamed to its place: one canonical file per key, with the key's preimage and the digests of outputs.
A run counts as far as the list of runs, its journal and its record agree by digest. A journal that differs from the
list is refused as forged, and a run that is not on the list was never started.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from harness.digest import document_digest, encode_document, parse_document, sha256
from harness.errors import DamageError, HarnessError, InputError, Interrupted, MissingError
from harness.files import is_leftover, translating_os_errors
from harness.store.blobs import Blobs, is_digest
from harness.store.journal import MOST_START, Chain, Event, HeadEvent, Heads, Journal, Preimage, check_chain
from harness.store.tree import MOST_ENTRY, MOST_FORMAT, MOST_LOG, MOST_RECORD, StoreTree

FIELDS = {"sha256", "size"}  # fields of an output


class Output(NamedTuple):
    """An output file of a step: digest and size."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Entry:
    """A finished step: its key, the digest of its entry's bytes, the preimage of the key, and its outputs."""

    key: str
    digest: str
    preimage: Preimage
    outputs: Mapping[str, Output]


class Entries:
    """The cache entries of a store, by step key; an unfinished step has none."""

    def __init__(self, tree: StoreTree) -> None:
        self.tree = tree
        self.root = tree.root / "keys"

    def path(self, key: str) -> Path:
        """Return the path of a key's entry, present or not; raises InputError for a text that is not a key."""
        if not is_digest(key):
            raise InputError(f"{key[:80]!r} is not a key", next="give 64 lower-case hex digits")
        return self.root / key[:2] / f"{key}.json"

    def put(self, preimage: Preimage, outputs: Mapping[str, Output]) -> Entry:
        """Write the entry of a finished step, and return it; the caller has stored all of its blobs before."""
        key = document_digest(preimage)
        body = {
            "type": "entry/1",
            "key": key,
            "preimage": dict(preimage),
            "outputs": {name: {"sha256": out.sha256, "size": out.size} for name, out in outputs.items()},
        }
        data = encode_document(body) + b"\n"
        if len(data) > MOST_ENTRY:
            raise InputError(
                f"the entry of this step would have {len(data):,} bytes",
                next=f"plan it in parts: {MOST_ENTRY:,} are read",
            )
        self.tree.write_file(self.path(key), data, mode=0o444)
        return Entry(key, sha256(data), cast(Preimage, dict(preimage)), dict(outputs))

    def get(self, key: str) -> Entry | None:
        """Read the entry of a key; None if the step is not finished. Raises DamageError if the entry is invalid."""
        path = self.path(key)
        data = self.tree.find_file(path, MOST_ENTRY)
        if data is None:
            return None
        try:
            return read_entry(data, key, str(path))
        except InputError as bad:
            raise DamageError(bad.what, where=str(path), next="run the manifest again: the step is made anew") from bad

    def all(self) -> Iterator[Path]:
        """Yield all files in the folders of entries, in path order, except leftovers of killed writes."""
        for folder in self.tree.list_folders(self.root):
            for name in self.tree.list_names(self.root / folder):
                if not is_leftover(name):
                    yield self.root / folder / name


def read_entry(data: bytes, key: str, where: str) -> Entry:
    """Parse the bytes of an entry and check them against its key; raises InputError if they are not a valid entry."""
    body = parse_document(data, "entry/1", where)
    fix = "run `harness fsck`; the step is made again by the next run"
    if set(body) != {"type", "key", "preimage", "outputs"} or not data.endswith(b"\n"):
        raise InputError("an entry holds type, key, preimage and outputs, and ends its line", where=where, next=fix)
    if body["key"] != key or not isinstance(body["preimage"], dict) or document_digest(body["preimage"]) != key:
        raise InputError("this entry is not the one its name says", where=where, next=fix)
    if not isinstance(body["outputs"], dict):
        raise InputError("the outputs of this entry are malformed", where=where, next=fix)
    outputs = {}
    for name, out in body["outputs"].items():
        if not isinstance(out, dict) or out.keys() != FIELDS or not is_digest(str(out["sha256"])):
            raise InputError(f"output {name!r} of this entry is malformed", where=where, next=fix)
        digest, size = out["sha256"], out["size"]
        if type(size) is not int or size < 0:
            raise InputError(f"the size of output {name!r} of this entry is malformed", where=where, next=fix)
        outputs[name] = Output(digest, size)
    declared = body["preimage"].get("outputs")
    if not isinstance(declared, list) or sorted(outputs) != sorted(map(str, declared)):
        raise InputError("this entry does not hold the outputs its step declares", where=where, next=fix)
    return Entry(key, sha256(data), cast(Preimage, body["preimage"]), outputs)


HOME = ".harness"  # the default store, in a project's root
FORMAT = "harness store 1\n"


class Store:
    """A store in a folder: its blobs, cache entries, list of runs, journals, records and images."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.temp = root / "tmp"
        self.locks = root / "locks"
        self.runs = root / "runs"
        self.images = root / "images"
        self.imported = root / "imported"  # marks of imported blobs, which are kept even if no run names them
        self.tree = StoreTree(root)
        self.blobs = Blobs(self.tree)
        self.entries = Entries(self.tree)
        self.heads = Heads(self.tree)

    @classmethod
    def open(cls, root: Path) -> Store:
        """Open an existing store for reading; raises MissingError if there is none, InputError for another format."""
        store = cls(root)
        mark = store.tree.find_file("format", MOST_FORMAT) if root.is_dir() else None
        if mark is None:
            raise MissingError(
                "there is no store here yet",
                where=str(root),
                next="`harness run MANIFEST` makes one; or name another with --store DIR",
            )
        if mark != FORMAT.encode():
            raise InputError(
                "this store was written in another format",
                where=str(root / "format"),
                next="use the harness that wrote it",
            )
        return store

    def keep(self, digest: str) -> None:
        """Mark a blob as imported by a user, so that garbage collection never deletes it."""
        self.tree.write_file(self.imported / digest, b"")

    @classmethod
    def make(cls, root: Path) -> Store:
        """Open a store for writing, and create it if there is none; raises InputError for a folder with other files."""
        with translating_os_errors(root):
            if not os.path.lexists(root / "format"):
                held = {path.name for path in root.iterdir()} - {"tmp"} if root.exists() else set()
                if held and not held & {"blobs", "keys", "runs", "locks", "heads.jsonl"}:
                    raise InputError(
                        "this folder holds something that is no store", where=str(root), next="name an empty folder"
                    )
            root.mkdir(parents=True, exist_ok=True)
            store = cls(root)
            for name in ("tmp", "locks", "runs", "keys", "blobs/sha256"):
                store.tree.make_folder(name, durable=False)
            if not os.path.lexists(root / "format"):
                store._begin()
            probe = f"tmp/probe-{os.getpid()}-{secrets.token_hex(4)}"
            os.close(store.tree.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
            store.tree.remove(probe)
        return cls.open(root)

    def _begin(self) -> None:
        """Write the mark of a store under another name first, because an empty mark left by a crash would break it."""
        name = f"format-{os.getpid()}-{secrets.token_hex(4)}"
        self.tree.write_file(f"tmp/{name}", FORMAT.encode())
        self.tree.rename(f"tmp/{name}", "format")

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Context manager that holds the shared lock of the store, which keeps out only garbage collection."""
        with self.lock("store", exclusive=False):
            yield

    @contextlib.contextmanager
    def lock(self, name: str, *, exclusive: bool = True, wait: bool = True) -> Iterator[bool]:
        """Context manager that holds a lock of the store by its name.

        Yields False if another process holds the lock and `wait` is not set.
        """
        with self.tree.lock(f"locks/{name}", exclusive=exclusive, wait=wait) as mine:
            yield mine

    @contextlib.contextmanager
    def step_lock(self, key: str, stop: threading.Event) -> Iterator[None]:
        """Context manager that holds the lock of a step's key, so that only one process makes the step.

        Keys with the same first three digits share a lock. Waits for the lock; raises Interrupted if `stop` is set
        before.
        """
        while True:
            with self.lock(f"step-{key[:3]}", wait=False) as mine:
                if mine:
                    yield
                    return
            if stop.wait(0.05):
                raise Interrupted("stopped while another process made a step", next="run again: nothing was lost")

    @contextlib.contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        """Context manager that makes a temporary folder on the store's disk and deletes it afterwards."""
        path = self.temp / f"{name}-{os.getpid()}-{secrets.token_hex(4)}"
        self.tree.make_folder(path, durable=False)
        try:
            yield path
        finally:
            with contextlib.suppress(HarnessError):  # `gc` deletes it later
                self.tree.remove(path)

    def run_ids(self) -> list[str]:
        """Return the ids of the runs that have a folder, the oldest first; those of one second are in any order."""
        return self.tree.list_folders("runs")

    def find_run(self, name: str) -> str:
        """Return the id of a run from the id, an unambiguous prefix, or `last`, the run started last.

        Raises InputError if none or several match, and DamageError for `last` if the list of runs is broken.
        """
        kinds = dict(self.tree.list_kinds("runs"))
        ids = [one for one, kind in kinds.items() if kind != "file"]
        if name == "last":
            heads = self.heads.read()
            if heads.broken:
                raise DamageError(
                    f"the list of runs is broken at {heads.broken}, and which was the last cannot be known",
                    where=str(self.heads.path),
                    next="name a run by its id; `harness fsck` says what else is wrong",
                )
            started = [str(event.get("run")) for event in heads.events if event["event"] == "run.started"]
            if not started:
                raise InputError("no run has been started in this store", where=str(self.root), next="harness run …")
            return started[-1]
        found = [run for run in ids if run.startswith(name)] if name else []
        found = [name] if name in found else found
        if len({one.partition(".")[0] for one in found}) == 1:  # an attempt, and its repeated scorings
            found = found[:1] if "." not in found[0] else found
        if len(found) == 1:
            if kinds[found[0]] != "folder":
                raise self.tree.damaged(self.runs / found[0], "the folder of this run is a link, or none at all")
            if not self.has_journal(found[0]) and self.tree.is_file(self.runs / found[0] / "transcript.jsonl"):
                raise InputError(
                    "this attempt is not scored yet", where=found[0], next=f"`harness attempts show {found[0]}`"
                )
            return found[0]
        what = f"{len(found)} runs begin with {name!r}" if found else f"no run is called {name!r}"
        near = ", ".join(found[:5] or ids[-5:])
        raise InputError(what, where=str(self.runs), next=f"choose one of: {near}" if near else "harness run MANIFEST")

    def journal(self, run: str) -> Path:
        """Return the path of a run's journal."""
        return self.runs / run / "journal.jsonl"

    def record(self, run: str) -> Path:
        """Return the path of a run's record."""
        return self.runs / run / "record.json"

    def has_journal(self, run: str) -> bool:
        """Whether any file is in the place of a run's journal."""
        return self.tree.facts(self.journal(run)) is not None

    def begin_journal(self, run: str) -> Journal:
        """Begin the journal of a run, in its own folder."""
        return Journal(self.journal(run), self.tree.open_log(self.journal(run)))

    def read_journal(self, run: str, *, spelled: bool = True) -> Chain[Event]:
        """Read the journal of a run as far as it is valid; raises InputError if it has none."""
        return check_chain(self.tree.read_file(self.journal(run), MOST_LOG), spelled=spelled)


BEFORE = {"run.finished": "run.started", "attempt.closed": "attempt.started"}  # the start that each end belongs to


@dataclass(frozen=True)
class Listed:
    """A run on the list of runs: the digests of its journal's first and last line, and of its record."""

    run: str
    started: str
    ended: str = ""  # empty: still running, or killed
    record: str = ""


def list_runs(store: Store) -> dict[str, Listed]:
    """Return every run on a store's list by id, in order of start; DamageError if the list is broken."""
    heads = store.heads.read()
    if heads.broken:
        raise DamageError(
            f"the list of runs is broken at {heads.broken}",
            where=str(store.heads.path),
            next="restore heads.jsonl from a copy; `harness fsck` says what else is wrong",
        )
    return gather_listed_runs(heads)


def gather_listed_runs(heads: Chain[HeadEvent]) -> dict[str, Listed]:
    """Return each run with what the list of runs says of it; invalid lines are skipped (`strange_lines`)."""
    runs: dict[str, Listed] = {}
    for event in heads.events:
        run = str(event["run"])
        if event["event"] == "run.started":
            runs.setdefault(run, Listed(run, event["journal"]))
        elif event["event"] == "run.finished" and run in runs and not runs[run].ended:
            runs[run] = Listed(run, runs[run].started, event["journal"], event["record"])
    return runs


def strange_lines(heads: Chain[HeadEvent]) -> Iterator[tuple[str, str]]:
    """Yield lines of the list that repeat a run's start or end, or end a run not started: run, and flaw."""
    seen: set[tuple[str, str]] = set()
    for event in heads.events:
        run, kind = str(event["run"]), str(event["event"])
        if (run, kind) in seen:
            yield run, f"line {event['n'] + 1} repeats the {kind} of run {run}"
        elif kind in BEFORE and (run, BEFORE[kind]) not in seen:
            yield run, f"line {event['n'] + 1} ends run {run}, which no line before it starts"
        seen.add((run, kind))


def read_start(store: Store, known: Listed) -> Event | None:
    """Read the first event of a run; None if it is not the line that the list names, or no line that a run writes."""
    try:
        with store.tree.open_file(store.journal(known.run), MOST_LOG) as lines:
            line = lines.readline(MOST_START)
    except (HarnessError, OSError):
        return None
    events = check_chain(line, spelled=False).events if sha256(line) == known.started else ()
    return events[0] if events and events[0].get("run") == known.run else None


def follow_journal(store: Store, known: Listed) -> Chain[Event]:
    """Read the journal of a run; raises DamageError if it is missing, broken, or not the one that the list names."""
    path = store.journal(known.run)
    if not store.tree.is_file(path):
        raise listing_error("this run has no journal", str(path), known.run)
    chain = store.read_journal(known.run, spelled=not known.ended)
    if chain.broken:
        raise listing_error(f"the journal of this run is broken at {chain.broken}", str(path), known.run)
    if not chain.lines or chain.lines[0] != known.started or chain.events[0].get("run") != known.run:
        raise listing_error("the journal of this run does not begin as the list of runs says", str(path), known.run)
    if known.ended and (chain.head != known.ended or chain.torn):
        raise listing_error("the journal of this run does not end as the list of runs says", str(path), known.run)
    return chain


def require_listed(store: Store, run: str, runs: Mapping[str, Listed] | None = None) -> Listed:
    """Return a run on the list; raises DamageError if it is missing: killed before its first event, or forged."""
    known = (list_runs(store) if runs is None else runs).get(run)
    if known is None:
        raise listing_error("the list of runs does not name this run", str(store.heads.path), run)
    return known


def read_record_bytes(store: Store, known: Listed) -> bytes:
    """Read the bytes of a run's record; raises DamageError if they are missing, or not those that the list names."""
    path = store.record(known.run)
    data = store.tree.read_file(path, MOST_RECORD) if store.tree.is_file(path) else b""
    if sha256(data) != known.record:
        raise listing_error("the record of this run is not the one that the list of runs names", str(path), known.run)
    return data


def listing_error(what: str, where: str, run: str) -> DamageError:
    """Return the error for a run that differs from the list of runs."""
    return DamageError(what, where=where, next=f"`harness audit {run}` says more")
