"""The verbs `scores`, `compare` and `show --items`: scores of recorded runs as data.

`scores` returns a table of scores with intervals, certificates and costs. `compare` compares models or runs by paired
differences. `show --items` returns answers with their items, right answers and scores, a page at a time. The words of
answers that differ, which `diff` returns too, are cut to the same part on both sides, around their first difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from harness.errors import InputError
from harness.evidence.record import spell_healed
from harness.kit.further import FurtherLine
from harness.kit.score_lines import ScoreLine, measure, number
from harness.rowtypes import Score
from harness.run.scores.report import ComparedLine, ComparedSide, MovedItem, ScoreReport, compare_scores, score_report
from harness.run.scores.table import (
    SCORES,
    AnswerFilter,
    AnswerWords,
    AskedAnswer,
    RunTables,
    ShownAnswer,
    WordsOfRun,
    describe_answers,
    require_showable,
    scored_answers,
    select_answers,
)
from harness.store.store import Store
from harness.verbs.project import Project, Result
from harness.verbs.requests import CompareRequest, ScoresRequest, ShowItemsRequest

__all__ = [
    "CompareResult",
    "ScoresResult",
    "ShowItemsResult",
    "compare",
    "scores",
    "show_items",
]


WORDS = 3  # answers whose words are shown
LONGEST = 2000  # characters of a text in a result
BEFORE = 200  # of them, those before the place where two texts differ


class SideWords(Result):
    """The texts of one side of a comparison: wording, prompt and answer, each cut if it is long."""

    model: str
    wording: str
    prompt: str
    answer: str


class DifferingWords(Result):
    """One item in one wording whose words are shown for both sides, cut to the same place, where they first differ."""

    item: str
    template: int
    sample: int | None = None
    left: SideWords
    right: SideWords


def differing_words(
    left: RunTables, right: RunTables, answers: Sequence[tuple[AskedAnswer, AskedAnswer]]
) -> list[DifferingWords]:
    """Return the words of answers on both sides, of those that both runs have and may show.

    Of several samples, the first whose answers differ is shown, or else the first.
    """
    sides = [WordsOfRun(tables).of([pair[side] for pair in answers]) for side, tables in enumerate((left, right))]
    found = []
    for pair in answers:
        both = list(zip(*(side.get(asked, []) for side, asked in zip(sides, pair, strict=True)), strict=False))
        if both:
            one, other = next((ends for ends in both if ends[0].answer != ends[1].answer), both[0])
            found.append(_differing(pair[0].item, one, other))
    return found


def _differing(item: str, left: AnswerWords, right: AnswerWords) -> DifferingWords:
    """Return the words of two answers, each text cut to the same part."""
    texts = [(left.wording, right.wording), (left.prompt, right.prompt), (left.answer, right.answer)]
    cut = [cut_to_difference(*ends) for ends in texts]
    ends = [
        SideWords(model=words.model, wording=cut[0][side], prompt=cut[1][side], answer=cut[2][side])
        for side, words in enumerate((left, right))
    ]
    more = {} if left.sample is None else {"sample": left.sample}
    return DifferingWords(item=item, template=left.template or 0, left=ends[0], right=ends[1], **more)


def cut_to_difference(left: str, right: str, most: int = LONGEST, before: int = BEFORE) -> tuple[str, str]:
    """Cut two texts to the same part of them, which begins shortly before the first difference; `…` marks a cut."""
    same = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    start = 0 if max(len(left), len(right)) <= most or left == right else max(0, same - before)
    return _cut(left, start, most), _cut(right, start, most)


def _cut(text: str, start: int, most: int) -> str:
    kept = text[start : start + most]
    return ("…" if start else "") + kept + ("…" if start + most < len(text) else "")


RUN = "A run id, a prefix of one, `last`, a path to a record, or a manifest, whose newest run is meant."


class ScoreLineData(Result):
    """One line of a table of scores: a metric's mean with its interval, the answers left out, and its costs."""

    model: str
    dataset: str
    scorer: str
    metric: str  # "" is the scorer's main one
    n: int  # answers that the value is a mean of
    items: int
    value: float | None = None
    interval: list[float] | None = None
    by: str = ""  # how the interval was computed
    no_interval: str = ""  # why there is none
    clusters: int = 0  # clusters of items, if the items have them
    errors: int
    unanswered: int  # items that an agent did not answer
    missing: int  # answers for which the metric has no value
    at_worst: float | None = None  # the value if all errors and unanswered ones had the metric's worst
    certificate: str = ""  # of a grader: usable | not usable | not yet measured by others | void | uncertified
    certificate_text: str = ""
    refused: int = 0  # by the model's provider; this and the next fields count all answers of the model to the dataset
    tokens: dict[str, int] = Field(default_factory=dict)  # prompt, completion
    dollars: str = ""  # what these tokens cost at the manifest's prices
    seconds: float | None = None  # of the steps that this run executed
    stored: bool = False  # all answers were in the store
    column: str = ""  # of a group's line: the column that makes groups; this and `group` are set together
    group: str = ""  # its value in that column

    @property
    def measure(self) -> str:
        """Scorer and metric as one name."""
        return measure(self.scorer, self.metric)


class ScoredRunData(Result):
    """The scores of one run, and the meanings of its metrics as its study describes them."""

    run: str
    manifest: str
    study: str
    scores: list[ScoreLineData]
    meanings: dict[str, dict[str, Any]]
    spent: dict[str, str] = Field(default_factory=dict)  # dollars that this run spent, by model
    stand_ins: dict[str, bool] = Field(default_factory=dict)  # by stand-in: whether it was shown the right answers
    limit: int = 0  # items of each dataset that it was limited to; 0: it was not
    further: list[ScoreLineData] = Field(default_factory=list)  # pass@k and majorities, then the lines of groups


class ScoresResult(Result):
    """Result of `scores`: the runs in the order in which they were named."""

    runs: list[ScoredRunData]


def scores(project: Project, asked: ScoresRequest) -> ScoresResult:
    """Return the tables of scores of recorded runs; raise an error if a run has not ended or was changed."""
    found = []
    for name in asked.runs:
        store, run = project.run(name)
        report = score_report(store, run)
        said = report.table.document()
        fields: dict[str, Any] = {"spent": dict(report.spent)} if report.spent else {}
        fields |= {"limit": report.limit} if report.limit else {}
        fields |= {"stand_ins": dict(report.stand_ins)} if report.stand_ins else {}
        fields |= {"further": _further_data(report.further)} if report.further else {}
        one = ScoredRunData(
            run=run,
            manifest=report.manifest,
            study=report.table.study,
            meanings={name: dict(one) for name, one in said["meanings"].items()},
            scores=_line_data(report, report.table.lines),
            **fields,
        )
        found.append(one)
    return ScoresResult(runs=found)


FIRST = 12  # further lines that a run ends with


def first_scores(store: Store, run: str) -> dict[str, Any]:
    """Return the first lines of a run's table of scores (`scores`), and how many more there are (`more_scores`).

    The same of its `further` lines, on several answers to a prompt and on groups (`more_further`).
    """
    report = score_report(store, run)
    first, beside = report.first(), report.further[:FIRST]
    found: dict[str, Any] = {"scores": _line_data(report, first)} if first else {}
    found |= {"further": _further_data(beside)} if beside else {}
    more = {"more_scores": len(report.table.lines) - len(first), "more_further": len(report.further) - len(beside)}
    return found | {name: count for name, count in more.items() if count}


def _line_data(report: ScoreReport, lines: Sequence[ScoreLine]) -> list[ScoreLineData]:
    return [ScoreLineData(**found) for found in report.documents(lines)]


def _further_data(lines: Sequence[FurtherLine]) -> list[ScoreLineData]:
    return [ScoreLineData(**line.document()) for line in lines]


class ComparedLineData(Result):
    """One metric of both sides: the two means over the same pairs, their difference, its interval, and a test."""

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
    """One item in one wording for which the scores of the two sides differ."""

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
    """Result of `compare`: the runs, one line for each metric, the items that moved, and remarks on the comparison."""

    left_run: str
    right_run: str
    lines: list[ComparedLineData]
    items: list[MovedItemData]
    changed: int  # of all that moved: how many are right by one side, and wrong by the other
    moved: int  # how many items moved in all, counted by wording and scorer
    remarks: list[str]
    left_limit: int = 0  # items of each dataset that the left run was limited to; 0: it was not
    right_limit: int = 0
    words: list[DifferingWords] = Field(default_factory=list)  # of the first items that moved, if they may be shown


def compare(project: Project, asked: CompareRequest) -> CompareResult:
    """Compare two models of a run, or of two runs, on the items that both have; asks no model and runs no step."""
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
    moved = {(one.item, one.template, one.models): None for one in found.moved}
    answers = [
        (AskedAnswer(item, template, models[0]), AskedAnswer(item, template, models[1]))
        for item, template, models in list(moved)[:WORDS]
    ]
    words = differing_words(left, right, answers)
    more: dict[str, Any] = {**_limits(left, right), **({"words": words} if words else {})}
    return CompareResult(
        left_run=left.run,
        right_run=right.run,
        lines=[_line(line) for line in found.lines],
        items=[_item(one) for one in shown],
        changed=sum(one.changed for one in found.moved),
        moved=len(found.moved),
        remarks=list(found.remarks),
        **more,
    )


def _limits(left: RunTables, right: RunTables) -> dict[str, int]:
    """Return the limits of the runs that were limited, as fields of the result."""
    said = {"left_limit": left.limit, "right_limit": right.limit}
    return {side: limit for side, limit in said.items() if limit}


def _pairs(left: RunTables, right: RunTables, named: Sequence[str]) -> list[tuple[ComparedSide, ComparedSide]]:
    """Return the pairs of models to compare: named ones, else those with the same name, else the only ones."""
    models = [_models(tables) for tables in (left, right)]
    if named:
        if len(named) != 2:
            raise InputError("two models are compared", where=f"--models {named[0]}", next="name two: --models A B")
        for name, known in zip(named, models, strict=True):
            if name not in known:
                raise InputError(f"no model {name!r} has scores", where="--models", next=f"choose of: {_list(known)}")
        return [(ComparedSide(left, named[0]), ComparedSide(right, named[1]))]
    if left.run == right.run:
        if len(models[0]) != 2:
            raise InputError(
                f"the run has scores of {len(models[0])} models",
                where=left.run,
                next=f"name two with --models A B, of: {_list(models[0])}",
            )
        return [(ComparedSide(left, models[0][0]), ComparedSide(right, models[0][1]))]
    if both := [name for name in models[0] if name in models[1]]:
        return [(ComparedSide(left, name), ComparedSide(right, name)) for name in both]
    if len(models[0]) == len(models[1]) == 1:
        return [(ComparedSide(left, models[0][0]), ComparedSide(right, models[1][0]))]
    raise InputError(
        "no model stands in both runs",
        where=f"{left.run} and {right.run}",
        next=f"name two with --models A B: one of {_list(models[0])}; and one of {_list(models[1])}",
    )


def _models(tables: RunTables) -> list[str]:
    """Return the models that have scores; raise InputError if there are none."""
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


class ShownScore(Result):
    """One scorer's score of an answer: its value, or why there is none, and the details that the scorer recorded."""

    scorer: str
    value: float | str | None
    missing: str = ""
    outcome: str = ""
    detail: dict[str, Any]


class ShownAnswerData(Result):
    """One answer with its item, its right answer, and every score that it got."""

    item: str
    dataset: str
    model: str
    template: int
    sample: int
    input: dict[str, Any]
    options: dict[str, str] = Field(default_factory=dict)
    gold: dict[str, Any]
    answer: str | None = None  # None if nothing was answered, as when likelihoods are measured
    finish: str = ""
    error: str = ""
    scores: list[ShownScore]


class ShowItemsResult(Result):
    """Result of `show --items`: one page of answers, and how many answers there are."""

    run: str
    manifest: str
    page: int
    pages: int
    total: int  # answers that match the request
    answers: list[ShownAnswerData]
    healed: dict[str, int] = Field(default_factory=dict)  # damage of the store that the run found and repaired
    limit: int = 0  # items of each dataset that the run was limited to; 0: it was not

    @property
    def healed_text(self) -> str:
        """Text on the damage of its store that the run found and repaired; empty if there was none."""
        return spell_healed(self.healed)


def show_items(project: Project, asked: ShowItemsRequest) -> ShowItemsResult:
    """Return a page of a run's answers with their items and right answers.

    Refused for gated and private data, and for hidden splits.
    """
    tables = RunTables.of(*project.run(asked.run))
    if not tables.has(SCORES):
        raise InputError("this run has no scores", where=tables.run, next="name a run that scored answers")
    require_showable(tables, asked.dataset or _dataset(tables, asked.item))
    wanted = AnswerFilter(asked.model, asked.dataset, asked.scorer, asked.item, asked.wrong)
    found = select_answers(tables, wanted)
    pages = max(1, -(-len(found) // PAGE))
    if asked.page > pages:
        raise InputError(f"there is no page {asked.page}", where="--page", next=f"the last one is {pages}")
    page = describe_answers(tables, found[(asked.page - 1) * PAGE : asked.page * PAGE], asked.scorer)
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
