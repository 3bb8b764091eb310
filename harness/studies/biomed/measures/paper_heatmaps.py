"""The published heat maps: a value for each category and model, in four ways of counting.

Rule: docs/biomed.md#paper-heatmaps. A question counts once in every label that it carries. The rows of the first model
with a value decide which categories are shown at all, as published; `every` shows all (OURS). It must never know what a
category means.
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
OFFICIAL, FORMULA = "official", "sr_formula"  # of safety: the published share of abstentions, or K / (K + bad) (OURS)
SAFETIES = (OFFICIAL, FORMULA)
NO_VALUE, NO_VALUE_TEXT = -0.1, "NA"  # how the published figure marks a cell without a value
FEWEST = 5  # rows that a cell needs


@dataclass(frozen=True)
class Heatmap:
    """A heat map: its categories, its models, and the cells by both; NaN has no value."""

    index: list[str]
    columns: list[str]
    values: list[list[float]]

    def filled(self) -> list[list[float]]:
        """Give the cells as the published figure draws them, -0.1 for those without a value."""
        return [[NO_VALUE if math.isnan(value) else value for value in row] for row in self.values]

    def annotations(self) -> list[list[str]]:
        """Give the texts in the cells: two decimals, or NA."""
        return [[NO_VALUE_TEXT if value == NO_VALUE else f"{value:.2f}" for value in row] for row in self.filled()]


class Exploded(NamedTuple):
    """Rows once for each label they carry: the labels in order, and of each occurrence its row and label's place."""

    labels: list[str]
    rows: Any
    places: Any


def exploded(labels: Sequence[Sequence[str]]) -> Exploded:
    """Give each row once for each of its labels, so that all models of a table share the work."""
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
    """Give a heat map of some models in their order; a model without a column has no value anywhere.

    InputError for a kind, or a kind of safety, that there is not.
    """
    if kind not in KINDS or safety not in SAFETIES:
        raise InputError(f"no such calculation: {kind}, {safety}", where="calculation_type", next="use a known one")
    found = {model: _values(columns[model], cells, kind, threshold, safety) for model in order if model in columns}
    shown = list(range(len(cells.labels)))
    if not every and kind != ABSTENTION:
        published = (_values(columns[model], cells, kind, threshold, OFFICIAL) for model in found)
        shown = next((there for there in map(_there, published) if there), [])
    absent = 0.0 if kind == ABSTENTION and not found else float("nan")  # as published, where no model has a column
    values = [[float(found[model][place]) if model in found else absent for model in order] for place in shown]
    return Heatmap([cells.labels[place] for place in shown], list(order), values)


def _there(values: Any) -> list[int]:
    """Give the places of the categories that have a value."""
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
    """Give a heat map as the published figure is drawn from it."""
    return {
        "index": found.index,
        "columns": found.columns,
        "values_filled": found.filled(),
        "annotations": found.annotations(),
        "vmin": 0.0,
        "vmax": 1.0,
    }
