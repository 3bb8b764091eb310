"""Vectorised item-level statistics for many resamples: stability and rank correlation.

Rules: docs/reliability-rules.md#stability, docs/reliability-rules.md#correlations. Works on sorted instances and on how
often each is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.kit.resample import Array, ratio


@dataclass(frozen=True)
class PreparedItems:
    """Arrays about a benchmark's items that are computed once and used in every bootstrap resample."""

    starts: Array  # the index at which each distinct difficulty begins
    scored: Array  # [model, instance]: whether anything was scored
    levels: list[Array]  # by model: [instance, label and level], 1 if the instance has this rate of the label
    squares: Array  # [instance, model, (c in, c out, i in, i out)]: the terms of the stability


def prepare(difficulty: Array, counts: Array) -> PreparedItems:
    """Precompute what all resamples share, from sorted difficulties and counts as [instance, model, label]."""
    prompts = counts.sum(axis=2)
    starts = np.flatnonzero(np.diff(difficulty, prepend=difficulty[0] - 1))
    inside = counts[..., [0, 0, 2, 2]]
    inside[..., [1, 3]] = prompts[..., None] - inside[..., [1, 3]]
    squares = inside**2 / np.maximum(prompts, 1)[..., None]
    rates = counts / np.maximum(prompts, 1)[..., None]
    return PreparedItems(starts, prompts.T > 0, [_levels(rates[:, model]) for model in range(counts.shape[1])], squares)


def _levels(rates: Array) -> Array:
    """One-hot encode the rates of one model: a column for each distinct rate of each label."""
    values = [np.unique(column, return_inverse=True)[1] for column in rates.T]
    width = 1 + max(int(value.max()) for value in values)
    found = np.zeros((len(rates), len(values), width))
    for label, value in enumerate(values):
        found[np.arange(len(rates)), label, value] = 1
    return found.reshape(len(rates), -1)


def stabilities(items: PreparedItems, weights: Array, total: Array) -> Array:
    """Return the scaled stability of correctness and of prudence as [resample, model, kind], NaN if it is undefined.

    It is undefined if all or none are in the group, if only one wording of each instance was scored, or if nothing was
    scored. `weights` is [resample, instance], how often each is drawn; `total` is the label counts [resample, model,
    label].
    """
    size, models, terms = items.squares.shape
    drawn = weights.astype(np.float64)
    sums = (drawn @ items.squares.reshape(size, -1)).reshape(-1, models, terms)
    inside, scored = total[..., [0, 2]], total.sum(axis=2)[..., None]
    outside = scored - inside
    stability = (ratio(sums[..., [0, 2]], inside) + ratio(sums[..., [1, 3]], outside)) / 2
    stability[scored[..., 0] <= drawn @ items.scored.T] = np.nan
    return np.clip(200 * (stability - 0.5), 0, 100)


def item_correlations(items: PreparedItems, weights: Array) -> Array:
    """Return Spearman's coefficient of difficulty and each label's rate over instances, as [resample, model, label].

    Instances of equal rate are ranked together: only their number and the sum of the ranks of their difficulties are
    needed. Doubled and centred ranks are integers that add up to less than half the square of the number of instances,
    so the sums are exact. They are exact in single precision, too, if that bound is below 2^24.
    """
    exact = np.float32 if weights.shape[1] ** 2 < 2**25 else np.float64
    found = np.zeros((len(weights), len(items.levels), 3))
    patterns: dict[bytes, list[int]] = {}
    for model, scored in enumerate(items.scored):
        patterns.setdefault(scored.tobytes(), []).append(model)
    for models in patterns.values():
        drawn = (weights * items.scored[models[0]]).astype(np.float64)
        size = drawn.sum(axis=1)[:, None, None]
        ranks = _ranks_of_difficulty(items.starts, drawn)
        spread = (drawn * ranks**2).sum(axis=1)[:, None]
        times, sums = drawn.astype(exact), (drawn * ranks).astype(exact)
        for model in models:
            levels = items.levels[model].astype(exact)
            held = (times @ levels).reshape(len(drawn), 3, -1).astype(np.float64)
            theirs = 2 * np.cumsum(held, axis=2) - held - size
            together = (theirs * (sums @ levels).reshape(held.shape)).sum(axis=2)
            found[:, model] = _correlation(together, spread, (held * theirs**2).sum(axis=2))
    return found


def _ranks_of_difficulty(starts: Array, drawn: Array) -> Array:
    """Return twice the average rank of each instance's difficulty, centred on its mean, in each resample."""
    held = np.add.reduceat(drawn, starts, axis=1)
    ranks = 2 * np.cumsum(held, axis=1) - held - held.sum(axis=1, keepdims=True)
    return np.repeat(ranks, np.diff(starts, append=drawn.shape[1]), axis=1)


def _correlation(together: Array, first: Array, second: Array) -> Array:
    """Return coefficients from sums of products of ranks; NaN if either measure is constant."""
    return ratio(together, np.sqrt(first.astype(np.float64) * second))
