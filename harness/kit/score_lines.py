"""The lines of a table of scores: the mean of each metric of each scorer, by model and dataset, with its interval.

An answer whose scorer, judge or model failed is counted and not scored. An answer that an agent never gave is counted
separately. The functions are pure and take score rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from harness import stats
from harness.kit import graded
from harness.kit.meaning import MAIN, Meaning
from harness.kit.score_intervals import MetricColumn, ScoreInterval, intervals_of
from harness.rowtypes import Score

Place = tuple[str, str, str]  # model, dataset, scorer


class ScoreLineRow(TypedDict):
    """A `ScoreLine` as plain data at full precision; a value that is None is left out."""

    model: str
    dataset: str
    scorer: str
    metric: str
    n: int
    items: int
    value: NotRequired[float]
    interval: NotRequired[list[float]]
    by: NotRequired[str]  # how the interval was computed
    no_interval: NotRequired[str]  # why there is none
    clusters: NotRequired[int]
    errors: int
    unanswered: int
    missing: int
    at_worst: NotRequired[float]


@dataclass(frozen=True)
class ScoreLine:
    """One line of a table of scores: a metric's mean over its answers, and the counts of answers left out of it."""

    model: str
    dataset: str
    scorer: str
    metric: str  # "" for the scorer's main metric
    n: int  # answers in the mean
    items: int  # different items among these answers
    value: float | None
    interval: ScoreInterval
    errors: int  # answers that failed, or whose judgement failed
    unanswered: int  # questions to an agent without an answer
    missing: int  # further answers for which the metric has no value
    at_worst: float | None = None  # the value if all errors and unanswered questions had the metric's worst value

    @property
    def name(self) -> str:
        """The name in scores of one model: `DATASET/SCORER`, followed by `/METRIC` unless it is the main metric."""
        return f"{self.dataset}/{self.measure}"

    @property
    def measure(self) -> str:
        """The scorer and metric as one name, as a study's meanings of metrics are keyed."""
        return measure(self.scorer, self.metric)

    def document(self) -> ScoreLineRow:
        """Return the line as plain data at full precision; fields that are None are left out."""
        found: ScoreLineRow = {
            "model": self.model,
            "dataset": self.dataset,
            "scorer": self.scorer,
            "metric": self.metric,
            "n": self.n,
            "items": self.items,
            "errors": self.errors,
            "unanswered": self.unanswered,
            "missing": self.missing,
        }
        if self.value is not None:
            found["value"] = self.value
        if self.interval.ends:
            found["interval"], found["by"] = [*self.interval.ends], self.interval.by
        else:
            found["no_interval"] = self.interval.why
        if self.interval.clusters:
            found["clusters"] = self.interval.clusters
        if self.at_worst is not None:
            found["at_worst"] = self.at_worst
        return found


@dataclass(frozen=True)
class ScoredAnswer:
    """One score of an answer with its dataset and metrics, and whether an answer was given at all."""

    dataset: str
    row: Score
    metrics: Mapping[str, Any]
    unanswered: bool = False
    cluster: str = ""  # the item's cluster, if items come in clusters


@dataclass
class _Group:
    """Answers of one model to one dataset by one scorer: their number, and the numbers of each metric by item."""

    answers: int = 0
    errors: int = 0
    unanswered: int = 0
    failed_scored: int = 0  # errors that have a value because a paper assigns one
    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    clusters: dict[str, str] = field(default_factory=dict)  # by item

    def add(self, answer: ScoredAnswer) -> None:
        """Count one answer and store its numbers."""
        self.answers += 1
        if answer.cluster:
            self.clusters[answer.row["item"]] = answer.cluster
        for metric in answer.metrics:
            self.values.setdefault(metric, {})
        failed = graded.state(answer.row) in graded.UNSCORED
        if answer.unanswered:
            self.unanswered += 1
            return
        self.errors += failed
        numbers = {metric: value for metric, said in answer.metrics.items() if (value := number(said)) is not None}
        self.failed_scored += failed and MAIN in numbers
        for metric, value in numbers.items():
            self.values[metric].setdefault(answer.row["item"], []).append(value)


def measure(scorer: str, metric: str) -> str:
    """Join a scorer's and a metric's name with `/`; the main metric adds nothing."""
    return f"{scorer}/{metric}" if metric else scorer


def number(said: Any) -> float | None:
    """Return a metric as a finite number; None if it is missing, a text such as `nan`, or too large to be summed."""
    return float(said) if stats.is_number(said) and math.isfinite(said) else None


def score_lines(answers: Iterable[ScoredAnswer], meanings: Mapping[str, Meaning]) -> tuple[ScoreLine, ...]:
    """Return the table of mean scores: a line for each model, dataset, scorer and metric, sorted by these names.

    A metric without any number has a line without a value, so that its errors are shown.
    """
    groups: dict[Place, _Group] = {}
    for answer in answers:
        place = (answer.row["model"], answer.dataset, answer.row["scorer"])
        groups.setdefault(place, _Group()).add(answer)
    places = [(place, metric) for place in sorted(groups) for metric in _metrics(groups[place])]
    columns = [_column(place, metric, groups[place], meanings) for place, metric in places]
    found = zip(places, columns, intervals_of(columns), strict=True)
    return tuple(
        _line(place, metric, groups[place], column, interval, meanings) for (place, metric), column, interval in found
    )


def _metrics(group: _Group) -> Iterator[str]:
    group.values.setdefault(MAIN, {})
    yield from sorted(group.values)  # the main metric, whose name is empty, comes first


def _column(place: Place, metric: str, group: _Group, meanings: Mapping[str, Meaning]) -> MetricColumn:
    meaning = meanings.get(measure(place[2], metric))
    bounds = (meaning.floor, meaning.ceiling) if meaning else None
    return MetricColumn(place[1], group.values[metric], bounds, group.clusters)


def _line(
    place: Place,
    metric: str,
    group: _Group,
    column: MetricColumn,
    interval: ScoreInterval,
    meanings: Mapping[str, Meaning],
) -> ScoreLine:
    lacking = group.unanswered + group.errors - group.failed_scored
    line = ScoreLine(
        *place,
        metric,
        column.n,
        len(column.by_item),
        column.mean(),
        interval,
        group.errors,
        group.unanswered,
        group.answers - lacking - column.n,
    )
    worst = _worst(meanings.get(line.measure))
    if worst is None or not lacking:
        return line
    total = math.fsum([*column.values(), *[worst] * lacking])
    return ScoreLine(**{**vars(line), "at_worst": total / (column.n + lacking)})


def _worst(meaning: Meaning | None) -> float | None:
    """Return a metric's worst value, if its study defines which direction is better and the bound."""
    if meaning is None:
        return None
    return {"higher": meaning.floor, "lower": meaning.ceiling, "neither": None}[meaning.direction]
