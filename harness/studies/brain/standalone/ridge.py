"""Banded ridge as standalone analyses: by the authors' criterion, by upstream's, over subsets of bands.

The first rows train, and consecutive inner folds choose; everything is computed in float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, Axes, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.brain.ridge.gammas import subsets
from harness.studies.brain.ridge.refit import refit
from harness.studies.brain.ridge.search import Search, search
from harness.studies.brain.standalone.locating import finite_table
from harness.studies.brain.standalone.structure import GivenByName

Array = Any  # a numpy array
MOST_ROWS, MOST_SUBSETS = 5000, 10  # training rows, and bands whose subsets are all tried
ENDING = "_gammas"


class BandedInput(AnalysisInput):
    """Input of a banded ridge fit: features, targets, bands and folds; each may come from the second file."""

    Xz: Annotated[Any, Axes(2, second="Xz")] = Field(
        description="features, a row an observation, bands side by side, scaled by the training rows"
    )
    Y: Annotated[Any, Axes(2, second="Y")] = Field(description="targets, a row an observation")
    n_train: Annotated[Any, Axes(0, whole=True, second="n_train")] = Field(
        description="how many of the first rows train"
    )
    space_dims: Annotated[Any, Axes(1, whole=True, second="space_dims")] = Field(
        description="how many columns each band has"
    )
    n_splits_kfold: Annotated[Any, Axes(0, whole=True, second="n_splits_kfold")] = Field(
        description="inner folds of consecutive rows"
    )
    alphas: Annotated[Any, Axes(1, second="alphas")] = Field(description="penalties that are tried")

    def require_shapes(self) -> None:
        """Raise InputError if rows, columns or folds do not fit together."""
        rows, train, folds = len(self.Y), int(self.n_train), int(self.n_splits_kfold)
        if len(self.Xz) != rows or not 2 <= train <= min(rows, MOST_ROWS):
            told = f"{len(self.Xz)} and {rows} rows, {train} of which train"
            raise InputError(told, where="n_train", next=f"give both tables the same rows, train on 2 to {MOST_ROWS}")
        if not 2 <= folds <= train:
            raise InputError(f"{folds} folds of {train} rows", where="n_splits_kfold", next="give 2 or more, not empty")
        if not len(self.space_dims) or self.space_dims.min() < 1 or self.space_dims.sum() != self.Xz.shape[1]:
            told = f"bands of {self.space_dims.tolist()} columns, and there are {self.Xz.shape[1]}"
            raise InputError(told, where="space_dims", next="give each column one band")


class BandedByName(BandedInput):
    """Input: features, targets and folds, and each set of band weights to search, `<set>_gammas` [gamma, band]."""

    model_config = ConfigDict(extra="allow")

    def sets(self) -> dict[str, Array]:
        """Return each given set of band weights by the name before `_gammas`.

        Raises InputError if there is no set, or if one is not a table.
        """
        asked = self.model_extra or {}
        found = {name.removesuffix(ENDING): value for name, value in asked.items() if name.endswith(ENDING)}
        if not found:
            raise InputError(
                "no weights are given", where="the input", next="name them `<set>_gammas`, rows of weights"
            )
        return {name: finite_table(f"{name}{ENDING}", value) for name, value in found.items()}


class BandedPositive(BandedInput):
    """Input of a banded ridge fit with the band weights to try, one row per candidate."""

    gammas_positive: Annotated[Any, Axes(2)] = Field(description="a row of weights for each candidate")


class BandedOutput(ToolOutput):
    """Output of a banded ridge fit: the chosen band weights and penalties, the predictions, and R2 of test rows."""

    deltas: Any = Field(description="[band, target]: log(gamma / alpha), -inf for a band that is left out")
    intercept: Any = Field(description="[target]")
    pred_test: Any = Field(description="[row, target]: what is predicted of the rows that do not train")
    r2_oos_test: Any = Field(description="[target]: R2 there, held against the mean of the training rows")


class BandedWeights(BandedOutput):
    """Output of a banded ridge fit with its feature weights, and the inner-fold scores of all candidates."""

    weights: Any = Field(description="[column, target]: of the scaled features")
    cv_scores_neg_mse: Any = Field(description="[gamma, target]: mean of -MSE over inner folds, at the best alpha")


class BandedDual(BandedOutput):
    """Output of a banded ridge fit with its dual weights, and the inner-fold scores of all subsets of bands."""

    dual_weights: Any = Field(description="[training row, target]")
    cv_scores: Any = Field(description="[subset, target]: pooled R2 of the inner folds, at the best alpha")


def author_criterion(given: BandedByName) -> dict[str, Array]:
    """Fit banded ridge with band weights chosen by pooled R2 of inner folds, once for each named set of weights.

    Raises InputError for shapes that do not fit, no set, and weights below 0 or all 0.
    """
    found: dict[str, Array] = {}
    for name, gammas in given.sets().items():
        fit = _fitted(given, gammas, "r2")
        wanted = ("deltas", "weights", "intercept", "cv_scores", "pred_test", "r2_oos_test")
        found |= {f"{name}_{key}": fit[key] for key in wanted}
    return found


def upstream_criterion(given: BandedPositive) -> dict[str, Array]:
    """Fit banded ridge with band weights chosen by the mean of -MSE over inner folds; return weights and predictions.

    Raises InputError for shapes that do not fit, or weights below 0 or all 0.
    """
    fit = _fitted(given, given.gammas_positive, "mse")
    fit["cv_scores_neg_mse"] = fit["cv_scores"]
    return {key: fit[key] for key in BandedWeights.model_fields}


def all_subsets(given: BandedInput) -> dict[str, Array]:
    """Fit banded ridge with the subset of equally weighted bands chosen by pooled R2 of inner folds.

    Raises InputError for shapes that do not fit, or too many bands.
    """
    if len(given.space_dims) > MOST_SUBSETS:
        raise InputError(f"{len(given.space_dims)} bands", where="space_dims", next=f"give at most {MOST_SUBSETS}")
    fit = _fitted(given, subsets(len(given.space_dims)), "r2")
    return {key: fit[key] for key in BandedDual.model_fields}


def _fitted(given: BandedInput, gammas: Array, criterion: str) -> dict[str, Array]:
    import numpy as np  # noqa: PLC0415

    given.require_shapes()
    count = int(given.n_train)
    rows, targets = np.asarray(given.Xz, np.float64), np.asarray(given.Y, np.float64)
    bands = np.split(rows, np.cumsum(given.space_dims)[:-1], axis=1)
    train, test = [band[:count] for band in bands], [band[count:] for band in bands]
    inner = [fold.tolist() for fold in np.array_split(np.arange(count), int(given.n_splits_kfold))]
    how = Search(tuple(np.asarray(given.alphas).tolist()), criterion, stop=False, dtype="float64")
    found = search(train, targets[:count], inner, gammas, how)
    fit = refit(train, targets[:count], found, gammas, how)
    predicted = fit.predict(test) if len(rows) > count else np.empty((0, targets.shape[1]))
    return {
        "deltas": fit.deltas,
        "weights": fit.weights(),
        "dual_weights": fit.dual,
        "intercept": fit.intercept,
        "cv_scores": found.scores,
        "pred_test": predicted,
        "r2_oos_test": _r2(targets[count:], predicted, fit.mean),
    }


def _r2(targets: Array, predicted: Array, mean: Array) -> Array:
    import numpy as np  # noqa: PLC0415

    model, plain = ((targets - predicted) ** 2).sum(axis=0), ((targets - mean) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - model / plain


ANALYSES: Mapping[str, Tool] = {
    "brain.banded_ridge_author_criterion": Tool(
        "Fits banded ridge with the weights of bands and the alpha of each target chosen by pooled R2.",
        BandedByName,
        GivenByName,
        author_criterion,
    ),
    "brain.banded_ridge_upstream_criterion": Tool(
        "Fits banded ridge with the weights of bands and the alpha of each target chosen by mean squared error.",
        BandedPositive,
        BandedWeights,
        upstream_criterion,
    ),
    "brain.banded_kernel_all_subsets": Tool(
        "Fits kernel ridge over every subset of bands in equal parts, each target with the best, and its alpha.",
        BandedInput,
        BandedDual,
        all_subsets,
    ),
}
