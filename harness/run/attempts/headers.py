"""First lines of transcripts: whose attempts there are, at which split, and under which key they were begun.

A first line never changes, so each is read once while nothing follows it. It must never know what follows it.
"""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.attempts.transcript import CLOSED, KIND
from harness.clock import now
from harness.digest import parse, sha256
from harness.errors import InputError
from harness.files import translating_os_errors
from harness.store.attempts import attempt_ids, listed_attempts, transcript_path
from harness.store.journal import MOST_START
from harness.store.reader import MOST_LOG, StoreReader
from harness.store.store import Store

_NEEDED = {"attempt", "principal", "name", "split", "subset", "label", "idempotency", "view", "gold_reachable"}


@dataclass(frozen=True)
class AttemptHeader:
    """The first line of a transcript, and its digest, which the list of runs names."""

    fields: Mapping[str, Any]
    digest: str


def attempt_header(store: Store, attempt: str) -> AttemptHeader | None:
    """Read how an attempt began; None where there is none of this id, or its first line is not whole."""
    path = transcript_path(store, attempt)
    facts = store.tree.facts(path)
    if facts is None or not stat.S_ISREG(facts.st_mode):
        return None
    return _read(store.root, path, (facts.st_ino, facts.st_mtime_ns))


@functools.lru_cache(maxsize=1 << 14)
def _read(root: Path, path: Path, _mark: tuple[int, int]) -> AttemptHeader | None:
    """Read a first line; what was read is kept as long as the file is untouched."""
    with translating_os_errors(path), StoreReader(root).open_file(path, MOST_LOG) as file:
        line = file.readline(MOST_START)
    try:
        fields = parse(line, KIND, str(path))
    except InputError:
        return None
    return AttemptHeader(fields, sha256(line)) if fields.keys() >= _NEEDED else None


def headers_of(store: Store, principal: str) -> Iterator[AttemptHeader]:
    """Iterate over the attempts that a principal began, the oldest first."""
    for attempt in attempt_ids(store):
        header = attempt_header(store, attempt)
        if header and header.fields["principal"] == principal:
            yield header


def attempts_used(store: Store, principal: str, name: str, split: str) -> int:
    """Count the attempts that a principal began at a split of a manifest, whatever became of them."""
    begun = (header.fields for header in headers_of(store, principal))
    return sum((fields["name"], fields["split"]) == (name, split) for fields in begun)


def open_attempts(store: Store, principal: str) -> list[str]:
    """List the attempts of a principal that have neither ended nor expired."""
    known, at = listed_attempts(store.heads.read()), now()
    begun = [str(one.fields["attempt"]) for one in headers_of(store, principal) if str(one.fields.get("expires")) > at]
    return [one for one in begun if not (one in known and known[one].closed) and not _has_ended(store, one)]


def _has_ended(store: Store, attempt: str) -> bool:
    """Whether a transcript ends with the end of its attempt, which the list of runs may not know yet."""
    with store.tree.open_file(transcript_path(store, attempt), MOST_LOG) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_START))
        return f'"event":"{CLOSED}"'.encode() in file.read().rstrip(b"\n").rpartition(b"\n")[2]


def same_key(store: Store, principal: str, key: str) -> AttemptHeader | None:
    """Find the attempt that a principal began under a key, by the key's digest."""
    return next((header for header in headers_of(store, principal) if header.fields["idempotency"] == key), None)
