"""The standalone analysis of published results: Tables 1, 2 and 7 and the numbers behind Figures 1a, 5 and 7.

Independent of where results come from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from harness.scorers.given import AbsentValue, AnalysisInput, Texts, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.curie.measures import meta_results, paper_figures, paper_tables
from harness.studies.curie.measures.paper_models import TABLE_1, TABLE_2

NO_LEVELS = {"missing": "needs difficulty_levels"}
Cell = float | str  # NaN and infinities as texts
GROUP = "[model, task, metric, mean, sample standard deviation] of each group of records, zeros filled in"
PRINTED = "the rows as the notebook prints them, in the order of `printed_row_order`"
MACRO = "by model: the mean of its domains' means over records of that level; DFT is one domain"


class TablesInput(AnalysisInput):
    """Input: aggregated results, and the difficulty of each record."""

    meta_results: dict[str, Any] = Field(
        description="domain -> prompt -> model -> record -> {metric: number or text}; a text counts 0, but for "
        "`nan` (or `__nan__`), `inf` and `-inf`, which spell what JSON cannot"
    )
    difficulty_levels: dict[str, Any] | None = Field(
        default=None, description="domain -> {record: Easy, Medium or Hard}; without it no value by difficulty"
    )
    excluded_geo: Texts = Field(
        default=list(paper_figures.LICENCE), description="GEO records that the figures leave out, and no table"
    )


class TablesOutput(ToolOutput):
    """Output: the means and printed rows of the paper's tables, and the numbers behind its figures."""

    table1_group_mean_std: list[list[Any]] = Field(description=GROUP)
    table2_group_mean_std: list[list[Any]] = Field(description=GROUP)
    biogr_means: list[list[Any]] = Field(description="[model, metric, mean] of Table 7")
    figure_rows: int = Field(description="how many records' scores the figures rest on")
    figure5_task_means: dict[str, dict[str, Cell]] = Field(description="by model and task; and their mean")
    figure5_percentiles_25_75: list[list[Any]] = Field(description="[model, task, 25th, 75th percentile]")
    difficulty_macro_hard: dict[str, Cell] | AbsentValue = Field(description=MACRO)
    difficulty_macro_medium: dict[str, Cell] | AbsentValue = Field(description=MACRO)
    difficulty_macro_easy: dict[str, Cell] | AbsentValue = Field(description=MACRO)
    figure7_pooled: list[list[Any]] | AbsentValue = Field(description="[model, level, mean over all its records]")
    table1_printed_rows: list[str] = Field(description=PRINTED)
    table2_printed_rows: list[str] = Field(description=PRINTED)
    table7_printed_rows: list[str] = Field(description=PRINTED)
    printed_row_order: dict[str, list[str]] = Field(description="the models of Tables 1 and 2, from the top down")
    tasks_averaged: int = Field(description="how many task means `Average Score` is the mean of: ten in the paper")


def tables_of(given: TablesInput) -> dict[str, Any]:
    """Return the paper's tables and figures in numbers from aggregated results, as its notebook computes them.

    Raises InputError for results of another shape, and for a record without a level if levels are given.
    """
    rows = meta_results.read(given.meta_results)
    every = meta_results.models(rows)
    first, second = paper_tables.table_1(rows, every), paper_tables.table_2(rows, every)
    boxes, figure = paper_tables.table_7(rows), paper_figures.figure_rows(rows, every, given.excluded_geo)
    found = {
        "table1_group_mean_std": first["groups"],
        "table2_group_mean_std": second["groups"],
        "biogr_means": boxes["means"],
        "figure_rows": len(figure),
        "figure5_task_means": paper_figures.task_means(figure),
        "figure5_percentiles_25_75": paper_figures.quartiles(figure),
        **_levels(figure, given.difficulty_levels),
        "table1_printed_rows": first["printed"],
        "table2_printed_rows": second["printed"],
        "table7_printed_rows": boxes["printed"],
        "printed_row_order": {"table1": list(TABLE_1), "table2": list(TABLE_2)},
        "tasks_averaged": len({row.task for row in figure}),
    }
    return {name: _spelt(value) for name, value in found.items()}


def _levels(figure: list[paper_figures.FigureRow], given: Mapping[str, Any] | None) -> dict[str, Any]:
    names = {level: f"difficulty_macro_{level.lower()}" for level in reversed(paper_figures.LEVELS)}
    if given is None:
        return {**dict.fromkeys(names.values(), NO_LEVELS), "figure7_pooled": NO_LEVELS}
    found = paper_figures.by_level(figure, paper_figures.levels(given))
    return {**{name: found["macro"][level] for level, name in names.items()}, "figure7_pooled": found["pooled"]}


def _spelt(value: Any) -> Any:
    """Return a value with every number that JSON cannot hold as a text, at any depth."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _spelt(each) for name, each in value.items()}
    return [_spelt(each) for each in value] if isinstance(value, list) else value


ANALYSES: Mapping[str, Tool] = {
    "curie.tables": Tool(
        about="Gives the paper's Tables 1, 2 and 7, and Figures 1a, 5 and 7 in numbers, from aggregated results.",
        takes=TablesInput,
        gives=TablesOutput,
        run=tables_of,
    ),
}
