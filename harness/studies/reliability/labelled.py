"""The rows of `labels` as the smaller analyses read them: checked one by one, gathered by benchmark and by subset.

It knows ids, difficulties and label texts; it must never know a response, a rule or what an analysis computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import equal_sized_bins, is_number

LABELS = "cai"  # correct, avoidant, incorrect
UNSCORED = "-"  # an error or a missing response: counted beside a value, never in it
NAMES: Mapping[str, str] = {"c": "correct", "a": "avoidant", "i": "incorrect"}
NONE_SCORED = {"missing": "no scored responses"}
_ALLOWED = frozenset(LABELS + UNSCORED)


@dataclass(slots=True)
class Table:
    """All labels of one benchmark, or of one subset of it."""

    benchmark: str
    subset: str = ""  # empty: all of the benchmark
    prompts: int = 0
    difficulties: dict[str, float] = field(default_factory=dict)
    subsets: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)  # model -> item -> one character a template

    @property
    def name(self) -> str:
        """Give the name under which a report shows it."""
        return f"{self.benchmark}:{self.subset}" if self.subset else self.benchmark

    @property
    def items(self) -> list[str]:
        """List the ids in their order as text."""
        return sorted(self.difficulties)

    def column(self, model: str, items: Sequence[str]) -> list[str]:
        """Give one model's labels of some items; an item it never met is unscored in every wording."""
        none = UNSCORED * self.prompts
        found = self.labels.get(model, {})
        return [found.get(item, none) for item in items]

    def bins(self, items: Sequence[str], count: int) -> list[int]:
        """Say which bin of difficulty each of some items falls in (6.1)."""
        return equal_sized_bins(items, [self.difficulties[item] for item in items], count)

    def part(self, subset: str) -> Table:
        """Give the items of one subset as a table of their own."""
        inside = {item for item, found in self.subsets.items() if found == subset}
        return Table(
            self.benchmark,
            subset,
            self.prompts,
            {item: value for item, value in self.difficulties.items() if item in inside},
            dict.fromkeys(inside, subset),
            {
                model: {item: text for item, text in column.items() if item in inside}
                for model, column in self.labels.items()
            },
        )


def read(path: Path) -> Iterator[Mapping[str, Any]]:
    """Give the rows of `labels`, each checked; a row that is not what it should be is named by its number."""
    for number, row in enumerate(rows.read(path), 1):
        where = f"labels row {number}"
        for name in ("model", "item", "benchmark", "subset", "labels"):
            if not isinstance(row.get(name), str):
                raise InputError(f"`{name}` is missing or not text", where=where)
        if not is_number(row.get("difficulty")):
            raise InputError("`difficulty` is missing or not a finite number", where=where)
        if not _ALLOWED.issuperset(row["labels"]):
            raise InputError("`labels` holds something else than c, a, i and -", where=where)
        yield row


def gather(given: Iterable[Mapping[str, Any]]) -> dict[str, Table]:
    """Gather rows into one table a benchmark, in the order of their names."""
    tables: dict[str, Table] = {}
    for row in given:
        model, item, text = row["model"], row["item"], row["labels"]
        table = tables.setdefault(row["benchmark"], Table(row["benchmark"], prompts=len(text)))
        where = f"labels of {model} on {item}"
        if len(text) != table.prompts:
            raise InputError(f"{len(text)} labels where {table.prompts} templates were put", where=where)
        if table.difficulties.setdefault(item, row["difficulty"]) != row["difficulty"]:
            raise InputError("two rows of one item give it different difficulties", where=where)
        table.subsets[item] = row["subset"]
        column = table.labels.setdefault(model, {})
        if item in column:
            raise InputError("two rows of one model are of the same item", where=where)
        column[item] = text
    return dict(sorted(tables.items()))


def parts(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Give the subsets of every benchmark that has more than one, as tables of their own."""
    found = {}
    for table in tables.values():
        names = sorted(set(table.subsets.values()))
        for name in names if len(names) > 1 else ():
            part = table.part(name)
            found[part.name] = part
    return found


def template_ids(inputs: Mapping[str, Path], table: Table) -> list[Any]:
    """Name the templates behind a row's characters: as `templates` says, else by their place."""
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


def counts(texts: Iterable[str]) -> dict[str, int]:
    """Count the labels of some rows, pooled."""
    together = "".join(texts)
    return {label: together.count(label) for label in LABELS}


def shares(found: Mapping[str, int]) -> dict[str, Any]:
    """Turn counts of labels into shares of the scored pairs (6.3)."""
    scored = sum(found[label] for label in LABELS)
    return {name: found[label] / scored if scored else NONE_SCORED for label, name in NAMES.items()}
