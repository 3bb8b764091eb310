"""Input of the measures: the request, counts of scores, and columns of values.

Handles names and numbers, no texts of answers and no rules. Does not read files.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.kit import graded
from harness.rowtypes import Score
from harness.studies.curie.measures.meta_results import mean
from harness.studies.curie.tasks import AVERAGED, MODES, TASKS

VALUE = "value"  # name of a scorer's own primary metric, beside the names in its `metrics`
DISTANCES = ("normalized_distance_error", "relative_box_size", "log_relative_size")  # heavy tails: see `cells`
COUNTED = ("judge_errors", "set_aside", "unread")  # integers in a score's detail that are summed
Run = tuple[int, int]  # one wording and one sample; a model may answer a record in several runs


class ItemFacts(NamedTuple):
    """What analyses need of an item: its task, difficulty level and record."""

    task: str
    record: str
    level: str  # easy, medium, hard, or empty


@dataclass(frozen=True)
class MeasureRequest:
    """What an analysis covers: mode, tasks with their primary metrics, models, and baseline strategies."""

    mode: str
    tasks: tuple[str, ...]
    primary: Mapping[str, tuple[str, str]]
    models: tuple[str, ...]
    strategies: tuple[str, ...]
    averaged: tuple[str, ...]

    @staticmethod
    def of(params: Mapping[str, Any]) -> MeasureRequest:
        """Return what an analysis covers, from the parameters of its step.

        Raises InputError for another mode, an unknown task, and a task without a primary scorer and metric.
        """
        if params["mode"] not in MODES:
            raise InputError(f"the mode {params['mode']!r}", where="mode", next=f"write {' or '.join(MODES)}")
        tasks = tuple(params["tasks"])
        if strange := [task for task in tasks if task not in TASKS]:
            raise InputError(f"there is no task {strange[0]!r}", where="tasks", next=f"name some of {', '.join(TASKS)}")
        if lacking := [task for task in tasks if len(params["primary"].get(task, ())) != 2]:
            what = f"the task {lacking[0]} has no primary scorer and metric"
            raise InputError(what, where="primary", next="name both")
        return MeasureRequest(
            params["mode"],
            tasks,
            {task: tuple(params["primary"][task]) for task in tasks},
            tuple(params["models"]),
            tuple(params.get("strategies", ())),
            tuple(params.get("averaged", AVERAGED)),
        )

    @property
    def everybody(self) -> tuple[str, ...]:
        """The names of the models, then those of the baseline strategies."""
        return (*self.models, *self.strategies)


@dataclass
class ScoreCounts:
    """Counts of one model's scores by one scorer: by state (scored, error, ...) and by outcome."""

    states: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)  # fields of a score's detail that are true
    sums: Counter[str] = field(default_factory=Counter)

    def add(self, row: Score) -> None:
        """Count one score."""
        self.states[graded.state(row)] += 1
        if "outcome" in row:
            self.outcomes[row["outcome"]] += 1
        for name, said in row["detail"].items():
            if said is True:
                self.flags[name] += 1
            elif name in COUNTED and isinstance(said, int):
                self.sums[name] += said

    def document(self) -> dict[str, Any]:
        """Return the counts as plain data: all states, and the outcomes that occurred."""
        found: dict[str, Any] = {name: self.states[name] for name in graded.STATES}
        parts = {"outcomes": self.outcomes, "flags": self.flags, "sums": self.sums}
        return {**found, **{name: dict(sorted(part.items())) for name, part in parts.items() if part}}


@dataclass(frozen=True)
class Column:
    """One metric of one model on one task: each record's value in each run, and how many records there are."""

    values: Mapping[str, Mapping[Run, float]]  # by item; NaN and infinities are possible in paper mode
    total: int

    def by_record(self) -> dict[str, float]:
        """Return each record's mean over runs, ignoring NaN; a record with NaN only is left out."""
        found = {item: mean(runs.values()) for item, runs in self.values.items()}
        return {item: value for item, value in found.items() if not math.isnan(value)}

    def by_run(self) -> list[float]:
        """Return each run's mean over records, in the order of wordings and samples; runs with NaN only are skipped."""
        whole: dict[Run, list[float]] = defaultdict(list)
        for runs in self.values.values():
            for run, value in runs.items():
                whole[run].append(value)
        means = (mean(whole[run]) for run in sorted(whole))
        return [value for value in means if not math.isnan(value)]
