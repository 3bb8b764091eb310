"""The verbs `scores`, `compare` and `show --items`: scores of recorded runs as data.

A table of scores with intervals, certificates and costs; models or runs side by side, by paired differences; and
answers with their items, right answers and scores, a page at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from harness.errors import InputError
from harness.evidence.record import spell_healed
from harness.kit.score_lines import ScoreLine, measure, number
from harness.rowtypes import Score
from harness.run.scores.compare import ComparedLine, MovedItem, Side, compare_scores
from harness.run.scores.report import ScoreReport, score_report
from harness.run.scores.table import (
    SCORES,
    AnswerFilter,
    RunTables,
    ShownAnswer,
    require_showable,
    scored_answers,
    selected,
    shown,
)
from harness.store.store import Store
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
            run=run,
            manifest=report.manifest,
            study=report.table.study,
            meanings=said["meanings"],
            scores=_line_data(report, report.table.lines),
            **fields,
        )
        found.append(one)
    return ScoresResult(runs=found)


def first_scores(store: Store, run: str) -> dict[str, Any]:
    """Return the first lines of a run's table of scores (`scores`), and how many more there are (`more_scores`)."""
    report = score_report(store, run)
    first = report.first()
    found: dict[str, Any] = {"scores": _line_data(report, first)} if first else {}
    more = len(report.table.lines) - len(first)
    return found | ({"more_scores": more} if more else {})


def _line_data(report: ScoreReport, lines: Sequence[ScoreLine]) -> list[ScoreLineData]:
    return [ScoreLineData(**found) for found in report.documents(lines)]


class CompareRequest(Request):
    """Request of `compare`: one run or two, two models if they are named, and how many items are listed."""

    runs: Sequence[str] = Field(min_length=1, max_length=2, description=RUN)
    models: Sequence[str] = Field(
        default=(), max_length=2, description="Two models: the first of the first run, the second of the last."
    )
    items: int = Field(default=10, ge=0, description="How many items that moved are listed; 0: all.")


class ComparedLineData(Result):
    """One metric of two sides: both means over the same pairs, their difference, its interval and a test."""

    left: str  # the model
    right: str
    dataset: str
    scorer: str
    metric: str
    n: int  # pairs: an item in a wording, the mean over its samples
    units: int  # items, or clusters of items, which are drawn whole
    unpaired: int
    left_value: float | None
    right_value: float | None
    difference: float | None  # right less left
    interval: list[float] | None = None
    no_interval: str = ""
    p: float | None = None
    p_holm: float | None = None  # corrected over all lines by Holm's method
    test: str = ""  # mcnemar | sign-flip
    left_better: int | None = None
    right_better: int | None = None

    @property
    def measure(self) -> str:
        """Scorer and metric as one name."""
        return measure(self.scorer, self.metric)


class MovedItemData(Result):
    """One item in one wording to which the scores of the two sides differ."""

    left: str
    right: str
    dataset: str
    scorer: str
    item: str
    template: int
    left_value: float
    right_value: float
    changed: bool  # right by one side, and wrong by the other


class CompareResult(Result):
    """Result of `compare`: the runs, a line a metric, the items that moved, and what must be said of the comparison."""

    left_run: str
    right_run: str
    lines: list[ComparedLineData]
    items: list[MovedItemData]
    changed: int  # items in a wording that changed sides, by scorer, in all
    moved: int  # all that moved
    remarks: list[str]
    left_limit: int = 0  # items of each dataset that the left run was limited to; 0: it was not
    right_limit: int = 0


def compare(project: Project, asked: CompareRequest) -> CompareResult:
    """Compare two models of a run, or of two runs, on the items that both have; asks nobody and makes nothing."""
    tables = [RunTables.of(*project.run(name)) for name in asked.runs]
    left, right = tables[0], tables[-1]
    found = compare_scores(_pairs(left, right, asked.models))
    if not found.lines:
        raise InputError(
            "these have no score of the same item by the same scorer in common",
            where=f"{left.run} and {right.run}",
            next="`harness scores RUN RUN` shows what each of them has",
        )
    shown = found.moved[: asked.items or None]
    return CompareResult(
        left_run=left.run,
        right_run=right.run,
        lines=[_line(line) for line in found.lines],
        items=[_item(one) for one in shown],
        changed=sum(one.changed for one in found.moved),
        moved=len(found.moved),
        remarks=list(found.remarks),
        **_limits(left, right),
    )


def _limits(left: RunTables, right: RunTables) -> dict[str, int]:
    """Say which of the runs were limited, and to how many items."""
    said = {"left_limit": left.limit, "right_limit": right.limit}
    return {side: limit for side, limit in said.items() if limit}


def _pairs(left: RunTables, right: RunTables, named: Sequence[str]) -> list[tuple[Side, Side]]:
    """Choose which model is compared with which: those that are named, else those of one name, else the only ones."""
    models = [_models(tables) for tables in (left, right)]
    if named:
        if len(named) != 2:
            raise InputError("two models are compared", where=f"--models {named[0]}", next="name two: --models A B")
        for name, known in zip(named, models, strict=True):
            if name not in known:
                raise InputError(f"no model {name!r} has scores", where="--models", next=f"choose of: {_list(known)}")
        return [(Side(left, named[0]), Side(right, named[1]))]
    if left.run == right.run:
        if len(models[0]) != 2:
            raise InputError(
                f"the run has scores of {len(models[0])} models",
                where=left.run,
                next=f"name two with --models A B, of: {_list(models[0])}",
            )
        return [(Side(left, models[0][0]), Side(right, models[0][1]))]
    if both := [name for name in models[0] if name in models[1]]:
        return [(Side(left, name), Side(right, name)) for name in both]
    if len(models[0]) == len(models[1]) == 1:
        return [(Side(left, models[0][0]), Side(right, models[1][0]))]
    raise InputError(
        "no model stands in both runs",
        where=f"{left.run} and {right.run}",
        next=f"name two with --models A B: one of {_list(models[0])}; and one of {_list(models[1])}",
    )


def _models(tables: RunTables) -> list[str]:
    """List the models that have scores."""
    found = sorted({answer.row["model"] for answer in scored_answers(tables)}) if tables.has(SCORES) else []
    if not found:
        raise InputError("this run has no scores", where=tables.run, next="name a run that scored answers")
    return found


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def _line(line: ComparedLine) -> ComparedLineData:
    paired, fields = line.paired, dict[str, Any]()
    if paired.interval.ends:
        fields["interval"] = list(paired.interval.ends)
    else:
        fields["no_interval"] = paired.interval.why
    if paired.p is not None:
        fields |= {"p": paired.p, "p_holm": line.p_holm, "test": paired.test}
    if line.better:
        fields |= dict(zip(("left_better", "right_better"), line.better, strict=True))
    return ComparedLineData(
        left=line.models[0],
        right=line.models[1],
        dataset=line.of.dataset,
        scorer=line.of.scorer,
        metric=line.of.metric,
        n=paired.n,
        units=paired.units,
        unpaired=line.unpaired,
        left_value=paired.left,
        right_value=paired.right,
        difference=paired.difference,
        **fields,
    )


def _item(one: MovedItem) -> MovedItemData:
    return MovedItemData(
        left=one.models[0],
        right=one.models[1],
        dataset=one.of.dataset,
        scorer=one.of.scorer,
        item=one.item,
        template=one.template,
        left_value=one.left,
        right_value=one.right,
        changed=one.changed,
    )


PAGE = 10  # answers


class ShowItemsRequest(Request):
    """Request of `show --items`: which run, which of its answers, and which page of them."""

    run: str = Field(description=RUN)
    model: str = Field(default="", description="Only answers of this model.")
    dataset: str = Field(default="", description="Only items of this dataset.")
    scorer: str = Field(default="", description="Only scores by this scorer.")
    item: str = Field(default="", description="Only this item.")
    wrong: bool = Field(default=False, description="Only answers that failed, or are wrong by a scorer shown.")
    page: int = Field(default=1, ge=1, description=f"Which page, of {PAGE} answers.")


class ShownScore(Result):
    """One scorer's score of an answer: its value, or why there is none, and what the scorer wrote beside it."""

    scorer: str
    value: float | str | None
    missing: str = ""
    outcome: str = ""
    detail: dict[str, Any]


class ShownAnswerData(Result):
    """One answer with its item, the right answer, and its scores."""

    item: str
    dataset: str
    model: str
    template: int
    sample: int
    input: dict[str, Any]
    options: dict[str, str] = Field(default_factory=dict)
    gold: dict[str, Any]
    answer: str | None = None  # none where nothing was answered, as where likelihoods are measured
    finish: str = ""
    error: str = ""
    scores: list[ShownScore]


class ShowItemsResult(Result):
    """Result of `show --items`: one page of answers, and how many there are."""

    run: str
    manifest: str
    page: int
    pages: int
    total: int  # answers that were asked for
    answers: list[ShownAnswerData]
    healed: dict[str, int] = Field(default_factory=dict)  # damage of the store that the run met and made anew
    limit: int = 0  # items of each dataset that the run was limited to; 0: it was not

    @property
    def healed_text(self) -> str:
        """What damage of its store the run met and made anew; empty where it met none."""
        return spell_healed(self.healed)


def show_items(project: Project, asked: ShowItemsRequest) -> ShowItemsResult:
    """Show answers of a run beside their items and gold; refused for gated and private data, and hidden splits."""
    tables = RunTables.of(*project.run(asked.run))
    if not tables.has(SCORES):
        raise InputError("this run has no scores", where=tables.run, next="name a run that scored answers")
    require_showable(tables, asked.dataset or _dataset(tables, asked.item))
    wanted = AnswerFilter(asked.model, asked.dataset, asked.scorer, asked.item, asked.wrong)
    found = selected(tables, wanted)
    pages = max(1, -(-len(found) // PAGE))
    if asked.page > pages:
        raise InputError(f"there is no page {asked.page}", where="--page", next=f"the last one is {pages}")
    page = shown(tables, found[(asked.page - 1) * PAGE : asked.page * PAGE], asked.scorer)
    return ShowItemsResult(
        run=tables.run,
        manifest=tables.manifest_name,
        page=asked.page,
        pages=pages,
        total=len(found),
        answers=[_answer(one) for one in page],
        **_remarks(tables),
    )


def _remarks(tables: RunTables) -> dict[str, Any]:
    found: dict[str, Any] = {"limit": tables.limit} if tables.limit else {}
    return found | ({"healed": dict(tables.record.body["healed"])} if "healed" in tables.record.body else {})


def _dataset(tables: RunTables, item: str) -> str:
    return tables.places[item].dataset if item in tables.places else ""


def _answer(one: ShownAnswer) -> ShownAnswerData:
    item, template, model, sample = one.asked
    fields: dict[str, Any] = {"options": dict(one.item["options"])} if "options" in one.item else {}
    if one.response:
        failed = {"error": one.response["error"]} if "error" in one.response else {"answer": one.response["text"]}
        fields |= {"finish": one.response["finish"], **failed}
    return ShownAnswerData(
        item=item,
        dataset=one.dataset,
        model=model,
        template=template,
        sample=sample,
        input=dict(one.item["input"]),
        gold=dict(one.gold),
        scores=[_score(score) for score in one.scores],
        **fields,
    )


def _score(score: Score) -> ShownScore:
    said = score["value"]
    fields = {"missing": str(said["missing"])} if isinstance(said, dict) else {}
    value = None if isinstance(said, dict) else said if number(said) is None else number(said)
    if "outcome" in score:
        fields["outcome"] = score["outcome"]
    return ShownScore(scorer=score["scorer"], value=value, detail=dict(score["detail"]), **fields)
