"""Pins of models: the digests in a lock, and the pinned files brought into the store before a run.

A model is pinned by its settings; a local one by its weights too, an imported one by its rows, a replayed one by its
tape. What this machine lacks is pinned as unresolved, with the reason, and is never guessed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.digest import document_digest
from harness.errors import HarnessError
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.models.tape.tape import Tape
from harness.run.imported_answers import pin_answers, store_answers
from harness.run.named_models import NamedModel, every_model
from harness.run.weights import pin_weights, store_weights
from harness.store.store import Store


def pin_model(loaded: Loaded, named: NamedModel) -> dict[str, Any]:
    """Return the pin of a model or instrument: the digest of its settings, with those of its weights, rows or tape.

    Only the reason, as `unresolved`, where these are not on this machine.
    """
    model = named.model
    pin = {"sha256": document_digest({"type": "model/1", "provider": model.provider, **model.answer_params()})}
    if model.weights:
        return pin_weights(loaded.root, model.weights, pin, loaded.homes)
    if model.imported:
        return pin_answers(loaded.root, model.imported, pin)
    if model.service and model.service.tape == "replay":
        return _pin_tape(model.service.folder(loaded.root, named.tapes(loaded.manifest)), pin)
    return pin


def _pin_tape(folder: Path, pin: dict[str, Any]) -> dict[str, Any]:
    """Pin what a tape holds; without a tape there is nothing to replay."""
    try:
        tape = Tape.open(folder)
        if not len(tape):
            place = f"{folder.parent.name}/{folder.name}/"
            return {"unresolved": f"there is no tape to replay in {place}: record one, or `harness tape import`"}
        return {**pin, "tape": tape.digest()}
    except HarnessError as bad:
        return {"unresolved": f"{bad.what}; {bad.next}"}


def store_models(loaded: Loaded, lock: Lock, store: Store) -> None:
    """Copy pinned weights and imported answers of all models into the store; refuse missing files and other bytes."""
    for part, name, model in every_model(loaded.manifest):
        pin = lock.of(part).get(name, {})
        if model.weights:
            store_weights(store, loaded.root, model.weights, pin["files"], loaded.homes)
        if model.imported:
            store_answers(store, loaded.root, model.imported, pin)
