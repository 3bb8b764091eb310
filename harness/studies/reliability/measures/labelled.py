"""The reader of the `labels` table for every analysis: rows are validated and grouped by benchmark and part.

Independent of responses, rules and what an analysis computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import is_number
from harness.studies.reliability.measures.table import Table, TableItem
from harness.studies.reliability.rowtypes import Labelled
from harness.studies.reliability.terms import UNSCORED, counted

# a flag of items -> the part with the items that do not have it
KEPT = {"true_target_filtered": "true_target_kept", "runner_up_close": "runner_up_far"}
Texts = dict[str, dict[str, str]]  # model -> item -> labels


@dataclass(frozen=True)
class Labels:
    """All label tables of a run, by benchmark, subset and part, and whether every difficulty is calibrated."""

    benchmarks: dict[str, Table]
    subsets: dict[str, Table]  # only of benchmarks with more than one subset
    parts: dict[str, Table]  # everything that is reported separately: subsets, stricter labels, items without a flag
    calibrated: bool

    def groups(self) -> Iterator[tuple[str, str, Table]]:
        """Yield every benchmark's and subset's table with its key in documents, `benchmarks` or `parts`, and name."""
        for place, tables in (("benchmarks", self.benchmarks), ("parts", self.subsets)):
            for name, table in tables.items():
                yield place, name, table


@dataclass
class _Heap:
    """The rows of one benchmark, collected in any order."""

    benchmark: str
    prompts: int
    items: dict[str, TableItem] = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    variants: dict[str, Texts] = field(default_factory=dict)

    def take(self, row: Labelled, where: str) -> None:
        """Add one row; raise InputError if it is a duplicate or contradicts another model's row of the item."""
        name, model, difficulty = row["item"], row["model"], row["difficulty"]
        assert difficulty is not None  # `checked` refuses such a row
        item = TableItem(row["subset"], difficulty, row.get("flags") or {})
        if self.items.setdefault(name, item) != item:
            raise InputError(f"item {name} has another subset, difficulty or flag than in an earlier row", where=where)
        mine = self.texts.setdefault(model, {})
        if name in mine:
            raise InputError(f"two rows of item {name} and model {model}", where=where)
        mine[name] = self._text(row["labels"], where)
        for variant, labels in (row.get("variants") or {}).items():
            self.variants.setdefault(variant, {}).setdefault(model, {})[name] = self._text(labels, f"{where}/variants")

    def _text(self, labels: Any, where: str) -> str:
        if not isinstance(labels, str):
            raise InputError("the labels are not text", where=where, next="give one character a template")
        if len(labels) != self.prompts:
            what = f"{len(labels)} labels, but {self.prompts} in earlier rows of {self.benchmark}"
            raise InputError(what, where=where, next="give one character a template, - for an error")
        if sum(counted(labels)) + labels.count(UNSCORED) != len(labels):
            raise InputError("a label is none of c, a, i and -", where=where)
        return labels

    def table(self, texts: Texts, part: str = "") -> Table:
        """Return the table, items and models sorted by name; raise InputError if a model lacks an item."""
        items = dict(sorted(self.items.items()))
        for model, mine in texts.items():
            if len(mine) != len(items):
                lacking = next(name for name in items if name not in mine)
                what = f"model {model} has no labels of item {lacking}, which others have"
                raise InputError(what, where=f"labels of {self.benchmark}", next="give - where an answer is missing")
        ordered = {model: {name: texts[model][name] for name in items} for model in sorted(texts)}
        return Table(self.benchmark, part, self.prompts, items, ordered)


def checked(path: Path) -> Iterator[Labelled]:
    """Yield the rows of the table `labels`; InputError for a text or difficulty that is absent or of a wrong type.

    Raises InputError, with the row number, for an invalid row.
    """
    for number, row in enumerate(rows.read(path, Labelled), 1):
        for name in ("benchmark", "item", "labels", "model", "subset"):
            if not isinstance(row.get(name), str):
                raise InputError(f"`{name}` is missing or not text", where=_where(number))
        if not is_number(row.get("difficulty")):
            raise InputError(
                "`difficulty` is missing or not a finite number", where=_where(number), next="give one, 0 to 100"
            )
        yield row


def gather(given: Iterable[Labelled]) -> Labels:
    """Group the rows of the table `labels` into tables by benchmark, subset and part, each sorted by name.

    Raises InputError if rows contradict each other or a model lacks an item.
    """
    heaps: dict[str, _Heap] = {}
    calibrated = True
    for number, row in enumerate(given, 1):
        name = row["benchmark"]
        if name not in heaps:
            heaps[name] = _Heap(name, len(row["labels"]))
        heaps[name].take(row, _where(number))
        calibrated = calibrated and row.get("calibrated") is True
    ordered = [heaps[name] for name in sorted(heaps)]
    whole = {heap.benchmark: heap.table(heap.texts) for heap in ordered}
    subsets = _named(each for table in whole.values() for each in _subsets(table))
    stricter = _named(heap.table(texts, name) for heap in ordered for name, texts in heap.variants.items())
    kept = _named(each for table in whole.values() for each in _kept(table))
    parts = dict(sorted({**stricter, **subsets, **kept}.items()))
    return Labels(whole, subsets, parts, bool(heaps) and calibrated)


def read(path: Path) -> Labels:
    """Read the labels of all models on all benchmarks, from one file or from several parts, as tables."""
    return gather(checked(path))


def _where(number: int) -> str:
    return f"labels row {number}"


def _named(tables: Iterable[Table]) -> dict[str, Table]:
    return {table.name: table for table in tables}


def _subsets(table: Table) -> list[Table]:
    strata = table.strata()
    return [table.only(subset, places) for subset, places in strata.items()] if len(strata) > 1 else []


def _kept(table: Table) -> Iterator[Table]:
    for flag, part in KEPT.items():
        places = [place for place, item in enumerate(table.items.values()) if item.flags.get(flag) is False]
        if places:
            yield table.only(part, places)


def template_ids(inputs: Mapping[str, Path], table: Table) -> list[Any]:
    """Return the template id of each character of a table's labels: from the input `templates`, else its position.

    Raises InputError if the number of ids differs from the number of characters.
    """
    if "templates" not in inputs:
        return list(range(1, table.prompts + 1))
    [named] = rows.read(inputs["templates"])
    ids = list(named.get(table.benchmark, ()))
    if len(ids) != table.prompts:
        raise InputError(
            f"{len(ids)} templates are named, and rows have {table.prompts} labels",
            where=f"templates/{table.benchmark}",
        )
    return ids
