"""Vectorised curves over bins for many resamples: rank correlation and concordance (reliability 6.2, 6.5).

It knows sorted instances and how often each is drawn; it must never know where these come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from harness.studies.intervals import ratio, spearman_rows
from harness.studies.reliability.measures.generality import RADICAND
from harness.studies.resample import Array


@dataclass(frozen=True)
class ResampledBins:
    """The equal-size bins of each resample, as arrays: mean difficulty, ties and label counts."""

    difficulty: Array  # [resample, bin]: the mean of the members
    tied: Array  # [resample, bin]: whether a bin has the very difficulty of the one before
    counts: Array  # [resample, bin, model, label]


def binned(difficulty: Array, counts: Array, edges: Sequence[int], weights: Array) -> ResampledBins:
    """Cut each resample into bins of equal size at `edges`; `weights` says how often each sorted instance is drawn.

    `difficulty` is [instance], `counts` [instance, model, label], `weights` [resample, instance].
    """
    import numpy as np  # noqa: PLC0415

    rows, size = weights.shape
    places: Array = np.repeat(np.tile(np.arange(size), rows), weights.ravel()).reshape(rows, size)
    cuts = [places[:, start:end] for start, end in pairwise(edges)]
    pooled = np.stack([counts[each].sum(axis=1, dtype=np.int64) for each in cuts], axis=1)
    low = np.stack([difficulty[each[:, 0]] for each in cuts], axis=1)
    high = np.stack([difficulty[each[:, -1]] for each in cuts], axis=1)
    mean = np.stack([difficulty[each].mean(axis=1) for each in cuts], axis=1)
    tied = np.zeros(low.shape, bool)
    tied[:, 1:] = low[:, :-1] == high[:, 1:]  # sorted: only then are all members of both alike
    return ResampledBins(np.where(low == high, low, mean), tied, pooled)


def correlations(cut: ResampledBins) -> Array:
    """Give Spearman's coefficient of difficulty and each label's rate over bins, as [resample, model, label]."""
    import numpy as np  # noqa: PLC0415

    # A bin without anything scored has no rate, and so no rank.
    rates = np.moveaxis(ratio(cut.counts, cut.counts.sum(axis=3)[..., None]), 1, -1)
    levels = np.broadcast_to(np.cumsum(~cut.tied, axis=1)[:, None, None, :], rates.shape)
    rows = (-1, rates.shape[-1])
    return spearman_rows(levels.reshape(rows), rates.reshape(rows)).reshape(rates.shape[:-1])


def concordance(cut: ResampledBins, discount: float) -> Array:
    """Give difficulty concordance, 0 to 100, of correctness and of prudence, as [resample, model, kind].

    `discount` is the share of non-avoidant answers that guessing finds; NaN where nothing was scored.
    """
    import numpy as np  # noqa: PLC0415

    points, psi = _merged(cut.tied, _successes(cut.counts, discount))
    started = np.zeros(points.shape[:1] + points.shape[2:], bool)
    area, resources, before, at = (np.zeros(psi[:, 0].shape) for _ in range(4))
    for place in range(psi.shape[1]):
        here, there = cut.difficulty[:, place, None, None] / 100, psi[:, place]
        point = points[:, place]
        # Before the first point success is certain: a block of height one from 0.
        area += np.where(point & ~started, here, 0)
        resources += np.where(point & ~started, here**2 / 2, 0)
        segment = np.where(point & started, here - at, 0)
        area += segment * (before + there) / 2
        resources += segment * (at * (2 * before + there) + here * (before + 2 * there)) / 6
        at, before = np.where(point, here, at), np.where(point, there, before)
        started |= point
    radicand = 2 * resources - area**2
    spread = np.sqrt(np.where(radicand < RADICAND, 0, radicand))
    return np.where(started, 100 / (1 + spread), np.nan)


def _successes(counts: Array, discount: float) -> Array:
    """Give the rates of correct and of prudent answers as [resample, bin, model, kind], less what guessing finds."""
    import numpy as np  # noqa: PLC0415

    correct, avoidant, incorrect = (counts[..., at] for at in range(3))
    guessed = discount * (correct + incorrect)
    successes = np.stack([correct - guessed, correct + avoidant - guessed], axis=-1)
    return ratio(np.maximum(0, successes), counts.sum(axis=3)[..., None])


def _merged(tied: Array, psi: Array) -> tuple[Array, Array]:
    """Average the success of adjacent bins tied in difficulty; gives which bins have a point, and its success."""
    import numpy as np  # noqa: PLC0415

    count = (~np.isnan(psi)).astype(np.int64)
    total = np.where(count, psi, 0)
    for place in range(1, psi.shape[1]):
        with_last = tied[:, place, None, None]
        total[:, place] += np.where(with_last, total[:, place - 1], 0)
        count[:, place] += np.where(with_last, count[:, place - 1], 0)
    for place in range(psi.shape[1] - 2, -1, -1):
        with_next = tied[:, place + 1, None, None]
        total[:, place] = np.where(with_next, total[:, place + 1], total[:, place])
        count[:, place] = np.where(with_next, count[:, place + 1], count[:, place])
    return count > 0, np.where(count, total / np.maximum(count, 1), 0)
