"""Notes in a store: verdicts of a person on answers of a run, one chain of lines for each labeller and scorer.

A line names an answer by the blob of its row and the row's first byte, and holds no word of it. A line is durable
before its writer goes on; one that a kill cut short is cut off by the next writer. Notes are never garbage.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.clock import current_time
from harness.digest import canonical_json, encode_document, sha256
from harness.errors import DamageError, InputError, MissingError
from harness.files import append_durable
from harness.store.journal import Chain, LabelEvent, LabelFields, check_chain
from harness.store.store import Store
from harness.store.sweep import NOTES
from harness.store.tree import MOST_NOTE, translating_full_disk

KIND: Final = "labels/1"  # the type of its lines
STARTED, LABEL, CLOSED = "labels.started", "label", "labels.closed"
LABELLER = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}")
LOCK = "notes"


class RowPlace(NamedTuple):
    """The place of an answer's row: the digest of its blob, and the row's first byte in it."""

    blob: str
    begin: int


def answer_id(place: RowPlace) -> str:
    """Return the name of an answer in exported labels: a digest, which tells neither its model nor its item."""
    return f"{place.blob[:16]}-{place.begin}"


@dataclass(frozen=True)
class Labels:
    """The labels that one person gave to a run's answers, in the terms of one scorer."""

    path: Path
    chain: Chain[LabelEvent] = field(repr=False)

    @property
    def first(self) -> LabelFields:
        """The first line: run, record, labeller, scorer, and the labels that may be given."""
        return self.chain.events[0] if self.chain.events else {}

    @cached_property
    def given(self) -> Mapping[RowPlace, str]:
        """The label of each labelled answer; if several were given, the last."""
        lines = (line for line in self.chain.events if line["event"] == LABEL)
        return {RowPlace(line["blob"], line["begin"]): line["label"] for line in lines}

    @property
    def closed(self) -> bool:
        """Whether the labeller has seen the scorer's own labels, after which no further label is blind."""
        return any(line["event"] == CLOSED for line in self.chain.events)


def require_labeller(name: str) -> None:
    """Raise InputError if a labeller's name could not stand in a certificate."""
    if not LABELLER.fullmatch(name):
        raise InputError(
            f"{name[:60]!a} is no name of a labeller",
            where="--label",
            next="give up to 60 letters, digits, blanks, points or dashes, such as --label 'A. Reader'",
        )


def labels_path(store: Store, run: str, labeller: str, scorer: str) -> Path:
    """Return the path of the file with one labeller's labels of a run's answers for one scorer."""
    return store.root / NOTES / f"{run}-{sha256(canonical_json([labeller, scorer]))[:16]}.jsonl"


def read_labels(store: Store, path: Path) -> Labels:
    """Read labels as far as they are whole; none where nobody labelled."""
    data = store.tree.find_file(path, MOST_NOTE)
    return Labels(path, check_chain(data or b"", KIND))


def list_labels(store: Store, run: str = "") -> Iterator[Labels]:
    """Yield the labels of a store, or of one run."""
    for name in store.tree.list_names(NOTES):
        if name.startswith(run) and name.endswith(".jsonl"):
            yield read_labels(store, store.root / NOTES / name)


def begin_labels(store: Store, path: Path, told: Mapping[str, Any]) -> Labels:
    """Begin a file of labels with its first line, whose fields are `told`, unless it exists; return the labels."""
    with store.lock(LOCK):
        found = _whole(store, path)
        if not found.chain.events:
            store.tree.write_file(path, _line(found.chain, STARTED, told), mode=0o600)
    return read_labels(store, path)


def add_label(store: Store, path: Path, place: RowPlace, label: str, *, instead: bool = False) -> str:
    """Add a label durably; return the other label that the answer has if it is not to be replaced, else nothing.

    Raises InputError once the labels are closed, and for a label that this scorer has no word for.
    """
    with store.lock(LOCK):
        found = _whole(store, path)
        if found.closed:
            raise InputError(
                "these labels are closed: what the scorer says was shown, so no more of them are blind",
                next="label other runs, or have somebody else label this one",
            )
        if label not in found.first.get("labels", ()):
            raise InputError(f"there is no label {label[:40]!a} here", next="choose one of the buttons")
        if (said := found.given.get(place)) is not None and (said == label or not instead):
            return "" if said == label else said
        _append(store, found, LABEL, {"blob": place.blob, "begin": place.begin, "label": label})
    return ""


def close_labels(store: Store, path: Path) -> None:
    """Close a file of labels: the scorer's own labels may be shown from now on, and none can be added."""
    with store.lock(LOCK):
        found = _whole(store, path)
        if not found.given:
            raise InputError("nothing is labelled yet", next="label some answers first")
        if not found.closed:
            _append(store, found, CLOSED, {"labelled": len(found.given)})


def _whole(store: Store, path: Path) -> Labels:
    """Read labels that are to grow; raises DamageError if somebody changed them."""
    found = read_labels(store, path)
    if found.chain.broken:
        raise DamageError(
            f"these labels were changed: {found.chain.broken}",
            where=str(path),
            next="move the file away, and begin anew",
        )
    return found


def _line(chain: Chain[LabelEvent], event: str, told: Mapping[str, Any]) -> bytes:
    fields = {"type": KIND, "event": event, "at": current_time(), "n": len(chain.events), "prev": chain.head}
    return encode_document({**fields, **told}) + b"\n"


def _append(store: Store, found: Labels, event: str, told: Mapping[str, Any]) -> None:
    line, path = _line(found.chain, event, told), found.path
    whole = sum(len(encode_document(dict(one))) + 1 for one in found.chain.events)
    if whole + len(line) > MOST_NOTE:
        raise MissingError("one file holds no more labels", where=str(path), next="label another run")
    handle = store.tree.open_log(path, make=False)
    try:
        os.ftruncate(handle, whole)  # a line that a kill cut short
        with translating_full_disk(path, len(line)):
            append_durable(handle, [line])
    finally:
        os.close(handle)
