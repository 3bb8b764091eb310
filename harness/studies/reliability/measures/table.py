"""A table of labels: all models on one benchmark, or on a part of it, item by item, in the order of ids.

Works on ids, difficulties and label texts; independent of files, scoring rules and facts about models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.studies.reliability.terms import UNSCORED, Triple, counted


@dataclass(frozen=True)
class TableItem:
    """One item of a label table: subset, difficulty and flags, which are the same for every model."""

    subset: str
    difficulty: float
    flags: Mapping[str, bool]


@dataclass(frozen=True)
class Table:
    """The labels of several models on the same items of a benchmark: a text of label characters per item and model."""

    benchmark: str
    part: str  # empty: all of the benchmark
    prompts: int  # number of a model's answers to an item, one character each
    items: dict[str, TableItem]
    labels: dict[str, dict[str, str]]  # model -> item -> one character per answer

    @property
    def name(self) -> str:
        """The table's name in documents: the benchmark, or benchmark:part."""
        return f"{self.benchmark}:{self.part}" if self.part else self.benchmark

    @property
    def ids(self) -> list[str]:
        """The ids of the items, in the table's order."""
        return list(self.items)

    @property
    def difficulties(self) -> list[float]:
        """The difficulty of each item, in the table's order."""
        return [item.difficulty for item in self.items.values()]

    def column(self, model: str) -> list[str]:
        """Return one model's label texts, one text per item, one character per answer."""
        return list(self.labels[model].values())

    def counts(self, model: str) -> list[Triple]:
        """Return one model's counts of the labels c, a and i on each item."""
        return [counted(text) for text in self.labels[model].values()]

    def errors(self, model: str) -> int:
        """Return one model's number of answers without a label: errors and missing responses."""
        return sum(text.count(UNSCORED) for text in self.labels[model].values())

    def strata(self) -> dict[str, list[int]]:
        """Return the positions of each subset's items: the strata that are resampled separately."""
        return strata(item.subset for item in self.items.values())

    def only(self, part: str, places: Sequence[int]) -> Table:
        """Return the table of the items at the given positions, named as a part."""
        ids = self.ids
        chosen = [ids[place] for place in places]
        labels = {model: {item: texts[item] for item in chosen} for model, texts in self.labels.items()}
        return Table(self.benchmark, part, self.prompts, {item: self.items[item] for item in chosen}, labels)


def strata(subsets: Iterable[str]) -> dict[str, list[int]]:
    """Group positions by subset, as the strata of a bootstrap."""
    found: dict[str, list[int]] = {}
    for place, subset in enumerate(subsets):
        found.setdefault(subset, []).append(place)
    return dict(sorted(found.items()))


def codes(column: Sequence[str], width: int) -> Any:
    """Return label texts of `width` characters as an array [item, answer] of character codes."""
    import numpy as np  # noqa: PLC0415

    return np.frombuffer("".join(column).encode(), np.uint8).reshape(len(column), width)
