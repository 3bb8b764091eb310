"""The runs of a manifest in a store, by its name: what claims the first registered, and which one gives the values.

It believes what the list of runs vouches for: a journal that begins otherwise than the list says counts for nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from harness.digest import differences, parse, sha256
from harness.errors import DamageError, HarnessError
from harness.evidence.record import Record, read_record, spell
from harness.files import told
from harness.manifest.lockfile import Lock
from harness.store.journal import Event, check_chain
from harness.store.store import Store

# What of an intent changes no output, and which pins do: a run under another value of these is a run of the manifest.
NAMES = ("name", "about", "claims", "outputs", "resources", "agents")
PINS = ("models", "prompts", "datasets")


@dataclass(frozen=True)
class Started:
    """A run as it was started: its name, the lock it was started under, and whether it was cut to its first items."""

    run: str
    lock: Mapping[str, Any]
    limited: bool


class History:
    """Everything that was started in a store, oldest first."""

    def __init__(self, store: Store) -> None:
        chain = store.heads.read()
        if chain.broken:
            raise DamageError(
                f"the list of runs is broken at {chain.broken}",
                where=str(store.heads.path),
                next="restore heads.jsonl from a copy; `harness audit last` says more",
            )
        self.store = store
        self._ended = {str(event["run"]): event for event in chain.events if event["event"] == "run.finished"}
        started = [event for event in chain.events if event["event"] == "run.started"]
        self._runs = [_started(store, event) for event in started]
        self._ids = [str(event["run"]) for event in started]

    def of(self, name: str) -> list[Started]:
        """Give the runs of a manifest, oldest first."""
        return [run for run in self._runs if run and run.lock["intent"].get("name") == name]

    def registered(self, name: str) -> list[Mapping[str, Any]] | None:
        """Give the claims that the first run of a manifest registered, or None where there was no run."""
        first = next(iter(self.of(name)), None)
        claims = first.lock["intent"].get("claims") if first else None
        return [claim for claim in claims or () if isinstance(claim, dict)] if first else None

    def hidden(self, name: str) -> list[str]:
        """Name the runs that can no longer be read and may have been the first of a manifest."""
        first = next(iter(self.of(name)), None)
        before = self._ids.index(first.run) if first else len(self._ids)
        return [run for run, started in zip(self._ids[:before], self._runs[:before], strict=True) if started is None]

    def newest(self, name: str, lock: Lock, outputs: Collection[str] = ()) -> tuple[Record | None, str]:
        """Give the newest complete run of a manifest under what its lock now says, or say what is lacking.

        A run that made all of these outputs goes before a newer one that did not.
        """
        runs = self.of(name)
        fitting = [run for run in runs if _same_work(run.lock, lock)]
        poorer = None
        for run in reversed(fitting):
            if run.run in self._ended and not run.limited:
                record = self._record(run.run)
                if record.complete and set(outputs) <= set(record.outputs):
                    return record, ""
                poorer = poorer or (record if record.complete else None)
        if poorer:
            return poorer, ""
        return None, "a complete run" if fitting else "a run under its present lock" if runs else "a run"

    def _record(self, run: str) -> Record:
        record = read_record(self.store, run)
        ended = self._ended[run]
        if (record.body["head"], sha256(spell(record.body))) != (ended["journal"], ended["record"]):
            raise DamageError(
                "the record of this run is not the one that the list of runs names",
                where=str(self.store.record(run)),
                next=f"`harness audit {run}` says more",
            )
        return record


def _started(store: Store, head: Event) -> Started | None:
    """Read how a run was started from the first line of its journal alone; None where that cannot be believed."""
    run, path = str(head["run"]), store.journal(str(head["run"]))
    try:
        if not path.is_file():
            return None
        with told(path), open(path, "rb") as file:
            chain = check_chain(file.readline())
        if not chain.events or chain.events[0]["event"] != "run.started" or chain.head != head["journal"]:
            return None
        begun = chain.events[0]
        lock = parse(store.blobs.read(begun["lock"]), "lock/1", "lock")
    except HarnessError:
        return None
    sound = all(isinstance(lock.get(part), dict) for part in ("intent", "pins"))
    return Started(run, lock, bool(begun.get("limit"))) if sound and begun["run"] == run else None


def _same_work(ran: Mapping[str, Any], lock: Lock) -> bool:
    """Whether a run did what a lock now says, whatever is claimed of it."""
    old, new = ({kind: pins.get(kind) for kind in PINS} for pins in (ran["pins"], lock.pins))
    return not moved(ran["intent"], lock.intent) and not list(differences(old, new))


def moved(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Name what parts two intents and could change an output."""
    left, right = ({key: intent[key] for key in intent if key not in NAMES} for intent in (old, new))
    return list(differences(left, right))
