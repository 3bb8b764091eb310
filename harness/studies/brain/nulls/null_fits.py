"""Nested cross-validation of noise on noise, many families at once: squared errors of every model, row by row.

A small version of the study's search (OURS): ridge in feature space. For each target, the penalty and the subset of
bands are chosen from a short list by the errors of the inner folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.studies.brain.structure.folds import Fold

Array = Any  # a numpy array
Candidates = Sequence[tuple[str, ...]]  # subsets of bands; a model uses the best one for each target


def squared_errors(
    bands: Mapping[str, Array], targets: Array, folds: Sequence[Fold], models: Mapping[str, Candidates], alphas: Array
) -> dict[str, Array]:
    """Return the squared errors of each model, and of the training mean (key ``), as [family, row, target].

    Bands are [family, row, column] and are scaled by the training rows; targets are [family, row, target]. Every row
    must be tested in one fold. Bands of a subset share one penalty, each with an equal part of the kernel.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    subsets = sorted({subset for each in models.values() for subset in each})
    found = {name: np.empty(targets.shape) for name in ("", *models)}
    for fold in folds:
        train, test = list(fold.train), list(fold.test)
        scaled = {name: _scaled(band, train) for name, band in bands.items()}
        fitted = {}
        for subset in subsets:
            x = np.concatenate([scaled[name] for name in subset], axis=2) / np.sqrt(len(subset))
            fitted[subset] = _searched(x[:, train], targets[:, train], x[:, test], fold.inner, alphas)
        truth = targets[:, test]
        found[""][:, test] = (truth - targets[:, train].mean(axis=1, keepdims=True)) ** 2
        for name, candidates in models.items():
            inner = np.stack([fitted[subset][0] for subset in candidates])
            predicted = np.stack([fitted[subset][1] for subset in candidates])
            best = inner.argmin(axis=0)[None, :, None]
            found[name][:, test] = (truth - np.take_along_axis(predicted, best, axis=0)[0]) ** 2
    return found


def _scaled(band: Array, train: list[int]) -> Array:
    own = band[:, train]
    return (band - own.mean(axis=1, keepdims=True)) / own.std(axis=1, keepdims=True)


def _searched(x: Array, y: Array, test: Array, inner: Sequence[Sequence[int]], alphas: Array) -> tuple[Array, Array]:
    """Return the lowest inner error of each target [family, target], and the predictions with that penalty."""
    import numpy as np  # noqa: PLC0415

    gram, cross = _moments(x, y)
    sums = x.sum(axis=1), y.sum(axis=1)
    errors = np.zeros((len(alphas), len(y), y.shape[2]))
    for places in inner:
        held_x, held_y = x[:, list(places)], y[:, list(places)]
        own_gram, own_cross = _moments(held_x, held_y)
        count = x.shape[1] - len(places)
        means = [(whole - held.sum(axis=1)) / count for whole, held in zip(sums, (held_x, held_y), strict=True)]
        weights = _weights(gram - own_gram, cross - own_cross, means, count, alphas)
        left = (held_y - means[1][:, None])[None] - (held_x - means[0][:, None])[None] @ weights
        errors += (left**2).sum(axis=2)
    means = [whole / x.shape[1] for whole in sums]
    weights = _weights(gram, cross, means, x.shape[1], alphas)
    best = errors.argmin(axis=0)
    chosen = np.take_along_axis(weights, best[None, :, None], axis=0)[0]
    return errors.min(axis=0), means[1][:, None] + (test - means[0][:, None]) @ chosen


def _moments(x: Array, y: Array) -> tuple[Array, Array]:
    turned = x.transpose(0, 2, 1)
    return turned @ x, turned @ y


def _weights(gram: Array, cross: Array, means: Sequence[Array], count: int, alphas: Array) -> Array:
    """Solve the centred ridge for each penalty; return [penalty, family, column, target]."""
    import numpy as np  # noqa: PLC0415

    x, y = means
    gram = gram - count * x[:, :, None] * x[:, None]
    cross = cross - count * x[:, :, None] * y[:, None]
    penalty = alphas[:, None, None, None] * np.eye(gram.shape[1])
    return np.linalg.solve(gram[None] + penalty, np.broadcast_to(cross, (len(alphas), *cross.shape)))
