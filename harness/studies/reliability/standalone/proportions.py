"""The standalone analysis of proportions: the curve of one model over bins of difficulty.

Works on the names and fields that a caller uses; independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import AnalysisInput, Number, Row, Text, ToolOutput, UncheckedList, check_input, whole_number
from harness.scorers.tool import Tool
from harness.studies.reliability.measures.proportions import proportions
from harness.studies.reliability.standalone.fields import Labels, ShareOrAbsent, same_length
from harness.studies.reliability.terms import BINS

COLUMNS = "the same as three lists"
SETTINGS = '{"bins": 30}; or `bins` or `n_bins` beside the rows'
RESTS, SHARES = "what the shares rest on", "shares of all scored responses"
INDICATORS = "the published indicator, 0 to 100"
Bins = Annotated[int, whole_number(1)]


class LabelledRow(Row):
    """A row: the labels of one item."""

    id: Text
    difficulty: Number
    labels: Labels


class BinSettings(Row):
    """The number of bins, under either of two names."""

    bins: Bins | None = None
    n_bins: Bins | None = None


class LabelColumns(Row):
    """The labels of many items, as three parallel lists."""

    ids: Annotated[list[Any], UncheckedList(list[Text])]
    difficulty: Annotated[list[Any], UncheckedList(list[Number])]
    labels: Annotated[list[Any], UncheckedList(list[Labels])]


class ProportionsInput(AnalysisInput):
    """Input: the labels of one model, as rows or as columns."""

    rows: Annotated[list[Any], UncheckedList(list[LabelledRow])] | None = Field(
        default=None,
        description="objects of id, difficulty and labels (a text or list of c, a, i); or the columns below",
    )
    ids: Annotated[list[Any], UncheckedList(list[Text])] | None = Field(default=None, description=COLUMNS)
    difficulty: Annotated[list[Any], UncheckedList(list[Number])] | None = Field(default=None, description=COLUMNS)
    labels: Annotated[list[Any], UncheckedList(list[Labels])] | None = Field(default=None, description=COLUMNS)
    params: BinSettings = Field(default=BinSettings(), description=SETTINGS)
    bins: Bins | None = Field(default=None, description=SETTINGS)
    n_bins: Bins | None = Field(default=None, description=SETTINGS)


class ProportionsOutput(ToolOutput):
    """Output: the share of each label in each bin, and overall."""

    bins: list[dict[str, Any]] = Field(
        description="per bin: n items, n_scored, difficulty (mean), low, high, correct, avoidant, incorrect (shares)"
    )
    n_items: int = Field(description=RESTS)
    n_bins: int = Field(description=RESTS)
    n_scored: int = Field(description=RESTS)
    counts: dict[str, int] = Field(description=RESTS)
    correct: ShareOrAbsent = Field(description=SHARES)
    avoidant: ShareOrAbsent = Field(description=SHARES)
    incorrect: ShareOrAbsent = Field(description=SHARES)
    prudent: ShareOrAbsent = Field(description=SHARES)
    correctness_proportion: ShareOrAbsent = Field(description=INDICATORS)
    prudence_proportion: ShareOrAbsent = Field(description=INDICATORS)
    degenerate: bool = Field(description="whether there are too few items or no scored responses")


def proportions_of(given: ProportionsInput) -> dict[str, Any]:
    """Return the shares of one model in each bin and overall, from rows or from `ids`, `difficulty` and `labels`.

    Raises InputError for malformed rows or columns of different lengths.
    """
    params = given.params
    bins = params.bins or given.bins or params.n_bins or given.n_bins or BINS
    if given.rows is not None:
        return proportions(given.rows, bins)
    names = ("ids", "difficulty", "labels")
    table = check_input(LabelColumns, {name: value for name in names if (value := getattr(given, name)) is not None})
    columns = {"ids": table.ids, "difficulty": table.difficulty, "labels": table.labels}
    same_length(columns)
    items = zip(*columns.values(), strict=True)
    return proportions(({"id": item, "difficulty": at, "labels": labels} for item, at, labels in items), bins)


ANALYSES: Mapping[str, Tool] = {
    "reliability.proportions": Tool(
        about="Gives the shares correct, avoidant and incorrect of one model over bins of difficulty, and in all.",
        takes=ProportionsInput,
        gives=ProportionsOutput,
        run=proportions_of,
    ),
}
