"""Columns as the published code has them: a score a row, NaN where there is none, and the labels of a category's cell.

It must never know a model, nor what is computed from a column.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.stats import is_number
from harness.studies.biomed.terms import PAPER

ABSENT = (None, "", "nan", "NaN")  # cells that a table reads as no number
LONGEST = 64  # characters of a number that is written as a text
Columns = Mapping[str, Sequence[float]]  # scores by model; one that has none stands in no column


def column(cells: Iterable[Any], where: str) -> list[float]:
    """Give a column's numbers, NaN where a cell is empty; a number may be written as a text, as CSV does.

    InputError, with `where` and the row, for anything else, and for a number that is not finite or beyond 1e15.
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
    """Give the labels that a category's cell joins by `;`, blanks cut; strict drops empty ones, paper keeps them."""
    found = [label.strip() for label in cell.split(";")]
    return found if mode == PAPER else [label for label in found if label]


def plain(value: Any) -> Any:
    """Give a value as JSON has it, wherever it stands: `nan`, `inf` and `-inf` are texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value
