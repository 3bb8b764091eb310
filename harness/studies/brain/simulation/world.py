"""A simulated world: the recordings of units whose parts are known, and features that contain some of these parts.

The order of the draws is part of the study. Parts that are not in it (LLMU, NOISE, the planted opposite) have random
streams of their own, so they do not shift the other draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from harness.errors import InputError
from harness.seeds import derive_seed
from harness.studies.brain.simulation import recipes
from harness.studies.brain.simulation.places import RowPlaces, count_of, places, position_columns, standardised
from harness.studies.brain.simulation.recipes import RECIPES, FeatureScales, UnitWeights, WorldRecipe
from harness.studies.brain.structure.layout import Layout

Array = Any  # a numpy array
WORD, LLM, LLMU, NOISE = "WORD", "LLM", "LLMU", "NOISE"


@dataclass(frozen=True, slots=True)
class SimulatedWorld:
    """Simulated data: the words of each row, and float32 arrays of responses and features, one row per stimulus."""

    lengths: tuple[int, ...]
    recordings: Array  # [row, unit]
    features: Mapping[str, Array]  # [row, column]


@dataclass(frozen=True, slots=True)
class _Stimulus:
    """The parts of the rows, each float64 [row, column]; standard normal unless noted."""

    lift: Array  # the part of position that all units share
    position: Array  # mixed at random by units, then standardised
    length: Array  # standardised
    word: Array
    context: Array
    category: Array
    passage: Array


def simulate(layout: Layout, weights: UnitWeights, seed: int, signal: Array) -> SimulatedWorld:
    """Simulate responses and features for a layout from a seed; `signal` says which units are more than noise.

    Raises InputError for a layout without rows and for a seed below 0.
    """
    if not layout.ids or seed < 0:
        what, where = ("the layout has no rows", layout.dataset) if not layout.ids else (f"{seed} is no seed", "seed")
        raise InputError(what, where=where, next="give rows, and a seed of at least 0")
    recipe, at, draw = RECIPES[layout.dataset], places(layout), _generator(seed)
    words = draw.integers(*recipe.lengths, len(layout.ids))
    lift, position = position_columns(layout.dataset, at, recipe)
    length = standardised(words[:, None].astype("float64"))
    seen = _Stimulus(lift, position, length, *_vectors(draw, at))
    only = _only(seed, len(words), weights)
    features = {
        WORD: seen.word,
        LLM: _model(draw, seen, recipe.scales) + _planted(seed, only, weights, recipe.scales),
        LLMU: _untrained(seed, seen, recipe.scales),
        NOISE: _generator(seed, "noise").standard_normal((len(words), recipes.MODEL_COLUMNS)),
    }
    parts = _units(draw, seen, at, recipe, len(signal))
    if only is not None:
        parts["llm_only"] = _mixed(_generator(seed, "llm_only.map"), only, len(signal))
    recordings = _recorded(parts, weights, signal)
    return SimulatedWorld(
        tuple(words.tolist()), recordings.astype("float32"), {n: a.astype("float32") for n, a in features.items()}
    )


def _generator(seed: int, purpose: str = "") -> Array:
    """Return a PCG64 generator seeded with the seed itself, as the study specifies, or by seed and purpose."""
    return np.random.Generator(np.random.PCG64(derive_seed(seed, f"brain.simulation.{purpose}") if purpose else seed))


def _vectors(draw: Array, at: RowPlaces) -> tuple[Array, Array, Array, Array]:
    rows = len(at.positions)
    word = draw.standard_normal((rows, recipes.WORD_COLUMNS))
    context = draw.standard_normal((rows, recipes.CONTEXT_COLUMNS))
    category = draw.standard_normal((count_of(at.categories), recipes.CATEGORY_COLUMNS))[list(at.categories)]
    passage = draw.standard_normal((count_of(at.passages), recipes.PASSAGE_COLUMNS))[list(at.passages)]
    return word, context, category, passage


def _model(draw: Array, seen: _Stimulus, scales: FeatureScales) -> Array:
    parts = (
        (scales.position, _places(seen)),
        (scales.length, seen.length),
        (scales.word, seen.word),
        (scales.context, seen.context),
        (scales.category, seen.category),
        (scales.passage, seen.passage),
    )
    mix = reduce(add, (scale * _mixed(draw, part, recipes.MODEL_COLUMNS) for scale, part in parts))
    return mix / scales.divisor + scales.noise * draw.standard_normal(mix.shape)


def _untrained(seed: int, seen: _Stimulus, scales: FeatureScales) -> Array:
    draw, parts = _generator(seed, "untrained"), [_places(seen), *([seen.length] if scales.length else [])]
    mix = reduce(add, (_mixed(draw, part, recipes.MODEL_COLUMNS) for part in parts))
    return mix / scales.untrained_divisor + scales.untrained_noise * draw.standard_normal(mix.shape)


def _places(seen: _Stimulus) -> Array:
    """Return the columns of position in features, including the column that all units share, if it varies."""
    both = np.hstack([seen.lift, seen.position]) if seen.lift.any() else seen.position
    return standardised(both)


def _only(seed: int, rows: int, weights: UnitWeights) -> Array:
    if not weights.llm_only:
        return None
    return _generator(seed, "llm_only").standard_normal((rows, recipes.ONLY_COLUMNS))


def _planted(seed: int, only: Array, weights: UnitWeights, scales: FeatureScales) -> Array:
    if only is None:
        return 0.0
    draw = _generator(seed, "llm_only.mix")
    return scales.llm_only * _mixed(draw, only, recipes.MODEL_COLUMNS) / scales.divisor


def _units(draw: Array, seen: _Stimulus, at: RowPlaces, recipe: WorldRecipe, count: int) -> dict[str, Array]:
    """Draw the parts of each unit, by the name of their weights; the length is the same in all units."""
    return {
        "position": seen.lift + _mixed(draw, seen.position, count),
        "length": np.repeat(seen.length, count, axis=1),
        "word": _mixed(draw, seen.word, count),
        "context": _mixed(draw, seen.context, count),
        "slow": _slow(draw, at, count, recipe),
        "topic": _mixed(draw, np.hstack([seen.category, seen.passage]), count),
        "noise": draw.standard_normal((len(seen.length), count)),
    }


def _recorded(parts: Mapping[str, Array], weights: UnitWeights, signal: Array) -> Array:

    weighted = (getattr(weights, name) * standardised(part) for name, part in parts.items() if name != "noise")
    planted = reduce(add, weighted)
    return recipes.BASE + planted * np.asarray(signal, bool) + weights.noise * parts["noise"]


def _slow(draw: Array, at: RowPlaces, count: int, recipe: WorldRecipe) -> Array:
    """Draw each unit's drift: one number per block plus white noise, or AR(1) that restarts in each block."""
    if recipe.rho is None:
        blocks = draw.standard_normal((count_of(at.blocks), count))[list(at.blocks)]
        return blocks + recipe.white * draw.standard_normal(blocks.shape)
    drift = draw.standard_normal((len(at.blocks), count))
    fresh = (1 - recipe.rho**2) ** 0.5
    for row in range(1, len(drift)):
        if at.blocks[row] == at.blocks[row - 1]:
            drift[row] = recipe.rho * drift[row - 1] + fresh * drift[row]
    return drift


def _mixed(draw: Array, part: Array, columns: int) -> Array:
    """Draw a random map and apply it column by column, so the result does not depend on a library's matrix product."""
    weights, total = draw.standard_normal((part.shape[1], columns)), np.zeros((len(part), columns))
    for column, row in zip(part.T, weights, strict=True):
        total += column[:, None] * row
    return total
