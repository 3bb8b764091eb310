"""The fits of a run as measures read them: for each dataset and split, all models, whichever step fitted them.

Arrays are read on demand, so only one is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.measures import pooling
from harness.studies.brain.measures.aggregation import UnitTable
from harness.studies.brain.rowtypes import RecordedUnit
from harness.studies.brain.terms import INTERCEPT

Array = Any  # a numpy array


@dataclass
class ExperimentFits:
    """The fits of one experiment under one split: the units that took part, the folds, and each model's file."""

    experiment: str
    done: Array  # columns of the units that took part
    baseline: Array  # [fold, unit] squared error of the training mean, for those units
    fold_rows: tuple[int, ...]
    files: dict[str, Path] = field(default_factory=dict)  # the file of each model

    def read(self, model: str, what: str) -> Array:
        """Read `mse`, `r`, `cv`, `tied` … [fold, unit] of a model, for the units that took part in the experiment."""
        if model not in self.files:
            raise InputError(f"no model {model!r} was fitted", where="groups", next=f"it has: {', '.join(self.files)}")
        found = arrays.read(self.files[model], f"{model}.{what}")
        if found.ndim != 2 or found.shape[0] != len(self.fold_rows) or found.shape[1] <= self.done.max(initial=-1):
            told = f"`{model}.{what}` is {[*found.shape]}"
            raise InputError(told, where=str(self.files[model]), next=f"give {len(self.fold_rows)} folds of each unit")
        return found[:, self.done]

    def cv_error(self) -> float:
        """Return the largest rounding error of a difference of two inner-fold scores (`near_ties`), over all models."""
        return max(float(arrays.read(file, "cv_error").max()) for file in {*self.files.values()})


class SplitKey(NamedTuple):
    """The dataset and split of fits that belong together."""

    dataset: str
    split: str


@dataclass
class SplitFits:
    """All fits of a dataset under one cross-validation split; the scores of its experiments are concatenated."""

    dataset: str
    split: str
    world: str
    text_models: tuple[str, ...]
    units: UnitTable  # one entry per score
    recorded: int  # number of units, each counted once
    experiments: tuple[ExperimentFits, ...]
    models: tuple[str, ...]
    _scores: dict[str, Array] = field(default_factory=dict, repr=False)

    def r2(self, model: str) -> Array:
        """Return out-of-sample R2 of each unit and experiment."""
        if model not in self._scores:
            self._scores[model] = self.r2_of([part.read(model, "mse") for part in self.experiments])
        return self._scores[model]

    def r2_of(self, errors: Sequence[Array]) -> Array:
        """Return out-of-sample R2 for squared errors [fold, unit] of each experiment."""
        import numpy as np  # noqa: PLC0415

        pairs = zip(self.experiments, errors, strict=True)
        return np.concatenate([pooling.r2(one, part.baseline, part.fold_rows) for part, one in pairs])

    def pearson(self, model: str) -> Array:
        """Return Pearson's r averaged over folds, for each unit and experiment."""
        import numpy as np  # noqa: PLC0415

        return np.concatenate([pooling.mean_correlation(part.read(model, "r")) for part in self.experiments])

    def parts(self, values: Array) -> list[Array]:
        """Cut an array of all scores into one array per experiment."""
        import numpy as np  # noqa: PLC0415

        return list(np.split(values, np.cumsum([len(part.done) for part in self.experiments])[:-1]))

    def rows(self) -> int:
        """Return the number of test rows of all folds and experiments."""
        return sum(sum(part.fold_rows) for part in self.experiments)


def read(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> list[SplitFits]:
    """Read the stored fits that a step gets as inputs, dataset by dataset and split by split, in the order of `groups`.

    `groups` describes each part of the fan-in `fits`. The units of each dataset are the input `units-NAME`, or parts of
    `units` in the order of `datasets`. Raises InputError if the number of parts is wrong, if parts of a split have
    different units or folds, or if a model is fitted twice or not in every experiment.
    """
    groups, files = params["groups"], rows.parts(inputs["fits"])
    if len(groups) != len(files):
        raise InputError(
            f"{len(files)} parts stand beside {len(groups)} groups", where="fits", next="give one for each"
        )
    found: dict[SplitKey, list[tuple[Mapping[str, Any], Path]]] = {}
    for group, file in zip(groups, files, strict=True):
        found.setdefault(SplitKey(group["dataset"], group["split"]), []).append((group, file))
    tables = {name: _units(name, params, inputs) for name in dict.fromkeys(key.dataset for key in found)}
    return [_split(key, own, tables[key.dataset]) for key, own in found.items()]


def by_dataset(found: Sequence[SplitFits]) -> dict[str, list[SplitFits]]:
    """Group fits by dataset, in order."""
    sorted_: dict[str, list[SplitFits]] = {}
    for one in found:
        sorted_.setdefault(one.dataset, []).append(one)
    return sorted_


def _units(dataset: str, params: Mapping[str, Any], inputs: Mapping[str, Path]) -> list[RecordedUnit]:
    path = inputs.get(f"units-{dataset}")
    if path is None:
        names = list(params["datasets"])
        parts = rows.parts(inputs["units"])
        if dataset not in names or len(names) != len(parts):
            told = f"{len(parts)} tables of units stand beside {len(names)} datasets, and {dataset!r} is asked"
            raise InputError(told, where="units", next="give one for each dataset, in their order")
        path = parts[names.index(dataset)]
    return list(rows.read(path, RecordedUnit))


def _split(key: SplitKey, own: Sequence[tuple[Mapping[str, Any], Path]], table: Sequence[RecordedUnit]) -> SplitFits:
    experiments: dict[str, ExperimentFits] = {}
    for group, file in own:
        name = str(group.get("experiment") or "")
        part = _part(name, file, len(table))
        known = experiments.setdefault(name, part)
        _require_alike(known, part, file)
        for model in group["models"]:
            if model in known.files:
                raise InputError(f"{model!r} is fitted twice", where=f"{key.dataset}, {key.split}", next="fit it once")
            known.files[model] = file
    parts = tuple(experiments.values())
    models = tuple(parts[0].files)
    if uneven := [model for part in parts for model in {*part.files} ^ {*models}]:
        told = f"{sorted(uneven)[0]!r} is not fitted in every experiment"
        raise InputError(told, where=f"{key.dataset}, {key.split}", next="fit the same models in each")
    texts = tuple(dict.fromkeys(name for group, _ in own for name in group.get("text_models") or ()))
    world = str(own[0][0].get("world") or "")
    return SplitFits(key.dataset, key.split, world, texts, _entries(parts, table), len(table), parts, models)


def _part(experiment: str, file: Path, units: int) -> ExperimentFits:
    import numpy as np  # noqa: PLC0415

    baseline, counts = arrays.read(file, f"{INTERCEPT}.mse"), arrays.read(file, "fold_rows")
    if baseline.ndim != 2 or baseline.shape != (counts.size, units):
        told = f"`{INTERCEPT}.mse` is {[*baseline.shape]}"
        raise InputError(told, where=str(file), next=f"give {counts.size} folds of {units} units")
    done = np.flatnonzero(~np.isnan(baseline).all(axis=0))  # units with NaN did not take part in the experiment
    return ExperimentFits(experiment, done, baseline[:, done], tuple(map(int, counts.ravel().tolist())))


def _require_alike(known: ExperimentFits, other: ExperimentFits, file: Path) -> None:
    import numpy as np  # noqa: PLC0415

    same = known.fold_rows == other.fold_rows and np.array_equal(known.done, other.done)
    if not same or not np.allclose(known.baseline, other.baseline, rtol=1e-9, atol=0, equal_nan=True):
        told = "it has other folds, units or recordings than another part of the same dataset and split"
        raise InputError(told, where=str(file), next="fit both on the same rows")


def _entries(parts: Sequence[ExperimentFits], table: Sequence[RecordedUnit]) -> UnitTable:
    listed = list(_listed(parts, table))
    return UnitTable(
        tuple(unit["participant"] for _, unit in listed),
        tuple(unit["network"] for _, unit in listed),
        tuple(name for name, _ in listed),
        tuple(unit.get("signal", True) for _, unit in listed),
    )


def _listed(parts: Sequence[ExperimentFits], table: Sequence[RecordedUnit]) -> Iterator[tuple[str, RecordedUnit]]:
    for part in parts:
        yield from ((part.experiment, table[column]) for column in part.done.tolist())
