"""Runs by the thousand: a real run written down again under other names, its chains, keys and digests as they must be.

What a clone made may be other bytes, under another lock; then the step that made them has another key, and an entry.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from harness.clock import time_after
from harness.digest import encode_document, sha256
from harness.evidence.record import id_time, spell_record, summarise_journal
from harness.files import hold_lock
from harness.manifest.documents import DatasetPin, ModelPin, Pins
from harness.manifest.load import load_manifest
from harness.manifest.lockfile import Lock, load_lock, lock_path, save_document
from harness.store.journal import KIND, START, Event, Preimage, read_chain
from harness.store.store import Output, Store


def written_down(store: Store) -> list[str]:
    """List the runs of a store that are none of the real ones: theirs are numbers where those have what was drawn."""
    return [run for run in store.run_ids() if run.partition("-")[2].startswith("00000")]


@dataclass
class Clones:
    """Writes runs into a store whose every line is what a run would have written; heads come last, all at once.

    Each begins a second or two after the latest that was there, whichever run it is like.
    """

    store: Store
    heads: list[bytes] = field(default_factory=list)
    _models: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chain = self.store.heads.read()
        self.head, self.count, self.made = chain.head, len(chain.events), len(self.store.run_ids())
        self.latest = max(self._begun(run) for run in self.store.run_ids())

    def add(
        self,
        model: str,
        *,
        lock: Lock | None = None,
        outputs: Mapping[str, bytes] | None = None,
        limit: int = 0,
        status: str = "done",
        ended: bool = True,
    ) -> str:
        """Write down a run like another; one that has not ended has no record, and no last line."""
        events = self._events(model, outputs or {})
        later = math.ceil((self.latest - self._begun(model)).total_seconds()) + 1
        run = f"{re.sub('[-:]|[.][0-9]+', '', time_after(id_time(model), later))}-{self.made:08x}"
        begun: dict[str, Any] = {**events[0], "run": run, **({"limit": limit} if limit else {})}
        if lock:
            begun["lock"] = self.store.blobs.put(lock.data)
        events = [begun, *(events[1:] if ended else ())]
        events[-1] = {**events[-1], "status": status} if ended else events[-1]
        lines, head = [], START
        for number, event in enumerate(events):
            event |= {"n": number, "prev": head, "at": time_after(event["at"], later)}
            lines.append(encode_document(event) + b"\n")
            head = sha256(lines[-1])
        folder = self.store.runs / run
        folder.mkdir(parents=True)
        (folder / "journal.jsonl").write_bytes(b"".join(lines))
        self._head("run.started", run=run, journal=sha256(lines[0]))
        if ended:
            data = spell_record(summarise_journal(cast(list[Event], events), head))
            (folder / "record.json").write_bytes(data)
            self._head("run.finished", run=run, journal=head, record=sha256(data))
        self.made += 1
        self.latest = datetime.datetime.fromisoformat(begun["at"])
        return run

    def _begun(self, run: str) -> datetime.datetime:
        return datetime.datetime.fromisoformat(read_chain(self.store.journal(run)).events[0]["at"])

    def __enter__(self) -> Clones:
        return self

    def __exit__(self, *_: object) -> None:
        with hold_lock(self.store.locks / "heads"), open(self.store.heads.path, "ab") as file:
            file.write(b"".join(self.heads))

    def _head(self, event: str, **fields: str) -> None:
        line = encode_document({"type": KIND, "event": event, "n": self.count, "prev": self.head, **fields}) + b"\n"
        self.heads.append(line)
        self.head, self.count = sha256(line), self.count + 1

    def _events(self, model: str, outputs: Mapping[str, bytes]) -> list[dict[str, Any]]:
        """Give the lines of a run with every step found in the store, what made other outputs under other keys."""
        if model not in self._models:
            chained = read_chain(self.store.journal(model)).events
            self._models[model] = [_cached(event) for event in chained if event["event"] != "step.log"]
        events = [dict(event) for event in self._models[model]]
        for name, data in outputs.items():
            output = next(event for event in events if event["event"] == "output" and event["name"] == name)
            step = next(event for event in events if event.get("step") == output["step"])
            made = Output(self.store.blobs.put(data), len(data))
            entry = self.store.entries.get(step["key"])
            assert entry
            parts: Preimage = {**entry.preimage, "params": {**entry.preimage["params"], "made": made.sha256}}
            again = self.store.entries.put(parts, {**entry.outputs, output["output"]: made})
            step |= {"key": again.key, "entry": again.digest}
            output |= {"sha256": made.sha256, "size": made.size}
        return events


def _cached(event: Mapping[str, Any]) -> dict[str, Any]:
    if event["event"] != "step.done":
        return dict(event)
    return {name: value for name, value in event.items() if name not in ("usage", "facts")} | {"event": "step.cached"}


@dataclass(frozen=True)
class Tries:
    """A project with one real run, after which others are written down: manifests locked without making anything."""

    root: Path

    def lock(self, manifest: str) -> Lock:
        """Lock a manifest as it stands; what the real lock does not pin is pinned to nothing that is there."""
        loaded = load_manifest(self.root / manifest)
        real = load_lock(self.root, "small")
        assert real
        pin: ModelPin = {"sha256": "0" * 64}
        rows: DatasetPin = {"items": {"rows": 15, "sha256": "0" * 64}}
        pins: Pins = {
            **real.pins,
            "models": dict.fromkeys(loaded.manifest.models, pin),
            "datasets": dict.fromkeys(loaded.manifest.datasets, rows),
        }
        lock = Lock(loaded.manifest.intent(), loaded.sha256, pins)
        save_document(lock_path(self.root, loaded.manifest.name), lock.data)
        return lock

    def run(self, manifest: str, counts: Mapping[str, Any], **how: Any) -> str:
        """Lock a manifest and write down a run of it in which so many items were counted."""
        store = Store.open(self.root / ".harness")
        with Clones(store) as clones:
            data = json.dumps(counts, sort_keys=True, separators=(",", ":")).encode() + b"\n"
            return clones.add(store.run_ids()[0], lock=self.lock(manifest), outputs={"counts": data}, **how)
