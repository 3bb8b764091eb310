"""The run history of a store, oldest first: the lock each run was started under, and the outputs of finished ones.

It trusts only what the list of runs vouches for: a run whose journal begins with another line than the list says is
left out and named as unread, and a record with another digest than the list names is refused.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from harness.digest import differences, parse, sha256
from harness.errors import DamageError, HarnessError
from harness.evidence.claims.subject import read_claims
from harness.evidence.record import Record, read_record
from harness.manifest.lockfile import Lock
from harness.steps import STAGES
from harness.store.blobs import is_digest
from harness.store.store import Store

# What of an intent changes no output, and which pins do: a run under another value of these is a run of the manifest.
NAMES = ("name", "about", "claims", "outputs", "agents")
RESOURCES, THREADS = "resources", "threads"  # what a step may use changes no output, but for its threads
PINS = ("models", "instruments", "prompts", "datasets", "tables")
_DECODER = json.JSONDecoder()
_OUTPUTS = b',"outputs":{'
_END = re.compile(
    rb',"plan":"[0-9a-f]{64}","run":"[^"\\]*","sees_gold":\[[^][{}]*\],"started":"[^"\\]*",'
    rb'"status":"([a-z]+)","steps":\{[^][{}]*\},"type":"record/1"\}\n\Z'
)
FEW, MOST = 1 << 12, 1 << 26  # bytes read of a file at first, and at most: a first line and a record are short


class StartedRun(NamedTuple):
    """A run as it was started: the digest of its lock, and its `--limit` of items per dataset (0: none)."""

    run: str
    lock: str
    limit: int


class EndedRun(NamedTuple):
    """The end of a run by its record: whether it finished every step, and the digest of each output."""

    complete: bool
    outputs: Mapping[str, str]


class History:
    """All runs started in a store, oldest first; those the list does not vouch for are only named, in `unread`.

    Raises DamageError where the hash chain of the list itself is broken.
    """

    def __init__(self, store: Store) -> None:
        chain = store.heads.read()
        if chain.broken:
            raise DamageError(
                f"the list of runs is broken at {chain.broken}",
                where=str(store.heads.path),
                next="restore heads.jsonl from a copy; `harness audit last` says more",
            )
        self.store = store
        self._listed = {str(event["run"]): event for event in chain.events if event["event"] == "run.finished"}
        self._locks: dict[str, Mapping[str, Any] | None] = {}
        self._made: dict[str, EndedRun] = {}
        self._said: dict[bytes, Mapping[str, str]] = {}
        self.runs: list[StartedRun] = []
        self.unread: set[str] = set()  # runs that cannot be read: what they registered and made is not known
        for event in chain.events:
            if event["event"] == "run.started":
                self._start(str(event["run"]), str(event["journal"]))

    def _start(self, run: str, first: str) -> None:
        """Read how a run was started from the first line of its journal alone, if the list of runs knows that line."""
        try:
            line = _read(self.store, f"runs/{run}/journal.jsonl", line=True)
            begun = _value(line) if sha256(line) == first else None
        except (OSError, DamageError, ValueError, RecursionError):
            begun = None
        if isinstance(begun, dict) and begun.get("run") == run and self.lock(begun.get("lock")):
            limit = begun.get("limit")
            self.runs.append(StartedRun(run, begun["lock"], limit if isinstance(limit, int) else 0))
        else:
            self.unread.add(run)

    def lock(self, digest: object) -> Mapping[str, Any] | None:
        """Return a lock by its digest, read once; None where it is missing or damaged."""
        if not isinstance(digest, str):
            return None
        if digest not in self._locks:
            self._locks[digest] = self._lock(digest)
        return self._locks[digest]

    def _lock(self, digest: str) -> Mapping[str, Any] | None:
        try:
            lock = parse(self.store.blobs.read(digest), "lock/1", "lock") if is_digest(digest) else {}
        except HarnessError:
            return None
        return lock if all(isinstance(lock.get(part), dict) for part in ("intent", "pins")) else None

    def locks(self) -> dict[str, Mapping[str, Any]]:
        """Return every lock that a run was started under, by digest, in the order of their first runs."""
        return {digest: lock for digest, lock in self._locks.items() if lock}

    def registered(self, name: str) -> list[Mapping[str, Any]] | None:
        """Return the claims that the first run of the manifest of this name registered; None where there was no run.

        Those that today's schema does not accept are left out.
        """
        first = next((lock["intent"] for digest, lock in self.locks().items() if self._names[digest] == name), None)
        return None if first is None else [said for _, said in read_claims(first)]

    def of(self, name: str) -> list[StartedRun]:
        """Return the runs of the manifest of this name, under whatever lock, oldest first."""
        return [run for run in self.runs if self._names.get(run.lock) == name]

    @cached_property
    def _names(self) -> dict[str, str]:
        return {digest: str(lock["intent"].get("name")) for digest, lock in self._locks.items() if lock}

    def newest(self, name: str, lock: Lock, outputs: Collection[str] = ()) -> tuple[Record | None, str]:
        """Return the record of a manifest's newest complete run under its present lock; else None and what lacks.

        Runs under `--limit` do not count; locks that differ only in parts that change no output count as one. A run
        that made all of these outputs is preferred to a newer one that did not.
        """
        runs = self.of(name)
        same = {digest for digest in {run.lock for run in runs} if _same_work(self.lock(digest), lock)}
        fitting = [run for run in runs if run.lock in same]
        poorer = None
        for run in reversed(fitting):
            if run.run in self._listed and not run.limit:
                made = self.made(run.run)
                if made.complete and set(outputs) <= set(made.outputs):
                    return self.record(run.run), ""
                poorer = poorer or (run.run if made.complete else None)
        if poorer:
            return self.record(poorer), ""
        return None, "a complete run" if fitting else "a run under its present lock" if runs else "a run"

    def ended(self, run: str) -> bool:
        """Whether a run came to an end, by the list of runs."""
        return run in self._listed

    def made(self, run: str) -> EndedRun:
        """Return whether an ended run was complete, and its output digests, from its record; read once.

        Raises DamageError where the record is not the one that the list of runs names.
        """
        if run not in self._made:
            try:
                self._made[run] = self._ended(self._vouched(run))
            except (ValueError, LookupError, TypeError, AttributeError):
                raise self._damaged(run) from None
        return self._made[run]

    def _ended(self, record: bytes) -> EndedRun:
        """Read what a record says of outputs; thousands of records say the same, which is then read once.

        What stands before the end that every record has, from the word `outputs` on, is that field if it is one value.
        """
        end = _END.search(record, max(0, len(record) - FEW))
        start = record.rfind(_OUTPUTS, 0, end.start()) if end else -1
        if end and start >= 0:
            said = record[start + len(_OUTPUTS) - 1 : end.start()]
            try:
                if said not in self._said:
                    self._said[said] = _digests(json.loads(said))
                return EndedRun(end[1] == b"done", self._said[said])
            except ValueError:
                pass  # it was no such field
        body = _value(record)
        return EndedRun(body["status"] == "done", _digests(body["outputs"]))

    def _vouched(self, run: str) -> bytes:
        """Read the record of a run that ended, if it is the one that the list of runs names."""
        try:
            data = _read(self.store, f"runs/{run}/record.json")
        except (OSError, DamageError):
            data = b""
        if sha256(data) != self._listed[run]["record"]:
            raise self._damaged(run)
        return data

    def record(self, run: str) -> Record:
        """Return the record of a run, verified from the list of runs down to its outputs; `made` checks less."""
        return read_record(self.store, run)

    def _damaged(self, run: str) -> DamageError:
        return DamageError(
            "the record of this run is not the one that the list of runs names",
            where=str(self.store.record(run)),
            next=f"`harness audit {run}` says more",
        )

    def untouched(self, run: str) -> frozenset[str]:
        """Return the outputs of a run that no model took part in: those of steps in stages before the responses."""
        events = self.store.read_journal(run).events
        before = STAGES[: STAGES.index("responses")]
        steps = {event["step"] for event in events if event.get("stage") in before}
        return frozenset(event["name"] for event in events if event["event"] == "output" and event["step"] in steps)


def _digests(outputs: Mapping[str, Any]) -> dict[str, str]:
    return {name: made["sha256"] for name, made in outputs.items()}


def _value(line: bytes) -> Any:
    """Read one line of JSON whose digest is known; thousands are, and so the way round is the shortest there is."""
    text = line.decode()
    value, end = _DECODER.raw_decode(text)
    if text[end:] != "\n":
        raise ValueError("more than one value")
    return value


def _read(store: Store, place: str, *, line: bool = False) -> bytes:
    """Read a plain file, or its first line; thousands are read, and what is no plain file is an error."""
    handle = store.tree.open_read(place, MOST)
    try:
        data = more = os.read(handle, FEW)
        while len(more) >= FEW and len(data) < MOST and not (line and b"\n" in data):
            more = os.read(handle, len(data))
            data += more
    finally:
        os.close(handle)
    return data[: data.find(b"\n") + 1] if line else data


def _same_work(ran: Mapping[str, Any] | None, lock: Lock) -> bool:
    """Whether a run did what a lock now says, whatever is claimed of it."""
    if ran is None:
        return False
    old, new = ({kind: pins.get(kind) for kind in PINS} for pins in (ran["pins"], lock.pins))
    return not changed_intent(ran["intent"], lock.intent) and not list(differences(old, new))


def changed_intent(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """List the fields in which two manifests' intents differ and that could change an output."""
    left, right = ({**intent, RESOURCES: {THREADS: _threads(intent)}} for intent in (old, new))
    left, right = ({key: intent[key] for key in intent if key not in NAMES} for intent in (left, right))
    return list(differences(left, right))


def _threads(intent: Mapping[str, Any]) -> Any:
    """Say in how many threads a manifest computes: of what a step may use the one thing that changes a result."""
    resources = intent.get(RESOURCES)
    return (resources.get(THREADS) if isinstance(resources, dict) else None) or 1
