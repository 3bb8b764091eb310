"""A forger who knows every rule of the store: whatever he changes, all digests, chains and lists follow.

What an audit still finds then, it finds because a document says what cannot be, and not because its bytes moved.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from harness.digest import document_digest, encode_document, sha256
from harness.evidence.record import spell_record, summarise_journal
from harness.store.journal import START, Event
from harness.store.store import Store, list_runs


class Forger:
    """One run of a store, laid open: its events, and the entry of each of its steps."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.run = whole_run(store)
        self.events = _lines(store.journal(self.run))
        self.heads = _lines(store.heads.path)
        self.entries = {
            event["step"]: json.loads(store.entries.path(event["key"]).read_bytes())
            for event in self.events
            if "key" in event
        }

    @property
    def started(self) -> dict[str, Any]:
        """Give the first event."""
        return self.events[0]

    def document(self, digest: str) -> dict[str, Any]:
        """Read a document that lies among the blobs."""
        body: dict[str, Any] = json.loads(self.store.blobs.read(digest))
        return body

    def put(self, body: Mapping[str, Any]) -> str:
        """Keep a document among the blobs, whatever it says."""
        return self.store.blobs.put(encode_document(body))

    def seal(self) -> None:
        """Write everything back: keys, entries, the chain, the record, and the list of runs."""
        for event in self.events:
            if "key" in event and event["step"] in self.entries:
                body = self.entries[event["step"]]
                body["key"] = document_digest(body["preimage"])
                data = encode_document(body) + b"\n"
                write(self.store.entries.path(body["key"]), data)
                event |= {"key": body["key"], "entry": sha256(data)}
        if self.events[-1]["event"] == "run.finished":
            self.events[-1]["events"] = len(self.events)
        lines, head = chained(self.events)
        write(self.store.journal(self.run), b"".join(lines))
        record = spell_record(summarise_journal(cast(list[Event], self.events), head))
        write(self.store.record(self.run), record)
        for line in self.heads:
            if line["run"] == self.run:
                line["journal"] = sha256(lines[0]) if line["event"] == "run.started" else head
                if "record" in line:
                    line["record"] = sha256(record)
        write(self.store.heads.path, b"".join(chained(self.heads)[0]))


def whole_run(store: Store) -> str:
    """Name the first of the runs that say most: those before it made only some of its steps."""
    return max(list_runs(store), key=lambda run: store.journal(run).read_bytes().count(b"\n"))


def forged(store: Store, edit: Callable[[Forger], object]) -> Store:
    """Change a run and make everything follow; gives the store as somebody would open it then."""
    forger = Forger(store)
    edit(forger)
    forger.seal()
    return Store(store.root)


def chained(events: list[dict[str, Any]]) -> tuple[list[bytes], str]:
    """Spell the lines of a chained log, and its head."""
    head, lines = START, []
    for number, event in enumerate(events):
        event |= {"n": number, "prev": head}
        lines.append(encode_document(event) + b"\n")
        head = sha256(lines[-1])
    return lines, head


def write(path: Path, data: bytes) -> None:
    """Write a file of a store, which is read-only to everybody who is honest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]
