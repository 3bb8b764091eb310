"""Marks of hidden data in a store: what any manifest hides from agents is hidden for all that share the store.

A mark holds digests alone, of files and of rows. It must never know a question or an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.digest import document, parse, sha256
from harness.errors import DamageError
from harness.store.reader import MOST_LOG
from harness.store.store import Store

FOLDER, KIND, ENDING = "hidden", "hidden/1", ".json"


@dataclass(frozen=True)
class SplitData:
    """Data of a split of a manifest: digests of the files that it is made from, and of what its items ask."""

    name: str  # of the manifest
    split: str
    files: frozenset[str]
    rows: frozenset[str] = frozenset()

    def shares(self, other: SplitData) -> bool:
        """Whether a file, or the question of an item, is in both."""
        return not (self.files.isdisjoint(other.files) and self.rows.isdisjoint(other.rows))


def mark_hidden(store: Store, data: SplitData) -> None:
    """Mark the data of a split as hidden, for good: a mark is never taken back."""
    said = document(
        {"type": KIND, "name": data.name, "split": data.split, "files": sorted(data.files), "rows": sorted(data.rows)}
    )
    place = f"{FOLDER}/{sha256(said)}{ENDING}"
    if not store.tree.is_file(place):
        store.tree.make_folder(FOLDER)
        store.tree.write_file(place, said, mode=0o600)


def hidden_data(store: Store) -> Iterator[SplitData]:
    """Read what is hidden in a store; DamageError for a mark that is not what its name says."""
    for name in store.tree.list_names(FOLDER):
        place = f"{FOLDER}/{name}"
        said = store.tree.read_file(place, MOST_LOG)
        if f"{sha256(said)}{ENDING}" != name:
            raise DamageError(
                "this mark of hidden data was changed", where=f"{store.root}/{place}",
                next="delete it and `harness lock` the manifests that hide data again, before agents are served",
            )  # fmt: skip
        mark = parse(said, KIND, place)
        yield SplitData(str(mark["name"]), str(mark["split"]), frozenset(mark["files"]), frozenset(mark["rows"]))
