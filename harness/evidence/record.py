"""The record: what happened. `record.json` is the summary of the journal and its head, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.digest import document
from harness.errors import DamageError, InputError
from harness.files import locked, told
from harness.store.journal import Chain, Event, read_chain
from harness.store.store import Store

STATES = {"step.done": "executed", "step.cached": "cached", "step.failed": "failed"}
# Fields of `run.started` that the record repeats: what was run, and where.
STARTED = ("run", "manifest", "lock", "plan", "engine", "isolation", "image", "environment", "facts", "limit")


@dataclass(frozen=True)
class Record:
    """A run as its record tells it."""

    run: str
    body: Mapping[str, Any]

    @property
    def outputs(self) -> Mapping[str, Mapping[str, Any]]:
        """Give the outputs the run declared, by name."""
        outputs: Mapping[str, Mapping[str, Any]] = self.body["outputs"]
        return outputs

    @property
    def complete(self) -> bool:
        """Whether the run came to its end with every step finished."""
        return bool(self.body["status"] == "done")


def summarise(events: Iterable[Event], head: str) -> dict[str, Any]:
    """Compute the record from the journal; audit does the same and compares field by field."""
    body: dict[str, Any] = {"type": "record/1", "status": "incomplete", "head": head, "events": 0}
    steps = {"total": 0, "executed": 0, "cached": 0, "failed": 0}
    shown: list[str] = []
    outputs: dict[str, Any] = {}
    for event in events:
        body["events"] += 1
        name = event["event"]
        if name == "run.started":
            body |= {field: event[field] for field in STARTED if field in event}
            body["started"] = event["at"]
            steps["total"] = event["steps"]
        elif name in STATES:
            steps[STATES[name]] += 1
            if event.get("sees_gold"):
                shown.append(event["step"])
        elif name == "output":
            outputs[event["name"]] = {field: event[field] for field in ("sha256", "size", "step", "output")}
        elif name == "calls":
            body["calls"] = event["models"]
        elif name == "run.finished":
            body |= {"status": event["status"], "finished": event["at"]}
    return {**body, "steps": steps, "sees_gold": sorted(shown), "outputs": outputs}


def spell(body: Mapping[str, Any]) -> bytes:
    """Give the bytes of a record as they lie on the disk."""
    return document(body) + b"\n"


def read_record(store: Store, run: str) -> Record:
    """Read the record of a run that ended, and hold it against the journal: a record alone is believed by nobody."""
    path = store.record(run)
    chain = read_chain(store.journal(run)) if store.journal(run).is_file() else Chain(())
    if not chain.events or chain.events[-1]["event"] != "run.finished":
        if _in_use(store):
            raise InputError("this run has not ended yet", where=run, next="wait for it, or name another run")
        raise InputError("this run never ended", where=run, next="run its manifest again, then ask for `last`")
    body = summarise(chain.events, chain.head)
    with told(path):
        kept = path.read_bytes() if path.is_file() else b""
    if chain.broken or chain.torn or kept != spell(body):
        raise DamageError(
            "the record of this run is not what its journal says",
            where=str(path),
            next=f"`harness audit {run}` says more",
        )
    return Record(run, body)


def _in_use(store: Store) -> bool:
    """Whether a run is using the store: the lock that keeps `gc` away is taken."""
    path = store.locks / "store"
    if not os.access(path, os.R_OK | os.W_OK):
        return False  # nothing was run here, or somebody else's store: a reader needs no right to write
    with locked(path, wait=False) as alone:
        return not alone
