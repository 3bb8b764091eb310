"""Inputs of the standalone analyses of columns: rows of a published table, or columns, and parameters.

A parameter may be given in `params` or beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, FieldCheck, Texts
from harness.studies.biomed.measures import paper_columns
from harness.studies.biomed.measures.paper_texts import column_name
from harness.studies.biomed.terms import PAPER

BIOSCORE = "BioScore"
ROWS = "rows of the compiled table, {MODEL_BioScore: score, …}: a number, or null or an empty text where none was read"
_OBJECTS = FieldCheck(
    lambda value: isinstance(value, list) and all(isinstance(row, Mapping) for row in value),
    "a list of objects",
    {"type": "array", "items": {"type": "object"}},
)
_SCORES = FieldCheck(
    lambda value: isinstance(value, list) or (isinstance(value, Mapping) and all(map(_is_list, value.values()))),
    "a list of scores, or an object of lists",
    {"type": ["array", "object"]},
)
Rows = Annotated[list[dict[str, Any]], _OBJECTS]


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


class Parametrised(AnalysisInput):
    """Base class of the study's analysis inputs: settings may be fields, or keys of `params`; fields win."""

    params: dict[str, Any] = Field(default_factory=dict, description="fields of this object that are no rows")

    @model_validator(mode="before")
    @classmethod
    def _laid_together(cls, given: Any) -> Any:
        inner = given.get("params") if isinstance(given, Mapping) else None
        return {**inner, **given} if isinstance(inner, Mapping) else given


class ScoreColumns(Parametrised):
    """Base class of inputs of scores in columns, one per model."""

    rows: Rows = Field(default_factory=list, description=ROWS)
    scores: Annotated[Any, _SCORES] = Field(
        default=None, description="instead of rows: {model: scores}, or the scores of one model, called x"
    )
    models: Texts = Field(default_factory=list, description="the models in their order; else all that have a column")

    def names(self) -> list[str]:
        """Return the models that were asked for, or all that have a column."""
        return [*self.models] or [*self.columns()]

    def columns(self, metric: str = BIOSCORE) -> dict[str, list[float]]:
        """Return the column of a metric for each model that has one."""
        if self.scores is not None:
            given = self.scores if isinstance(self.scores, Mapping) else {"x": self.scores}
            return {name: paper_columns.column(column, f"scores.{name}") for name, column in given.items()}
        ending = column_name("", metric)
        names = [name.removesuffix(ending) for name in keys(self.rows) if name.endswith(ending)]
        return {name: cells(self.rows, column_name(name, metric)) for name in names}


def keys(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the column names of some rows, in the order in which they first occur."""
    return list(dict.fromkeys(name for row in rows for name in row))


def cells(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """Return a column of numbers from rows; NaN for a row that lacks it."""
    return paper_columns.column((row.get(name) for row in rows), name)


def row_labels(rows: Sequence[Mapping[str, Any]], column: str, mode: str = PAPER) -> list[list[str]]:
    """Return each row's category labels in one column.

    In strict mode an empty label after a trailing `;` is dropped. Raise InputError if a cell is not a text; the
    published code stops there too.
    """
    found = []
    for place, row in enumerate(rows):
        cell = row.get(column)
        if not isinstance(cell, str):
            raise InputError(
                "a row has no text of labels", where=f"rows[{place}]/{column}", next="give labels with `;`"
            )
        found.append(paper_columns.labels(cell, mode))
    return found
