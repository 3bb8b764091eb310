"""The gate between recorded runs and agents: which datasets of a run are shown, summed up only, or not at all.

For a dataset there are three answers. `open`: ids and scores of its items are shown. `summed`: it is gated or private,
so only means over all of it are. `sealed`: the store hides it from agents, so nothing that was measured on it is told.
Words of prompts, answers and right answers never pass here, whatever the dataset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.manifest.datasets import PRIVATE
from harness.manifest.documents import Intent
from harness.manifest.lockfile import Lock
from harness.run.locking.hub import GATED
from harness.run.scores.table import RunTables, closed_datasets
from harness.store.attempts import hidden_data
from harness.store.store import Store

OPEN, SUMMED, SEALED = "open", "summed", "sealed"


@dataclass(frozen=True)
class ItemGate:
    """Decides what an agent may be told of the items of one run that ended."""

    tables: RunTables

    @cached_property
    def sealed(self) -> frozenset[str]:
        """The datasets that are hidden from agents, by this run's manifest or by any other of the store.

        Closed data in a run that was limited to some items is sealed, too: the means of two runs whose limits differ
        by one item would tell the score of this item.
        """
        limited = self._closed if self.tables.limit else frozenset()
        return sealed_datasets(self.tables.lock.intent, self.tables.store) | limited

    @cached_property
    def _closed(self) -> frozenset[str]:
        return frozenset(closed_datasets(self.tables))

    def state(self, dataset: str) -> str:
        """Return how much is told of a dataset: open, summed or sealed."""
        if dataset in self.sealed:
            return SEALED
        return SUMMED if dataset in self._closed else OPEN

    @property
    def shut(self) -> bool:
        """Whether everything that the run asked is sealed."""
        asked = {place.dataset for place in self.tables.places.values()}
        return bool(asked) and asked <= self.sealed

    def note(self) -> dict[str, str]:
        """Return, for each dataset that is not open, how much is told of it; empty if all are."""
        return {name: self.state(name) for name in sorted(self._closed | self.sealed)}


def sealed_datasets(intent: Mapping[str, Any], store: Store) -> frozenset[str]:
    """Return the datasets of a manifest or of a lock that a split of it, or of the store, hides from agents."""
    said: Mapping[str, Mapping[str, Any]] = intent["datasets"]
    found = set[str]()
    for one in ((intent.get("agents") or {}).get("splits") or {}).values():
        if one.get("hidden"):
            found |= set(one.get("datasets") or [name for name, made in said.items() if "fetch" not in made])
    hidden = set[str]().union(*(mark.files for mark in hidden_data(store)))
    kept = {name for name, one in said.items() if str(one.get("sha256")) in hidden}
    found |= {name for name, one in said.items() if name in kept or _names(one) & kept}
    return frozenset(found)


def kept_datasets(tables: RunTables) -> dict[str, str]:
    """Return the datasets of a run whose items nobody is shown, with the reason: also those that the store hides."""
    sealed = sealed_datasets(tables.lock.intent, tables.store)
    return dict.fromkeys(sealed, "it is hidden from agents, who may read a screen") | closed_datasets(tables)


def holds_back(intent: Intent, lock: Lock | None) -> bool:
    """Whether a manifest has data that is private, hidden or gated, so that words of its errors are not told."""
    said: Mapping[str, Mapping[str, Any]] = intent["datasets"]
    private = any(str(one.get("fetch", "")).startswith(PRIVATE) for one in said.values())
    hidden = any(one.get("hidden") for one in ((intent.get("agents") or {}).get("splits") or {}).values())
    return private or hidden or any(pin.get(GATED) for pin in (lock.of("files").values() if lock else ()))


def _names(said: Mapping[str, Any]) -> set[str]:
    """Return the texts in what a manifest says of a dataset; the names of other datasets are among them."""
    found = set[str]()
    for value in said.values():
        values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
        found |= {each for each in values if isinstance(each, str)}
    return found
