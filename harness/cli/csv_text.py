"""CSV as the command line writes it: one writer, whose cells no spreadsheet takes for a formula.

A text that begins with = + - @, or with a tab or a line's end, gets an apostrophe before it, as spreadsheets mark plain
text. Every text stands in quotes; numbers are written as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV with a head, a line each; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(head)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue().removesuffix("\n")


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return "" if value is None else value
