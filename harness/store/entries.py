"""Cache entries of finished steps: one canonical file per key, with the key's preimage and the digests of the outputs.

A step is finished when its entry has been renamed into place; there is no other mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from harness.digest import document, document_digest, parse, sha256
from harness.errors import DamageError, InputError
from harness.files import is_leftover
from harness.store.blobs import is_digest
from harness.store.reader import MOST_ENTRY
from harness.store.tree import StoreTree

FIELDS = {"sha256", "size"}  # of an output


class Output(NamedTuple):
    """An output file of a step: digest and size."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Entry:
    """A finished step: its key, the digest of its entry's bytes, the preimage of the key, and its outputs."""

    key: str
    digest: str
    preimage: Mapping[str, Any]
    outputs: Mapping[str, Output]


class Entries:
    """The cache entries of a store, by step key; there is none for an unfinished step."""

    def __init__(self, tree: StoreTree) -> None:
        self.tree = tree
        self.root = tree.root / "keys"

    def path(self, key: str) -> Path:
        """Make the path of a key's entry, present or not; InputError for a text that is no key."""
        if not is_digest(key):
            raise InputError(f"{key[:80]!r} is not a key", next="give 64 lower-case hex digits")
        return self.root / key[:2] / f"{key}.json"

    def put(self, preimage: Mapping[str, Any], outputs: Mapping[str, Output]) -> Entry:
        """Write the entry of a finished step, and return it; the caller has stored all of its blobs before."""
        key = document_digest(preimage)
        body = {
            "type": "entry/1",
            "key": key,
            "preimage": dict(preimage),
            "outputs": {name: {"sha256": out.sha256, "size": out.size} for name, out in outputs.items()},
        }
        data = document(body) + b"\n"
        if len(data) > MOST_ENTRY:
            raise InputError(
                f"the entry of this step would have {len(data):,} bytes",
                next=f"plan it in parts: {MOST_ENTRY:,} are read",
            )
        self.tree.write_file(self.path(key), data, mode=0o444)
        return Entry(key, sha256(data), dict(preimage), dict(outputs))

    def get(self, key: str) -> Entry | None:
        """Read the entry of a key; None where the step is not finished, DamageError where the entry is bad."""
        path = self.path(key)
        data = self.tree.find_file(path, MOST_ENTRY)
        if data is None:
            return None
        try:
            return read_entry(data, key, str(path))
        except InputError as bad:
            raise DamageError(bad.what, where=str(path), next="run the manifest again: the step is made anew") from bad

    def all(self) -> Iterator[Path]:
        """Iterate over all files in the folders of entries, in path order, but for leftovers of killed writes."""
        for folder in self.tree.list_folders(self.root):
            for name in self.tree.list_names(self.root / folder):
                if not is_leftover(name):
                    yield self.root / folder / name


def read_entry(data: bytes, key: str, where: str) -> Entry:
    """Parse the bytes of an entry and check them against its key; InputError where they are no sound entry."""
    body = parse(data, "entry/1", where)
    fix = "run `harness fsck`; the step is made again by the next run"
    if set(body) != {"type", "key", "preimage", "outputs"} or not data.endswith(b"\n"):
        raise InputError("an entry holds type, key, preimage and outputs, and ends its line", where=where, next=fix)
    if body["key"] != key or not isinstance(body["preimage"], dict) or document_digest(body["preimage"]) != key:
        raise InputError("this entry is not the one its name says", where=where, next=fix)
    if not isinstance(body["outputs"], dict):
        raise InputError("the outputs of this entry are malformed", where=where, next=fix)
    outputs = {}
    for name, out in body["outputs"].items():
        if not isinstance(out, dict) or out.keys() != FIELDS or not is_digest(str(out["sha256"])):
            raise InputError(f"output {name!r} of this entry is malformed", where=where, next=fix)
        digest, size = out["sha256"], out["size"]
        if type(size) is not int or size < 0:
            raise InputError(f"the size of output {name!r} of this entry is malformed", where=where, next=fix)
        outputs[name] = Output(digest, size)
    declared = body["preimage"].get("outputs")
    if not isinstance(declared, list) or sorted(outputs) != sorted(map(str, declared)):
        raise InputError("this entry does not hold the outputs its step declares", where=where, next=fix)
    return Entry(key, sha256(data), body["preimage"], outputs)
