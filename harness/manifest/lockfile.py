"""Lock and expect: what the names of a manifest resolve to, and what came out when it was last accepted.

Both are identity documents kept in git beside the manifest, sealed by their own digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import parse, sealed, sha256
from harness.errors import InputError
from harness.files import told, write_atomic

LOCK_FIELDS = {"type", "intent", "manifest_sha256", "pins", "self"}
PIN_KINDS = ("models", "prompts", "datasets", "images", "packages")
EXPECT_FIELDS = {"type", "lock_sha256", "record_sha256", "outputs", "code", "files", "self"}


@dataclass(frozen=True)
class Lock:
    """A manifest's intent and the digest of everything it names."""

    intent: Mapping[str, Any]
    manifest_sha256: str
    pins: Mapping[str, Mapping[str, Any]]

    @property
    def data(self) -> bytes:
        """Spell the lock as it lies in git."""
        body = {
            "type": "lock/1",
            "intent": dict(self.intent),
            "manifest_sha256": self.manifest_sha256,
            "pins": {kind: dict(self.pins[kind]) for kind in PIN_KINDS},
        }
        return sealed(body)

    @property
    def sha256(self) -> str:
        """Name the lock's bytes."""
        return sha256(self.data)


@dataclass(frozen=True)
class Expect:
    """What came out when somebody accepted it: output digests, levels, values, and the code that made them."""

    lock_sha256: str
    record_sha256: str
    outputs: Mapping[str, Mapping[str, Any]]
    code: Mapping[str, str]
    files: Mapping[str, str]

    @property
    def data(self) -> bytes:
        """Spell the expectation as it lies in git."""
        return sealed({"type": "expect/1", **{name: getattr(self, name) for name in EXPECT_FIELDS - {"type", "self"}}})


def lock_path(root: Path, name: str) -> Path:
    """Say where the lock of a manifest lies."""
    return root / "lockfiles" / "manifests" / f"{name}.lock.json"


def expect_path(root: Path, name: str) -> Path:
    """Say where the expectation of a manifest lies."""
    return root / "lockfiles" / "manifests" / f"{name}.expect.json"


def read_lock(data: bytes, where: str) -> Lock:
    """Read a lock, refusing one that was edited by hand."""
    body = parse(data, "lock/1", where)
    if set(body) != LOCK_FIELDS or not isinstance(body["pins"], dict) or set(body["pins"]) != set(PIN_KINDS):
        raise InputError("a lock holds intent, manifest_sha256 and pins", where=where, next="make it with harness lock")
    return Lock(body["intent"], body["manifest_sha256"], body["pins"])


def read_expect(data: bytes, where: str) -> Expect:
    """Read an expectation, refusing one that was edited by hand."""
    body = parse(data, "expect/1", where)
    if set(body) != EXPECT_FIELDS:
        raise InputError(
            "an expectation holds lock_sha256, record_sha256, outputs, code and files",
            where=where,
            next="make it with `harness lock --accept RUN`",
        )
    return Expect(**{name: body[name] for name in EXPECT_FIELDS - {"type", "self"}})


def load_lock(root: Path, name: str) -> Lock | None:
    """Give the lock of a manifest, or None where it was never locked."""
    path = lock_path(root, name)
    return read_lock(_bytes(path), str(path)) if path.is_file() else None


def load_expect(root: Path, name: str) -> Expect | None:
    """Give the expectation of a manifest, or None where no run was ever accepted."""
    path = expect_path(root, name)
    return read_expect(_bytes(path), str(path)) if path.is_file() else None


def _bytes(path: Path) -> bytes:
    with told(path):
        return path.read_bytes()


def save(path: Path, data: bytes) -> bool:
    """Write a lock or an expectation if its bytes are new; a person finds it laid out for review in git."""
    if path.is_file() and path.read_bytes() == data:
        return False
    write_atomic(path, data)
    return True


def compact(data: bytes) -> Any:
    """Give a document's value, for printing what moved."""
    return json.loads(data)
