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

from harness.errors import DamageError, InputError, Interrupted, MissingError
from harness.files import locked, move_durable, read_plain, remove_tree, translating_os_errors, write_atomic
from harness.store.blobs import Blobs
from harness.store.entries import Entries
from harness.store.heads import Heads

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
        self.blobs = Blobs(root / "blobs", self.temp)
        self.entries = Entries(root / "keys")
        self.heads = Heads(root / "heads.jsonl", self.locks / "heads")

    @classmethod
    def open(cls, root: Path) -> Store:
        """Open an existing store for reading; MissingError where there is none, InputError for another format."""
        mark = root / "format"
        with translating_os_errors(root):
            if not mark.is_file():
                raise MissingError(
                    "there is no store here yet",
                    where=str(root),
                    next="`harness run MANIFEST` makes one; or name another with --store DIR",
                )
            if read_plain(mark) != FORMAT.encode():
                raise InputError(
                    "this store was written in another format", where=str(mark), next="use the harness that wrote it"
                )
        return cls(root)

    def keep(self, digest: str) -> None:
        """Mark a blob as imported, so that garbage collection keeps it."""
        write_atomic(self.imported / digest, b"")

    @classmethod
    def make(cls, root: Path) -> Store:
        """Open a store for writing, creating it where there is none; InputError for a folder of other things."""
        with translating_os_errors(root):
            if not (root / "format").exists():
                held = {path.name for path in root.iterdir()} - {"tmp"} if root.exists() else set()
                if held and not held & {"blobs", "keys", "runs", "locks", "heads.jsonl"}:
                    raise InputError(
                        "this folder holds something that is no store", where=str(root), next="name an empty folder"
                    )
            for name in ("tmp", "locks", "runs", "keys", "blobs/sha256"):
                (root / name).mkdir(parents=True, exist_ok=True)
            if not (root / "format").exists():
                temp = root / "tmp" / f"format-{os.getpid()}-{secrets.token_hex(4)}"
                temp.write_text(FORMAT)
                move_durable(
                    temp, root / "format", 0o644
                )  # a crash must not leave an empty mark, which none could open
            probe = root / "tmp" / f"probe-{os.getpid()}-{secrets.token_hex(4)}"
            probe.touch()
            probe.unlink()
        return cls.open(root)

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Hold the shared lock of the store in a `with` block: it keeps out garbage collection, but no other user."""
        with locked(self.locks / "store", exclusive=False):
            yield

    @contextlib.contextmanager
    def step_lock(self, key: str, stop: threading.Event) -> Iterator[None]:
        """Hold the lock of a step's key, shared by keys of the same three first digits, so that one process makes it.

        It waits for the lock; Interrupted where `stop` is set before it comes.
        """
        while True:
            with locked(self.locks / f"step-{key[:3]}", wait=False) as mine:
                if mine:
                    yield
                    return
            if stop.wait(0.05):
                raise Interrupted("stopped while another process made a step", next="run again: nothing was lost")

    @contextlib.contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        """Make a temporary folder on the store's disk for a `with` block, deleted afterwards."""
        path = self.temp / f"{name}-{os.getpid()}-{secrets.token_hex(4)}"
        with translating_os_errors(path):
            path.mkdir(parents=True)
        try:
            yield path
        finally:
            remove_tree(path)

    def run_ids(self) -> list[str]:
        """List the runs that have a folder, by id: the oldest first, those of one second in any order."""
        return sorted(path.name for path in self.runs.iterdir() if path.is_dir()) if self.runs.is_dir() else []

    def find_run(self, name: str) -> str:
        """Find the id of a run by the id, an unambiguous prefix, or `last`, the one started last.

        InputError where none or several fit; DamageError for `last` where the list of runs is broken.
        """
        ids = self.run_ids()
        if name == "last":
            heads = self.heads.read()
            if heads.broken:
                raise DamageError(
                    f"the list of runs is broken at {heads.broken}, and which was the last cannot be known",
                    where=str(self.heads.path), next="name a run by its id; `harness fsck` says what else is wrong",
                )  # fmt: skip
            started = [str(event.get("run")) for event in heads.events if event["event"] == "run.started"]
            if not started:
                raise InputError("no run has been started in this store", where=str(self.root), next="harness run …")
            return started[-1]
        found = [run for run in ids if run.startswith(name)] if name else []
        found = [name] if name in found else found
        if len(found) == 1:
            if not self.journal(found[0]).exists() and (self.runs / found[0] / "transcript.jsonl").exists():
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
