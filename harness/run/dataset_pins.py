"""Pins of made datasets: the digest and row count of each file in a lock, and the check that a run made the same.

It makes no data, and never changes a lock.
"""

from __future__ import annotations

from typing import Any

from harness.digest import differences
from harness.errors import InputError
from harness.evidence.pinned_files import data_pin
from harness.manifest.lockfile import Lock
from harness.store.entries import Entry
from harness.store.store import Store


def dataset_pin(entry: Entry, store: Store) -> dict[str, Any]:
    """Return the pin of a made dataset: the digest of each of its files, and its row count if it has rows."""
    return {name: data_pin(one.sha256, store.blobs.deliver(one.sha256)) for name, one in entry.outputs.items()}


def require_dataset(name: str, entry: Entry, lock: Lock, store: Store) -> None:
    """Refuse a made dataset that differs from its pin, before anything is computed from it."""
    moved = list(differences(lock.pins["datasets"][name], dataset_pin(entry, store)))
    if moved:
        raise InputError(
            f"dataset {name!r} is not the one the lock pins; moved: "
            + ", ".join(f"pins/datasets/{name}{pointer}" for pointer in moved),
            next="if its maker was meant to change, `harness lock` again and review the change in git",
        )
