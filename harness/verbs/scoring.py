"""The verb `scores`: the table of scores of recorded runs as data, with intervals, certificates and costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from harness.run.scores.report import ScoreReport, score_report
from harness.store.store import Store
from harness.studies.score_lines import ScoreLine, measure
from harness.verbs.project import Project, Request, Result

RUN = "A run id, a prefix of one, `last`, a path to a record, or a manifest, whose newest run is meant."


class ScoresRequest(Request):
    """Request of `scores`: of which runs."""

    runs: Sequence[str] = Field(min_length=1, description=RUN)


class ScoreLineData(Result):
    """One line of a table of scores: a metric's mean with its interval, what is left out of it, and what it took."""

    model: str
    dataset: str
    scorer: str
    metric: str  # "" is the scorer's main one
    n: int  # answers that the value is a mean of
    items: int
    value: float | None = None
    interval: list[float] | None = None
    by: str = ""  # how the interval was found
    no_interval: str = ""  # why there is none
    clusters: int = 0  # of the items, where they come in such
    errors: int
    unanswered: int  # asked of an agent, which gave no answer
    missing: int  # answers that the metric has no value of
    at_worst: float | None = None  # the value if all errors and unanswered ones had the metric's worst
    certificate: str = ""  # of a grader: certified | void | uncertified
    certificate_text: str = ""
    refused: int = 0  # by the model's provider; these and what follows count all answers of the model to the dataset
    tokens: dict[str, int] = Field(default_factory=dict)  # prompt, completion
    dollars: str = ""  # what these tokens cost at the manifest's prices
    seconds: float | None = None  # of the steps that this run executed
    stored: bool = False  # all answers were in the store

    @property
    def measure(self) -> str:
        """Scorer and metric as one name."""
        return measure(self.scorer, self.metric)


class ScoredRunData(Result):
    """The scores of one run, and what its study says of the metrics."""

    run: str
    manifest: str
    study: str
    scores: list[ScoreLineData]
    meanings: dict[str, dict[str, Any]]
    spent: dict[str, str] = Field(default_factory=dict)  # dollars that this run spent, by model
    stand_ins: dict[str, bool] = Field(default_factory=dict)  # what is no model: whether it was shown the right answers
    limit: int = 0  # items of each dataset that it was limited to; 0: it was not


class ScoresResult(Result):
    """Result of `scores`: the runs in the order in which they were named."""

    runs: list[ScoredRunData]


def scores(project: Project, asked: ScoresRequest) -> ScoresResult:
    """Read the tables of scores of recorded runs; a run that has not ended, or was changed, raises an error."""
    found = []
    for name in asked.runs:
        store, run = project.run(name)
        report = score_report(store, run)
        said = report.table.document()
        fields: dict[str, Any] = {"spent": dict(report.spent)} if report.spent else {}
        fields |= {"limit": report.limit} if report.limit else {}
        fields |= {"stand_ins": dict(report.stand_ins)} if report.stand_ins else {}
        one = ScoredRunData(
            run=run, manifest=report.manifest, study=report.table.study, meanings=said["meanings"],
            scores=_line_data(report, report.table.lines), **fields,
        )  # fmt: skip
        found.append(one)
    return ScoresResult(runs=found)


def first_scores(store: Store, run: str) -> dict[str, Any]:
    """Give the lines of a run's table of scores that are told first, and count the others: fields of a run's data."""
    report = score_report(store, run)
    first = report.first()
    found: dict[str, Any] = {"scores": _line_data(report, first)} if first else {}
    more = len(report.table.lines) - len(first)
    return found | ({"more_scores": more} if more else {})


def _line_data(report: ScoreReport, lines: Sequence[ScoreLine]) -> list[ScoreLineData]:
    return [ScoreLineData(**found) for found in report.documents(lines)]
