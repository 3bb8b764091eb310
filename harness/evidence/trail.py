"""The trail of a run: what each of its steps was made from, read back from journal and entries for explain and diff."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.digest import parse
from harness.errors import InputError
from harness.store.entries import Entry
from harness.store.journal import Event, read_chain
from harness.store.store import Store

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Walked:
    """A step of a run: how it came about, and its entry."""

    name: str
    stage: str
    state: str
    entry: Entry


@dataclass(frozen=True)
class Trail:
    """A run with its steps, in the order in which they were finished."""

    store: Store
    run: str
    started: Event
    steps: Mapping[str, Walked]
    outputs: Mapping[str, Event]

    def document(self, digest: str, kind: str) -> Document:
        """Read an identity document that the run kept."""
        return parse(self.store.blobs.read(digest), kind, f"blob {digest[:12]}")

    @property
    def lock(self) -> Document:
        """Give the lock the run ran under."""
        data: Document = json.loads(self.store.blobs.read(self.started["lock"]))
        return data

    @property
    def manifest_name(self) -> str:
        """Give the name of the manifest that was run."""
        return str(self.lock["intent"]["name"])

    def files(self, step: Walked) -> Mapping[str, str]:
        """Give the code of a step, file by file."""
        files: Mapping[str, str] = self.document(step.entry.preimage["code"], "closure/1")["files"]
        return files

    def code(self) -> tuple[dict[str, str], dict[str, str]]:
        """Give the code of the run: the closure of each step kind, and the digest of each file."""
        kinds = {step.entry.preimage["kind"]: step for step in self.steps.values()}
        closures = {kind: str(step.entry.preimage["code"]) for kind, step in kinds.items()}
        return closures, {path: digest for step in kinds.values() for path, digest in self.files(step).items()}


def follow(store: Store, run: str) -> Trail:
    """Read the trail of a run, as far as the run went."""
    path = store.journal(run)
    if not path.is_file():
        raise InputError("this run has no journal", where=str(path), next="`harness fsck` says what else is missing")
    chain = read_chain(path)
    if not chain.events:
        raise InputError("the journal of this run is empty", where=str(path), next="run its manifest again")
    steps: dict[str, Walked] = {}
    outputs: dict[str, Event] = {}
    for event in chain.events:
        if event["event"] in ("step.done", "step.cached"):
            entry = store.entries.get(event["key"])
            if entry:
                state = "executed" if event["event"] == "step.done" else "cached"
                steps[event["step"]] = Walked(event["step"], event["stage"], state, entry)
        elif event["event"] == "output":
            outputs[event["name"]] = event
    return Trail(store, run, chain.events[0], steps, outputs)
