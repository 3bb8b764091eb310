"""Imported answers of somebody else's run: their pin in a lock, and how their rows come into the store.

Rows with another digest than the pinned one are never used.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.digest import sha256_file
from harness.errors import MissingError
from harness.files import translating_os_errors
from harness.models.provider import Imported
from harness.store.store import Store

IMPORT = "`harness import responses FILE` and pin the `sha256` that it tells"


def pin_answers(root: Path, model: Imported, settings: dict[str, Any]) -> dict[str, Any]:
    """Return a model's pin with the digest of its imported rows, from the manifest or the file in the project.

    Only the reason, as `unresolved`, where there is neither.
    """
    if model.sha256:
        return {**settings, "answers": model.sha256}
    file = _file(root, model)
    if file is None:
        return {"unresolved": f"there is no file {model.source!r} in the project; put it there, or {IMPORT}"}
    with translating_os_errors(file):
        return {**settings, "answers": sha256_file(file)[0]}


def store_answers(store: Store, root: Path, model: Imported, pinned: Mapping[str, Any]) -> None:
    """Make sure the pinned rows are in the store, copying the project's file; refuse a missing one or other bytes."""
    if store.blobs.state(pinned["answers"]) == "sound":
        return
    file = _file(root, model)
    if file is None:
        raise MissingError(
            f"the imported answers of {model.source} are not in the store",
            next=f"`harness import responses FILE`; their SHA-256 is {pinned['answers']}",
        )
    if store.blobs.copy(file)[0] != pinned["answers"]:
        raise MissingError(
            f"{model.source} does not hold the answers that are pinned",
            where=str(file),
            next="restore it, or pin this one and `harness lock` again",
        )


def _file(root: Path, model: Imported) -> Path | None:
    """Find the file in the project, if it lies there and leads nowhere else."""
    file = root / model.source
    inside = file.resolve().is_relative_to(root.resolve())
    return file if inside and file.is_file() else None
