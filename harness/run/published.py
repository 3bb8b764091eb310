"""Pins of published data: every file by its digest, and which of many files could not be had, and why.

It knows manifests and stores; it must never know a study, nor what is in the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from harness.errors import HarnessError, MissingError
from harness.manifest.coverage import names_text
from harness.manifest.datasets import Fetched, FetchedFiles, File
from harness.manifest.schema import Manifest
from harness.run.fetched_data import HostSilentError, UnavailableError, download_pinned, fetch, in_store
from harness.run.shutdown import raise_if_stopped
from harness.store.store import Store

HOW = "`harness import data FOLDER`, then `harness lock` again"


@dataclass(frozen=True)
class PublishedPins:
    """The pins of all published data of a manifest; of datasets of many files also the absent ones, with reasons."""

    pins: dict[str, dict[str, Any]] = field(default_factory=dict)
    absent: dict[str, dict[str, str]] = field(default_factory=dict)  # by dataset that has many files, by path
    how: dict[str, str] = field(default_factory=dict)  # what a person can do about those


def published(manifest: Manifest, store: Store, stop: Event) -> PublishedPins:
    """Fetch the published data of a manifest into the store, as far as possible, and return its pins.

    What cannot be had is unresolved in its pin, or of many files listed as absent; only a request to stop raises.
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


def _one(dataset: Fetched, store: Store) -> dict[str, Any]:
    """Pin published data by what it is; where it cannot be had, say why and what would help."""
    if dataset.sha256 is None:
        return {"unresolved": str(dataset.unresolved)}
    try:
        fetch(store, dataset)
    except HarnessError as bad:
        return {"unresolved": f"{bad.what}; {bad.next}"}
    return {"sha256": dataset.sha256}


def _many(dataset: FetchedFiles, absent: Mapping[str, str]) -> dict[str, Any]:
    """Pin every file, and name those that are absent: not why, since that is of this machine and of today."""
    pin: dict[str, Any] = {"files": {path: file.sha256 for path, file in dataset.fetch.items()}}
    if absent:
        pin["absent"] = sorted(absent)
    if len(absent) == len(dataset.fetch):
        pin["unresolved"] = f"none of its {len(absent)} files is here; {how_to_get(dataset, sorted(absent))}"
    return pin


def how_to_get(dataset: FetchedFiles, absent: list[str]) -> str:
    """Describe in one line how a person can get the first of some absent files, and say how many more there are."""
    others = f", and {len(absent) - 1} more" if len(absent) > 1 else ""
    return f"get {absent[0]} from {dataset.fetch[absent[0]].url}{others}; {HOW}"


def require_published(manifest: Manifest, pins: Mapping[str, Any], store: Store, beside: Path, stop: Event) -> None:
    """Fetch what a lock pins of published data before the first step; refuse the run if any of it is missing.

    A store `beside` is copied from before a URL is asked. A file that the lock says is absent is not looked for.
    """
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, Fetched) and dataset.sha256:
            fetch(store, dataset, beside)
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
    """Bring files into the store and name each that is not to be had; who does not answer is not asked again."""
    silent: dict[str, str] = {}
    for path, file in files.items():
        raise_if_stopped(stop)
        if in_store(store, file.sha256, beside):
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
