"""The table of scores of a recorded run, read from its stored outputs: by model, dataset, scorer and metric.

It makes nothing and asks nobody. A run's record and the entries of its steps vouch for what it reads; it must never
know a study's words, which it asks the study for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.rowtypes import Response, Score
from harness.run.run_tables import RESPONSES, SCORES, RunTables
from harness.store.store import Store
from harness.studies.meaning import Meaning
from harness.studies.score_lines import ScoredAnswer, ScoreLine, score_lines

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
