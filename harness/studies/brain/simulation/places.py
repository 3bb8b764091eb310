"""What the simulation takes from the rows of a dataset: where a row stands, and which category and passage it is of.

It must never know a draw or a text.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.studies.brain.simulation.recipes import RECIPES, WorldRecipe
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.pereira import parse_label
from harness.studies.brain.terms import FEDORENKO, PEREIRA

Array = Any  # of numpy
POSITIONS = 4  # columns of Pereira's position, whichever experiment: a passage has at most so many sentences
TOPICS = 24  # as many as Pereira has categories in an experiment; elsewhere topics take turns


@dataclass(frozen=True, slots=True)
class RowPlaces:
    """One entry a row, each numbered from 0 in the order in which it is first met."""

    categories: tuple[int, ...]
    passages: tuple[int, ...]
    blocks: tuple[int, ...]
    positions: tuple[int, ...]


def places(layout: Layout) -> RowPlaces:
    """Give the place of each row: Pereira's by its label, Fedorenko's sentences and Blank's segments in turn.

    InputError where a label of Pereira is none.
    """
    blocks = _numbered(layout.blocks)
    if layout.dataset == PEREIRA:
        parsed = [parse_label(label) for label in layout.labels]
        categories = _numbered((one.experiment, one.category) for one in parsed)
        passages = _numbered((one.experiment, one.category, one.passage) for one in parsed)
        return RowPlaces(categories, passages, blocks, tuple(layout.positions))
    if layout.dataset == FEDORENKO:
        return RowPlaces(tuple(block % TOPICS for block in blocks), blocks, blocks, tuple(layout.positions))
    size = RECIPES[layout.dataset].segment
    segments = _numbered((block, at // size) for block, at in zip(blocks, layout.positions, strict=True))
    return RowPlaces(tuple(one % TOPICS for one in segments), segments, blocks, tuple(layout.positions))


def position_columns(dataset: str, found: RowPlaces, recipe: WorldRecipe) -> tuple[Array, Array]:
    """Give what a unit's position is made of: a column that all units share, and columns that each mixes at random."""
    import numpy as np  # noqa: PLC0415

    at = np.asarray(found.positions)
    if dataset == PEREIRA:
        return np.zeros((len(at), 1)), _one_hot(at, POSITIONS)
    if dataset == FEDORENKO:
        ramp = standardised(at[:, None].astype(np.float64))
        return ramp, recipe.one_hot * _one_hot(at, int(at.max()) + 1)
    return np.zeros((len(at), 1)), 1 - np.exp(-at[:, None] / recipe.rise)


def standardised(columns: Array) -> Array:
    """Give columns of mean 0 and population standard deviation 1; one without any spread becomes 0."""
    import numpy as np  # noqa: PLC0415

    centred = columns - columns.mean(axis=0)
    varies = np.ptp(columns, axis=0) > 0
    return centred / np.where(varies, np.sqrt((centred * centred).mean(axis=0)), np.inf)


def _one_hot(at: Array, width: int) -> Array:
    import numpy as np  # noqa: PLC0415

    return (at[:, None] == np.arange(width)).astype(np.float64)


def _numbered(names: Iterable[Hashable]) -> tuple[int, ...]:
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(name, len(numbers)) for name in names)


def count_of(numbers: Sequence[int]) -> int:
    """Give how many different numbers there are, counted from 0."""
    return max(numbers, default=-1) + 1
