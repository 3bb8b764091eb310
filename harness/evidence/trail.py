"""Provenance trail of a run: what each finished step was made from, read back from the run's journal and entries.

A lost or changed entry or output is refused, and never left out as if it had not been.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.evidence.record import FINISHED, entry_of_event
from harness.evidence.run_documents import closure_files, read_environment
from harness.manifest.lockfile import Lock, read_lock
from harness.store.entries import Entry
from harness.store.journal import Event
from harness.store.listed import damaged, follow_journal, require_listed
from harness.store.store import Store


@dataclass(frozen=True)
class RecordedStep:
    """A step of a recorded run: its stage, whether it was executed or cached, and its entry."""

    name: str
    stage: str
    state: str
    entry: Entry


@dataclass(frozen=True)
class Trail:
    """A recorded run: how it started, its finished steps in the order in which they finished, and its outputs."""

    store: Store
    run: str
    started: Event
    steps: Mapping[str, RecordedStep]
    outputs: Mapping[str, Event]

    @cached_property
    def lock(self) -> Lock:
        """The lock that the run was started under."""
        return read_lock(self.store.blobs.read(self.started["lock"]), "lock")

    @property
    def manifest_name(self) -> str:
        """The name of the manifest that was run."""
        return str(self.lock.intent["name"])

    def files(self, step: RecordedStep) -> Mapping[str, str]:
        """Return the code files of a step, each with its digest."""
        digest = str(step.entry.preimage["code"])
        return closure_files(self.store.blobs.read(digest), f"blob {digest[:12]}")

    def environment(self, step: RecordedStep) -> Mapping[str, Any]:
        """Return the environment document of a step."""
        digest = str(step.entry.preimage["environment"])
        return read_environment(self.store.blobs.read(digest), f"blob {digest[:12]}")

    def code(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the code of the whole run: the closure digest of each step kind, and the digest of each file."""
        kinds = {step.entry.preimage["kind"]: step for step in self.steps.values()}
        closures = {kind: str(step.entry.preimage["code"]) for kind, step in kinds.items()}
        return closures, {path: digest for step in kinds.values() for path, digest in self.files(step).items()}


def read_trail(store: Store, run: str) -> Trail:
    """Read the trail of a run, finished or not, as far as the run went.

    Refuses a run that the list of runs does not vouch for, and a missing or changed entry or output.
    """
    chain = follow_journal(store, require_listed(store, run))
    steps: dict[str, RecordedStep] = {}
    outputs: dict[str, Event] = {}
    for event in chain.events:
        if event["event"] in FINISHED:
            entry = entry_of_event(store, event, run)
            state = "executed" if event["event"] == "step.done" else "cached"
            steps[event["step"]] = RecordedStep(event["step"], event["stage"], state, entry)
        elif event["event"] == "output":
            made = steps[event["step"]].entry.outputs.get(event["output"]) if event["step"] in steps else None
            if made is None or made.sha256 != event["sha256"]:
                raise damaged(f"output {event['name']} is not what its step made", str(store.journal(run)), run)
            outputs[event["name"]] = event
    return Trail(store, run, chain.events[0], steps, outputs)


def absent_files(trail: Trail) -> dict[str, frozenset[str]]:
    """Return for each output the published files that its steps would have read and that were absent then.

    They are collected from the parameters `{files, absent}` of the output's step and of all steps before it.
    """
    lacks: dict[str, frozenset[str]] = {}  # by the digest of what was made
    for step in trail.steps.values():
        said = step.entry.preimage
        own = {path for value in said["params"].values() if _is_file_set(value) for path in value["absent"]}
        inputs = [part for one in said["inputs"].values() for part in (one if isinstance(one, list) else [one])]
        whole = frozenset(own).union(*(lacks.get(digest, frozenset()) for digest in inputs))
        for output in step.entry.outputs.values():
            lacks[output.sha256] = lacks.get(output.sha256, frozenset()) | whole
    return {name: lacks.get(str(event["sha256"]), frozenset()) for name, event in trail.outputs.items()}


def _is_file_set(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {"files", "absent"}
