"""The standalone analyses of people's ratings and verdicts, training compute, token budgets and pairs of models.

Works on the fields that a caller passes; independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.measures import calibration, paired, scaling
from harness.studies.reliability.measures.table import strata
from harness.studies.reliability.people import expectations, ratings, supervision
from harness.studies.reliability.standalone import people_fields as fields


def calibration_of(given: fields.CalibrationInput) -> dict[str, Any]:
    """Fit the logistic curve; return it with the difficulty of each value of `predict`, if given.

    Rule: docs/reliability-rules.md#calibration.
    """
    found = calibration.fit(given.f, given.y, given.weights)
    return found.row() if given.predict is None else {**found.row(), "predict": calibration.curve(found, given.predict)}


def scaling_of(given: fields.ScalingInput) -> dict[str, Any]:
    """Fit a least-squares line over log10 of training compute; values are None if there is no line."""
    return _nulls(scaling.line(given.flops, given.value))


def supervision_of(given: fields.SupervisionInput) -> dict[str, Any]:
    """Return the supervision matrix of [label, verdict] pairs and its five shares, None if undefined."""
    counts = supervision.matrix(given.records)
    return {"counts": counts, **_nulls(supervision.errors(counts))}


def token_budget_of(given: fields.TokenBudgetInput) -> dict[str, Any]:
    """Return the token budget of one answer on a benchmark, for a group of models and a length of expected output."""
    return {"max_new_tokens": token_budget(given.benchmark, given.model_group, given.expected_output_chars)}


def comparison_of(given: fields.ComparisonInput) -> dict[str, Any]:
    """Compare two models' labels on the same items of one benchmark by paired tests and resampled differences.

    Raises InputError if labels, subsets or templates do not match in number.
    """
    a, b = ["".join(each) for each in given.a], ["".join(each) for each in given.b]
    width = len(a[0]) if a else 0
    if [len(each) for each in a] != [len(each) for each in b] or any(len(each) != width for each in a):
        raise InputError(
            "`a` and `b` differ in items or templates",
            where="b",
            next="give one label a template in every row, - for none",
        )
    subsets = ("",) * len(a) if given.subsets is None else given.subsets
    if len(subsets) != len(a):
        raise InputError("`subsets` is not one text an item", where="subsets")
    templates = list(range(1, width + 1)) if given.templates is None else given.templates
    if len(templates) != width:
        raise InputError("`templates` is not one name a label of a row", where="templates")
    draws = paired.PairedDraws.of(strata(subsets), "", given.seed, given.resamples)
    return paired.as_document(paired.compare(a, b, templates, draws))


def expectations_of(given: fields.ExpectationsInput) -> dict[str, Any]:
    """Analyse people's expected failures (study S1) over the ratings of one benchmark.

    Raises InputError for ratings of several benchmarks, and for an item without a difficulty.
    """
    rated = ratings.ratings(given.rows)
    if len({each.benchmark for each in rated}) > 1:
        raise InputError("rows of several benchmarks", where="rows", next="give the rows of one benchmark at a time")
    difficulty = given.difficulty
    if difficulty is not None and (lacking := sorted({each.item for each in rated} - set(difficulty))):
        raise InputError(f"`difficulty` lacks item {lacking[0]}", where="difficulty")
    return expectations.summary(rated, given.candidates, difficulty, given.seed, given.resamples)


def _nulls(found: Mapping[str, Any]) -> dict[str, Any]:
    """Replace each `missing` value (an object with the reason) by None, as in the golden files."""
    return {name: None if isinstance(value, Mapping) else value for name, value in found.items()}


ANALYSES: Mapping[str, Tool] = {
    "reliability.calibration": Tool(
        about="Fits the two-parameter logistic from a difficulty function to expected failure.",
        takes=fields.CalibrationInput,
        gives=fields.CalibrationOutput,
        run=calibration_of,
    ),
    "reliability.scaling": Tool(
        about="Fits a line over log10 of training compute by ordinary least squares.",
        takes=fields.ScalingInput,
        gives=fields.ScalingOutput,
        run=scaling_of,
    ),
    "reliability.supervision": Tool(
        about="Counts what people say of outputs against what these were; cells are named model to human.",
        takes=fields.SupervisionInput,
        gives=fields.SupervisionOutput,
        run=supervision_of,
    ),
    "reliability.token_budget": Tool(
        about="Gives how many new tokens an answer may take.",
        takes=fields.TokenBudgetInput,
        gives=fields.TokenBudgetOutput,
        run=token_budget_of,
    ),
    "reliability.comparison": Tool(
        about="Compares two models on the same items: McNemar with Holm per template, bootstrap and sign flips.",
        takes=fields.ComparisonInput,
        gives=fields.ComparisonOutput,
        run=comparison_of,
    ),
    "reliability.expectations": Tool(
        about="Analyses ratings of study S1: the difficulty function people share, its calibration, their confidence.",
        takes=fields.ExpectationsInput,
        gives=fields.ExpectationsOutput,
        run=expectations_of,
    ),
}
