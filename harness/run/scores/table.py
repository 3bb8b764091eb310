"""Table of a recorded run's scores, from its items, gold, responses and scores, each read by its digest.

The run's record and the entries of its steps vouch for what is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from harness import rows
from harness.errors import InputError
from harness.evidence.record import FINISHED, Record, entry_of_event, read_record
from harness.kit.meaning import Meaning
from harness.kit.score_lines import ScoredAnswer, ScoreLine, score_lines
from harness.kit.study import Study
from harness.manifest.lockfile import Lock, read_lock
from harness.rowtypes import Item, Response, Score
from harness.steps import maker
from harness.store.entries import Entry
from harness.store.journal import Event
from harness.store.listed import follow_journal, require_listed
from harness.store.store import Store
from harness.studies.registry import find

ITEMS, GOLD, RESPONSES, SCORES = "items", "gold", "responses", "scores"
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class ItemPlace:
    """Where an item belongs: its dataset, and its cluster where items come in clusters."""

    dataset: str
    cluster: str = ""


@dataclass(frozen=True)
class RunTables:
    """The tables of a run that ended."""

    store: Store
    run: str
    record: Record
    lock: Lock

    @classmethod
    def of(cls, store: Store, run: str) -> RunTables:
        """Open the tables of a run; InputError for one that has not ended, DamageError for one that was changed."""
        record = read_record(store, run)
        return cls(store, run, record, read_lock(store.blobs.read(str(record.body["lock"])), "lock"))

    @cached_property
    def study(self) -> Study:
        """The study that the run was of."""
        return find(str(self.lock.intent["study"]))

    @cached_property
    def meanings(self) -> Mapping[str, Meaning]:
        """What the study says of the metrics of this run, by `SCORER[/METRIC]`."""
        return self.study.meanings_of(self.lock.intent.get("settings", {}))

    @property
    def manifest_name(self) -> str:
        """The name of the manifest that was run."""
        return str(self.lock.intent["name"])

    @property
    def limit(self) -> int:
        """How many items of each dataset the run was limited to; 0 where it was not."""
        return int(self.record.body.get("limit", 0))

    def has(self, output: str) -> bool:
        """Whether the run has an output of this name."""
        return output in self.record.outputs

    def rows(self, output: str, kind: type[Kind]) -> Iterator[Kind]:
        """Give the rows of an output, its bytes checked; nothing where the run has none of this name."""
        if self.has(output):
            yield from rows.read(self.store.blobs.deliver(str(self.record.outputs[output]["sha256"])), kind)

    @cached_property
    def finished(self) -> tuple[Event, ...]:
        """The events of the steps that finished, in their order."""
        chain = follow_journal(self.store, require_listed(self.store, self.run))
        return tuple(event for event in chain.events if event["event"] in FINISHED)

    def entry(self, event: Event) -> Entry:
        """Give the entry of a step that finished."""
        return entry_of_event(self.store, event, self.run)

    def made(self, table: str, kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
        """Give the rows of a table that the makers of datasets wrote, such as `items`, each with its dataset."""
        for event in self.finished:
            step = str(event["step"])
            dataset = step.rpartition("/")[0]
            made = self.entry(event).outputs.get(table) if step == maker(dataset) else None
            for row in rows.read(self.store.blobs.deliver(made.sha256), kind) if made else ():
                yield dataset, row

    @cached_property
    def places(self) -> dict[str, ItemPlace]:
        """The dataset and the cluster of each item, by the item's id; people, who are not asked, have no `meta`."""
        return {row["id"]: ItemPlace(name, _cluster(row.get("meta"))) for name, row in self.made(ITEMS, Item)}


def _cluster(meta: Any) -> str:
    said = meta.get("cluster") if isinstance(meta, dict) else None
    return said if isinstance(said, str) else ""


def is_right(value: float, meaning: Meaning | None) -> bool | None:
    """Whether a value lies in the better half of its scale, the middle included; None where nobody says a scale.

    A metric of which the study says nothing counts from 0 to 1 where its value lies there.
    """
    if meaning is None:
        return value >= 0.5 if 0 <= value <= 1 else None
    if meaning.floor is None or meaning.ceiling is None or meaning.direction == "neither":
        return None
    middle = (meaning.floor + meaning.ceiling) / 2
    return value >= middle if meaning.direction == "higher" else value <= middle


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
    return table_of(RunTables.of(store, run))


def table_of(tables: RunTables) -> ScoreTable:
    """Make the table of scores from a run's tables, as `score_table` does."""
    study = tables.study
    return ScoreTable(tables.run, study.name, score_lines(scored_answers(tables), tables.meanings), tables.meanings)


def scored_answers(tables: RunTables) -> Iterator[ScoredAnswer]:
    """Give each score of a run with its dataset, its metrics and whether there was an answer, in the stored order."""
    if not tables.has(SCORES):
        return
    ended, study = _without_answer(tables), tables.study
    for row in tables.rows(SCORES, Score):
        finish = ended.get((row["item"], row["template"], row["model"], row["sample"]), "")
        if finish == NOT_ASKED:
            continue
        place = tables.places.get(row["item"])
        if place is None:
            raise InputError(f"a score of item {row['item']}, which no dataset of the run has", where=tables.run)
        yield ScoredAnswer(place.dataset, row, study.read_score(row), finish == UNANSWERED, place.cluster)


def _without_answer(tables: RunTables) -> dict[Answer, str]:
    """Say of responses that an agent did not give, or was not asked for, which of the two; others are not named.

    Only answers that are imported, as those of an attempt are, can lack so.
    """
    if not tables.record.body.get("imported"):
        return {}
    return {
        (row["item"], row["template"], row["model"], row["sample"]): row["finish"]
        for row in tables.rows(RESPONSES, Response)
        if row["finish"] in (UNANSWERED, NOT_ASKED)
    }
