"""Which listed run executed a step, or a trial: an entry that none of them executed was laid there, and is not taken.

Journals are read newest first and only as far as is needed; one that still grows is read again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from harness.errors import HarnessError
from harness.files import translating_os_errors
from harness.store.entries import Entry
from harness.store.listed import Listed, follow_journal, listed
from harness.store.store import Store

TRIAL = "trial"  # no key of a step


class Executed:
    """The runs of a store, asked which of them executed a step."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._found: dict[tuple[str, ...], str] = {}  # (key, entry) -> run; (TRIAL, identity) -> outcome
        self._waiting: Iterator[Listed] = iter(())
        self._open: dict[str, tuple[Listed, int]] = {}  # runs that may go on, and how much of each was read
        self._read: set[str] = set()
        self._heads = -1  # bytes of the list of runs when it was last read
        self._lock = threading.Lock()

    def by(self, key: str, entry: str) -> str | None:
        """Name a run that executed the step of this key and wrote this entry."""
        return self._asked(key, entry)

    def outcome(self, trial: str) -> str | None:
        """Give the digest of what came of a trial in a listed run, by the digest of all that it depends on."""
        return self._asked(TRIAL, trial)

    def _asked(self, *wanted: str) -> str | None:
        with self._lock:
            while wanted not in self._found:
                known = next(self._waiting, None)
                if known:
                    self._take(known)
                elif not self._more():
                    return None
            return self._found[wanted]

    def has(self, entry: Entry) -> bool:
        """Whether a listed run executed the step of this entry."""
        return self.by(entry.key, entry.digest) is not None

    def begin(self, run: str) -> None:
        """Say which run asks: what it executes it notes itself, and its journal is not read at every line."""
        with self._lock:
            self._read.add(run)

    def note(self, run: str, entry: Entry) -> None:
        """Note what the run that asks has executed and written down."""
        with self._lock:
            self._found[entry.key, entry.digest] = run

    def note_trial(self, trial: str, outcome: str) -> None:
        """Note what came of a trial, which the run that asks has written down."""
        with self._lock:
            self._found[TRIAL, trial] = outcome

    def _more(self) -> bool:
        """Look for lines that came since: runs that were started, and journals that grew."""
        grown = [known for known, size in self._open.values() if self._size(known.run) != size]
        size = self.store.heads.path.stat().st_size if self.store.heads.path.is_file() else 0
        new: list[Listed] = []
        if size != self._heads:
            self._heads = size
            new = [known for known in listed(self.store).values() if known.run not in self._read]
        self._waiting = iter([*reversed(new), *grown])
        return bool(new or grown)

    def _take(self, known: Listed) -> None:
        """Read what a run executed; one whose journal is not what the list says executed nothing."""
        self._read.add(known.run)
        self._open.pop(known.run, None)
        if not known.ended:
            self._open[known.run] = (known, self._size(known.run))
        try:
            chain = follow_journal(self.store, known)
        except HarnessError:
            return  # the audit of any run names it
        for event in chain.events:
            if event["event"] == "step.done":
                self._found[event["key"], event["entry"]] = known.run
            elif event["event"] == "trial.done":
                self._found[TRIAL, event["trial"]] = event["outcome"]

    def _size(self, run: str) -> int:
        path = self.store.journal(run)
        with translating_os_errors(path):
            return path.stat().st_size if path.is_file() else -1
