"""The facts that the simulation takes from the rows of a dataset: each row's position, category and passage."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.studies.brain.simulation.recipes import RECIPES, WorldRecipe
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.pereira import parse_label
from harness.studies.brain.terms import FEDORENKO, PEREIRA

Array = Any  # a numpy array
POSITIONS = 4  # columns of Pereira's position, in both experiments: the most sentences of a passage
TOPICS = 24  # the number of Pereira's categories in an experiment; in other datasets, topics take turns


@dataclass(frozen=True, slots=True)
class RowPlaces:
    """The category, passage, block and position of every row, as numbers from 0 in order of first appearance."""

    categories: tuple[int, ...]
    passages: tuple[int, ...]
    blocks: tuple[int, ...]
    positions: tuple[int, ...]


def places(layout: Layout) -> RowPlaces:
    """Return the category, passage, block and position of each row of a layout.

    Pereira's categories and passages come from the labels. Fedorenko's sentences and Blank's segments are passages,
    whose topics take turns. Raises InputError if a label of Pereira is not valid.
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
    """Return the columns of a unit's position: one that all units share, and those that each unit mixes at random."""
    at = np.asarray(found.positions)
    if dataset == PEREIRA:
        return np.zeros((len(at), 1)), _one_hot(at, POSITIONS)
    if dataset == FEDORENKO:
        ramp = standardised(at[:, None].astype(np.float64))
        return ramp, recipe.one_hot * _one_hot(at, int(at.max()) + 1)
    return np.zeros((len(at), 1)), 1 - np.exp(-at[:, None] / recipe.rise)


def standardised(columns: Array) -> Array:
    """Return columns with mean 0 and population standard deviation 1; a constant column becomes 0."""
    centred = columns - columns.mean(axis=0)
    varies = np.ptp(columns, axis=0) > 0
    return centred / np.where(varies, np.sqrt((centred * centred).mean(axis=0)), np.inf)


def _one_hot(at: Array, width: int) -> Array:

    return (at[:, None] == np.arange(width)).astype(np.float64)


def _numbered(names: Iterable[Hashable]) -> tuple[int, ...]:
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(name, len(numbers)) for name in names)


def count_of(numbers: Sequence[int]) -> int:
    """Return how many different values there are in numbers that count from 0 without gaps."""
    return max(numbers, default=-1) + 1
