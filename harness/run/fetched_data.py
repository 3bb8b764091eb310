"""Files brought into the store: pinned data from a URL or another store, checked by digest, and files of a person.

It knows stores and digests; it must never know a study, nor what is in the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256_file
from harness.errors import InputError, MissingError
from harness.manifest.datasets import Fetched
from harness.store.store import Store


class UnavailableError(MissingError):
    """Published data that cannot be had at its address, or has other bytes there than the pinned ones."""


class HostSilentError(UnavailableError):
    """Published data that cannot be had because its host does not answer; nor can other files of that host."""


def fetch(store: Store, dataset: Fetched, beside: Path | None = None) -> None:
    """Make sure a dataset's pinned file is in the store: copied from the store `beside`, or downloaded by its URL.

    UnavailableError for a private file that is in neither.
    """
    assert dataset.sha256
    if not in_store(store, dataset.sha256, beside):
        if dataset.private:
            raise UnavailableError(
                "this data is private, and is not in the store",
                where=dataset.fetch,
                next=f"`harness import data FILE`, your copy of it (SHA-256 {dataset.sha256})",
            )
        download_pinned(store, dataset.fetch, dataset.sha256)


def in_store(store: Store, digest: str, beside: Path | None = None) -> bool:
    """Whether a sound blob is in the store, or in the store `beside`, from which it is then copied."""
    if store.blobs.state(digest) == "sound":
        return True
    kept = Store(beside).blobs if beside else None
    return bool(kept and kept.check(digest) == "sound" and store.blobs.copy(kept.path(digest))[0] == digest)


def download_pinned(store: Store, address: str, digest: str, size: int | None = None) -> None:
    """Download a file into the store if it has the pinned digest; other bytes are not kept, and raise."""
    from harness.run.download import LARGEST, download  # noqa: PLC0415 - HTTP and TLS load slowly, and most runs fetch nothing

    with store.folder("fetch") as folder:
        target = folder / "data"
        download(address, target, LARGEST if size is None else size)
        found = sha256_file(target)[0]
        if found != digest:
            raise UnavailableError(
                "what lies at the address of this data is not what the manifest pins",
                where=address,
                next=f"{digest} is pinned, and its SHA-256 is {found}; find the pinned edition and "
                "`harness import data FILE`, or pin this one",
            )
        store.blobs.adopt(target)


def store_file(store: Store, file: Path) -> tuple[str, int]:
    """Copy a person's file into the store, to be kept; return the digest, by which manifests pin it, and the size."""
    if not file.is_file():
        what = "this is no file" if file.exists() else "there is no such file"
        raise InputError(what, where=str(file), next="name a file that you have")
    digest, size = store.blobs.copy(file)
    store.keep(digest)
    return digest, size


def store_rows(store: Store, found: Iterable[Mapping[str, Any]]) -> str:
    """Write rows into one file of the store, to be kept; return its digest."""
    with store.folder("import") as folder:
        rows.write(folder / "rows", found)
        digest = store.blobs.adopt(folder / "rows")[0]
    store.keep(digest)
    return digest
