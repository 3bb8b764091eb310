"""The verb `compare`: models or runs side by side, by paired differences of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from harness.errors import InputError
from harness.run.scores.compare import ComparedLine, MovedItem, Side, compare_scores
from harness.run.scores.table import SCORES, RunTables, scored_answers
from harness.studies.score_lines import measure
from harness.verbs.project import Project, Request, Result
from harness.verbs.scoring import RUN


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
            "these have no score of the same item by the same scorer in common", where=f"{left.run} and {right.run}",
            next="`harness scores RUN RUN` shows what each of them has",
        )  # fmt: skip
    shown = found.moved[: asked.items or None]
    return CompareResult(
        left_run=left.run, right_run=right.run, lines=[_line(line) for line in found.lines],
        items=[_item(one) for one in shown], changed=sum(one.changed for one in found.moved), moved=len(found.moved),
        remarks=list(found.remarks), **_limits(left, right),
    )  # fmt: skip


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
                f"the run has scores of {len(models[0])} models", where=left.run,
                next=f"name two with --models A B, of: {_list(models[0])}",
            )  # fmt: skip
        return [(Side(left, models[0][0]), Side(right, models[0][1]))]
    if both := [name for name in models[0] if name in models[1]]:
        return [(Side(left, name), Side(right, name)) for name in both]
    if len(models[0]) == len(models[1]) == 1:
        return [(Side(left, models[0][0]), Side(right, models[1][0]))]
    raise InputError(
        "no model stands in both runs", where=f"{left.run} and {right.run}",
        next=f"name two with --models A B: one of {_list(models[0])}; and one of {_list(models[1])}",
    )  # fmt: skip


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
        left=line.models[0], right=line.models[1], dataset=line.of.dataset, scorer=line.of.scorer,
        metric=line.of.metric, n=paired.n, units=paired.units, unpaired=line.unpaired, left_value=paired.left,
        right_value=paired.right, difference=paired.difference, **fields,
    )  # fmt: skip


def _item(one: MovedItem) -> MovedItemData:
    return MovedItemData(
        left=one.models[0], right=one.models[1], dataset=one.of.dataset, scorer=one.of.scorer, item=one.item,
        template=one.template, left_value=one.left, right_value=one.right, changed=one.changed,
    )  # fmt: skip
