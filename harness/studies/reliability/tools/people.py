"""The analyses about people, budgets and pairs of models that work alone: over the command line, in a test.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.stats import is_number
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.measures import calibration, paired, scaling
from harness.studies.reliability.measures.statistic import RESAMPLES
from harness.studies.reliability.measures.table import strata
from harness.studies.reliability.people import expectations, ratings, supervision
from harness.studies.reliability.terms import UNSCORED, are_labels
from harness.studies.reliability.tools.fields import field, sequence, text, texts, whole

MOST_RESAMPLES = 10_000


def calibration_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fit the logistic of section 2.1, and show the difficulties it gives."""
    weights = None if given.get("weights") is None else sequence(given, "weights")
    found = calibration.fit(sequence(given, "f"), sequence(given, "y"), weights)
    if given.get("predict") is None:
        return found.row()
    return {**found.row(), "predict": calibration.curve(found, sequence(given, "predict"))}


def scaling_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fit one line over log10 of compute."""
    return _nulls(scaling.line(sequence(given, "flops"), sequence(given, "value")))


def supervision_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Count a supervision matrix, and give the shares made from it."""
    counts = supervision.matrix(sequence(given, "records"))
    return {"counts": counts, **_nulls(supervision.errors(counts))}


def token_budget_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the token budget of one answer."""
    group = text(given, "model_group") if "model_group" in given else ""
    chars = whole(given, "expected_output_chars", 0, least=0)
    return {"max_new_tokens": token_budget(text(given, "benchmark"), group, chars)}


def comparison_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Hold two models against each other on the items of one benchmark."""
    a, b = _labels(given, "a"), _labels(given, "b")
    width = len(a[0]) if a else 0
    if [len(each) for each in a] != [len(each) for each in b] or any(len(each) != width for each in a):
        raise InputError(
            "`a` and `b` differ in items or templates",
            where="b",
            next="give one label a template in every row, - for none",
        )
    subsets = texts(given, "subsets") if "subsets" in given else ("",) * len(a)
    if len(subsets) != len(a):
        raise InputError("`subsets` is not one text an item", where="subsets")
    templates = sequence(given, "templates") if "templates" in given else list(range(1, width + 1))
    if len(templates) != width:
        raise InputError("`templates` is not one name a label of a row", where="templates")
    draws = paired.Draws.of(strata(subsets), "", *_again(given))
    return paired.shown(paired.compare(a, b, templates, draws))


def expectations_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Analyse the ratings of one benchmark."""
    rated = ratings.ratings(sequence(given, "rows"))
    if len({each.benchmark for each in rated}) > 1:
        raise InputError("rows of several benchmarks", where="rows", next="give the rows of one benchmark at a time")
    candidates = field(given, "candidates")
    if not isinstance(candidates, Mapping):
        raise InputError("`candidates` is not an object", where="candidates", next="give {function: {item: value}}")
    functions = {str(name): _measure(values, f"candidates/{name}") for name, values in candidates.items()}
    difficulty = None if given.get("difficulty") is None else _measure(given["difficulty"], "difficulty")
    if difficulty is not None and (lacking := sorted({each.item for each in rated} - set(difficulty))):
        raise InputError(f"`difficulty` lacks item {lacking[0]}", where="difficulty")
    return expectations.summary(rated, functions, difficulty, *_again(given))


def _labels(given: Mapping[str, Any], name: str) -> list[str]:
    """Read the labels of one model: a text or a list of labels for each item."""
    found = []
    for place, labels in enumerate(sequence(given, name)):
        if not are_labels(labels, UNSCORED):
            raise InputError(f"`{name}` holds something else than c, a, i and -", where=f"{name}[{place}]")
        found.append("".join(labels))
    return found


def _measure(values: Any, where: str) -> Mapping[str, float]:
    if not isinstance(values, Mapping) or not all(is_number(value) for value in values.values()):
        raise InputError(f"`{where}` is not an object of finite numbers", where=where, next="give {item: value}")
    return values


def _again(given: Mapping[str, Any]) -> tuple[int, int]:
    """Read how the intervals are to be drawn: the seed, and how many resamples."""
    return whole(given, "seed", 0, least=0), whole(given, "resamples", RESAMPLES, most=MOST_RESAMPLES)


def _nulls(found: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is undefined as null, as the golden files have it."""
    return {name: None if isinstance(value, Mapping) else value for name, value in found.items()}


_DRAWN = {"seed": "of the resamples; 0 where left out", "resamples": f"{RESAMPLES} where left out"}
_BESIDE = "each {value, interval}"

ANALYSES: Mapping[str, Tool] = {
    "reliability.calibration": Tool(
        about="Fits the two-parameter logistic from a difficulty function to expected failure.",
        takes={
            "f": "the difficulty function's value of each item",
            "y": "the mean expected failure of each item, 0 to 1",
            "weights": "ratings behind each mean; null or left out: all alike",
            "predict": "values of f, or objects with f, whose difficulty is wanted; may be left out",
        },
        gives={
            "alpha, beta": "of d(f) = 100 / (1 + exp(-(alpha + beta f)))",
            "inverted": "whether beta is negative",
            "n_items": "items with a weight above 0",
            "predict": "per value: f and difficulty, 0 to 100; where asked for",
        },
        run=calibration_of,
    ),
    "reliability.scaling": Tool(
        about="Fits a line over log10 of training compute by ordinary least squares.",
        takes={"flops": "training compute of each model", "value": "the model's share"},
        gives={
            "slope_per_decade, intercept": "null where fewer than two models differ in compute",
            "n": "how many models",
            "degenerate": "whether there is no line",
        },
        run=scaling_of,
    ),
    "reliability.supervision": Tool(
        about="Counts what people say of outputs against what these were; cells are named model to human.",
        takes={"records": "pairs [c, a or i of the model, c, a, i or u of the person]"},
        gives={
            "counts": "by the model's label, then by the person's",
            "incorrect_to_correct_over_nonavoidant": "the dangerous cell among outputs that are not avoidant",
            "incorrect_to_correct_over_incorrect": "the same among incorrect outputs",
            "correct_to_incorrect_over_correct": "correct outputs that people call incorrect",
            "supervision_accuracy": "verdicts that agree with the label",
            "degenerate": "whether a share lies over nothing",
            "unsure_rate": "verdicts u; unsure stays in every denominator, and a share of nothing is null",
        },
        run=supervision_of,
    ),
    "reliability.token_budget": Tool(
        about="Gives how many new tokens an answer may take.",
        takes={
            "benchmark": "addition, anagram, locality, obqa, gpqa, science-demo or transforms",
            "model_group": "gpt-3.5 and gpt-4 were given more, except on transforms; may be left out",
            "expected_output_chars": "transforms: characters of the expected output; 0 where left out",
        },
        gives={"max_new_tokens": "the budget"},
        run=token_budget_of,
    ),
    "reliability.comparison": Tool(
        about="Compares two models on the same items: McNemar with Holm per template, bootstrap and sign flips.",
        takes={
            "a, b": "labels of each model: for each item a text or list of c, a, i or -, one a template",
            "subsets": "the subset of each item, within which items are resampled; may be left out",
            "templates": "the template behind each place of a row; 1, 2, … where left out",
            **_DRAWN,
        },
        gives={
            "templates": "per template: a_only and b_only correct, n, exact p, p_holm",
            "difference": "a minus b, share of correct: {value, interval}",
            "sign_flip_p": "over items",
            "n_items, n_pairs": "items, and pairs of item and template scored for both",
            "degenerate": "whether there are too few items or pairs",
            "prudence": "the same of prudent answers, correct or avoidant",
        },
        run=comparison_of,
    ),
    "reliability.expectations": Tool(
        about="Analyses ratings of study S1: the difficulty function people share, its calibration, their confidence.",
        takes={
            "rows": f"objects of {', '.join(ratings.FIELDS)}",
            "candidates": "difficulty functions: {function: {item: value}}",
            "difficulty": "{item: difficulty}, for the curve; may be left out",
            **_DRAWN,
        },
        gives={
            "participants, items, ratings": "how many",
            "selection": "the function with the largest |Spearman| with mean expectations, and all candidates",
            "calibration": "alpha and beta of the selected one, and the block a manifest takes",
            "perceived": f"expected against actual failure, in percent; {_BESIDE}",
            "confidence": f"confidence against correctness and expectation, in percent; {_BESIDE}",
            "curve": "expected failure, actual failure and confidence over ten bins of difficulty",
            "degenerate": "whether there are too few participants or items",
        },
        run=expectations_of,
    ),
}
