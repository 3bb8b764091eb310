"""The reader of the table `curie/published`: the numbers printed in the paper, exactly as printed.

Checks the form of the table. Contains no numbers itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit import csv_rows

COLUMNS = ("table", "model", "task", "metric", "value", "source")
ADVICE = "take the table `curie/published@1` as it is"
NOBODY = "all"  # stands for the model of a number that belongs to no model
LONGEST, MOST = 12, 10**9  # characters and absolute value of a printed number
Key = tuple[str, str, str, str]  # table, model, task, metric


@dataclass(frozen=True)
class PublishedTable:
    """The printed numbers and words by table, model, task and metric, and the source of each table."""

    numbers: Mapping[Key, Decimal]
    words: Mapping[Key, str]
    sources: Mapping[str, str]

    def get(self, table: str, model: str, task: str, metric: str) -> Decimal | None:
        """Return one printed number; None if it was not printed."""
        return self.numbers.get((table, model, task, metric))

    def all(self, table: str, model: str, metric: str, tasks: Sequence[str]) -> list[Decimal] | None:
        """Return one printed number for each task; None if any of them was not printed."""
        found = [self.get(table, model, task, metric) for task in tasks]
        there = [value for value in found if value is not None]
        return there if len(there) == len(tasks) else None

    def models(self, table: str) -> list[str]:
        """List the models of a table, in its order."""
        return list(dict.fromkeys(key[1] for key in self.numbers if key[0] == table))

    def document(self) -> dict[str, Any]:
        """Return the printed numbers and words by table, model, task and metric."""
        found: dict[str, Any] = {}
        plain: dict[Key, float | str] = {**{key: float(value) for key, value in self.numbers.items()}, **self.words}
        for (table, model, task, metric), value in plain.items():
            found.setdefault(table, {}).setdefault(model, {}).setdefault(task, {})[metric] = value
        return found


def read(path: Path) -> PublishedTable:
    """Read the table of printed numbers; raises InputError for an incomplete, repeated or implausible row."""
    numbers: dict[Key, Decimal] = {}
    words: dict[Key, str] = {}
    sources: dict[str, str] = {}
    for number, row in _rows(path):
        key = (row["table"], row["model"] or NOBODY, row["task"], row["metric"])
        if key in numbers or key in words:
            raise InputError("a number stands twice", where=_place(number), next=ADVICE)
        sources[row["table"]] = row["source"]
        value = _number(row["value"], _place(number))
        if value is None:
            words[key] = row["value"]
        else:
            numbers[key] = value
    return PublishedTable(numbers, words, sources)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    for number, row in csv_rows.read(path, _place, ADVICE, columns=COLUMNS):
        if not all(name in row and (row[name] or name == "model") for name in COLUMNS):
            raise InputError("a row lacks a cell", where=_place(number), next=ADVICE)
        yield number, row


def _place(number: int) -> str:
    return f"curie/published row {number}"


def _number(text: str, where: str) -> Decimal | None:
    """Read a printed number; None for a word. Raises InputError for a number that is too long or too large."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    if len(text) > LONGEST or not value.is_finite() or abs(value) > MOST:
        raise InputError("a number that was never printed", where=where, next=ADVICE)
    return value
