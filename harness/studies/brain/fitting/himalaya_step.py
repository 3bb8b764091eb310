"""The step that fits like `step.fit` but by himalaya; used only by manifests that ask for it.

Shared code is imported from `step` and `outer` unchanged, because the source of those modules is part of the key of
every fit made by our own solver.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness import arrays, rows
from harness.errors import InputError
from harness.models.local.torch_setup import inference_device
from harness.steps import FACTS
from harness.studies.brain.features.scaling import scaled
from harness.studies.brain.features.spaces import Features
from harness.studies.brain.fitting.matrices import feature_arrays
from harness.studies.brain.fitting.outer import (
    REFITTED,
    OuterFits,
    _Choice,
    _least_squares,
    _scored,
    intercept_errors,
)
from harness.studies.brain.fitting.requests import BANDED, LEAST_SQUARES, PLAIN, AskedModel, FitRequest, request
from harness.studies.brain.fitting.results import Collected, spread
from harness.studies.brain.fitting.step import BEST, CountedFolds, _arrays, _error, _observed, _rows, search_settings
from harness.studies.brain.fitting.units import RecordedValues, recorded
from harness.studies.brain.ridge import by_himalaya
from harness.studies.brain.ridge.devices import worker_count
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.search import Search, SearchFound
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.structure.folds import Fold, outer_folds
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.terms import INTERCEPT

Array = Any  # a numpy array
NAN = float("nan")


@dataclass(frozen=True)
class _Fitting:
    """How a fold is fitted: search settings, weights of the bands, the way to fit, and the solver."""

    how: Search
    gammas: Array
    method: str
    solver: str


@dataclass(frozen=True)
class _Given:
    """The inputs of a step: features and recordings of one experiment, its folds, and the number of units."""

    features: Features
    recorded: RecordedValues
    folds: Sequence[Fold]
    count: int

    @classmethod
    def read(cls, asked: FitRequest, inputs: Mapping[str, Path]) -> _Given:
        """Read a step's inputs; their names and errors are those of `step.fit`."""
        lines = [*rows.read(inputs["stimuli"], Stimulus)]
        whole = layout(asked.dataset, lines)
        part = whole.only(asked.experiment)
        arrays_of = feature_arrays(inputs, lines, asked.text_models)
        for name in (name for name in inputs if name.startswith(BEST)):
            arrays_of |= arrays.read_all(inputs[name])
        names = [row["id"] for row in rows.read(inputs["units"], RecordedUnit)]
        places = [at for at, name in enumerate(whole.experiments) if asked.experiment in ("", name)]
        values = recorded(inputs["recordings"], names, whole.ids, places, asked.dtype)
        folds = outer_folds(part, asked.split, asked.seed, asked.inner_rows)
        return cls(Features(part, lines, arrays_of), values, folds, len(names))


def fit(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `fits`, `errors` and `searches` as `step.fit` does, but fitted by the library himalaya.

    Raises InputError for whatever `step.fit` refuses, and MissingError if himalaya is not installed.
    """
    asked = request(params)
    solver = params["solver"]
    backend, release = by_himalaya.backend_name(solver, inference_device()), by_himalaya.version()
    given = _Given.read(asked, inputs)
    with tempfile.TemporaryDirectory() as fits, tempfile.TemporaryDirectory() as errors:
        kept = Collected(Path(fits)), Collected(Path(errors))
        told = _fit_all(asked, solver, given, kept)
        kept[0].write(out / "fits")
        kept[1].write(out / "errors")
    observed = _observed(given.recorded, given.folds, given.count)
    rows.write_one(out / "searches", {**told, "observed": observed})
    facts = {
        "device": inference_device(),
        "threads": worker_count(inference_device()),
        "himalaya": f"{release}, {backend}",
    }
    rows.write_one(out / FACTS, facts)


def _fit_all(asked: FitRequest, solver: str, given: _Given, kept: tuple[Collected, Collected]) -> dict[str, Any]:
    """Fit the models one after another and store their results; return facts about the searches."""
    fits, errors = kept
    values, units, folds = given.recorded.values, given.recorded.units, given.folds
    mean, squares = intercept_errors(values, folds, errors=True)
    fits.add({f"{INTERCEPT}.mse": spread(mean, units, given.count, NAN), **_rows(folds), **_error(asked.dtype)})
    errors.add({INTERCEPT: spread(squares, units, given.count, NAN)})
    told, counted = {}, CountedFolds(folds, len(asked.models))
    for model in asked.models:
        bands = {band: given.features.matrix(band) for band in model.bands}
        gammas = candidates(len(bands), asked.gammas(model), asked.gamma_seed, asked.all_subsets(model))
        own = _Fitting(search_settings(asked, model), gammas, model.method, solver)
        one = _cross_validate(bands, values, counted, own, errors=model.text in asked.errors)
        fits.add(_arrays(model, one, gammas, units, given.count))
        if one.errors is not None:
            errors.add({model.text: spread(one.errors, units, given.count, NAN)})
        told[model.text] = _told(model, bands, gammas, one)
    return told


def _told(model: AskedModel, bands: Mapping[str, Array], gammas: Array, one: OuterFits) -> dict[str, Any]:
    return {
        "bands": list(model.bands),
        "columns": [band.shape[1] for band in bands.values()],
        "gammas": len(gammas),
        "tried": list(one.tried),
        "choices": 0 if model.method == LEAST_SQUARES else one.tied.size,
        "near_ties": int(one.tied.sum()),
    }


def _cross_validate(
    bands: Mapping[str, Array], targets: Array, folds: Sequence[Fold], own: _Fitting, *, errors: bool
) -> OuterFits:
    """Fit named bands outside each fold and score inside it, as `outer.cross_validate` does."""
    if not folds or any(len(band) != len(targets) for band in bands.values()):
        raise InputError("features and targets have unlike rows, or no fold", where="rows", next="give both the same")
    shape = (len(folds), targets.shape[1])
    found = {name: np.zeros(shape) for name in ("mse", "pearson", "inner", "alpha")}
    chosen, tied, tried = np.zeros(shape, np.int32), np.zeros(shape, bool), []
    kept = np.zeros(targets.shape, np.float32) if errors else None
    for number, fold in enumerate(folds):
        train, test = np.asarray(fold.train, np.intp), np.asarray(fold.test, np.intp)
        pairs = [scaled(band[train], band[test], name) for name, band in bands.items()]
        choice = _chosen([one for one, _ in pairs], [other for _, other in pairs], targets[train], fold, own)
        found["mse"][number], found["pearson"][number] = _scored(targets, test, choice.predicted, kept)
        found["inner"][number], found["alpha"][number] = choice.inner, choice.alpha
        chosen[number], tied[number] = choice.gamma, choice.tied
        tried.append(choice.tried)
    return OuterFits(**found, gamma=chosen, tied=tied, tried=tuple(tried), errors=kept)


def _chosen(train: list[Array], test: list[Array], targets: Array, fold: Fold, own: _Fitting) -> _Choice:
    """Choose and predict by the model's way to fit; himalaya has no least squares, so ours are used for those."""
    if own.method == BANDED:
        choice = _banded(train, test, targets, fold, own)
    elif own.method == PLAIN:
        choice = _plain(train, test, targets, fold, own)
    else:
        choice = _least_squares(train, test, targets, fold, own.gammas, own.how)
    constant = (targets == targets[0]).all(axis=0)
    choice.predicted[:, constant] = targets[0, constant]
    return choice


def _banded(train: list[Array], test: list[Array], targets: Array, fold: Fold, own: _Fitting) -> _Choice:
    """Search over all units at once, then fit a block of units at a time, those with the same weights together."""
    found = by_himalaya.search(train, targets, fold.inner, own.gammas, own.how, own.solver)
    predicted = np.empty((len(test[0]), targets.shape[1]))
    order = np.argsort(found.gamma, kind="stable")
    for start in range(0, len(order), REFITTED):
        some = order[start : start + REFITTED]
        of_some = found.gamma[some], found.alpha[some], found.score[some], found.tied[some]
        chosen = SearchFound(*of_some, found.scores[:0, some], found.tried)
        fitted = by_himalaya.refit(train, targets[:, some], chosen, own.gammas, own.how, own.solver)
        predicted[:, some] = fitted.predict(test)
    return _Choice(predicted, found.score, found.alpha, found.gamma, found.tied, found.tried)


def _plain(train: list[Array], test: list[Array], targets: Array, fold: Fold, own: _Fitting) -> _Choice:
    """Choose by plain ridge, which ignores the weights of bands; alphas of 0 are left out."""
    table = train[0].astype(own.how.dtype)
    choice = by_himalaya.choose_plain(table, targets, fold.inner, own.how.usable(), own.how, own.solver)
    predicted = by_himalaya.fit_plain(table, targets, choice.alpha, own.how, own.solver).predict(test[0])
    return _Choice(predicted, -choice.error, choice.alpha, 0, choice.tied, 1)
