"""The scores of a run, read once, by task, scorer, metric, model, record and run.

Paper mode fills in zeros as the notebooks do (docs/curie.md#paper-averages), strict mode leaves out what A1 leaves out
(docs/curie.md#the-rules-of-strict-mode). Sees no texts of answers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit import graded
from harness.rowtypes import Item, Score
from harness.studies.curie.measures.meta_results import NOT_FINITE
from harness.studies.curie.measures.paper_tables import BOX
from harness.studies.curie.measures.results import VALUE, Column, ItemFacts, MeasureRequest, Run, ScoreCounts
from harness.studies.curie.tasks import PAPER, STRICT

GOLD_INVALID, BAD = "gold_invalid", ("invalid", "missing")  # outcomes
Place = tuple[str, str, str]  # task, scorer, metric
Values = dict[str, dict[str, dict[Run, float]]]  # by model, item and run


class RunScores:
    """All scores of a run in one mode (paper or strict), by task and model."""

    def __init__(self, request: MeasureRequest) -> None:
        self.request = request
        self.items: dict[str, list[str]] = {task: [] for task in request.tasks}  # in the order of records
        self.facts: dict[str, ItemFacts] = {}
        self.counts: dict[tuple[str, str, str], ScoreCounts] = defaultdict(ScoreCounts)  # task, scorer, model
        self._values: dict[Place, Values] = {}
        self._runs: dict[tuple[str, str, str], set[Run]] = defaultdict(set)
        self._unusable: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._met: set[tuple[str, str, str, Run]] = set()

    def add_items(self, items: Iterable[Item]) -> None:
        """Add the items of the requested tasks; others are ignored."""
        for row in items:
            task, meta = row["task"], row["meta"]
            if task in self.items:
                self.facts[row["id"]] = ItemFacts(task, str(meta.get("record", row["id"])), str(meta.get("level", "")))
                self.items[task].append(row["id"])
        for ids in self.items.values():
            ids.sort(key=lambda item: (self.facts[item].record, item))

    def add_score(self, row: Score) -> None:
        """Add one score; a score of another mode or of an ignored item is not counted.

        Raises InputError for a model that the request does not name, and for two scores of one answer by one scorer.
        """
        facts, detail = self.facts.get(row["item"]), row["detail"]
        if facts is None or detail.get("mode", self.request.mode) != self.request.mode:
            return
        scorer, model, run = row["scorer"], row["model"], (row["template"], row["sample"])
        if model not in self.request.everybody:
            raise InputError(f"a score of the model {model[:80]!r}, which is not named", where="models", next="name it")
        if (scorer, row["item"], model, run) in self._met:
            what = f"two scores of one answer to {row['item']} by {scorer}"
            raise InputError(what, where="scores", next="give each scorer another name in each mode")
        self._met.add((scorer, row["item"], model, run))
        self.counts[facts.task, scorer, model].add(row)
        state = graded.state(row)
        if state != graded.ERROR:
            self._runs[facts.task, scorer, model].add(run)
        if row.get("outcome") == GOLD_INVALID:
            self._unusable[facts.task, scorer].add(row["item"])
        elif state not in graded.UNSCORED:
            for metric, value in self._numbers(row):
                place = self._values.setdefault((facts.task, scorer, metric), {})
                place.setdefault(model, {}).setdefault(row["item"], {})[run] = value

    def _numbers(self, row: Score) -> Iterable[tuple[str, float]]:
        strict = self.request.mode == STRICT
        given = {**row["detail"].get("metrics", {}), VALUE: row["value"]}
        if strict and row.get("outcome") in BAD:  # A1: blank and invalid answers are 0 in the primary metric
            given[VALUE] = 0
        for metric, said in given.items():
            value = _number(said)
            if strict and (isinstance(said, str) or (value is not None and not math.isfinite(value))):
                continue
            if value is not None:
                yield metric, value

    def metrics(self, task: str) -> list[tuple[str, str]]:
        """Return scorer and metric of every metric that any model has on a task, sorted."""
        return sorted({(scorer, metric) for name, scorer, metric in self._values if name == task})

    def unusable(self, task: str, scorer: str) -> int:
        """Return the number of records whose right answer a scorer could not use."""
        return len(self._unusable.get((task, scorer), ()))

    def primary(self, task: str, model: str) -> Column:
        """Return a model's values of the primary metric on a task."""
        return self.column(task, self.request.primary[task][0], VALUE, model)

    def column(self, task: str, scorer: str, metric: str, model: str) -> Column:
        """Return a model's values of one metric on one task, as the mode defines them.

        Paper mode: every record for which any model has a value, with 0 if this model lacks it. Values of strategies
        cause no zeros for others, and a strategy has no zeros on a task for which it has no answers. A run with only
        errors, such as one that was never imported, does not count. Strict mode: only existing values; nothing is
        filled in.
        """
        if self.request.mode == PAPER:
            ids = self.items[task]
            return Column(self._filled(task, scorer, metric, model, ids), len(ids))
        left_out = self._unusable.get((task, scorer), set())
        ids = [item for item in self.items[task] if item not in left_out]
        own = self._values.get((task, scorer, metric), {}).get(model, {})
        return Column({item: own[item] for item in ids if item in own}, len(ids))

    def _filled(
        self, task: str, scorer: str, metric: str, model: str, ids: Sequence[str]
    ) -> dict[str, dict[Run, float]]:
        own = self._values.get((task, scorer, metric), {}).get(model, {})
        if model in self.request.strategies and not self._runs.get((task, scorer, model)):
            return {}  # the strategy makes no sense for the task, and was never asked
        kin = self._kin(task, scorer, metric)
        mine = [place[model] for place in kin if model in place]
        if metric in BOX[1:] and not mine:
            return {}  # Table 7 has no entry for a model without any box
        seen = {item for place in kin for name, has in place.items() if name in self.request.models for item in has}
        runs = sorted(self._runs.get((task, scorer, model), ())) or [(0, 0)]
        found: dict[str, dict[Run, float]] = {}
        for item in ids:
            values = dict(own.get(item, {}))
            if item in seen:
                values |= {run: 0.0 for run in runs if not any(run in has.get(item, {}) for has in mine)}
            if values:
                found[item] = values
        return found

    def _kin(self, task: str, scorer: str, metric: str) -> list[Values]:
        """Return the values that keep a metric from being filled in: its own, or those of any box metric (Table 7)."""
        names = BOX if metric in BOX[1:] else (metric,)
        return [self._values[task, scorer, name] for name in names if (task, scorer, name) in self._values]


def _number(said: Any) -> float | None:
    """Read a value of a score: a text that is not a number is 0, as in the notebooks; None for a missing value."""
    if isinstance(said, str):
        return float(said) if said in NOT_FINITE else 0.0
    return float(said) if isinstance(said, int | float) and not isinstance(said, bool) else None


def read(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> RunScores:
    """Read a run's items and scores, as far as a step's parameters ask for them; raises InputError as `RunScores`."""
    found = RunScores(MeasureRequest.of(params))
    found.add_items(rows.read(inputs["items"], Item))
    for row in rows.read(inputs["scores"], Score):
        found.add_score(row)
    return found
