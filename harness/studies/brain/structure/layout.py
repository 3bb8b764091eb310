"""The layout of a dataset's rows: the sample, its label, its block and its position in the block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from harness.errors import InputError
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.labels import parse_label
from harness.studies.brain.terms import DATASETS, EXP1, EXP2, FEDORENKO, PEREIRA

ORDER = (EXP2, EXP1)  # of the experiments in every file of Pereira
_KINDS: Mapping[str, type] = {"id": str, "label": str, "block": str, "position": int, "text": str}


@dataclass(frozen=True)
class Layout:
    """The rows of a dataset: ids, labels, blocks, positions, experiments; raises InputError if lengths differ."""

    dataset: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]  # folds are made from them
    blocks: tuple[str, ...]
    positions: tuple[int, ...]  # in the block, from 0
    experiments: tuple[str, ...]  # empty texts if there are no experiments
    whole: tuple[tuple[str, int], ...] = ()  # rows of each experiment before the layout was cut to one

    def __post_init__(self) -> None:
        """Check the lengths."""
        names = [field.name for field in fields(self)[1:-1]]
        for name in names:
            if len(getattr(self, name)) != len(self.ids):
                told = f"`{name}` has {len(getattr(self, name))} values for {len(self.ids)} rows"
                raise InputError(told, where=f"layout of {self.dataset}", next="give one for each row")

    def only(self, experiment: str) -> Layout:
        """Return the rows of one experiment, in order; an empty name returns all rows.

        Raises InputError if no row is of that experiment.
        """
        if not experiment:
            return self
        kept = [row for row, name in enumerate(self.experiments) if name == experiment]
        if not kept:
            has = ", ".join(sorted({*self.experiments} - {""})) or "none"
            raise InputError(
                f"no row is of the experiment {experiment[:80]!r}", where=self.dataset, next=f"choose one of: {has}"
            )
        return Layout(
            self.dataset,
            tuple(self.ids[row] for row in kept),
            tuple(self.labels[row] for row in kept),
            tuple(self.blocks[row] for row in kept),
            tuple(self.positions[row] for row in kept),
            (experiment,) * len(kept),
            self.whole or tuple(sorted(Counter(self.experiments).items())),
        )

    def block_rows(self) -> dict[str, tuple[int, ...]]:
        """Return the rows of each block by name, blocks in the order in which they begin."""
        found: dict[str, list[int]] = {}
        for row, name in enumerate(self.blocks):
            found.setdefault(name, []).append(row)
        return {name: tuple(rows) for name, rows in found.items()}


def layout(dataset: str, stimuli: Iterable[Stimulus]) -> Layout:
    """Return the layout (ids, labels, blocks, positions, experiments) of a dataset's stimuli, in their order.

    Raises InputError for an unknown dataset, no stimuli, a row without its fields, a doubled id, or a block whose rows
    are not consecutive or do not count from 0. The labels must also fit this order: Pereira's are sorted by experiment
    (243, then 384), category and passage; Fedorenko's are the row numbers; Blank has one label per story.
    """
    if dataset not in DATASETS:
        raise InputError(
            f"no dataset is called {dataset[:80]!r}", where="dataset", next=f"choose one of: {', '.join(DATASETS)}"
        )
    rows = [_sound(row, place) for place, row in enumerate(stimuli)]
    if not rows:
        raise InputError("there are no stimuli", where=dataset, next="give one row a sample")
    experiments = [_experiment(row) if dataset == PEREIRA else "" for row in rows]
    found = Layout(
        dataset,
        tuple(row["id"] for row in rows),
        tuple(row["label"] for row in rows),
        tuple(row["block"] for row in rows),
        tuple(row["position"] for row in rows),
        tuple(experiments),
    )
    _require_unique(found)
    _require_blocks(found)
    if dataset == PEREIRA:
        _require_order(found)
    if dataset == FEDORENKO:
        _require_numbers(found)
    return found


def _sound(row: Any, place: int) -> Stimulus:
    for name, kind in _KINDS.items():
        value = row.get(name) if isinstance(row, Mapping) else None
        if not isinstance(value, kind) or isinstance(value, bool):
            what = "a whole number" if kind is int else "a text"
            raise InputError(f"a stimulus has no `{name}`, {what}", where=f"stimuli[{place}]", next=f"give `{name}`")
    found: Stimulus = row
    return found


def _experiment(row: Stimulus) -> str:
    said = parse_label(row["label"]).experiment
    if row.get("experiment", said) != said:
        raise InputError("the experiment is not that of the label", where=row["id"], next=f"give {said}")
    return said


def _require_unique(found: Layout) -> None:
    twice = next((name for name, count in Counter(found.ids).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"the id {twice[:80]!r} stands twice", where=found.dataset, next="give each sample its own")


def _require_blocks(found: Layout) -> None:
    seen: set[str] = set()
    for name, group in groupby(range(len(found.ids)), key=found.blocks.__getitem__):
        rows = list(group)
        if name in seen:
            raise _disorder(found, rows[0], f"the rows of the block {name[:80]!r} do not stand together")
        seen.add(name)
        for position, row in enumerate(rows):
            if found.positions[row] != position:
                raise _disorder(
                    found, row, f"the block {name[:80]!r} has position {found.positions[row]} in place of {position}"
                )
            if found.dataset != FEDORENKO and found.labels[row] != found.labels[rows[0]]:
                raise _disorder(found, row, f"the block {name[:80]!r} has rows of two labels")


def _require_order(found: Layout) -> None:
    before = (-1, "", -1)
    for row, text in enumerate(found.labels):
        label = parse_label(text)
        here = (ORDER.index(label.experiment), label.category, label.passage)
        if here < before:
            raise _disorder(found, row, f"the label {text[:80]!r} stands after one that it precedes")
        before = here


def _require_numbers(found: Layout) -> None:
    for row, text in enumerate(found.labels):
        if text != str(row):
            raise _disorder(found, row, f"the label is {text[:80]!r} in row {row}")


def _disorder(found: Layout, row: int, what: str) -> InputError:
    return InputError(what, where=f"{found.dataset}: {found.ids[row][:80]}", next="give the rows in the study's order")
