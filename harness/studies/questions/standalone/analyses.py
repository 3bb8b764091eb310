"""The standalone analysis of scores: means with intervals, groups, wordings, pass@k and majorities of given rows.

Works on the fields that a caller passes; independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from harness.kit.graded import ERROR
from harness.kit.meaning import plain_metrics
from harness.kit.score_lines import ScoredAnswer
from harness.rowtypes import Missing, Score
from harness.scorers.given import AnalysisInput, Flag, Number, Row, Text, ToolOutput, whole_number
from harness.scorers.tool import Tool
from harness.studies.questions.measures.scored_items import GroupedItem, ScoredItems
from harness.studies.questions.measures.scored_prompts import READ
from harness.studies.questions.measures.summary import summary

PARTS = ("scores", "groups", "wordings", "samples", "states")
BY = "by model, dataset and scorer"
VERDICT, OTHER = "exact", "another"  # a kind with values between 0 and 1, and one whose range is unknown
NO_VALUE = "no value was given"


class ScoredRow(Row):
    """The score of one answer."""

    item: Text
    value: Number | None = None
    error: Text | None = None
    model: Text = "model"
    dataset: Text = "dataset"
    scorer: Text = "score"
    wording: Annotated[int, whole_number(0)] = 0
    sample: Annotated[int, whole_number(0)] = 0
    answer: Text | None = None
    group: dict[str, Text] = Field(default={})
    cluster: Text = ""


class ScoresInput(AnalysisInput):
    """Input: scores, one per answer."""

    rows: list[ScoredRow] = Field(
        description="objects of item and value (a number; without it the answer has none), error (why it failed), "
        "model, dataset, scorer, wording, sample, answer (what was read of it, for votes), group ({column: value}) and "
        "cluster of the item"
    )
    share: Flag = Field(default=True, description="whether values lie between 0 (wrong) and 1 (right)")


class ScoresOutput(ToolOutput):
    """Output: mean scores, by group, by wording and over repeated answers, and counts of unscored answers."""

    scores: dict[str, Any] = Field(description=f"{BY}: n, items, value, interval and how it was found, errors")
    groups: dict[str, Any] = Field(description="by dataset, column and value what `scores` gives")
    wordings: dict[str, Any] = Field(description=f"{BY}: the mean of each wording, and their spread")
    samples: dict[str, Any] = Field(description=f"{BY}: pass@k, and what the majority of the answers is worth")
    states: dict[str, Any] = Field(description=f"{BY}: how many answers have a score, and how many have none")


def scores_of(given: ScoresInput) -> dict[str, Any]:
    """Return mean scores with intervals, by group and wording; an item's group is that of its first row."""
    items: dict[str, GroupedItem] = {}
    answers = [_answer(items, row) for row in given.rows]
    kinds = dict.fromkeys(_names(given.rows, "scorer"), VERDICT if given.share else OTHER)
    found = summary(ScoredItems(items, answers), _names(given.rows, "model"), kinds)
    return {name: found[name] for name in PARTS}


def _answer(items: dict[str, GroupedItem], row: ScoredRow) -> ScoredAnswer:
    name = f"{row.dataset}:{row.item}"
    item = items.setdefault(name, GroupedItem(row.dataset, row.group, row.cluster))
    lacking: Missing = {"missing": row.error or NO_VALUE}
    failed = row.error is not None or row.value is None
    score: Score = {
        "item": name,
        "template": row.wording,
        "model": row.model,
        "sample": row.sample,
        "scorer": row.scorer,
        "value": lacking if failed or row.value is None else row.value,
        "detail": {ERROR: row.error} if row.error is not None else {READ: row.answer},
    }
    return ScoredAnswer(row.dataset, score, plain_metrics(score), cluster=item.cluster)


def _names(given: Sequence[ScoredRow], field: str) -> list[str]:
    return list(dict.fromkeys(getattr(row, field) for row in given))


ANALYSES: Mapping[str, Tool] = {
    "questions.scores": Tool(
        about="Gives means of scores with intervals by item or cluster, by group and wording, pass@k and majorities.",
        takes=ScoresInput,
        gives=ScoresOutput,
        run=scores_of,
    ),
}
