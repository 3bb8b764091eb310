"""The scorers of this study by hand or over the command line: one row in, one labelled row out.

It knows which fields each benchmark's rules need; it must never know where rows come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.fields import text
from harness.scorers.outcome import rows_choice, rows_text
from harness.scorers.outcome.addition import addition
from harness.scorers.outcome.result import Outcome

LONGEST_ADDEND = 4_000  # below Python's limit for turning text into a whole number
_DECIMAL = re.compile(r"[0-9]+")


def score_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Label one row by hand or over the command line, naming the field where the row is not what it must be."""
    benchmark = text(row, "benchmark")
    if benchmark not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise InputError(f"no rules for benchmark {benchmark!r}", where="benchmark", next=f"use one of: {known}")
    return BENCHMARKS[benchmark](row).row()


def _addition_row(row: Mapping[str, Any]) -> Outcome:
    a, b, response = (text(row, name) for name in ("a", "b", "response"))
    for name, value in (("a", a), ("b", b)):
        if not _DECIMAL.fullmatch(value) or len(value) > LONGEST_ADDEND:
            raise InputError(
                f"`{name}` is not a whole number in decimal digits",
                where=name,
                next=f'give text such as "{name}": "42"',
            )
    return addition(a, b, response)


BENCHMARKS: Mapping[str, Callable[[Mapping[str, Any]], Outcome]] = {
    "addition": _addition_row,
    **rows_text.ROWS,
    **rows_choice.ROWS,
}
