"""Columns as in the published code: one score per row, NaN for a missing one, and the labels of a category's cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.stats import is_number
from harness.studies.biomed.terms import PAPER

ABSENT = (None, "", "nan", "NaN")  # cells without a number
LONGEST = 64  # characters of a number that is written as a text
Columns = Mapping[str, Sequence[float]]  # scores by model; a model without scores has no column


def column(cells: Iterable[Any], where: str) -> list[float]:
    """Return a table column's numbers, NaN for an empty cell; a number may be written as text, as in CSV.

    Raise InputError, with `where` and the row, for anything else, and for a number that is not finite or beyond 1e15.
    """
    return [_number(cell, f"{where}[{place}]") for place, cell in enumerate(cells)]


def _number(cell: Any, where: str) -> float:
    if (isinstance(cell, float) and math.isnan(cell)) or (isinstance(cell, str | None) and cell in ABSENT):
        return math.nan
    value = cell
    if isinstance(cell, str) and len(cell) <= LONGEST:
        try:
            value = float(cell)
        except ValueError:
            value = None
    if not is_number(value):
        raise InputError("a cell is no number", where=where, next="give a finite number, or null where there is none")
    return float(value)


def labels(cell: str, mode: str = PAPER) -> list[str]:
    """Return the category labels in a cell, split at `;` and stripped; strict mode drops empty labels."""
    found = [label.strip() for label in cell.split(";")]
    return found if mode == PAPER else [label for label in found if label]


def plain(value: Any) -> Any:
    """Return a value that JSON can hold; at any depth, `nan`, `inf` and `-inf` become texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value
