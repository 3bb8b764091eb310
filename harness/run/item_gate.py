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

from harness.errors import HarnessError
from harness.manifest.datasets import PRIVATE
from harness.manifest.documents import Intent
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock, load_lock
from harness.run.locking.hub import GATED
from harness.run.scores.table import RunTables, closed_datasets
from harness.run.sealed import sealed_datasets
from harness.store.store import Store

OPEN, SUMMED, SEALED = "open", "summed", "sealed"


@dataclass(frozen=True)
class ItemGate:
    """Decides how much of a run's items an agent may be told: all, only sums, or nothing."""

    tables: RunTables

    @cached_property
    def sealed(self) -> frozenset[str]:
        """The datasets that are hidden from agents, by this run's manifest or by any other of the store.

        Closed data in a run that was limited to some items is sealed, too: the means of two runs whose limits differ
        by one item would tell the score of this item.
        """
        limited = self._closed if self.tables.limit else frozenset()
        return sealed_datasets(self.tables.lock, self.tables.store) | limited

    @cached_property
    def _closed(self) -> frozenset[str]:
        return frozenset(closed_datasets(self.tables))

    def state(self, dataset: str) -> str:
        """Return how much an agent may be told of a dataset: `open`, `summed` or `sealed`."""
        if dataset in self.sealed:
            return SEALED
        return SUMMED if dataset in self._closed else OPEN

    @property
    def shut(self) -> bool:
        """Whether everything that the run asked is sealed, so that an agent is told nothing of it."""
        asked = {place.dataset for place in self.tables.places.values()}
        return bool(asked) and asked <= self.sealed

    def note(self) -> dict[str, str]:
        """Return, for each dataset that is not open, whether it is `summed` or `sealed`; empty if all are open."""
        return {name: self.state(name) for name in sorted(self._closed | self.sealed)}


def holds_back(intent: Intent, lock: Lock | None, store: Store) -> bool:
    """Whether a manifest has private, hidden or gated data, so that error messages must not quote it.

    Data counts as hidden, too, if any manifest of the store hides it.
    """
    said: Mapping[str, Mapping[str, Any]] = intent["datasets"]
    private = any(str(one.get("fetch", "")).startswith(PRIVATE) for one in said.values())
    hidden = any(one.get("hidden") for one in ((intent.get("agents") or {}).get("splits") or {}).values())
    gated = any(pin.get(GATED) for pin in (lock.of("files").values() if lock else ()))
    return private or hidden or gated or bool(lock and sealed_datasets(lock, store))


def keeps_words(loaded: LoadedManifest, store: Store) -> bool:
    """Whether error messages of a manifest must not be told to an agent, because they may quote withheld data."""
    try:
        return holds_back(loaded.manifest.intent(), load_lock(loaded.root, loaded.manifest.name), store)
    except HarnessError:
        return True
