"""The table of scores of a recorded run, read from its stored outputs: by model, dataset, scorer and metric.

It makes nothing and asks nobody. A run's record and the entries of its steps vouch for what it reads; it must never
know a study's words, which it asks the study for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.evidence.record import FINISHED, entry_of_event, read_record
from harness.manifest.lockfile import read_lock
from harness.rowtypes import Item, Response, Score
from harness.run.score_lines import ScoredAnswer, ScoreLine, score_lines
from harness.steps import maker
from harness.store.listed import follow_journal, require_listed
from harness.store.store import Store
from harness.studies.meaning import Meaning
from harness.studies.registry import find
from harness.studies.study import Study

ITEMS, RESPONSES, SCORES = "items", "responses", "scores"
UNANSWERED, NOT_ASKED = "unanswered", "not-asked"  # how the responses of an attempt end where there is no answer
Answer = tuple[str, int, str, int]  # item, wording, model and sample


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one run, line by line, and what their study says of the metrics, by `SCORER[/METRIC]`."""

    run: str
    study: str
    lines: tuple[ScoreLine, ...]
    meanings: Mapping[str, Meaning]

    def told(self) -> tuple[ScoreLine, ...]:
        """Give the lines that a reader is shown first: main metrics, and those of which the study says a meaning."""
        return tuple(line for line in self.lines if not line.metric or line.measure in self.meanings)

    def document(self) -> dict[str, Any]:
        """Give the whole table as plain data at full precision."""
        used = {line.measure for line in self.lines}
        return {
            "run": self.run,
            "study": self.study,
            "scores": [line.document() for line in self.lines],
            "meanings": {name: said.document() for name, said in sorted(self.meanings.items()) if name in used},
        }


def score_table(store: Store, run: str) -> ScoreTable:
    """Read the table of scores of a run that ended; a run without scores, as one of a lock alone, has no lines.

    What the run's attempt did not ask is no part of it. InputError for a run that has not ended, DamageError where
    its record or outputs are not what it made.
    """
    record = read_record(store, run)
    intent = read_lock(store.blobs.read(str(record.body["lock"])), "lock").intent
    study = find(str(intent["study"]))
    answers = _answers(store, run, study) if SCORES in record.outputs else ()
    return ScoreTable(run, study.name, score_lines(answers, study.meanings), study.meanings)


def _answers(store: Store, run: str, study: Study) -> Iterator[ScoredAnswer]:
    record = read_record(store, run)
    datasets, ended = _datasets(store, run), _without_answer(store, record.outputs, record.body)
    for row in _rows(store, record.outputs, SCORES, Score):
        finish = ended.get((row["item"], row["template"], row["model"], row["sample"]), "")
        if finish == NOT_ASKED:
            continue
        if row["item"] not in datasets:
            raise InputError(f"a score of item {row['item']}, which no dataset of the run has", where=run)
        yield ScoredAnswer(datasets[row["item"]], row, study.read_score(row), finish == UNANSWERED)


def _rows(store: Store, outputs: Mapping[str, Mapping[str, Any]], name: str, kind: type[Any]) -> Iterator[Any]:
    return rows.read(store.blobs.deliver(str(outputs[name]["sha256"])), kind)


def _datasets(store: Store, run: str) -> dict[str, str]:
    """Say of each item of a run which dataset it is of, from what the datasets' makers wrote."""
    found: dict[str, str] = {}
    for event in follow_journal(store, require_listed(store, run)).events:
        step = str(event.get("step", ""))
        dataset = step.rpartition("/")[0]
        if event["event"] in FINISHED and step == maker(dataset):
            made = entry_of_event(store, event, run).outputs.get(ITEMS)
            for row in rows.read(store.blobs.deliver(made.sha256), Item) if made else ():
                found[row["id"]] = dataset
    return found


def _without_answer(
    store: Store, outputs: Mapping[str, Mapping[str, Any]], body: Mapping[str, Any]
) -> dict[Answer, str]:
    """Say of responses that an agent did not give, or was not asked for, which of the two; others are not named.

    Only answers that are imported, as those of an attempt are, can lack so.
    """
    if not body.get("imported") or RESPONSES not in outputs:
        return {}
    return {
        (row["item"], row["template"], row["model"], row["sample"]): row["finish"]
        for row in _rows(store, outputs, RESPONSES, Response)
        if row["finish"] in (UNANSWERED, NOT_ASKED)
    }
