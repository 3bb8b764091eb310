"""Pins of published data: every file by its digest, and which of many files could not be had, and why.

Independent of studies, and of what is in the data.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from harness import rows
from harness.digest import CHUNK, sha256_file
from harness.errors import HarnessError, InputError, MissingError
from harness.files import translating_os_errors, write_every_byte
from harness.manifest.datasets import Fetched, FetchedFiles, File, names_text
from harness.manifest.documents import DatasetPin
from harness.manifest.schema import Manifest
from harness.run.progress import raise_if_stopped
from harness.store.store import Store


class UnavailableError(MissingError):
    """Published data that cannot be had at its address, or has other bytes there than the pinned ones."""


class HostSilentError(UnavailableError):
    """Published data that cannot be had because its host does not answer; nor can other files of that host."""


def fetch_pinned(store: Store, dataset: Fetched, beside: Path | None = None) -> None:
    """Make sure a dataset's pinned file is in the store: copied from the store `beside`, or downloaded by its URL.

    Raises UnavailableError for a private file that is in neither store.
    """
    assert dataset.sha256
    if not is_in_store(store, dataset.sha256, beside):
        if dataset.private:
            raise UnavailableError(
                "this data is private, and is not in the store",
                where=dataset.fetch,
                next=f"`harness import data FILE`, your copy of it (SHA-256 {dataset.sha256})",
            )
        download_pinned(store, dataset.fetch, dataset.sha256)


def is_in_store(store: Store, digest: str, beside: Path | None = None) -> bool:
    """Whether a sound blob is in the store, or in the store `beside`, from which it is then copied."""
    if store.blobs.state(digest) == "sound":
        return True
    kept = Store(beside).blobs if beside else None
    return bool(kept and kept.check(digest) == "sound" and store.blobs.copy(kept.path(digest))[0] == digest)


def download_pinned(
    store: Store, address: str, digest: str, size: int | None = None, headers: Mapping[str, str] | None = None
) -> None:
    """Download a file and keep it in the store only if it has the pinned digest; else raise UnavailableError."""
    with store.folder("fetch") as folder:
        target = folder / "data"
        download_url(address, target, LARGEST if size is None else size, headers)
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
    """Copy a user's file into the store, to be kept; return the digest, by which manifests pin it, and the size."""
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


SECONDS = 60
LARGEST = 16 << 30
BY_HAND = "fetch it yourself, then `harness import data FILE`, or import it again by the name its study knows"


class _OnlyHttps(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not newurl.startswith("https://") and urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            fp.close()
            raise UnavailableError("the address leads away from https", where=req.full_url, next=BY_HAND)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download_url(url: str, target: Path, most: int = LARGEST, headers: Mapping[str, str] | None = None) -> None:
    """Download a URL into `target`; redirects only to https or to the same host, and never more than `most` bytes.

    `headers` are sent to the URL, and to no address that it leads to.

    Raises UnavailableError if the data cannot be had, HostSilentError if the host does not answer.
    """
    left = most
    with translating_os_errors(target):
        out = open(target, "wb", buffering=0)  # noqa: SIM115 - closed below, whatever the address does
    try:
        request = urllib.request.Request(url)  # noqa: S310 - the manifest's schema, or the hub's address, says which
        for name, value in (headers or {}).items():
            request.add_unredirected_header(name, value)
        with out, urllib.request.build_opener(_OnlyHttps).open(request, timeout=SECONDS) as answer:
            while block := answer.read(CHUNK):
                left -= len(block)
                if left < 0:
                    size = "16 GiB" if most == LARGEST else f"the {most} bytes that the manifest says"
                    raise UnavailableError(f"the data is larger than {size}", where=url, next=BY_HAND)
                with translating_os_errors(target):  # a full disk is not the fault of the address
                    write_every_byte(out.fileno(), block)
    except urllib.error.HTTPError as bad:
        bad.close()
        raise UnavailableError(f"the data could not be fetched: HTTP {bad.code}", where=url, next=BY_HAND) from None
    except (OSError, ValueError, http.client.HTTPException) as bad:
        reason = bad.reason if isinstance(bad, urllib.error.URLError) else bad
        raise HostSilentError(f"the data could not be fetched: {reason}", where=url, next=BY_HAND) from None


HOW = "`harness import data FOLDER`, then `harness lock` again"


@dataclass(frozen=True)
class PublishedPins:
    """The digests of the public files that a manifest uses, and of each absent file the reason."""

    pins: dict[str, DatasetPin] = field(default_factory=dict)
    absent: dict[str, dict[str, str]] = field(default_factory=dict)  # by dataset that has many files, by path
    how: dict[str, str] = field(default_factory=dict)  # what a user can do about absent files


def fetch_published(manifest: Manifest, store: Store, stop: Event) -> PublishedPins:
    """Fetch the published data of a manifest into the store, as far as possible, and return its pins.

    Data that cannot be had is unresolved in its pin, or is listed as absent if it is one of many files. Only a request
    to stop raises an error.
    """
    found = PublishedPins()
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, Fetched):
            found.pins[name] = _one(dataset, store)
        elif isinstance(dataset, FetchedFiles):
            found.absent[name] = dict(_absent(dataset.fetch, store, None, stop))
            found.pins[name] = _many(dataset, found.absent[name])
            if found.absent[name]:
                found.how[name] = how_to_get(dataset, sorted(found.absent[name]))
    return found


def _one(dataset: Fetched, store: Store) -> DatasetPin:
    """Return the pin of a published file; unresolved, with the reason and what would help, if it cannot be had."""
    if dataset.sha256 is None:
        return {"unresolved": str(dataset.unresolved)}
    try:
        fetch_pinned(store, dataset)
    except HarnessError as bad:
        return {"unresolved": f"{bad.what}; {bad.next}"}
    return {"sha256": dataset.sha256}


def _many(dataset: FetchedFiles, absent: Mapping[str, str]) -> DatasetPin:
    """Return the pin of many published files: the digest of each, and which are absent.

    The reasons are left out, because they depend on this machine and the day.
    """
    pin: DatasetPin = {"files": {path: file.sha256 for path, file in dataset.fetch.items()}}
    if absent:
        pin["absent"] = sorted(absent)
    if len(absent) == len(dataset.fetch):
        pin["unresolved"] = f"none of its {len(absent)} files is here; {how_to_get(dataset, sorted(absent))}"
    return pin


def how_to_get(dataset: FetchedFiles, absent: list[str]) -> str:
    """Describe in one line how a user can get the first of some absent files, and say how many more there are."""
    others = f", and {len(absent) - 1} more" if len(absent) > 1 else ""
    return f"get {absent[0]} from {dataset.fetch[absent[0]].url}{others}; {HOW}"


def require_published(
    manifest: Manifest, pins: Mapping[str, DatasetPin], store: Store, beside: Path, stop: Event
) -> None:
    """Fetch the published data that a lock pins before the first step; raise MissingError if any is missing.

    The store `beside` is tried before a URL. A file that the lock lists as absent is not fetched.
    """
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, Fetched) and dataset.sha256:
            fetch_pinned(store, dataset, beside)
        if isinstance(dataset, FetchedFiles):
            lacking = set(pins[name].get("absent", ()))
            wanted = {path: file for path, file in dataset.fetch.items() if path not in lacking}
            if absent := dict(_absent(wanted, store, beside, stop)):
                first = min(absent)
                raise MissingError(
                    f"dataset {name!r} lacks {len(absent)} of the {len(wanted)} files that the lock has: "
                    f"{names_text(absent)} ({first}: {absent[first]})",
                    where=dataset.fetch[first].url,
                    next="get what is missing and `harness import data FOLDER`; or `harness lock` again, to do without",
                )


def _absent(files: Mapping[str, File], store: Store, beside: Path | None, stop: Event) -> Iterator[tuple[str, str]]:
    """Bring files into the store, and yield each that cannot be had with the reason.

    A host that did not answer is not asked again.
    """
    silent: dict[str, str] = {}
    for path, file in files.items():
        raise_if_stopped(stop)
        if is_in_store(store, file.sha256, beside):
            continue
        host = urlsplit(file.url).netloc
        try:
            if host not in silent:
                download_pinned(store, file.url, file.sha256, file.size)
                continue
        except HostSilentError as bad:
            silent[host] = bad.what
        except UnavailableError as bad:
            yield path, f"{bad.what}; {bad.next}"
            continue
        yield path, silent[host]
