"""The standalone analysis of the mean of a task's records: its interval, quartiles and runs, as a run computes them.

Independent of where values come from and of what they measure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.kit.resample import RESAMPLES
from harness.scorers.given import AbsentValue, AnalysisInput, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.stats import is_number
from harness.studies.curie.measures.cells import MEAN, MEDIAN, RecordDraws, cell
from harness.studies.curie.measures.results import Column
from harness.studies.curie.tasks import TASKS

MOST = 10_000  # resamples
STATISTICS = (MEAN, MEDIAN)


class IntervalsInput(AnalysisInput):
    """Input: the values of one metric of one model on one task, by record."""

    task: Annotated[str, one_of_words("a task", *TASKS)] = Field(description="its domain's records are drawn together")
    values: dict[str, Any] = Field(
        description="by record, in the order of the task's records: a number, a list with a number for each run, or "
        "null for a record without a value"
    )
    statistic: Annotated[str, one_of_words("a statistic", *STATISTICS)] = Field(
        default=MEAN, description="mean, or median for distances, which has no interval"
    )
    seed: int = Field(default=0, ge=0, description="that of the run: the first of the manifest's seeds")
    resamples: int = Field(default=RESAMPLES, ge=1, le=MOST, description="how often the records are drawn")


class IntervalsOutput(ToolOutput):
    """Output: the metric's mean or median over records, with a bootstrap interval, quartiles and counts."""

    value: float | str | AbsentValue = Field(description="the mean or median over records of their means over runs")
    interval: list[float] | AbsentValue = Field(description="95 %, percentiles of resamples of the records")
    n: int = Field(description="records with a value")
    N: int = Field(description="records")
    detail: dict[str, Any] = Field(description="quartiles, runs, coverage in simulations")


def _numbers(record: str, given: Any) -> dict[tuple[int, int], float]:
    runs = given if isinstance(given, list) else [] if given is None else [given]
    if not all(is_number(one) for one in runs):
        raise InputError(f"the record {record!r} has a value that is no number", where="values", next="give numbers")
    return {(1, place): float(one) for place, one in enumerate(runs)}


def _run(given: IntervalsInput) -> Mapping[str, Any]:
    told = {record: _numbers(record, value) for record, value in given.values.items()}
    column = Column({record: runs for record, runs in told.items() if runs}, len(told))
    draws = None
    if given.statistic == MEAN and told:
        draws = RecordDraws.of(list(told), TASKS[given.task].domain, given.seed, given.resamples)
    found = cell(column, given.statistic, draws)
    whole = {name: found.pop(name) for name in ("value", "interval", "n", "N")}
    return {**whole, "detail": found}


ANALYSES: Mapping[str, Tool] = {
    "curie.intervals": Tool(
        about="Gives the mean of a task's records with the interval that a run of CURIE would give it (OURS).",
        takes=IntervalsInput,
        gives=IntervalsOutput,
        run=_run,
    ),
}
