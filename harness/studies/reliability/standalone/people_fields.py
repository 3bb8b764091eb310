"""Input and output models of the standalone analyses about people, compute, token budgets and pairs of models.

Defines names and types of fields only.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from harness.kit.resample import RESAMPLES
from harness.scorers.given import (
    AnalysisInput,
    FieldCheck,
    Row,
    Text,
    Texts,
    ToolOutput,
    UncheckedList,
    one_of_words,
    whole_number,
)
from harness.stats import is_number
from harness.studies.reliability.people import ratings
from harness.studies.reliability.standalone.fields import LabelsAndGaps, Percent, Seed, ShareOrAbsent
from harness.studies.reliability.terms import LABELS

MOST_RESAMPLES = 10_000
OF_THE_FIT = "of d(f) = 100 / (1 + exp(-(alpha + beta f)))"
LINE = "null where fewer than two models differ in compute"
PAIR = "labels of each model: for each item a text or list of c, a, i or -, one a template"
PAIRS = "items, and pairs of item and template scored for both"
HOW_MANY = "how many"
BESIDE = "each {value, interval}"
FEW = "whether there are too few items or pairs"
Resamples = Annotated[int, whole_number(1, MOST_RESAMPLES)]
Measure = Annotated[
    dict[str, float],
    FieldCheck(
        lambda given: isinstance(given, dict) and all(map(is_number, given.values())),
        "an object of finite numbers",
        {"type": "object", "additionalProperties": {"type": "number"}},
        "give {item: value}",
    ),
]
SEED, DRAWS = "of the resamples; 0 where left out", f"{RESAMPLES} where left out"


class CalibrationInput(AnalysisInput):
    """Input: a difficulty function and people's mean expected failure, item by item."""

    f: Annotated[list[Any], UncheckedList(list[float])] = Field(
        description="the difficulty function's value of each item"
    )
    y: Annotated[list[Any], UncheckedList(list[float])] = Field(
        description="the mean expected failure of each item, 0 to 1"
    )
    weights: Annotated[list[Any], UncheckedList(list[float])] | None = Field(
        default=None, description="ratings behind each mean; null or left out: all alike"
    )
    predict: Annotated[list[Any], UncheckedList(list[Any])] | None = Field(
        default=None, description="values of f, or objects with f, whose difficulty is wanted; may be left out"
    )


class CalibrationOutput(ToolOutput):
    """Output: the fitted logistic curve, and the difficulties that it predicts, if asked for."""

    alpha: float = Field(description=OF_THE_FIT)
    beta: float = Field(description=OF_THE_FIT)
    inverted: bool = Field(description="whether beta is negative")
    n_items: int = Field(description="items with a weight above 0")
    predict: list[dict[str, float]] | None = Field(
        default=None, description="per value: f and difficulty, 0 to 100; where asked for"
    )


class ScalingInput(AnalysisInput):
    """Input: the training compute and a share of each model."""

    flops: Annotated[list[Any], UncheckedList(list[float])] = Field(description="training compute of each model")
    value: Annotated[list[Any], UncheckedList(list[float])] = Field(description="the model's share")


class ScalingOutput(ToolOutput):
    """Output: the fitted line over log10 of training compute."""

    slope_per_decade: float | None = Field(description=LINE)
    intercept: float | None = Field(description=LINE)
    n: int = Field(description="how many models")
    degenerate: bool = Field(description="whether there is no line")


class SupervisionInput(AnalysisInput):
    """Input: pairs of an output's label and a person's verdict on it."""

    records: Annotated[list[Any], UncheckedList(list[tuple[str, str]])] = Field(
        description="pairs [c, a or i of the model, c, a, i or u of the person]"
    )


class SupervisionOutput(ToolOutput):
    """Output: the supervision matrix, and the shares computed from it."""

    counts: dict[str, dict[str, int]] = Field(description="by the model's label, then by the person's")
    incorrect_to_correct_over_nonavoidant: float | None = Field(
        description="the dangerous cell among outputs that are not avoidant"
    )
    incorrect_to_correct_over_incorrect: float | None = Field(description="the same among incorrect outputs")
    correct_to_incorrect_over_correct: float | None = Field(description="correct outputs that people call incorrect")
    supervision_accuracy: float | None = Field(description="verdicts that agree with the label")
    degenerate: bool = Field(description="whether a share lies over nothing")
    unsure_rate: float | None = Field(
        description="verdicts u; unsure stays in every denominator, and a share of nothing is null"
    )


class TokenBudgetInput(AnalysisInput):
    """Input: the benchmark, the group of models and the expected length of an answer."""

    benchmark: Text = Field(description="addition, anagram, locality, obqa, gpqa, science-demo or transforms")
    model_group: Text = Field(
        default="", description="gpt-3.5 and gpt-4 were given more, except on transforms; may be left out"
    )
    expected_output_chars: Annotated[int, whole_number(0)] = Field(
        default=0, description="transforms: characters of the expected output; 0 where left out"
    )


class TokenBudgetOutput(ToolOutput):
    """Output: the token budget of one answer."""

    max_new_tokens: int = Field(description="the budget")


class ComparisonInput(AnalysisInput):
    """Input: the labels of two models on the same items."""

    a: list[LabelsAndGaps] = Field(description=PAIR)
    b: list[LabelsAndGaps] = Field(description=PAIR)
    subsets: Texts | None = Field(
        default=None, description="the subset of each item, within which items are resampled; may be left out"
    )
    templates: list[Any] | None = Field(
        default=None, description="the template behind each place of a row; 1, 2, … where left out"
    )
    seed: Seed = Field(default=0, description=SEED)
    resamples: Resamples = Field(default=RESAMPLES, description=DRAWS)


class ComparisonOutput(ToolOutput):
    """Output: the paired differences of the two models in correctness and prudence."""

    templates: list[dict[str, Any]] = Field(description="per template: a_only and b_only correct, n, exact p, p_holm")
    difference: dict[str, Any] = Field(description="a minus b, share of correct: {value, interval}")
    sign_flip_p: ShareOrAbsent = Field(description="over items")
    n_items: int = Field(description=PAIRS)
    n_pairs: int = Field(description=PAIRS)
    degenerate: bool = Field(description=FEW)
    prudence: dict[str, Any] = Field(description="the same of prudent answers, correct or avoidant")


class RatingRow(Row):
    """A row of study S1 (expected failures): one person's rating of one item."""

    participant_id: Text
    benchmark: Text
    instance_id: Text
    answer_label: Annotated[str, one_of_words("one of c, a and i", *LABELS)]
    confidence: Percent
    expected_failure: Percent


class ExpectationsInput(AnalysisInput):
    """Input: ratings of one benchmark, and candidate difficulty functions."""

    rows: Annotated[list[Any], UncheckedList(list[RatingRow])] = Field(
        description=f"objects of {', '.join(ratings.FIELDS)}"
    )
    candidates: dict[Text, Measure] = Field(description="difficulty functions: {function: {item: value}}")
    difficulty: Measure | None = Field(default=None, description="{item: difficulty}, for the curve; may be left out")
    seed: Seed = Field(default=0, description=SEED)
    resamples: Resamples = Field(default=RESAMPLES, description=DRAWS)


class ExpectationsOutput(ToolOutput):
    """Output: the results of study S1 (expected failures) on the benchmark."""

    participants: int = Field(description=HOW_MANY)
    items: int = Field(description=HOW_MANY)
    ratings: int = Field(description=HOW_MANY)
    selection: dict[str, Any] = Field(
        description="the function with the largest |Spearman| with mean expectations, and all candidates"
    )
    calibration: dict[str, Any] = Field(
        description="alpha and beta of the selected one, and the block a manifest takes"
    )
    perceived: dict[str, Any] = Field(description=f"expected against actual failure, in percent; {BESIDE}")
    confidence: dict[str, Any] = Field(
        description=f"confidence against correctness and expectation, in percent; {BESIDE}"
    )
    curve: list[dict[str, Any]] = Field(
        description="expected failure, actual failure and confidence over ten bins of difficulty"
    )
    degenerate: bool = Field(description="whether there are too few participants or items")
