"""Scores of simulated worlds through the study's own folds, features and fits; each fit is made once a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import scipy

from harness.studies.brain.features.spaces import Features, bands_of
from harness.studies.brain.fitting.outer import cross_validate, intercept_errors
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.search import Search
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.simulation.maker import recorded_units, simulated_layout
from harness.studies.brain.simulation.recipes import weights_for
from harness.studies.brain.simulation.world import simulate
from harness.studies.brain.structure.folds import Fold, outer_folds
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.terms import ALPHAS

Array = Any  # of numpy
HOW = Search(alphas=ALPHAS["P"], stop=False)
GAMMA_SEED = 1
World = tuple[str, tuple[tuple[str, str], ...]]  # its name, and the weights that are changed in it
DEFAULT, TOPIC, STILL = ("default", ()), ("topic", ()), ("default", (("slow", "0"),))
CONTEXTS = ("default", (("context", "0.6"),)), ("default", (("context", "0"),))
PLANTED = ("default", (("llm_only", "0.6"),))
BESIDE: Mapping[tuple[str, str], tuple[World, ...]] = {  # worlds that one fit of a model has units of: equal features
    ("OASM@2.2", "shuffled"): (DEFAULT, TOPIC, STILL),
    ("OASM@2.2", "contiguous"): (DEFAULT, TOPIC, STILL),
    ("OASM@2.2+LLM", "shuffled"): (DEFAULT, TOPIC),
    ("LLM", "shuffled"): (DEFAULT, TOPIC, STILL),
    ("LLM", "contiguous"): (DEFAULT, TOPIC, STILL, *CONTEXTS),
    ("SP&SL", "contiguous"): (DEFAULT, *CONTEXTS),
    ("SP&SL+WORD", "contiguous"): (DEFAULT, *CONTEXTS, PLANTED),
    ("SP&SL+WORD+LLM", "contiguous"): CONTEXTS,
}


@dataclass(frozen=True)
class Simulated:
    """A world with what its scores need."""

    layout: Layout
    features: Features
    recordings: Array
    signal: Array
    participants: Array


@dataclass(frozen=True)
class Scores:
    """The out-of-sample R2 of each unit, and the squared errors behind it [row, unit]."""

    r2: Array
    errors: Array


@cache
def simulated(
    dataset: str, world: str, seed: int, changed: tuple[tuple[str, str], ...] = (), units: int = 60, categories: int = 0
) -> Simulated:
    """Make a world as the maker does."""
    layout = simulated_layout(dataset, cut={"categories": categories} if categories else {})
    of = recorded_units(4, units)
    signal = np.array([unit["signal"] for unit in of])
    drawn = simulate(layout, weights_for(dataset, world, dict(changed)), seed, signal)
    columns = zip(layout.ids, layout.labels, layout.blocks, layout.positions, drawn.lengths, strict=True)
    stimuli = [
        Stimulus(id=name, label=label, block=block, position=place, text="", words=words)
        for name, label, block, place, words in columns
    ]
    who = np.array([unit["participant"] for unit in of])
    return Simulated(layout, Features(layout, stimuli, drawn.features), drawn.recordings, signal, who)


def fitted(model: str, split: str, world: str = "default", seed: int = 1, drawn: int = 0, /, **changed: str) -> Scores:
    """Fit a model in a world of Pereira whose weights may be changed, with the units of those that stand beside it."""
    named = (world, tuple(changed.items()))
    beside = BESIDE.get((model, split), ())
    return _together(model, split, beside if named in beside else (named,), seed, drawn)[named]


@cache
def _together(model: str, split: str, names: tuple[World, ...], seed: int, drawn: int) -> Mapping[World, Scores]:
    """Fit a model to the units of several worlds at once: what is fitted to a unit does not depend on the others."""
    worlds = [simulated("pereira", world, seed, changed) for world, changed in names]
    first, recordings = worlds[0], np.hstack([there.recordings for there in worlds])
    for there in worlds[1:]:
        for band in bands_of(model):
            assert np.array_equal(there.features.matrix(band), first.features.matrix(band)), (names, band)
    all_of = scores(first.features, recordings, outer_folds(first.layout, split), model, drawn)
    parts = zip(*(np.split(each, len(worlds), axis=-1) for each in (all_of.r2, all_of.errors)), strict=True)
    return {name: Scores(*part) for name, part in zip(names, parts, strict=True)}


def scores(features: Features, recordings: Array, folds: Sequence[Fold], model: str, drawn: int = 0) -> Scores:
    """Cross-validate one model: all subsets of its bands, and so many drawn weights of bands."""
    bands = {band: features.matrix(band) for band in bands_of(model)}
    count = 2 ** len(bands) - 1 + drawn
    gammas = candidates(len(bands), count, GAMMA_SEED, all_subsets=True)
    errors = cross_validate(bands, recordings, folds, gammas, HOW, errors=True).errors
    base = intercept_errors(recordings, folds, errors=True)[1]
    assert errors is not None
    assert base is not None
    return Scores(1 - errors.sum(axis=0, dtype=float) / base.sum(axis=0, dtype=float), errors)


def clipped(r2: Array, kept: Array) -> float:
    """Average the units, none counted below 0; every participant has as many, so this is also P's mean."""
    return float(np.maximum(r2[kept], 0).mean())


def starred(*models: Scores) -> Scores:
    """Take of each unit the model with the lowest error: its score, and its column of errors."""
    best = np.argmin([one.errors.mean(axis=0) for one in models], axis=0)
    units = np.arange(len(best))
    return Scores(
        np.max([one.r2 for one in models], axis=0), np.stack([one.errors for one in models])[best, :, units].T
    )


def better(one: Scores, other: Scores, kept: Array, families: Array) -> tuple[float, int]:
    """Give the share of units whose rows the first predicts better, raw, and how many are after BH by family."""
    p = scipy.stats.ttest_rel(one.errors[:, kept], other.errors[:, kept], alternative="less").pvalue
    p = np.where(np.isnan(p), 1.0, p)
    groups = [p[families[kept] == name] for name in np.unique(families[kept])]
    found = [scipy.stats.false_discovery_control(group) for group in groups]
    return float((p < 0.05).mean()), int(sum((group < 0.05).sum() for group in found))


def omega(simple: Scores, model: Scores, banded: Scores, kept: Array, participants: Array) -> float:
    """Give the share of the model's score that the simple one explains, in percent, a mean over participants."""
    shares = []
    for name in np.unique(participants):
        low, alone, both = (clipped(one.r2, kept & (participants == name)) for one in (simple, model, banded))
        shares.append(100 * (1 - np.clip((max(both, alone) - low) / alone, 0, 1)) if alone else 100.0)
    return float(np.mean(shares))


def leaking(fold: Fold) -> Fold:
    """Let the rows that are tested into training, as one more inner fold: what a correct study never does."""
    more = tuple(range(len(fold.train), len(fold.train) + len(fold.test)))
    return fold._replace(train=(*fold.train, *fold.test), inner=(*fold.inner, more))


def passages_permuted(layout: Layout, seed: int) -> Layout:
    """Give whole passages the labels of others, at random."""
    rows = layout.block_rows()
    names = list(rows)
    drawn = np.random.Generator(np.random.PCG64(seed)).permutation(len(names))
    labels = {name: layout.labels[rows[names[other]][0]] for name, other in zip(names, drawn, strict=True)}
    return replace(layout, labels=tuple(labels[block] for block in layout.blocks))
