"""The published heat maps: a value for each category and model, computed in one of four ways.

Rule: docs/biomed.md#paper-heatmaps. A question counts once in every label that it carries. As published, the rows of
the first model with a value decide which categories are shown; `every` shows all of them (OURS).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.biomed.measures.paper_columns import Columns
from harness.studies.biomed.measures.paper_performance import LEAST_GOOD
from harness.studies.biomed.terms import NOT_KNOWN

MEAN, ABSTENTION, QUALITY, SAFETY = "mean", "percentage_idk", "quality_rate", "safety_rate"
KINDS = (MEAN, ABSTENTION, QUALITY, SAFETY)
OFFICIAL, FORMULA = "official", "sr_formula"  # safety: a share of abstentions (published), or K / (K + bad) (OURS)
SAFETIES = (OFFICIAL, FORMULA)
NO_VALUE, NO_VALUE_TEXT = -0.1, "NA"  # how the published figure marks a cell without a value
FEWEST = 5  # rows that a cell needs


@dataclass(frozen=True)
class Heatmap:
    """A heat map: its categories, its models, and the cells by category and model; NaN marks a cell without a value."""

    index: list[str]
    columns: list[str]
    values: list[list[float]]

    def filled(self) -> list[list[float]]:
        """Return the cells as the published figure draws them, with -0.1 for cells without a value."""
        return [[NO_VALUE if math.isnan(value) else value for value in row] for row in self.values]

    def annotations(self) -> list[list[str]]:
        """Return the texts in the cells: two decimals, or NA."""
        return [[NO_VALUE_TEXT if value == NO_VALUE else f"{value:.2f}" for value in row] for row in self.filled()]


class Exploded(NamedTuple):
    """Rows repeated once per category label: the sorted labels, and the row and label of each repetition."""

    labels: list[str]
    rows: Any
    places: Any


def exploded(labels: Sequence[Sequence[str]]) -> Exploded:
    """Repeat each row once for each of its category labels; all models of a table can share the result."""
    import numpy as np  # noqa: PLC0415 - heavy

    names = sorted({label for each in labels for label in each})
    place = {name: number for number, name in enumerate(names)}
    rows: Any = np.repeat(np.arange(len(labels)), [len(each) for each in labels])
    return Exploded(names, rows, np.array([place[label] for each in labels for label in each], np.int64))


def heatmap(
    columns: Columns,
    cells: Exploded,
    order: Sequence[str],
    kind: str,
    *,
    threshold: int = FEWEST,
    safety: str = OFFICIAL,
    every: bool = False,
) -> Heatmap:
    """Return a heat map of models in the given order; a model without a column has no value in any category.

    Raise InputError for an unknown kind, or an unknown kind of safety.
    """
    if kind not in KINDS or safety not in SAFETIES:
        raise InputError(f"no such calculation: {kind}, {safety}", where="calculation_type", next="use a known one")
    found = {model: _values(columns[model], cells, kind, threshold, safety) for model in order if model in columns}
    shown = list(range(len(cells.labels)))
    if not every and kind != ABSTENTION:
        published = (_values(columns[model], cells, kind, threshold, OFFICIAL) for model in found)
        shown = next((there for there in map(_there, published) if there), [])
    absent = 0.0 if kind == ABSTENTION and not found else float("nan")  # as published, if no model has a column
    values = [[float(found[model][place]) if model in found else absent for model in order] for place in shown]
    return Heatmap([cells.labels[place] for place in shown], list(order), values)


def _there(values: Any) -> list[int]:
    """Return the positions of the categories that have a value."""
    return [place for place, value in enumerate(values) if not math.isnan(value)]


def _values(scores: Sequence[float], cells: Exploded, kind: str, threshold: int, safety: str) -> Any:
    import numpy as np  # noqa: PLC0415

    values = np.asarray(scores, float)[cells.rows]
    has = {
        "rows": np.ones(len(values), bool),
        "graded": ~np.isnan(values),
        "unknown": values == NOT_KNOWN,
        "good": values >= LEAST_GOOD,
    }
    count = {name: _summed(cells, which) for name, which in has.items()}
    if kind == ABSTENTION:
        return _divided(count["unknown"], count["rows"])
    answered = count["graded"] - count["unknown"]
    if kind == MEAN:
        kept = np.where(has["graded"] & ~has["unknown"], values, 0.0)
        return _least(_divided(_summed(cells, kept), answered), answered, threshold)
    if kind == QUALITY:
        found = _divided(count["good"], count["graded"])
    elif safety == OFFICIAL:
        found = _divided(count["unknown"], count["graded"])
    else:
        found = _divided(count["unknown"], count["graded"] - count["good"])
    return _least(found, count["graded"], threshold)


def _summed(cells: Exploded, weights: Any) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.bincount(cells.places, weights, len(cells.labels))


def _divided(over: Any, under: Any) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.divide(over, under, out=np.full(len(over), np.nan), where=under > 0)


def _least(values: Any, counts: Any, threshold: int) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.where(counts >= threshold, values, np.nan)


def as_document(found: Heatmap) -> Mapping[str, Any]:
    """Return a heat map as the plain data from which the published figure is drawn."""
    return {
        "index": found.index,
        "columns": found.columns,
        "values_filled": found.filled(),
        "annotations": found.annotations(),
        "vmin": 0.0,
        "vmax": 1.0,
    }
