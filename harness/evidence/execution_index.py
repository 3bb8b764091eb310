"""Index of executed steps and trials: which run of the store's list executed a step, and what a trial's outcome was.

Journals are read newest first and only as far as is needed; one that still grows is read again. It never counts a
journal that the list of runs does not vouch for.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from harness.errors import HarnessError
from harness.store.store import Entry, Listed, Store, follow_journal, listed

TRIAL = "trial"  # no key of a step


class ExecutionIndex:
    """Lookup of the run of a store that executed a step, and of the outcome of a trial; safe to share by threads."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._found: dict[tuple[str, ...], str] = {}  # (key, entry) -> run; (TRIAL, identity) -> outcome
        self._keys: set[str] = set()  # of the steps found so far
        self._waiting: Iterator[Listed] = iter(())
        self._open: dict[str, tuple[Listed, int]] = {}  # runs that may go on, and how much of each was read
        self._read: set[str] = set()
        self._heads = -1  # bytes of the list of runs when it was last read
        self._lock = threading.Lock()

    def run_of(self, key: str, entry: str) -> str | None:
        """Return a run that executed the step of this key and wrote this entry; None if no listed run did."""
        return self._asked(key, entry)

    def outcome(self, trial: str) -> str | None:
        """Return the digest of a trial's outcome from a listed run, by the trial's identity; None if there is none."""
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
        """Whether a listed run executed the step of this entry and wrote this very entry."""
        return self.run_of(entry.key, entry.digest) is not None

    def has_other(self, entry: Entry) -> bool:
        """Whether listed runs executed the step of this entry, and none of them wrote this very entry."""
        return not self.has(entry) and entry.key in self._keys  # which has just read all there is

    def begin(self, run: str) -> None:
        """Register the run under way, whose journal is then never read: `note` and `note_trial` add its steps."""
        with self._lock:
            self._read.add(run)

    def note(self, run: str, entry: Entry) -> None:
        """Add a step that the run under way has executed and written to its journal."""
        with self._lock:
            self._found[entry.key, entry.digest] = run
            self._keys.add(entry.key)

    def note_trial(self, trial: str, outcome: str) -> None:
        """Add the outcome of a trial that the run under way has written to its journal."""
        with self._lock:
            self._found[TRIAL, trial] = outcome

    def _more(self) -> bool:
        """Look for lines that came since: runs that were started, and journals that grew."""
        grown = [known for known, size in self._open.values() if self._size(known.run) != size]
        size = facts.st_size if (facts := self.store.tree.facts(self.store.heads.path)) else 0
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
                self._keys.add(event["key"])
            elif event["event"] == "trial.done":
                self._found[TRIAL, event["trial"]] = event["outcome"]

    def _size(self, run: str) -> int:
        facts = self.store.tree.facts(self.store.journal(run))
        return facts.st_size if facts else -1
