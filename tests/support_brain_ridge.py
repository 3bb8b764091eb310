"""Small banded problems, and the plain way to fit them: each inner fold by its own ridge with an intercept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ALPHAS = (0.03125, 0.5, 8.0, 128.0, 2048.0)


@dataclass
class Problem:
    """Scaled features of a training set, targets, and inner folds."""

    bands: list[np.ndarray]
    targets: np.ndarray
    inner: list[list[int]]


def problem(rows=40, columns=(3, 6, 70), targets=5, folds=(9, 14, 17), seed=3):
    source = np.random.default_rng(seed)
    bands = [source.standard_normal((rows, count)) for count in columns]
    bands = [(band - band.mean(axis=0)) / band.std(axis=0) for band in bands]
    signal = sum(band @ source.standard_normal((band.shape[1], targets)) / band.shape[1] ** 0.5 for band in bands)
    order = source.permutation(rows)
    inner = [part.tolist() for part in np.split(order, np.cumsum(folds)[:-1])]
    return Problem(bands, 7 + signal + source.standard_normal((rows, targets)), inner)


def ridge(features, targets, alpha, new):
    """Predict by ridge with an intercept, solved in the space of columns."""
    middle, mean = features.mean(axis=0), targets.mean(axis=0)
    centred = features - middle
    left = centred.T @ centred + alpha * np.eye(centred.shape[1])
    return (new - middle) @ np.linalg.solve(left, centred.T @ (targets - mean)) + mean


def weighted(bands, gamma):
    return np.concatenate([band * weight**0.5 for band, weight in zip(bands, gamma, strict=True)], axis=1)


def scores(given, gamma, alphas, criterion):
    """Score one candidate the long way: [alpha, target]."""
    features, found = weighted(given.bands, gamma), []
    for alpha in alphas:
        model, plain, means = 0.0, 0.0, []
        for fold in given.inner:
            rest = [row for row in range(len(features)) if row not in fold]
            said = ridge(features[rest], given.targets[rest], alpha, features[fold])
            errors = (given.targets[fold] - said) ** 2
            model, means = model + errors.sum(axis=0), [*means, errors.mean(axis=0)]
            plain = plain + ((given.targets[fold] - given.targets[rest].mean(axis=0)) ** 2).sum(axis=0)
        found.append(1 - model / plain if criterion == "r2" else -np.mean(means, axis=0))
    return np.array(found)
