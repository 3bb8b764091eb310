"""The reader of the table `biomed/published`: the numbers printed in the paper, exactly as printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.kit import csv_rows

COLUMNS = ("table", "model", "metric", "value", "ci_low", "ci_high", "source")
ADVICE = "take the table `biomed/published@1` as it is"
LONGEST, MOST = 16, 10**12  # characters and size of a printed number
RATES, COSTS, ABSTRACT, SUPPLEMENT, JOURNAL, STATISTICS = (
    "S11_bioscore",
    "S4_cost",
    "abstract",
    "text_supplement",
    "journal_2026_abstract",
    "S1_statistics",
)


class PrintedNumber(NamedTuple):
    """One printed number, with its interval if one was printed."""

    value: Decimal
    interval: tuple[Decimal, Decimal] | None


@dataclass(frozen=True)
class PublishedNumbers:
    """The printed numbers by table, model and metric, and the source of each table."""

    numbers: Mapping[tuple[str, str, str], PrintedNumber]
    sources: Mapping[str, str]

    def get(self, table: str, model: str, metric: str) -> Decimal | None:
        """Return one printed number; None if none was printed."""
        found = self.numbers.get((table, model, metric))
        return None if found is None else found.value

    def models(self, table: str) -> list[str]:
        """List the models of a table, in its order."""
        return list(dict.fromkeys(model for name, model, _ in self.numbers if name == table))

    def document(self) -> dict[str, Any]:
        """Return the printed numbers by table, model and metric."""
        told: dict[str, Any] = {}
        for (table, model, metric), (value, interval) in self.numbers.items():
            shown = {"value": float(value), **({"interval": [float(end) for end in interval]} if interval else {})}
            told.setdefault(table, {}).setdefault(model, {})[metric] = shown
        return told


def read(path: Path) -> PublishedNumbers:
    """Read the table of the paper's printed numbers.

    Raise InputError for a row that lacks a cell or is repeated, and for a malformed number or interval.
    """
    numbers: dict[tuple[str, str, str], PrintedNumber] = {}
    sources: dict[str, str] = {}
    for number, row in csv_rows.read(path, _place, ADVICE, columns=COLUMNS):
        if not all(name in row and (row[name] or name.startswith("ci_")) for name in COLUMNS):
            raise InputError("a row lacks a cell", where=_place(number), next=ADVICE)
        key = (row["table"], row["model"], row["metric"])
        if key in numbers:
            raise InputError("a number stands twice", where=_place(number), next=ADVICE)
        value, *ends = (_number(row[name], number) for name in ("value", "ci_low", "ci_high") if row[name])
        if len(ends) not in (0, 2):
            raise InputError("an interval lacks an end", where=_place(number), next=ADVICE)
        numbers[key] = PrintedNumber(value, (ends[0], ends[1]) if ends else None)
        sources[row["table"]] = row["source"]
    return PublishedNumbers(numbers, sources)


def _place(number: int) -> str:
    return f"biomed/published row {number}"


def _number(text: str, row: int) -> Decimal:
    try:
        value = Decimal(text) if len(text) <= LONGEST else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite() or abs(value) > MOST:
        raise InputError("a number that was never printed", where=_place(row), next=ADVICE)
    return value
