"""The analysis `columns.fit`: how well predictions fit targets, column by column, and which of two fits better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.correlation import ColumnFit, score_fit
from harness.scorers.given import AnalysisInput, Axes, ToolOutput
from harness.scorers.tool import Tool

Table = Annotated[Any, Axes(2)]
Column = Annotated[Any, Axes(1)]


class ColumnsInput(AnalysisInput):
    """Input: targets and predictions, with a row for each observation and a column for each quantity."""

    targets: Table = Field(description="what was observed: rows of observations, a column a quantity")
    predictions: Table = Field(description="what was predicted of it, shaped alike")
    fold_sizes: Annotated[Any, Axes(1, whole=True)] = Field(
        default=(),
        description="how many consecutive rows each fold has: R2 is then held against the targets outside the fold",
    )
    others: Annotated[Any, Axes(2, second="predictions")] = Field(
        default=None, description="what another model predicted: `predictions` of the second file, --with"
    )


class ColumnsFitOutput(ToolOutput):
    """Goodness of fit, one value per column."""

    r2: Column = Field(description="1 - mse / mse_mean; -inf where the targets never leave their mean")
    pearson: Column = Field(description="the mean of r over folds; 0 for a fold in which either side is constant")
    mse: Column = Field(description="the mean squared error of the predictions")
    mse_mean: Column = Field(description="that of the mean of the targets outside the fold")


class ColumnsOutput(ColumnsFitOutput):
    """Output: goodness of fit of one model, and of a second one if given."""

    others: ColumnsFitOutput | None = Field(default=None, description="the same of another model, where one was given")
    better: int | None = Field(default=None, description="in how many columns the first has the higher r2 of the two")


def analyse(given: ColumnsInput) -> Mapping[str, Any]:
    """Score each column's fit; with a second model, also count the columns in which the first is better."""
    first = score_fit(given.targets, given.predictions, given.fold_sizes)
    if given.others is None:
        return first._asdict()
    other = score_fit(given.targets, given.others, given.fold_sizes)
    return {**first._asdict(), "others": other._asdict(), "better": _better(first, other)}


def _better(first: ColumnFit, other: ColumnFit) -> int:
    return int((first.r2 > other.r2).sum())


ANALYSES: Mapping[str, Tool] = {
    "columns.fit": Tool(
        "Holds predictions against targets column by column: out-of-sample R2 and Pearson's r.",
        ColumnsInput,
        ColumnsOutput,
        analyse,
    ),
}
