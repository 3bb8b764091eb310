"""The standalone analyses `biomed.performance_table`, its edge cases, `biomed.model_order` and `biomed.nlp_table`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import Texts, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.biomed.measures import paper_columns, paper_performance, paper_texts
from harness.studies.biomed.measures.paper_columns import plain
from harness.studies.biomed.measures.paper_order import model_order
from harness.studies.biomed.standalone.columns import Parametrised, Rows, ScoreColumns, cells, keys
from harness.studies.biomed.standalone.graded_rows import LONG, column_rows
from harness.studies.biomed.standalone.strict import strict_performance
from harness.studies.biomed.terms import MODES, PAPER, STRICT

Cells = list[dict[str, Any]]
ROW = "printed rows: Model, BioScore, AR, Response Quality Rate, Safety Rate"
SEM = "the standard error behind each BioScore; nan where a grade is missing or fewer than two are there"
BINOM = "the two counts behind each interval of AR"
ELLIPSE = "x_quality, y_safety, width and height of each ellipse; none where a rate is undefined"


class PerformanceColumns(ScoreColumns):
    """Input: columns of scores, or graded rows, and the mode in which they are counted."""

    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER,
        description="paper (as published, the default) or strict (OURS), which also takes rows of " + LONG,
    )


class PerformanceTable(ToolOutput):
    """Output: the table as it is printed, and the values behind it, of models that have a column."""

    table: list[dict[str, str]] = Field(description=ROW + "; strict: also answered accuracy, each with both intervals")
    sem_calls_in_model_order: list[float | str] = Field(default_factory=list, description=f"paper: {SEM}")
    binom_interval_calls_in_model_order: list[list[float | str]] = Field(
        default_factory=list, description=f"paper: {BINOM}"
    )
    scatter_ellipses_drawn: Cells = Field(default_factory=list, description=f"paper: {ELLIPSE}")
    counts: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="paper: by model: rows by kind, mean and median of answered ones"
    )
    rates: dict[str, dict[str, list[float | str]]] = Field(
        default_factory=dict,
        description="paper: by model: BioScore, AR, RQR and SR as [value, low, high], nothing rounded",
    )
    models: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="strict: by model: states, counts, rates with both intervals, quadrant, gain, and all by template",
    )
    about: dict[str, str] = Field(default_factory=dict, description="strict: what each number means")
    level: str = Field(default="", description="strict: the level of the intervals")
    coverage: dict[str, str] = Field(
        default_factory=dict, description="strict: how often the interval over templates held in simulations"
    )


class PerformanceRow(ToolOutput):
    """Output: the table's row of one column of scores."""

    table_row: dict[str, str] = Field(description=ROW)
    sem: list[float | str] = Field(description=SEM)
    binom: list[list[float | str]] = Field(description=BINOM)
    ellipse: Cells = Field(description=ELLIPSE)
    exception: None = Field(description="what the table's code raises: of scores that are numbers or missing, nothing")


class ModelOrder(ToolOutput):
    """Output: the models in the order of the figures."""

    order_out: list[str] = Field(
        description="median downward, then abstentions upward, then interquartile range upward"
    )


class NlpColumns(Parametrised):
    """Input: columns of text metrics, and the models and metrics of the table."""

    columns: dict[str, list[Any]] | None = Field(default=None, description="{MODEL_METRIC: values}; or give rows")
    rows: Rows = Field(default_factory=list, description="rows with such columns")
    models: Texts = Field(default_factory=list, description="the rows of the table; else all models with a column")
    metrics: Texts = Field(default=list(paper_texts.METRICS), description="the columns of the table")


class NlpTable(ToolOutput):
    """Output: the table of text metrics as it is printed."""

    table: list[dict[str, str]] = Field(description="a row a model: mean and normal interval of each metric, or N/A")


def performance_table(given: PerformanceColumns) -> dict[str, Any]:
    """Return the table of performance and the values behind its cells: as published, or strict (OURS).

    Raise InputError for rows without a column of scores, and in strict mode as `graded_rows` does.
    """
    if given.mode == STRICT:
        rows = given.rows if given.scores is None else column_rows(given.columns())
        return strict_performance(rows, given.models)
    columns = given.columns()
    if given.rows and not columns and not given.models:
        advice = "give columns MODEL_BioScore; rows with `grade` are for mode strict"
        raise InputError("the rows have no column of scores", where="rows", next=advice)
    found = {name: paper_performance.performance(columns[name]) for name in given.names() if name in columns}
    drawn = (paper_performance.ellipse(each) for each in found.values())
    result = {
        "table": [paper_performance.table_row(name, found.get(name)) for name in given.names()],
        "sem_calls_in_model_order": [each.error for each in found.values()],
        "binom_interval_calls_in_model_order": [list(each.range) for each in found.values()],
        "scatter_ellipses_drawn": [each for each in drawn if each],
        "counts": {name: asdict(each.counts) for name, each in found.items()},
        "rates": {name: _rates(each) for name, each in found.items()},
    }
    return dict(plain(result))


def _rates(found: paper_performance.Performance) -> dict[str, list[float]]:
    four = (found.bioscore, found.abstention, found.quality, found.safety)
    return {name: list(each) for name, each in zip(("BioScore", "AR", "RQR", "SR"), four, strict=True)}


def performance_row(given: PerformanceColumns) -> dict[str, Any]:
    """Return the performance table's row for the one given column of scores.

    Raise InputError for no column, for several columns, and in strict mode.
    """
    if given.mode == STRICT:
        raise InputError("this row is of paper mode alone", where="mode", next="use biomed.performance_table")
    columns = given.columns()
    if len(columns) != 1:
        raise InputError(f"{len(columns)} columns of scores", where="scores", next="give the scores of one model")
    [(name, column)] = columns.items()
    found = paper_performance.performance(column)
    drawn = paper_performance.ellipse(found)
    result = {
        "table_row": paper_performance.table_row(name, found),
        "sem": [found.error],
        "binom": [list(found.range)],
        "ellipse": [drawn] if drawn else [],
        "exception": None,
    }
    return dict(plain(result))


def order_of(given: ScoreColumns) -> dict[str, Any]:
    """Return models in the order of the published figures: by median score of answered rows, highest first."""
    return {"order_out": model_order(given.names(), given.columns())}


def nlp_table(given: NlpColumns) -> dict[str, Any]:
    """Return the published table of text metrics, from columns or from rows that have them."""
    if given.columns is None:
        names = [name for name in keys(given.rows) if name.endswith(tuple(f"_{each}" for each in given.metrics))]
        columns = {name: cells(given.rows, name) for name in names}
    else:
        columns = {name: paper_columns.column(column, f"columns.{name}") for name, column in given.columns.items()}
    models = given.models or list(dict.fromkeys(name.rpartition("_")[0] for name in columns))
    return {"table": paper_texts.text_table(columns, models, given.metrics)}


ANALYSES: Mapping[str, Tool] = {
    "biomed.performance_table": Tool(
        about="Gives BioScore, AR, RQR and SR of each model with the published intervals, or with ours (strict).",
        takes=PerformanceColumns,
        gives=PerformanceTable,
        run=performance_table,
    ),
    "biomed.performance_table_edge_cases": Tool(
        about="Gives the row of one column of scores in the published table of performance.",
        takes=PerformanceColumns,
        gives=PerformanceRow,
        run=performance_row,
    ),
    "biomed.model_order": Tool(
        about="Orders models as the published figures do.",
        takes=ScoreColumns,
        gives=ModelOrder,
        run=order_of,
    ),
    "biomed.nlp_table": Tool(
        about="Gives the published table of text metrics: mean and normal interval of each metric of each model.",
        takes=NlpColumns,
        gives=NlpTable,
        run=nlp_table,
    ),
}
