"""Published data that a manifest fetches: into the store once, held by its digest, from wherever it can be had.

It knows stores and digests; it must never know a study, nor what is in the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256_file
from harness.errors import InputError, MissingError
from harness.manifest.schema import Fetched
from harness.store.store import Store


def fetch(store: Store, dataset: Fetched, beside: Path | None = None) -> None:
    """See to it that the data lies in the store: from a store beside it, or from its address."""
    assert dataset.sha256
    if store.blobs.state(dataset.sha256) == "sound":
        return
    kept = Store(beside).blobs if beside else None
    if (
        kept
        and kept.check(dataset.sha256) == "sound"
        and store.blobs.copy(kept.path(dataset.sha256))[0] == dataset.sha256
    ):
        return
    from harness.run.download import download  # noqa: PLC0415 - HTTP and TLS load slowly, and most runs fetch nothing

    with store.folder("fetch") as folder:
        target = folder / "data"
        download(dataset.fetch, target)
        found = sha256_file(target)[0]
        if found != dataset.sha256:
            raise MissingError(
                "what lies at the address of this data is not what the manifest pins",
                where=dataset.fetch,
                next=f"its SHA-256 is {found}; find the pinned edition and `harness import data FILE`, or pin this one",
            )
        store.blobs.adopt(target)


def bring(store: Store, file: Path) -> tuple[str, int]:
    """Put a file that a person has into the store; gives its digest and size, by which manifests pin it."""
    if not file.is_file():
        what = "this is no file" if file.exists() else "there is no such file"
        raise InputError(what, where=str(file), next="name a file that you have")
    digest, size = store.blobs.copy(file)
    store.keep(digest)
    return digest, size


def bring_rows(store: Store, found: Iterable[Mapping[str, Any]]) -> str:
    """Put rows into the store as a file of their own; gives its digest."""
    with store.folder("import") as folder:
        rows.write(folder / "rows", found)
        digest = store.blobs.adopt(folder / "rows")[0]
    store.keep(digest)
    return digest
