"""The store: blobs, cache entries, runs and the list of runs in one folder, shared safely by several processes.

`Store.open` never writes, so readers need no write permission; `Store.make` creates a store: for a run, an import.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path

from harness.errors import DamageError, HarnessError, InputError, Interrupted, MissingError
from harness.files import translating_os_errors
from harness.store.blobs import Blobs
from harness.store.entries import Entries
from harness.store.journal import Chain, Heads, Journal, check_chain
from harness.store.reader import MOST_FORMAT, MOST_LOG
from harness.store.tree import StoreTree

HOME = ".harness"  # in a project's root, where nothing else is said
FORMAT = "harness store 1\n"


class Store:
    """A store in a folder: its blobs, cache entries, list of runs, journals, records and images."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.temp = root / "tmp"
        self.locks = root / "locks"
        self.runs = root / "runs"
        self.images = root / "images"
        self.imported = root / "imported"  # marks of imported blobs, kept though no run names them
        self.tree = StoreTree(root)
        self.blobs = Blobs(self.tree)
        self.entries = Entries(self.tree)
        self.heads = Heads(self.tree)

    @classmethod
    def open(cls, root: Path) -> Store:
        """Open an existing store for reading; MissingError where there is none, InputError for another format."""
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
        """Mark a blob as imported, so that garbage collection keeps it."""
        self.tree.write_file(self.imported / digest, b"")

    @classmethod
    def make(cls, root: Path) -> Store:
        """Open a store for writing, creating it where there is none; InputError for a folder of other things."""
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
        """Write the mark of a store under another name first: a crash must not leave an empty one, which none opens."""
        name = f"format-{os.getpid()}-{secrets.token_hex(4)}"
        self.tree.write_file(f"tmp/{name}", FORMAT.encode())
        self.tree.rename(f"tmp/{name}", "format")

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Hold the shared lock of the store in a `with` block: it keeps out garbage collection, but no other user."""
        with self.lock("store", exclusive=False):
            yield

    @contextlib.contextmanager
    def lock(self, name: str, *, exclusive: bool = True, wait: bool = True) -> Iterator[bool]:
        """Hold a lock of the store by its name in a `with` block; False where another has it and `wait` is not set."""
        with self.tree.lock(f"locks/{name}", exclusive=exclusive, wait=wait) as mine:
            yield mine

    @contextlib.contextmanager
    def step_lock(self, key: str, stop: threading.Event) -> Iterator[None]:
        """Hold the lock of a step's key, shared by keys of the same three first digits, so that one process makes it.

        It waits for the lock; Interrupted where `stop` is set before it comes.
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
        """Make a temporary folder on the store's disk for a `with` block, deleted afterwards."""
        path = self.temp / f"{name}-{os.getpid()}-{secrets.token_hex(4)}"
        self.tree.make_folder(path, durable=False)
        try:
            yield path
        finally:
            with contextlib.suppress(HarnessError):  # it is left to `gc`
                self.tree.remove(path)

    def run_ids(self) -> list[str]:
        """List the runs that have a folder, by id: the oldest first, those of one second in any order."""
        return self.tree.list_folders("runs")

    def find_run(self, name: str) -> str:
        """Find the id of a run by the id, an unambiguous prefix, or `last`, the one started last.

        InputError where none or several fit; DamageError for `last` where the list of runs is broken.
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
        """Make the path of a run's journal."""
        return self.runs / run / "journal.jsonl"

    def record(self, run: str) -> Path:
        """Make the path of a run's record."""
        return self.runs / run / "record.json"

    def has_journal(self, run: str) -> bool:
        """Whether anything lies where a run's journal should."""
        return self.tree.facts(self.journal(run)) is not None

    def begin_journal(self, run: str) -> Journal:
        """Begin the journal of a run, in a folder of its own."""
        return Journal(self.journal(run), self.tree.open_log(self.journal(run)))

    def read_journal(self, run: str, *, spelled: bool = True) -> Chain:
        """Read the journal of a run as far as it is valid; InputError where it has none."""
        return check_chain(self.tree.read_file(self.journal(run), MOST_LOG), spelled=spelled)
