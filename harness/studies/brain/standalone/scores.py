"""The standalone analyses of the study's golden scores: R2 out of sample with Pearson's r, and omega with stars.

Independent of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.correlation import score_fit
from harness.scorers.given import AnalysisInput, Axes, Row, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.brain.measures import pooling
from harness.studies.brain.measures.omegas import OmegaScores, omegas
from harness.studies.brain.measures.starring import star
from harness.studies.brain.standalone.given_scores import number, numbers
from harness.studies.brain.standalone.locating import located

Array = Any  # a numpy array
Table = Annotated[Any, Axes(2)]
Column = Annotated[Any, Axes(1)]
ROLES = ("Simple", "LLM", "Banded")


class FoldPredictions(AnalysisInput):
    """Input: recordings and their predictions, with the rows fold after fold."""

    y: Table = Field(description="recordings: rows of samples, a column a unit")
    y_hat: Table = Field(description="predictions, shaped alike")
    fold_sizes: Annotated[Any, Axes(1, whole=True)] = Field(description="how many consecutive rows each fold tests")


class FoldScores(ToolOutput):
    """Output: squared errors of the model and of the mean of a fold's training rows, R2 and Pearson's r."""

    mse_model_per_fold: Table = Field(description="mean squared error, a row a fold")
    mse_intercept_per_fold: Table = Field(
        description="that of the mean of the rows outside the fold; of one fold, of all"
    )
    se_intercept: Table = Field(description="squared errors of that mean, a row a sample")
    pooled_mse_model: Column = Field(description="mean over folds, each by its rows")
    pooled_mse_intercept: Column = Field(description="the same of the training mean")
    r2_oos: Any = Field(description="1 - pooled error / that of the mean; -inf or nan where the mean is never wrong")
    pearson_fold_mean: Column = Field(description="mean of r over folds; a fold in which either side is constant is 0")


def _fold_scores(given: FoldPredictions) -> Mapping[str, Any]:
    import numpy as np  # noqa: PLC0415

    if not len(given.fold_sizes):
        raise InputError("there is no fold", where="fold_sizes", next="give the rows of each fold")
    with np.errstate(over="ignore", invalid="ignore"):
        return _scored(np.asarray(given.y, np.float64), np.asarray(given.y_hat, np.float64), given)


def _scored(targets: Array, predictions: Array, given: FoldPredictions) -> Mapping[str, Any]:
    import numpy as np  # noqa: PLC0415

    pearson = score_fit(targets, predictions, given.fold_sizes).pearson  # raises InputError if the shapes differ
    origin = targets[0]  # makes a constant column exactly equal to its mean
    targets, predictions = targets - origin, predictions - origin
    plain, folds = np.empty_like(targets), list(_folds(given.fold_sizes))
    for rows in folds:
        outside = np.delete(targets, rows, axis=0)
        plain[rows] = (targets[rows] - (outside if len(outside) else targets).mean(axis=0)) ** 2
    model = (targets - predictions) ** 2
    errors, baseline = (np.stack([one[rows].mean(axis=0) for rows in folds]) for one in (model, plain))
    return {
        "mse_model_per_fold": errors,
        "mse_intercept_per_fold": baseline,
        "se_intercept": plain,
        "pooled_mse_model": pooling.pooled_error(errors, given.fold_sizes),
        "pooled_mse_intercept": pooling.pooled_error(baseline, given.fold_sizes),
        "r2_oos": pooling.r2(errors, baseline, given.fold_sizes),
        "pearson_fold_mean": pearson,
    }


def _folds(sizes: Sequence[int]) -> Iterator[slice]:
    start = 0
    for size in map(int, sizes):
        yield slice(start, start := start + size)


class OmegaRow(Row):
    """One averaged score of a participant."""

    subjects: Any = Field(description="the participant")
    Model: Annotated[str, one_of_words("a model", *ROLES)] = Field(description="Simple, LLM or Banded")
    perf: Any = Field(description="the score: a number, or nan, inf, -inf")


class OmegaStarInput(AnalysisInput):
    """Input: averaged scores of participants, and scores of units for several models; either is optional."""

    omega_input: list[OmegaRow] = Field(default=[], description="a row a participant and model")
    star_input: dict[str, Any] = Field(default={}, description="the scores of every unit, by model")


class OmegaStarOutput(ToolOutput):
    """Output: omega of each participant, and the highest score of each unit, if their inputs were given."""

    omega_output: list[dict[str, Any]] | None = Field(
        default=None, description="subjects and metric (omega in percent); one with a score that is not finite has none"
    )
    star_output: Column | None = Field(default=None, description="the highest score over models, a value a unit")


def _omega_star(given: OmegaStarInput) -> Mapping[str, Any]:
    result: dict[str, Any] = {}
    if given.omega_input:
        found = omegas(_by_participant(given.omega_input)).participants
        result["omega_output"] = [{"subjects": name, "metric": value} for name, value in found.items()]
    if given.star_input:
        scores = [numbers(own, 1, f"star_input/{name}") for name, own in given.star_input.items()]
        with located("star_input"):
            result["star_output"] = star(scores)
    return result


def _by_participant(given: Sequence[OmegaRow]) -> dict[Any, OmegaScores]:
    found: dict[Any, dict[str, float]] = {}
    for place, row in enumerate(given):
        if not isinstance(row.subjects, str | int):
            told = "a participant is neither text nor a whole number"
            raise InputError(told, where=f"omega_input[{place}]/subjects", next="give a name")
        own = found.setdefault(row.subjects, {})
        if row.Model in own:
            told = f"{row.subjects!r:.60} has two scores of {row.Model}"
            raise InputError(told, where=f"omega_input[{place}]", next="give one")
        own[row.Model] = number(row.perf, f"omega_input[{place}]/perf")
    for name, own in found.items():
        if lacking := [role for role in ROLES if role not in own]:
            told = f"{name!r:.60} has no score of {' or '.join(lacking)}"
            raise InputError(told, where="omega_input", next=f"give {', '.join(ROLES)} of each participant")
    return {name: OmegaScores(*(own[role] for role in ROLES)) for name, own in found.items()}


ANALYSES: Mapping[str, Tool] = {
    "brain.r2_oos_pearson": Tool(
        "Scores predictions of recordings over folds: squared errors, R2 out of sample, Pearson's r.",
        FoldPredictions,
        FoldScores,
        _fold_scores,
    ),
    "brain.omega_star": Tool(
        "Gives omega of each participant, and the highest score of each unit over models.",
        OmegaStarInput,
        OmegaStarOutput,
        _omega_star,
    ),
}
