"""What of a recorded run is withheld: from agents, and from those to whom its evidence is handed over.

For agents there are three answers about a dataset. `open`: ids and scores of its items are shown. `summed`: it is gated
or private, so only means over all of it are. `sealed`: the store hides it from agents, so nothing that was measured on
it is told. Words of prompts, answers and right answers never pass here, whatever the dataset.

Weights are not handed over with evidence. Of gated, private and hidden data (`scores/table.py` says which datasets are)
nothing that a step read or made is handed over, but what the study sums the run up in. The digests stay in keys,
entries and journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.errors import HarnessError, InputError
from harness.kit.further import SummedUp
from harness.manifest.datasets import PRIVATE
from harness.manifest.documents import Intent
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock, load_lock
from harness.run.locking.hub import GATED
from harness.run.locking.models import INSTRUMENTS, MODELS
from harness.run.scores.table import RunTables, closed_datasets
from harness.run.sealed import sealed_datasets
from harness.steps import maker_step_name
from harness.store.attempts import ATTEMPT_ID, attempt_of_run
from harness.store.store import Entry, Store, follow_journal, list_runs
from harness.store.sweep import find_digests

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


WORDS = ("text", "error", "detail")  # fields of a journal's lines with words that steps wrote


def withheld_blobs(tables: RunTables, *, weights: bool = True) -> dict[str, str]:
    """Return the blobs of a run that a bundle must not hold, such as private data, each with the reason."""
    found: dict[str, str] = {}
    for part in (MODELS, INSTRUMENTS) if weights else ():
        for name, pin in tables.lock.of(part).items():
            found |= dict.fromkeys(map(str, pin.get("files", {}).values()), f"weights and files of the model {name}")
    for name, why in sorted(closed_datasets(tables).items()):
        found |= dict.fromkeys(_derived(tables, name), f"data of {name}: {why}")
    return found


def require_no_words(store: Store, runs: Iterable[str], *, with_logs: bool) -> None:
    """Raise InputError if logs that a bundle would hold may repeat data that it must not hold.

    The transcript of an attempt does. A journal may, if steps wrote words into it, unless `with_logs`. Of a run that
    never ended it is not known what its data are, so its words count as such.
    """
    known = list_runs(store)
    for run in sorted(runs):
        closed = (
            sorted(closed_datasets(RunTables.of(store, run))) if known[run].ended else ["data of a run without end"]
        )
        if not closed:
            continue
        if ATTEMPT_ID.fullmatch(attempt_of_run(run)):
            raise InputError(
                f"the transcript of attempt {run} holds answers to {closed[0]!r}, whose items are not shown",
                where=run,
                next="hand over the store to somebody who may see them",
            )
        chain = follow_journal(store, known[run])
        told = next((one for one in chain.events if any(one.get(name) for name in WORDS)), None)
        if told and not with_logs:
            raise InputError(
                f"the journal of run {run} holds words of step {told.get('step')}, which may repeat items of "
                f"{closed[0]!r}",
                where=f"{run}, line {told['n'] + 1}",
                next="read them with `harness runs RUN`; --with-logs hands them over all the same",
            )


def _derived(tables: RunTables, dataset: str) -> set[str]:
    """Return the digests of a dataset's files, and of all that steps made from them, but the study's summary.

    What no step made and is read beside such data, as imported answers to its items are, is withheld like them.
    """
    found = find_digests(dict(tables.lock.pins["datasets"].get(dataset, {})))
    found |= find_digests(dict(tables.lock.of("files").get(dataset, {})))
    made = {out.sha256 for _, entry in _entries(tables) for out in entry.outputs.values()}
    for step, entry in _entries(tables):
        inputs = find_digests(dict(entry.preimage["inputs"]))
        if step == maker_step_name(dataset) or inputs & found:
            found |= {out.sha256 for out in entry.outputs.values()} | (inputs - made)
    return found - {str(tables.record.outputs[one]["sha256"]) for one in _summaries(tables)}


def _entries(tables: RunTables) -> Iterator[tuple[str, Entry]]:
    """Yield the finished steps, each after those whose outputs it read."""
    for event in tables.finished:
        yield str(event["step"]), tables.entry(event)


def _summaries(tables: RunTables) -> Iterator[str]:
    study = tables.study
    if isinstance(study, SummedUp) and tables.has(study.summary_output):
        yield study.summary_output
