"""Vectorised curves over bins for many resamples: rank correlation and concordance.

Rules: docs/reliability-rules.md#correlations, docs/reliability-rules.md#concordance. Works on sorted instances and on
how often each is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.kit.resample import Array, ratio
from harness.studies.reliability.measures.generality import RADICAND


@dataclass(frozen=True)
class ResampledBins:
    """The equal-size bins of each resample, as arrays: mean difficulty, ties and label counts."""

    difficulty: Array  # [resample, bin]: the mean of the members
    tied: Array  # [resample, bin]: whether a bin has the same difficulty as the one before
    counts: Array  # [resample, bin, model, label]


def binned(difficulty: Array, counts: Array, edges: Sequence[int], weights: Array) -> ResampledBins:
    """Cut the items of each bootstrap resample into equal-size bins; `weights` says how often each item is drawn.

    `difficulty` is [instance], `counts` [instance, model, label], `weights` [resample, instance].
    """
    rows, size = weights.shape
    shape = rows, len(edges) - 1
    drawn: Array = np.repeat(np.tile(np.arange(size, dtype=np.int32), rows), weights.ravel())
    starts = (size * np.arange(rows)[:, None] + np.array(edges[:-1])).ravel()
    # Label by label, since sums over contiguous memory are much faster.
    columns = np.ascontiguousarray(counts.reshape(size, -1).T)
    pooled = np.stack([np.add.reduceat(column.take(drawn), starts) for column in columns], axis=-1)
    at = difficulty.take(drawn)
    low, high = at[starts].reshape(shape), at.reshape(rows, size)[:, np.array(edges[1:]) - 1]
    mean = np.add.reduceat(at, starts).reshape(shape) / np.diff(edges)
    tied = np.zeros(shape, bool)
    tied[:, 1:] = low[:, :-1] == high[:, 1:]  # in sorted order this means that all members of both bins are equal
    return ResampledBins(np.where(low == high, low, mean), tied, pooled.reshape(*shape, *counts.shape[1:]))


def concordance(cut: ResampledBins, discount: float) -> Array:
    """Return difficulty concordance (0 to 100) of correctness and prudence, as [resample, model, kind].

    `discount` is the share of non-avoidant answers that guessing gets right. The result is NaN if the curve is
    degenerate: fewer than two points, or constant success 0 or 1.
    """
    points, psi = _merged(cut.tied, _successes(cut.counts, discount))
    # A bin without a point takes the previous point, or else the first: the segment in between has no width.
    places = np.arange(psi.shape[1])[:, None, None]
    known = np.maximum.accumulate(np.where(points, places, points.argmax(axis=1, keepdims=True)), axis=1)
    at = np.take_along_axis(cut.difficulty[..., None, None] / 100, known, axis=1)
    psi = np.take_along_axis(psi, known, axis=1)
    (a, b), (c, e) = ((each[:, :-1], each[:, 1:]) for each in (at, psi))
    # Before the first point success is certain: a block of height one from 0.
    area = at[:, 0] + ((b - a) * (c + e) / 2).sum(axis=1)
    resources = at[:, 0] ** 2 / 2 + ((b - a) * (a * (2 * c + e) + b * (c + 2 * e)) / 6).sum(axis=1)
    radicand = 2 * resources - area**2
    spread = np.sqrt(np.where(radicand < RADICAND, 0, radicand))
    return np.where(_is_degenerate(cut.tied, points, psi), np.nan, 100 / (1 + spread))


def _is_degenerate(tied: Array, points: Array, psi: Array) -> Array:
    """Return which curves have fewer than two difficulties, or constant success 0 or 1, as [resample, model, kind]."""
    levels = np.cumsum(~tied, axis=1)[:, :, None, None]
    first, last = np.where(points, levels, levels.max() + 1).min(axis=1), np.where(points, levels, 0).max(axis=1)
    never, always = np.where(points, psi, 0).max(axis=1) == 0, np.where(points, psi, 1).min(axis=1) == 1
    return (first >= last) | never | always


def _successes(counts: Array, discount: float) -> Array:
    """Return the rates of correct and of prudent answers as [resample, bin, model, kind], minus the discount."""
    correct, avoidant, incorrect = (counts[..., at] for at in range(3))
    guessed = discount * (correct + incorrect)
    successes = np.stack([correct - guessed, correct + avoidant - guessed], axis=-1)
    return ratio(np.maximum(0, successes), counts.sum(axis=3)[..., None])


def _merged(tied: Array, psi: Array) -> tuple[Array, Array]:
    """Average the success of adjacent bins tied in difficulty; return which bins have a point, and its success."""
    count = (~np.isnan(psi)).astype(np.int64)
    total = np.where(count, psi, 0)
    for place in range(1, psi.shape[1]):
        if not tied[:, place].any():
            continue
        with_last = tied[:, place, None, None]
        total[:, place] += np.where(with_last, total[:, place - 1], 0)
        count[:, place] += np.where(with_last, count[:, place - 1], 0)
    for place in range(psi.shape[1] - 2, -1, -1):
        if not tied[:, place + 1].any():
            continue
        with_next = tied[:, place + 1, None, None]
        total[:, place] = np.where(with_next, total[:, place + 1], total[:, place])
        count[:, place] = np.where(with_next, count[:, place + 1], count[:, place])
    return count > 0, np.where(count, total / np.maximum(count, 1), 0)
