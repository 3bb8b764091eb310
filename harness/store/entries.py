"""Key entries: one canonical file a finished step, naming its preimage and its outputs.

A step is finished when its entry has been renamed into place; there is no other mark.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import document, document_digest, parse, sha256
from harness.errors import DamageError, InputError
from harness.files import is_leftover, read_plain, write_atomic
from harness.store.blobs import is_digest

FIELDS = {"sha256", "size"}  # of an output


@dataclass(frozen=True)
class Output:
    """A file a step made."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Entry:
    """A finished step: its key, what could have changed it, and what came out."""

    key: str
    digest: str
    preimage: Mapping[str, Any]
    outputs: Mapping[str, Output]


class Entries:
    """The half of a store that knows which steps are finished."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, key: str) -> Path:
        """Say where the entry of a key lies, present or not."""
        if not is_digest(key):
            raise InputError(f"{key[:80]!r} is not a key", next="give 64 lower-case hex digits")
        return self.root / key[:2] / f"{key}.json"

    def put(self, preimage: Mapping[str, Any], outputs: Mapping[str, Output]) -> Entry:
        """Mark a step as finished; the last write of a step, after all its blobs."""
        key = document_digest(preimage)
        body = {
            "type": "entry/1",
            "key": key,
            "preimage": dict(preimage),
            "outputs": {name: {"sha256": out.sha256, "size": out.size} for name, out in outputs.items()},
        }
        data = document(body) + b"\n"
        write_atomic(self.path(key), data, mode=0o444)
        return Entry(key, sha256(data), dict(preimage), dict(outputs))

    def get(self, key: str) -> Entry | None:
        """Give the entry of a key, or None where the step is not finished; a damaged entry is an error."""
        path = self.path(key)
        if not os.path.lexists(path):
            return None
        data = read_plain(path)
        try:
            return read_entry(data, key, str(path))
        except InputError as bad:
            raise DamageError(bad.what, where=str(path), next="run the manifest again: the step is made anew") from bad

    def all(self) -> Iterator[Path]:
        """Give every file that lies where entries lie, in path order."""
        yield from sorted(path for path in self.root.glob("*/*") if not is_leftover(path.name))


def read_entry(data: bytes, key: str, where: str) -> Entry:
    """Read an entry's bytes and hold them against the key they are filed under."""
    body = parse(data, "entry/1", where)
    mend = "run `harness fsck`; the step is made again by the next run"
    if set(body) != {"type", "key", "preimage", "outputs"} or not data.endswith(b"\n"):
        raise InputError("an entry holds type, key, preimage and outputs, and ends its line", where=where, next=mend)
    if body["key"] != key or not isinstance(body["preimage"], dict) or document_digest(body["preimage"]) != key:
        raise InputError("this entry is not the one its name says", where=where, next=mend)
    if not isinstance(body["outputs"], dict):
        raise InputError("the outputs of this entry are malformed", where=where, next=mend)
    outputs = {}
    for name, out in body["outputs"].items():
        if not isinstance(out, dict) or out.keys() != FIELDS or not is_digest(str(out["sha256"])):
            raise InputError(f"output {name!r} of this entry is malformed", where=where, next=mend)
        if type(out["size"]) is not int or out["size"] < 0:
            raise InputError(f"the size of output {name!r} of this entry is malformed", where=where, next=mend)
        outputs[name] = Output(out["sha256"], out["size"])
    declared = body["preimage"].get("outputs")
    if not isinstance(declared, list) or sorted(outputs) != sorted(map(str, declared)):
        raise InputError("this entry does not hold the outputs its step declares", where=where, next=mend)
    return Entry(key, sha256(data), body["preimage"], outputs)
