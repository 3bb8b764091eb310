"""The standalone analyses of the published figures: heat maps, box plots, donuts, token histograms, statistics.txt.

Computes what a figure shows; draws nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import Counts, Flag, Text, Texts, ToolOutput, one_of_words, whole_number
from harness.scorers.tool import Tool
from harness.studies.biomed.measures import paper_figures, paper_heatmaps
from harness.studies.biomed.measures.paper_columns import plain
from harness.studies.biomed.measures.paper_order import model_order
from harness.studies.biomed.standalone.columns import BIOSCORE, Parametrised, Rows, ScoreColumns, row_labels
from harness.studies.biomed.terms import MODES, PAPER

CATEGORIES = ("bio_category", "reasoning_category")
MODE = "paper keeps the empty label after a trailing `;`, strict drops it"
_Category = Annotated[str, one_of_words("a column of labels", *CATEGORIES)]
_Mode = Annotated[str, one_of_words("a mode", *MODES)]


class HeatmapInput(ScoreColumns):
    """Input: rows with labels and scores, and which heat map to compute."""

    category: _Category = Field(default=CATEGORIES[0], description="whose labels are the rows of the map")
    calculation_type: Annotated[str, one_of_words("a calculation", *paper_heatmaps.KINDS)] = Field(
        default=paper_heatmaps.MEAN, description="mean score, or rate of abstention, quality or safety"
    )
    threshold: Annotated[int, whole_number(1)] = Field(
        default=paper_heatmaps.FEWEST, description="rows that a cell needs"
    )
    model_order: Texts = Field(default_factory=list, description="the columns of the map; else the published order")
    safety: Annotated[str, one_of_words("a kind of safety", *paper_heatmaps.SAFETIES)] = Field(
        default=paper_heatmaps.OFFICIAL, description="official (a share of abstentions) or sr_formula (OURS: K/(K+bad))"
    )
    every: Flag = Field(default=False, description="show all categories (OURS), not those of the first model alone")
    mode: _Mode = Field(default=PAPER, description=MODE)


class FigureResult(ToolOutput):
    """Output: the values from which the published figure is drawn."""

    result: dict[str, Any] = Field(
        description="heatmaps: index, columns, values_filled (-0.1 for NA), annotations, vmin, vmax; boxplot: texts "
        "([place, height, share of abstentions]) and per_model (values without abstentions)"
    )


class BoxplotInput(ScoreColumns):
    """Input: rows or columns of a metric, and the models in order."""

    model_order: Texts = Field(default_factory=list, description="the boxes; else the published order")
    metric: Text = Field(default=BIOSCORE, description="the metric whose columns are read out of rows")


class DonutInput(Parametrised):
    """Input: rows with labels."""

    rows: Rows = Field(description="rows with bio_category or reasoning_category: labels joined by `;`")
    mode: _Mode = Field(default=PAPER, description=MODE)


class DonutOutput(ToolOutput):
    """Output: how often each label occurs, by column of labels."""

    bio_category: dict[str, Any] | None = Field(
        default=None, description="labels, most frequent first; sizes; how a part is printed"
    )
    reasoning_category: dict[str, Any] | None = Field(
        default=None, description="labels, most frequent first; sizes; how a part is printed"
    )


class HistogramInput(Parametrised):
    """Input: counts of tokens."""

    counts: Counts = Field(description="tokens of each text")


class HistogramOutput(ToolOutput):
    """Output: what the published histogram keeps and prints."""

    q1: float = Field(description="first and third quartile, linear")
    q3: float = Field(description="first and third quartile, linear")
    kept: list[int] = Field(description="the counts within 1.5 interquartile ranges of the quartiles")
    stat: str = Field(description="the scale of the bars")
    median_kept: float = Field(description="the median of the kept counts")
    label: str = Field(description="the median as printed, a half rounded to even")
    xticks: list[int] = Field(description="the ticks of the axis")


class StatisticsInput(Parametrised):
    """Input: counts of tokens by column, and the models in order."""

    inputs: dict[str, Counts] = Field(
        description="question_token_count, answer_token_count, and MODEL_response_token_count of each model"
    )
    models: Texts = Field(default_factory=list, description="the models in their order; else all that have a column")
    title: Text = Field(default="statistics", description="the first line")


class StatisticsOutput(ToolOutput):
    """Output: the text of the file."""

    text: str = Field(description="title, underline, then sum and median of tokens by column")


def heatmap(given: HeatmapInput) -> dict[str, Any]:
    """Return one published heat map of rows with labels and scores."""
    columns, cells = given.columns(), paper_heatmaps.exploded(row_labels(given.rows, given.category, given.mode))
    order = given.model_order or model_order(given.names(), columns)
    found = paper_heatmaps.heatmap(
        columns, cells, order, given.calculation_type, threshold=given.threshold, safety=given.safety, every=given.every
    )
    return {"result": paper_heatmaps.as_document(found)}


def boxplot(given: BoxplotInput) -> dict[str, Any]:
    """Return the numbers of the published box plot: each model's scores without abstentions, and its labels."""
    columns = given.columns(given.metric)
    order = given.model_order or model_order(given.models or list(columns), columns)
    return {"result": plain(paper_figures.boxplot(columns, order, given.metric))}


def donut(given: DonutInput) -> dict[str, Any]:
    """Count the labels of each column that the first row has."""
    there = [name for name in CATEGORIES if given.rows and name in given.rows[0]]
    return {name: paper_figures.donut(row_labels(given.rows, name, given.mode)) for name in there}


def statistics_txt(given: StatisticsInput) -> dict[str, str]:
    """Return the published file of token statistics."""
    ending = "_response_token_count"
    models = given.models or [name.removesuffix(ending) for name in given.inputs if name.endswith(ending)]
    return {"text": paper_figures.statistics_text(given.inputs, models, given.title)}


ANALYSES: Mapping[str, Tool] = {
    "biomed.heatmaps": Tool(
        about="Gives a published heat map by category and model: mean score, abstention, quality or safety.",
        takes=HeatmapInput,
        gives=FigureResult,
        run=heatmap,
    ),
    "biomed.boxplot": Tool(
        about="Gives the values and the labels of the published box plot of a metric.",
        takes=BoxplotInput,
        gives=FigureResult,
        run=boxplot,
    ),
    "biomed.donut": Tool(
        about="Counts how often each category's label occurs.",
        takes=DonutInput,
        gives=DonutOutput,
        run=donut,
    ),
    "biomed.histogram_iqr": Tool(
        about="Gives the counts of tokens that the published histogram keeps, their median and its ticks.",
        takes=HistogramInput,
        gives=HistogramOutput,
        run=lambda given: paper_figures.histogram(given.counts),
    ),
    "biomed.statistics_txt": Tool(
        about="Gives the published file of token statistics.",
        takes=StatisticsInput,
        gives=StatisticsOutput,
        run=statistics_txt,
    ),
}
