"""What of a run is not handed over with its evidence: weights, and the data that its owners keep.

Of gated, private and hidden data (`scores/table.py` says which datasets are) nothing that a step read or made is handed
over, but what the study sums the run up in. The digests stay in keys, entries and journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.errors import InputError
from harness.kit.further import SummedUp
from harness.run.locking.models import INSTRUMENTS, MODELS
from harness.run.scores.table import RunTables, closed_datasets
from harness.steps import maker_step_name
from harness.store.attempts import ATTEMPT_ID, attempt_of_run
from harness.store.store import Entry, Store, follow_journal, list_runs
from harness.store.sweep import find_digests

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
