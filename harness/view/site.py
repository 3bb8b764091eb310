"""What the pages read: the project and its store, the work of processes beside the server, and what is kept of both."""

from __future__ import annotations

import functools
import json
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import HarnessError, InputError
from harness.evidence.compare import Verdict, compare_outputs, overall_verdict, tolerance_text
from harness.evidence.record import FAIL, Record, read_record, self_check
from harness.manifest.lockfile import Lock, load_expect, read_lock
from harness.store.journal import Event
from harness.store.notes import RowPlace
from harness.store.store import Listed, Store, list_runs, read_start, require_listed
from harness.verbs.project import Project
from harness.view.index import hidden_state

AT_ONCE = 2  # processes beside the server
KEPT = 4096  # verdicts


@dataclass
class Job:
    """A task in a process beside the server, such as making an index: its progress and its outcome."""

    words: tuple[str, ...]
    said: Mapping[str, Any] = field(default_factory=dict)
    over: bool = False
    process: subprocess.Popen[bytes] | None = None

    @property
    def error(self) -> str:
        """The error with which the task failed; empty if it did not."""
        told = self.said.get("error")
        return str(told.get("what")) if isinstance(told, Mapping) else str(told or "")

    @property
    def text(self) -> str:
        """The progress of the task in words."""
        done, total = self.said.get("done", 0), self.said.get("total", 0)
        share = f", {100 * done // total} %" if total else ""
        return self.error or f"{self.said.get('what', 'begins')}{share}"


class Jobs:
    """The processes beside the server, one for each task; a task that is asked for twice is done once."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, ...], Job] = {}
        self._turn = threading.Semaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._ended = False

    def start(self, *words: str, again: bool = False) -> Job:
        """Return the job of a task; it is begun now unless it is under way or done."""
        with self._lock:
            found = self._jobs.get(words)
            if found is None or (again and found.over):
                found = self._jobs[words] = Job(words)
                threading.Thread(target=self._work, args=(found,), daemon=True).start()
        return found

    def __contains__(self, words: object) -> bool:
        """Whether a task was begun."""
        return words in self._jobs

    def forget(self, *words: str) -> None:
        """Forget a job that is over, so that its task is done again when it is asked for."""
        with self._lock:
            if (found := self._jobs.get(words)) and found.over:
                del self._jobs[words]

    def _work(self, job: Job) -> None:
        with self._turn:
            if self._ended:
                return
            argv = [sys.executable, "-m", "harness.view.worker", *job.words]
            with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
                job.process = process
                assert process.stdout
                for line in process.stdout:
                    job.said = json.loads(line)
            if process.returncode and not job.error:
                job.said = {"error": f"the process that made it ended with {process.returncode}"}
            job.over = True

    def end(self) -> None:
        """End all jobs that are under way."""
        self._ended = True
        for job in list(self._jobs.values()):
            if job.process and job.process.poll() is None:
                job.process.terminate()


@dataclass
class Site:
    """The project and the store whose runs the viewer shows."""

    project: Project
    jobs: Jobs = field(default_factory=Jobs)
    labeller: str = ""  # who labels answers; while somebody does, nothing else is shown
    token: str = field(default_factory=secrets.token_urlsafe)  # that a form must bring, another for each start
    drawn: dict[tuple[str, str, str], list[tuple[RowPlace, int]]] = field(default_factory=dict)  # answers to label
    _store: Store | None = None
    _closed: dict[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    _listed: tuple[int, dict[str, Listed]] = (-1, {})
    _verdicts: dict[tuple[str, str, str], tuple[str, tuple[Verdict, ...]]] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        """The store, opened on first use; raises an error if there is none."""
        if self._store is None:
            self._store = self.project.open()
        return self._store

    @property
    def root(self) -> Path | None:
        """The root folder of the project; None if a store outside a project is shown."""
        try:
            return self.project.root
        except InputError:
            return None

    def runs(self) -> dict[str, Listed]:
        """Return the list of runs, read again when it grew."""
        facts = self.store.tree.facts(self.store.heads.path)
        size = facts.st_size if facts else 0
        if self._listed[0] != size:
            self._listed = (size, list_runs(self.store))
        return self._listed[1]

    def known(self, run: str) -> Listed:
        """Return a run of the list; raises DamageError if it is not there."""
        return require_listed(self.store, run, self.runs())

    def record(self, run: str) -> Record:
        """Return the record of a run that ended, checked."""
        return read_record(self.store, run, self.runs())

    def begun(self, run: str) -> Event | None:
        """Return the first event of a run's journal; None if it is not the one that the list of runs names."""
        return read_start(self.store, self.known(run))

    def lock(self, digest: str) -> Lock:
        """Return a lock by its digest, from the store."""
        return _lock(self.store, digest)

    def closed(self, run: str) -> Mapping[str, str]:
        """Return the datasets of a run whose items must not be shown, each with the reason."""
        from harness.run.scores.table import RunTables, closed_datasets  # noqa: PLC0415 - heavy, and rarely needed

        key = (run, hidden_state(self.store))
        if key not in self._closed:
            self._closed[key] = closed_datasets(RunTables.of(self.store, run))
        return self._closed[key]

    def verdict(self, record: Record) -> tuple[str, tuple[Verdict, ...]]:
        """Return the verdict on a run against the project's expectation, and that on each output."""
        lock = self.lock(str(record.body["lock"]))
        name = str(lock.intent["name"])
        path = self.root / "lockfiles" / "manifests" / f"{name}.expect.json" if self.root else None
        mark = sha256(path.read_bytes()) if path and path.is_file() else ""
        key = (record.run, self.known(record.run).record, mark)
        if key not in self._verdicts:
            expect = load_expect(self.root, name) if self.root and mark and not lock.intent.get("derived") else None
            found = tuple(
                compare_outputs(record, expect, lock.sha256, lock.intent["outputs"], self.store.blobs.deliver)
            )
            failing = self_check(record.outputs, self.store.blobs.deliver) == FAIL
            near = tolerance_text(sum(one.by_tolerance for one in found))
            words = [overall_verdict(record, list(found)), "its own checks fail" if failing else "", near]
            if len(self._verdicts) > KEPT:
                self._verdicts.clear()
            self._verdicts[key] = (", ".join(filter(None, words)), found)
        return self._verdicts[key]


@functools.lru_cache(maxsize=64)
def _lock(store: Store, digest: str) -> Lock:
    return read_lock(store.blobs.read(digest), "lock")


def run_manifest_name(site: Site, begun: Event | None) -> str:
    """Return the name of the manifest of a run; empty if it cannot be read."""
    try:
        return str(site.lock(str(begun["lock"])).intent["name"]) if begun else ""
    except (HarnessError, LookupError):
        return ""
