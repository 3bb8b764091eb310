"""A small dataset for tests of fits, the step run on it, and banded ridge worked out directly."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness import arrays, rows
from harness.studies.brain.fitting import himalaya_step, step
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.pereira import designed

Array = Any
PASSAGES = dict.fromkeys(("ant", "bee", "cow", "dog"), (3, 2, 3))
PARAMS: dict[str, Any] = {
    "dataset": "pereira", "experiment": "384", "generation": "P", "split": "contiguous", "seed": 42, "inner_rows": 48,
    "iterations": 9, "gamma_seed": 5, "models": ["A"], "errors": [], "text_models": {}, "dtype": "float64",
}  # fmt: skip


class SmallData:
    """32 rows of experiment 384 behind 16 of 243; two arrays of features, and six units that follow them with noise."""

    def __init__(self) -> None:
        self.layout: Layout = designed({"243": {"elk": (4, 4), "fox": (4, 4)}, "384": PASSAGES})
        self.first = 16
        source = np.random.default_rng(3)
        count = len(self.layout.ids)
        self.features = {"A": source.normal(size=(count, 4)), "B": 3 + 5 * source.normal(size=(count, 60))}
        weights = {name: source.normal(size=(array.shape[1], 6)) for name, array in self.features.items()}
        planted = sum(array @ weights[name] / array.std() for name, array in self.features.items())
        self.recordings = 2 + planted * [1, 0.1, 0, 1, 0.1, 0.3] + 3 * source.normal(size=(count, 6))

    def stimuli(self) -> list[dict[str, Any]]:
        """Give a row a sample."""
        of = self.layout
        fields = zip(of.ids, of.labels, of.blocks, of.positions, strict=True)
        names = ("id", "label", "block", "position")
        return [{**dict(zip(names, row, strict=True)), "text": "two words"} for row in fields]


def run(data: SmallData, place: Path, more: Mapping[str, Path] | None = None, /, **params: Any) -> dict[str, Any]:
    """Run the step on the data, whose recordings may be a file; gives its arrays by name, errors as `errors/M`."""
    place.mkdir(exist_ok=True)
    inputs = {name: place / name for name in ("stimuli", "units", "recordings", "features")}
    rows.write(inputs["stimuli"], data.stimuli())
    units = [f"018.{number}" for number in range(data.recordings.shape[1])]
    rows.write(inputs["units"], ({"id": name, "participant": "018", "network": "language"} for name in units))
    with open(inputs["recordings"], "wb") as file:  # as it lies in memory: Fortran order, float16
        np.save(file, data.recordings)
    arrays.write_all(inputs["features"], data.features)
    out = place / "out"
    out.mkdir(exist_ok=True)
    fit = himalaya_step.fit if "solver" in params else step.fit
    fit({**PARAMS, **params}, {**inputs, **(more or {})}, out)
    errors = {f"errors/{name}": array for name, array in arrays.read_all(out / "errors").items()}
    searches = {"searches": json.loads((out / "searches").read_text())}
    return {**arrays.read_all(out / "fits"), **errors, **searches}


def halves(data: SmallData) -> list[tuple[list[int], list[int]]]:
    """Give test and training rows of each fold of experiment 384, found by hand: passage, then half."""
    labels = [label.split("-") for label in data.layout.labels[data.first :]]
    folds = []
    for passage, half in itertools.product("012", ("fh", "sh")):
        test = [row for row, label in enumerate(labels) if label[2:] == [passage, half]]
        folds.append((test, [row for row in range(len(labels)) if row not in test]))
    return folds


def inner_of(fold: int, data: SmallData) -> list[list[int]]:
    """Give the validation rows of a fold's inner folds, as places among its training rows."""
    test_sets, train = [test for test, _ in halves(data)], halves(data)[fold][1]
    return [[train.index(row) for row in test] for other, test in enumerate(test_sets) if other != fold]


def direct(
    bands: Sequence[Array], targets: Array, train: Sequence[int], test: Sequence[int], inner: Sequence[Sequence[int]],
    gammas: Array, alphas: Sequence[float],
) -> dict[str, Array]:  # fmt: skip
    """Work out a fold: for every unit which gamma and alpha are chosen, their score, and what is predicted.

    Scores within 2**-13 of the best are equal: of alphas the largest is taken, of gammas the first.
    """
    scaled = [(band - band[train].mean(0)) / np.where(band[train].std(0) > 0, band[train].std(0), 1) for band in bands]
    y = targets[train]
    best = {name: np.full(y.shape[1], -np.inf) for name in ("top", "cv", "gamma", "alpha")}
    best["predicted"] = np.empty((len(test), y.shape[1]))
    for index, gamma in enumerate(gammas):
        z = np.hstack([np.sqrt(float(part)) * band for part, band in zip(gamma, scaled, strict=True)])
        num, den = np.zeros((len(alphas), y.shape[1])), np.zeros(y.shape[1])
        for held in inner:
            kept = np.setdiff1d(np.arange(len(y)), held)
            num += ((ridge(z[train][kept], y[kept], alphas, z[train][held]) - y[held]) ** 2).sum(1)
            den += ((y[held] - y[kept].mean(0)) ** 2).sum(0)
        ahead = ridge(z[train], y, alphas, z[test])
        scores = 1 - num / den
        for unit, score in enumerate(scores.T):
            if score.max() > best["top"][unit] + 2.0**-13:
                place = max((place for place in range(len(alphas)) if score[place] > score.max() - 2.0**-13),
                            key=lambda place: alphas[place])  # fmt: skip
                own = {"top": score.max(), "cv": score[place], "gamma": index, "alpha": alphas[place]}
                for name, value in own.items():
                    best[name][unit] = value
                best["predicted"][:, unit] = ahead[place, :, unit]
    return best


def ridge(x: Array, y: Array, alphas: Sequence[float], ahead: Array) -> Array:
    """Predict by ridge with an intercept under each alpha [alpha, row, unit]: the dual system of centred rows."""
    centred = x - x.mean(0)
    kernel, across = centred @ centred.T, (ahead - x.mean(0)) @ centred.T
    whole = kernel + np.array(alphas)[:, None, None] * np.eye(len(x))
    return across @ np.linalg.solve(whole, np.broadcast_to(y - y.mean(0), (len(whole), *y.shape))) + y.mean(0)
