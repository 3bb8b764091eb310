"""Whole fits as standalone analyses: one feature space through a dataset's folds, and plain ridge.

The requested scores are parsed from field names; the values of these fields are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, Axes, ToolOutput, whole_number
from harness.scorers.tool import Tool
from harness.studies.brain.fitting.outer import cross_validate, intercept_errors
from harness.studies.brain.ridge import plain
from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.search import Search
from harness.studies.brain.standalone.locating import finite_table, located
from harness.studies.brain.standalone.structure import AskedByName, GivenByName
from harness.studies.brain.structure.folds import Fold, outer_folds
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.others import TRS, WORDS, blank, fedorenko
from harness.studies.brain.structure.pereira import pereira
from harness.studies.brain.terms import (
    ALPHAS,
    BLANK,
    CONTIGUOUS,
    EXP1,
    EXP2,
    FEDORENKO,
    INNER_ROWS,
    PEREIRA,
    SHUFFLE_SEED,
    SHUFFLED,
    H,
)

Array = Any  # a numpy array
MOST_ROWS, MOST_CELLS = 5000, 20_000_000  # the largest tables that are fitted here
_SET = rf"(?:{PEREIRA}_?({EXP1}|{EXP2})|{FEDORENKO}|{BLANK})"
_FEATURES = re.compile(rf"({_SET})_X")
_SPLIT = rf"(?:{CONTIGUOUS}|{SHUFFLED}(?:_seed([0-9]{{1,10}}))?)(?:_inner([0-9]{{1,4}}))?"
_ASKED = re.compile(rf"({_SET})_r2_{_SPLIT}")


class SpacesInput(AskedByName):
    """Input: feature matrices `<dataset>_X`, responses `<dataset>_y` [row, unit], and the requested scores by name.

    For example `pereira243_r2_contiguous`, `fedorenko_r2_shuffled`, `blank_r2_shuffled_seed7`,
    `fedorenko_r2_contiguous_inner32`. If nothing is requested for a dataset, both splits are scored.
    """

    alphas: Annotated[Any, Axes(1)] = Field(
        default=ALPHAS[H], description="penalties that are tried, from 0 up; those of generation H"
    )


class PlainRidgeInput(AnalysisInput):
    """Input: scaled features and targets, whose first rows train."""

    Xz: Annotated[Any, Axes(2)] = Field(description="features, a row an observation, scaled by the training rows")
    Y: Annotated[Any, Axes(2)] = Field(description="targets, a row an observation")
    n_train: Annotated[int, whole_number(2, MOST_ROWS)] = Field(description="how many of the first rows train")
    n_splits_kfold: Annotated[int, whole_number(2, MOST_ROWS)] = Field(description="inner folds of consecutive rows")
    alphas_nonzero: Annotated[Any, Axes(1)] = Field(description="penalties that are tried, above 0")


class PlainRidgeOutput(ToolOutput):
    """Output: plain ridge and least squares, fitted to the training rows."""

    weights_with_intercept_row0: Any = Field(description="of ridge: the intercept, then a row a column")
    val_mse: Any = Field(description="[alpha, target], a mean over inner folds")
    best_alpha: Any = Field(description="the alpha of each target")
    pred_test: Any = Field(description="what ridge predicts of the rows that do not train")
    ols_weights_row0_intercept: Any = Field(description="of least squares: the intercept, then a row a column")
    ols_pred_test: Any = Field(description="what least squares predicts of the rows that do not train")


def single_space(given: SpacesInput) -> dict[str, Array]:
    """Fit banded ridge to one feature space; return each unit's out-of-sample R2 for each split requested by name.

    Pereira's features may have all 627 rows, from which the experiment's rows are taken. Raises InputError if no
    features have a known name, if targets are missing, or if the number of rows is not the dataset's.
    """
    asked = given.asked()
    sets = {part[1]: part for name in asked if (part := _FEATURES.fullmatch(name))}
    if not sets:
        raise InputError("no features are given by a known name", where="the input", next="name them `pereira243_X`")
    found = {}
    for name, part in sets.items():
        features, targets = (_table(f"{name}_{end}", asked.get(f"{name}_{end}")) for end in "Xy")
        layout = _layout(name, part[2] or "", len(targets))
        if part[2] and len(features) == len(pereira().ids):
            features = features[[row for row, one in enumerate(pereira().experiments) if one == part[2]]]
        for end, rows in (("X", features), ("y", targets)):
            if len(rows) != len(layout.ids):
                told = f"`{name}_{end}` has {len(rows)} rows"
                raise InputError(told, where=f"{name}_{end}", next=f"give {len(layout.ids)}")
        for key, folds in _splits(name, asked, layout):
            found[key] = _r2(features, targets, folds, given.alphas)
    return found


def _layout(name: str, experiment: str, rows: int) -> Layout:
    """Return the layout of a dataset with this number of rows; Fedorenko may have any number of sentences."""
    made: Callable[[], Layout] = blank
    if experiment:
        made = lambda: pereira(experiment)  # noqa: E731
    elif name == FEDORENKO and rows and rows % WORDS == 0:
        made = lambda: fedorenko(rows // WORDS)  # noqa: E731
    elif name != BLANK or rows != sum(TRS.values()):
        raise InputError(f"`{name}_y` has {rows} rows", where=name, next="give the rows of the published dataset")
    return made()


def _splits(name: str, asked: Mapping[str, Any], layout: Layout) -> Iterator[tuple[str, tuple[Fold, ...]]]:
    parts = [part for key in asked if (part := _ASKED.fullmatch(key)) and part[1] == name]
    usual = [part for split in (CONTIGUOUS, SHUFFLED) if (part := _ASKED.fullmatch(f"{name}_r2_{split}"))]
    for part in parts or usual:
        split = SHUFFLED if f"_{SHUFFLED}" in part[0] else CONTIGUOUS
        if part[4] and name != FEDORENKO:
            raise InputError("inner folds have a size in Fedorenko alone", where=part[0], next="leave the ending out")
        with located(part[0]):
            yield part[0], outer_folds(layout, split, int(part[3] or SHUFFLE_SEED), int(part[4] or INNER_ROWS[0]))


def _r2(features: Array, targets: Array, folds: tuple[Fold, ...], alphas: Array) -> Array:
    import numpy as np  # noqa: PLC0415

    how = Search(alphas=tuple(float(alpha) for alpha in alphas))
    found = cross_validate({"features": features}, targets, folds, candidates(1, 1, 0, all_subsets=False), how)
    mean, _ = intercept_errors(targets, folds)
    sizes = np.array([len(fold.test) for fold in folds])[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - (sizes * found.mse).sum(axis=0) / (sizes * mean).sum(axis=0)


def _table(name: str, value: Any) -> Array:
    """Return the value of a field as [row, column] of finite numbers, float32."""
    import numpy as np  # noqa: PLC0415

    with np.errstate(over="ignore"):
        found = np.asarray(finite_table(name, value), np.float32)
    if not 0 < found.size <= MOST_CELLS or len(found) > MOST_ROWS or not np.isfinite(found).all():
        told = f"`{name}` is {[*found.shape]}, or has numbers beyond float32"
        raise InputError(told, where=name, next=f"give up to {MOST_ROWS:,} rows and {MOST_CELLS:,} numbers below 3e38")
    return found


def ridge_cv(given: PlainRidgeInput) -> dict[str, Array]:
    """Fit plain ridge, with each target's alpha chosen over inner folds, and least squares; predict the other rows.

    Raises InputError if features and targets have different numbers of rows, if there are more training rows than rows
    or more folds than training rows, if an alpha is not above 0, or if squares of the numbers exceed float64.
    """
    import numpy as np  # noqa: PLC0415

    count = given.n_train
    if len(given.Xz) != len(given.Y) or count > len(given.Y) or given.n_splits_kfold > count:
        told = f"{len(given.Xz)} and {len(given.Y)} rows, {count} of which train in {given.n_splits_kfold} folds"
        raise InputError(told, where="n_train", next="give both tables the same rows, and no more folds than rows")
    rows, targets = (np.asarray(table, np.float64) for table in (given.Xz, given.Y))
    inner = [fold.tolist() for fold in np.array_split(np.arange(count), given.n_splits_kfold)]
    with np.errstate(over="ignore", invalid="ignore"):
        choice = plain.choose(rows[:count], targets[:count], inner, [float(alpha) for alpha in given.alphas_nonzero])
        solver = plain.solver(rows[:count])
        squares = solver.sizes**2
    if not np.isfinite(choice.validation).all() or not np.isfinite(squares).all():
        raise InputError("the squares of the numbers are beyond float64", where="Xz", next="scale `Xz` and `Y`")
    ridge, squares = solver.ridge(targets[:count], choice.alpha), solver.least_squares(targets[:count])
    return {
        "weights_with_intercept_row0": np.vstack([ridge.intercept, ridge.weights]),
        "val_mse": choice.validation,
        "best_alpha": choice.alpha,
        "pred_test": ridge.predict(rows[count:]),
        "ols_weights_row0_intercept": np.vstack([squares.intercept, squares.weights]),
        "ols_pred_test": squares.predict(rows[count:]),
    }


ANALYSES: Mapping[str, Tool] = {
    "brain.pipeline_single_space": Tool(
        "Fits one feature space to a dataset through its folds, and gives out-of-sample R2.",
        SpacesInput,
        GivenByName,
        single_space,
    ),
    "brain.ridge_cv_mse_criterion": Tool(
        "Fits plain ridge with an alpha a target, chosen by validation error, and least squares.",
        PlainRidgeInput,
        PlainRidgeOutput,
        ridge_cv,
    ),
}
