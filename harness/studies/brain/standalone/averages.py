"""The standalone analyses of averages and choices (OURS): of units and participants, layers, folds and subsets.

The rules are those of the paper (P) and of its repository (H). Independent of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, Flag, Text, Texts, ToolOutput, one_of_words, whole_number
from harness.scorers.tool import Tool
from harness.studies.brain.measures import choosing, curves, pooling, starring
from harness.studies.brain.measures.aggregation import AveragedScore, aggregate, pooled
from harness.studies.brain.measures.naming import bands
from harness.studies.brain.standalone.given_scores import numbers, table
from harness.studies.brain.terms import GENERATIONS, LANGUAGE, P

Array = Any  # a numpy array
Generation = Annotated[str, one_of_words("a generation", *GENERATIONS)]
WHO, NET, EXP = (
    "whose each score is; none: all of one participant",
    "the network of each unit; none: language",
    "the experiment of each score, where a unit stands once for each; none: there is one alone",
)
SCORES = "a score a unit; nan, inf and -inf are written so"
RULE = "P (as the paper computed) or H (as its repository does)"


class ScoredUnits(AnalysisInput):
    """Input of an average: scores and their participants."""

    scores: Any = Field(description=SCORES)
    participants: Texts = Field(description="whose each score is")
    networks: Texts = Field(default=[], description=NET)
    experiments: Texts = Field(default=[], description=EXP)
    generation: Generation = Field(description=RULE)
    network: Text = Field(default=LANGUAGE, description="the network that is averaged")


class UnitAverage(ToolOutput):
    """Output: mean score over participants in one network; `networks` holds the means of all networks."""

    score: float | None = Field(description="the mean over participants; null where nobody has a score")
    participants: dict[str, float] = Field(description="the score of each participant that has one")
    units: dict[str, int] = Field(description="how many scores each participant has")
    left_out: list[str] = Field(description="participants without a score, in no denominator")
    degenerate: int = Field(description="scores that are no finite numbers")
    networks: dict[str, float | None] = Field(description="the mean over participants in each network")


def _average(given: ScoredUnits) -> Mapping[str, Any]:
    scores = numbers(given.scores, 1, "scores")
    units = table(len(scores), given.participants, given.networks, given.experiments)

    def of(network: str) -> AveragedScore:
        return aggregate(scores, units, given.generation, units.counted(network))

    return {**of(given.network)._asdict(), "networks": {name: of(name).score for name in sorted({*units.networks})}}


class LayerScores(AnalysisInput):
    """Input of a choice: the scores of all units for each candidate."""

    scores: Any = Field(description="a list of scores, one a unit, for each layer in their order")
    participants: Texts = Field(default=[], description=WHO)
    networks: Texts = Field(default=[], description=NET)
    experiments: Texts = Field(default=[], description=EXP)
    generation: Generation = Field(description=RULE)


class ChosenLayer(ToolOutput):
    """Output: the layer with the highest score on test data, and how it was chosen."""

    chosen: int | None = Field(description="its place, from 0; the first of equals; null where none has a value")
    values: list[float | None] = Field(description="what each is chosen by; null: it is never chosen")


def _layer(given: LayerScores) -> Mapping[str, Any]:
    scores = numbers(given.scores, 2, "scores")
    units = table(scores.shape[1], given.participants, given.networks, given.experiments)
    if given.generation == P:
        values = [pooled(own, units.counted()) for own in scores]
    else:
        values = [aggregate(own, units, given.generation).score for own in scores]
    return {"chosen": choosing.best(values), "values": values}


class SubsetScores(AnalysisInput):
    """Input: the scores of all units for each subset of feature spaces, of which the highest are taken."""

    scores: dict[str, Any] = Field(description="a list of scores, one a unit, by model such as SP+SL")
    spaces: Texts = Field(default=[], description="models of these spaces alone; none: of all that the models name")
    containing: Text = Field(default="", description="models that contain this space alone")


class StarredUnits(ToolOutput):
    """Output: each unit's highest score over the models, and the number of these models."""

    star: list[float] = Field(description="the highest score, a value a unit; nan where every model has nan")
    subsets: int = Field(description="how many models it is a maximum of: it is biased upward the more there are")
    models: list[str] = Field(description="these models")


def _star(given: SubsetScores) -> Mapping[str, Any]:
    spaces = given.spaces or sorted({band for model in given.scores for band in bands(model)})
    models = starring.subsets(list(given.scores), spaces, given.containing)
    if not models:
        wanted = f"give one of the spaces {', '.join(spaces)}" + (f" with {given.containing}" * bool(given.containing))
        raise InputError("no model is such a subset", where="scores", next=wanted)
    found = starring.star([numbers(given.scores[model], 1, f"scores/{model}") for model in models])
    return {"star": found, "subsets": len(models), "models": list(models)}


class InnerScores(AnalysisInput):
    """Input: inner-fold scores and test errors of each candidate, for a choice inside the training folds."""

    inner: Any = Field(description="for each candidate a table of best inner scores, a row an outer fold, a unit each")
    mse: Any = Field(description="for each candidate a table of test errors, shaped alike")
    mse_intercept: Any = Field(description="the table of errors of the training mean")
    fold_rows: Any = Field(description="how many rows each outer fold tests")
    participants: Texts = Field(default=[], description=WHO)
    networks: Texts = Field(default=[], description=NET)
    generation: Generation = Field(description=RULE)
    each_unit: Flag = Field(default=False, description="choose for each unit by itself, and not one for all of a fold")


class NestedScore(ToolOutput):
    """Output: the candidate chosen in each fold by inner scores alone, and the test score of these choices."""

    chosen: list[int | None] | None = Field(description="the candidate of each fold; null where each unit has its own")
    r2: list[float] = Field(description="R2 out of sample of each unit")
    score: float | None = Field(description="their average")
    participants: dict[str, float] = Field(description="the average of each participant")


def _nested(given: InnerScores) -> Mapping[str, Any]:
    inner, errors = numbers(given.inner, 3, "inner"), numbers(given.mse, 3, "mse")
    baseline, sizes = numbers(given.mse_intercept, 2, "mse_intercept"), numbers(given.fold_rows, 1, "fold_rows")
    if not inner.size or inner.shape != errors.shape or errors.shape[1:] != baseline.shape:
        told = f"`inner` is {[*inner.shape]}, `mse` {[*errors.shape]}, `mse_intercept` {[*baseline.shape]}"
        raise InputError(told, where="inner", next="give both of each candidate, fold and unit")
    units = table(baseline.shape[1], given.participants, given.networks)
    chosen = None
    if given.each_unit:
        taken = choosing.errors_of_units(zip(inner, errors, strict=True)).errors
    else:
        folds = choosing.best_of_folds([choosing.inner_means(own, units.counted()) for own in inner])
        chosen = [one.place for one in folds]
        taken = choosing.errors_of_folds(dict(enumerate(errors)), chosen)
    r2 = pooling.r2(taken, baseline, sizes)
    averaged = aggregate(r2, units, given.generation)
    lacks = chosen is not None and None in chosen
    return {
        "chosen": chosen,
        "r2": r2,
        "score": None if lacks else averaged.score,
        "participants": {} if lacks else averaged.participants,
    }


class CurvePair(AnalysisInput):
    """Input of a comparison of curves: scores over the same layers under two splits."""

    shuffled: Any = Field(description="a score a layer, in their order")
    contiguous: Any = Field(description="a score of the same layers")
    first: Annotated[int, whole_number(0)] = Field(
        default=0, description="the number of the first layer; 0 is a static one"
    )


class CurveCorrelations(ToolOutput):
    """Output: correlations of the two curves, without p-values because neighbouring layers are similar."""

    all: dict[str, float | int | None] = Field(description="over all layers, and of the steps between neighbours")
    without_layer_0: dict[str, float | int | None] | None = Field(default=None, description="the same without layer 0")


def _curves(given: CurvePair) -> Mapping[str, Any]:
    one, other = (numbers(getattr(given, name), 1, name).tolist() for name in ("shuffled", "contiguous"))
    if len(one) != len(other):
        told = f"{len(one)} scores stand beside {len(other)}"
        raise InputError(told, where="contiguous", next="give both curves over the same layers")
    return curves.with_and_without_first([given.first + place for place in range(len(one))], one, other)


ANALYSES: Mapping[str, Tool] = {
    "brain.aggregate": Tool(
        "Averages scores of units over participants, as the paper (P) or its repository (H) does (OURS).",
        ScoredUnits,
        UnitAverage,
        _average,
    ),
    "brain.layer_choice": Tool(
        "Chooses the layer with the highest score on test data, as published (OURS).",
        LayerScores,
        ChosenLayer,
        _layer,
    ),
    "brain.star": Tool(
        "Gives the highest score of each unit over subsets of feature spaces, and how many they are (OURS).",
        SubsetScores,
        StarredUnits,
        _star,
    ),
    "brain.nested_choice": Tool(
        "Chooses a candidate inside the training folds, and scores what was chosen on test data (OURS).",
        InnerScores,
        NestedScore,
        _nested,
    ),
    "brain.layer_curves": Tool(
        "Correlates the scores of layers under shuffled and contiguous splits, with and without layer 0 (OURS).",
        CurvePair,
        CurveCorrelations,
        _curves,
    ),
}
