"""The labels of a run as tables: one a benchmark, and one for each part of it that is reported apart.

It reads the rows of `labels` once and counts; it must never know a scoring rule, a statistic or who is behind a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import is_number

ERROR = "-"  # an answer that failed or is missing: counted, and never scored
KEPT = {"true_target_filtered": "true_target_kept"}  # a flag of items -> the part of those that are without it
Triple = tuple[int, int, int]  # correct, avoidant, incorrect
Cell = tuple[Triple, int]  # the labels of one item from one model, and its errors


@dataclass(frozen=True)
class Item:
    """One instance: what is the same for every model."""

    subset: str
    difficulty: float
    flags: Mapping[str, bool]


@dataclass(frozen=True)
class Table:
    """Counts of labels for each model, item by item in the order of ids."""

    benchmark: str
    prompts: int  # templates an item was asked in
    items: dict[str, Item]
    cells: dict[str, list[Cell]]

    @property
    def ids(self) -> list[str]:
        """Give the ids of the items."""
        return list(self.items)

    @property
    def difficulties(self) -> list[float]:
        """Give the difficulty of each item."""
        return [item.difficulty for item in self.items.values()]

    def counts(self, model: str) -> list[Triple]:
        """Give the labels of one model, item by item."""
        return [triple for triple, _ in self.cells[model]]

    def errors(self, model: str) -> int:
        """Say how many answers of one model were never scored."""
        return sum(errors for _, errors in self.cells[model])

    def strata(self) -> dict[str, list[int]]:
        """Give the places of the items of each subset: what is resampled apart (6.9)."""
        found: dict[str, list[int]] = {}
        for place, item in enumerate(self.items.values()):
            found.setdefault(item.subset, []).append(place)
        return dict(sorted(found.items()))

    def only(self, places: Sequence[int]) -> Table:
        """Give the table of the items at some places."""
        ids = self.ids
        items = {ids[place]: self.items[ids[place]] for place in places}
        cells = {model: [cells[place] for place in places] for model, cells in self.cells.items()}
        return Table(self.benchmark, self.prompts, items, cells)


@dataclass(frozen=True)
class Labels:
    """All that a run's labels say: a table a benchmark, a table a part, and whether every difficulty is calibrated."""

    benchmarks: dict[str, Table]
    parts: dict[str, Table]
    calibrated: bool


@dataclass
class _Heap:
    """The rows of one benchmark as they come, in any order."""

    benchmark: str
    prompts: int
    items: dict[str, Item] = field(default_factory=dict)
    cells: dict[str, dict[str, Cell]] = field(default_factory=dict)
    variants: dict[str, dict[str, dict[str, Cell]]] = field(default_factory=dict)

    def take(self, row: Mapping[str, Any], where: str) -> None:
        """Put one row on the heap; it must agree with those of the same item from other models."""
        name, model = row["item"], row["model"]
        item = Item(row["subset"], row["difficulty"], row.get("flags") or {})
        if self.items.setdefault(name, item) != item:
            raise InputError(f"item {name} has another subset, difficulty or flag than in an earlier row", where=where)
        mine = self.cells.setdefault(model, {})
        if name in mine:
            raise InputError(f"two rows of item {name} and model {model}", where=where)
        mine[name] = self._cell(row["labels"], f"{where}, `labels`")
        for variant, labels in (row.get("variants") or {}).items():
            theirs = self.variants.setdefault(variant, {}).setdefault(model, {})
            theirs[name] = self._cell(labels, f"{where}, `variants`")

    def _cell(self, labels: Any, where: str) -> Cell:
        if not isinstance(labels, str):
            raise InputError("the labels are not text", where=where, next="give one character a template")
        if len(labels) != self.prompts:
            what = f"{len(labels)} labels, but {self.prompts} in earlier rows of {self.benchmark}"
            raise InputError(what, where=where, next="give one character a template, - for an error")
        correct, avoidant, incorrect = labels.count("c"), labels.count("a"), labels.count("i")
        errors = labels.count(ERROR)
        if correct + avoidant + incorrect + errors != len(labels):
            raise InputError("a label is none of c, a, i and -", where=where)
        return (correct, avoidant, incorrect), errors

    def table(self, cells: Mapping[str, Mapping[str, Cell]]) -> Table:
        """Put items and models in the order of their names; a model answers all items of a benchmark or none."""
        items = dict(sorted(self.items.items()))
        for model, mine in cells.items():
            if len(mine) != len(items):
                lacking = next(name for name in items if name not in mine)
                what = f"model {model} has no labels of item {lacking}, which others have"
                raise InputError(what, where=f"labels of {self.benchmark}", next="give - where an answer is missing")
        ordered = {model: [cells[model][name] for name in items] for model in sorted(cells)}
        return Table(self.benchmark, self.prompts, items, ordered)

    def parts(self) -> dict[str, Table]:
        """Give what is reported apart: several subsets, stricter labels, items without a flag."""
        whole = self.table(self.cells)
        found = {variant: self.table(cells) for variant, cells in self.variants.items()}
        subsets = whole.strata()
        if len(subsets) > 1:
            found |= {subset: whole.only(places) for subset, places in subsets.items()}
        for flag, part in KEPT.items():
            kept = [place for place, item in enumerate(whole.items.values()) if item.flags.get(flag) is False]
            if kept:
                found[part] = whole.only(kept)
        return {f"{self.benchmark}:{part}": table for part, table in sorted(found.items())}


def read(labels: Path) -> Labels:
    """Read the labels of all models on all benchmarks, from one file or the parts of a fan-in."""
    heaps: dict[str, _Heap] = {}
    calibrated = True
    for number, row in enumerate(rows.read(labels), 1):
        where = f"labels, row {number}"
        _check(row, where)
        benchmark = row["benchmark"]
        if benchmark not in heaps:
            heaps[benchmark] = _Heap(benchmark, len(row["labels"]))
        heaps[benchmark].take(row, where)
        calibrated = calibrated and row.get("calibrated") is True
    tables = {name: heaps[name].table(heaps[name].cells) for name in sorted(heaps)}
    parts = {part: table for name in sorted(heaps) for part, table in heaps[name].parts().items()}
    return Labels(tables, parts, bool(heaps) and calibrated)


def _check(row: Mapping[str, Any], where: str) -> None:
    for name in ("benchmark", "item", "labels", "model", "subset"):
        if not isinstance(row.get(name), str):
            raise InputError(f"`{name}` is missing or not text", where=where)
    if not is_number(row.get("difficulty")):
        raise InputError("`difficulty` is missing or not a finite number", where=where, next="give one, 0 to 100")
