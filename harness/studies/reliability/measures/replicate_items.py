"""Vectorised item-level statistics for many resamples: stability and rank correlation.

Rules: docs/reliability-rules.md#stability, docs/reliability-rules.md#correlations. It knows sorted instances and how
often each is drawn; it must never know where these come from.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.kit.resample import Array, ratio


@dataclass(frozen=True)
class PreparedItems:
    """Precomputed arrays of the instances: what is the same in every resample."""

    starts: Array  # where each distinct difficulty begins
    scored: Array  # [model, instance]: whether anything was scored
    levels: list[Array]  # a model: [instance, label and level], one where the instance has this rate of the label
    squares: Array  # [instance, model, (c in, c out, i in, i out)]: the terms of the stability


def prepare(difficulty: Array, counts: Array) -> PreparedItems:
    """Precompute what all resamples share, from sorted difficulties and counts as [instance, model, label]."""
    import numpy as np  # noqa: PLC0415

    prompts = counts.sum(axis=2)
    starts = np.flatnonzero(np.diff(difficulty, prepend=difficulty[0] - 1))
    inside = counts[..., [0, 0, 2, 2]]
    inside[..., [1, 3]] = prompts[..., None] - inside[..., [1, 3]]
    squares = inside**2 / np.maximum(prompts, 1)[..., None]
    rates = counts / np.maximum(prompts, 1)[..., None]
    return PreparedItems(starts, prompts.T > 0, [_levels(rates[:, model]) for model in range(counts.shape[1])], squares)


def _levels(rates: Array) -> Array:
    """One-hot encode the rates of one model: a column for each distinct rate of each label."""
    import numpy as np  # noqa: PLC0415

    values = [np.unique(column, return_inverse=True)[1] for column in rates.T]
    width = 1 + max(int(value.max()) for value in values)
    found = np.zeros((len(rates), len(values), width))
    for label, value in enumerate(values):
        found[np.arange(len(rates)), label, value] = 1
    return found.reshape(len(rates), -1)


def stabilities(items: PreparedItems, weights: Array, total: Array) -> Array:
    """Give the scaled stability of correctness and of prudence as [resample, model, kind], NaN where it is undefined.

    That is where all or none are in the group, one wording only was scored of each instance, or nothing at all.
    `weights` is [resample, instance], how often each is drawn; `total` the label counts [resample, model, label].
    """
    import numpy as np  # noqa: PLC0415

    size, models, terms = items.squares.shape
    drawn = weights.astype(np.float64)
    sums = (drawn @ items.squares.reshape(size, -1)).reshape(-1, models, terms)
    inside, scored = total[..., [0, 2]], total.sum(axis=2)[..., None]
    outside = scored - inside
    stability = (ratio(sums[..., [0, 2]], inside) + ratio(sums[..., [1, 3]], outside)) / 2
    stability[scored[..., 0] <= drawn @ items.scored.T] = np.nan
    return np.clip(200 * (stability - 0.5), 0, 100)


def item_correlations(items: PreparedItems, weights: Array) -> Array:
    """Give Spearman's coefficient of difficulty and each label's rate over instances, as [resample, model, label].

    Instances of one rate are ranked together: all that is needed of them is how many there are, and the sum of the
    ranks of their difficulties. Doubled and centred ranks are whole numbers that add up to less than half the square
    of the number of instances, so the sums are exact; in single precision too, where that is below 2^24.
    """
    import numpy as np  # noqa: PLC0415

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
    """Give twice the average rank of each instance's difficulty less its mean, in each resample."""
    import numpy as np  # noqa: PLC0415

    held = np.add.reduceat(drawn, starts, axis=1)
    ranks = 2 * np.cumsum(held, axis=1) - held - held.sum(axis=1, keepdims=True)
    return np.repeat(ranks, np.diff(starts, append=drawn.shape[1]), axis=1)


def _correlation(together: Array, first: Array, second: Array) -> Array:
    """Turn sums of products of ranks into coefficients; NaN where either measure is constant."""
    import numpy as np  # noqa: PLC0415

    return ratio(together, np.sqrt(first.astype(np.float64) * second))
