"""The step that fits a group of models to the recordings of one dataset, in one split; scores each fold and unit.

Does not compare models or average units.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness import arrays, rows
from harness.kit.progress import tell_progress
from harness.models.local.torch_setup import inference_device
from harness.steps import FACTS
from harness.studies.brain.features.spaces import Features
from harness.studies.brain.fitting.matrices import feature_arrays
from harness.studies.brain.fitting.outer import OuterFits, cross_validate, intercept_errors
from harness.studies.brain.fitting.requests import LEAST_SQUARES, AskedModel, FitRequest, request
from harness.studies.brain.fitting.results import Collected, spread
from harness.studies.brain.fitting.units import RecordedValues, recorded
from harness.studies.brain.near_ties import ERRORS
from harness.studies.brain.ridge.devices import worker_count
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.search import Search
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.structure.folds import Fold, outer_folds
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.terms import INTERCEPT

Array = Any  # a numpy array
BEST = "best."  # prefix of an input with a text model's best layer


def fit(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Fit the models that `params` name by cross-validated ridge; write `fits` (scores), `errors` and `searches`.

    inputs: `stimuli`, `units` and `recordings`; `features`, if arrays came with the stimuli; for each text model, its
    index `NAME.vectors` and layers `NAME.layer-03.npy`; `best.NAME`, if a text model's best layer is an array. Raises
    InputError for whatever `request`, `recorded`, `feature_arrays`, `Features` and `outer_folds` refuse.
    """
    asked = request(params)
    stimuli = list(rows.read(inputs["stimuli"], Stimulus))
    units = [row["id"] for row in rows.read(inputs["units"], RecordedUnit)]
    whole = layout(asked.dataset, stimuli)
    part = whole.only(asked.experiment)
    places = [place for place, name in enumerate(whole.experiments) if asked.experiment in ("", name)]
    folds = outer_folds(part, asked.split, asked.seed, asked.inner_rows)
    best = [arrays.read_all(path) for name, path in inputs.items() if name.startswith(BEST)]
    given = {name: array for one in best for name, array in one.items()}
    features = Features(part, stimuli, {**feature_arrays(inputs, stimuli, asked.text_models), **given})
    found = recorded(inputs["recordings"], units, whole.ids, places, asked.dtype)
    with tempfile.TemporaryDirectory() as fits, tempfile.TemporaryDirectory() as errors:
        kept = Collected(Path(fits)), Collected(Path(errors))
        told = _fit_all(asked, features, found, folds, len(units), kept, out)
    rows.write_one(out / "searches", {**told, "observed": _observed(found, folds, len(units))})
    rows.write_one(out / FACTS, {"device": inference_device(), "threads": worker_count(inference_device())})


class CountedFolds(Sequence[Fold]):
    """A list of folds that prints the step's progress whenever one of them has been fitted."""

    def __init__(self, folds: Sequence[Fold], models: int) -> None:
        self.folds, self.done, self.total = folds, 0, models * len(folds)

    def __len__(self) -> int:
        """Return the number of folds."""
        return len(self.folds)

    def __getitem__(self, place: Any) -> Any:
        """Return one of the folds."""
        return self.folds[place]

    def __iter__(self) -> Iterator[Fold]:
        """Yield each fold, and tell of it once the next is asked for."""
        for fold in self.folds:
            yield fold
            self.done += 1
            tell_progress(self.done, self.total, "fits")


def search_settings(asked: FitRequest, model: AskedModel) -> Search:
    """Return the settings of a model's ridge search: the penalties to try, and the device to compute on.

    If the search starts from all subsets, early stopping counts from 2**k on, as in the published solver.
    """
    first = 2 ** len(model.bands) if asked.all_subsets(model) else 0
    return Search(alphas=asked.alphas, device=inference_device(), dtype=asked.dtype, stop_from=first)


def _fit_all(
    asked: FitRequest,
    features: Features,
    found: RecordedValues,
    folds: Sequence[Fold],
    count: int,
    kept: tuple[Collected, Collected],
    out: Path,
) -> dict[str, Any]:
    """Fit the models one after another and write their results; return facts about the searches."""
    fits, errors = kept
    mean, squares = intercept_errors(found.values, folds, errors=True)
    nan = float("nan")
    fits.add({f"{INTERCEPT}.mse": spread(mean, found.units, count, nan), **_rows(folds), **_error(asked.dtype)})
    errors.add({INTERCEPT: spread(squares, found.units, count, nan)})
    told, counted = {}, CountedFolds(folds, len(asked.models))
    for model in asked.models:
        bands = {band: features.matrix(band) for band in model.bands}
        gammas = candidates(len(bands), asked.gammas(model), asked.gamma_seed, asked.all_subsets(model))
        wanted, how = model.text in asked.errors, search_settings(asked, model)
        one = cross_validate(bands, found.values, counted, gammas, how, method=model.method, errors=wanted)
        fits.add(_arrays(model, one, gammas, found.units, count))
        if wanted:
            errors.add({model.text: spread(one.errors, found.units, count, nan)})
        told[model.text] = {
            "bands": list(model.bands),
            "columns": [band.shape[1] for band in bands.values()],
            "gammas": len(gammas),
            "tried": list(one.tried),
            "choices": 0 if model.method == LEAST_SQUARES else one.tied.size,
            "near_ties": int(one.tied.sum()),
        }
    fits.write(out / "fits")
    errors.write(out / "errors")
    return told


def _rows(folds: Sequence[Fold]) -> dict[str, Array]:
    """Return the number of test rows of each fold, and the fold that tests each row."""
    sizes = np.array([len(fold.test) for fold in folds], np.int32)
    of_row = np.empty(sizes.sum(), np.int32)
    for number, fold in enumerate(folds):
        of_row[np.asarray(fold.test)] = number
    return {"fold_rows": sizes, "fold_of_row": of_row}


def _error(dtype: str) -> dict[str, Array]:
    """Return the possible error of the difference of two inner scores (`near_ties`)."""
    return {"cv_error": np.array([ERRORS[dtype]])}


def _arrays(model: AskedModel, one: OuterFits, gammas: Array, units: Array, count: int) -> dict[str, Array]:
    """Return a model's arrays by name; a unit that was left out has NaN, gamma -1, and no near tie."""
    scores = {"mse": one.mse, "r": one.pearson, "cv": one.inner, "alpha": one.alpha}
    found = {f"{model.text}.{name}": spread(array, units, count, np.nan) for name, array in scores.items()}
    found[f"{model.text}.gamma"] = spread(one.gamma, units, count, -1)
    found[f"{model.text}.tied"] = spread(one.tied, units, count, False)
    return {**found, f"{model.text}.gammas": np.asarray(gammas, np.float64)}


def _observed(found: RecordedValues, folds: Sequence[Fold], count: int) -> dict[str, int]:
    """Return counts of rows, folds and units, of units that did not take part, and of constant units."""
    constant = (found.values == found.values[0]).all(axis=0)
    return {
        "rows": len(found.values),
        "folds": len(folds),
        "units": count,
        "left_out": count - len(found.units),
        "constant": int(constant.sum()),
    }
