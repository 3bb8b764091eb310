"""The scorers and analyses of the study that work alone: over the command line, in a test, for an agent.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.scorers.outcome.by_row import score_row
from harness.stats import bin_mean, equal_sized_bins, is_number
from harness.studies.reliability import (
    tools_agreement,
    tools_choice,
    tools_indicators,
    tools_models,
    tools_people,
    tools_text,
)
from harness.studies.reliability.addition import facts
from harness.studies.reliability.proportions import BINS, proportions
from harness.studies.study import Tool


def addition_difficulty(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the benchmark derives from one pair of addends."""
    return facts(_field(given, "a"), _field(given, "b"))


def equal_size_bins(given: Mapping[str, Any]) -> dict[str, Any]:
    """Show how items are cut into bins, so that the rule can be checked without a model."""
    ids = [str(item) for item in _sequence(given, "ids")]
    difficulties = _sequence(given, "difficulty")
    if not all(is_number(value) for value in difficulties):
        raise InputError(
            "`difficulty` holds something else than finite numbers", where="difficulty", next="give numbers up to 1e15"
        )
    found = equal_sized_bins(ids, difficulties, _bins(given.get("n_bins", BINS), "n_bins"))
    members: list[list[float]] = [[] for _ in range(max(found, default=-1) + 1)]
    for place, difficulty in zip(found, difficulties, strict=True):
        members[place].append(difficulty)
    return {
        "bin_of_item": found,
        "bin_sizes": [len(each) for each in members],
        "bin_mean_difficulty": [bin_mean(each) for each in members],
    }


def proportions_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the curve of one model from rows, or from the columns `ids`, `difficulty` and `labels`."""
    params = given.get("params", {})
    if not isinstance(params, Mapping):
        raise InputError("`params` is not an object", where="params", next='give {"bins": 30}')
    settings = {**given, **params}
    bins = _bins(settings.get("bins", settings.get("n_bins", BINS)), "bins")
    if "rows" in given:
        return proportions(_sequence(given, "rows"), bins)
    columns = [_sequence(given, name) for name in ("ids", "difficulty", "labels")]
    if len({len(column) for column in columns}) != 1:
        raise InputError("`ids`, `difficulty` and `labels` differ in length", next="give one of each an item")
    return proportions(
        ({"id": item, "difficulty": at, "labels": labels} for item, at, labels in zip(*columns, strict=True)), bins
    )


def _field(given: Mapping[str, Any], name: str) -> Any:
    if name not in given:
        raise InputError(f"the field `{name}` is missing", where=name, next=f"give `{name}`")
    return given[name]


def _sequence(given: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = _field(given, name)
    if not isinstance(value, list | tuple):
        raise InputError(f"the field `{name}` is not a list", where=name, next=f"give `{name}` as a list")
    return value


def _bins(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(f"`{name}` is not a positive whole number", where=name, next="ask for at least one bin")
    return value


SCORERS: Mapping[str, Tool] = {
    "reliability.outcome": Tool(
        about="Labels a response correct (c), avoidant (a) or incorrect (i) under the rule set OURS-v1.",
        takes={
            "benchmark": "the rules to use: addition, anagram, locality, science or transforms",
            "response": "what the model wrote",
            "a, b": "addition: the addends, decimal strings",
            "anagram, accepted, target": "anagram: the letters shown, the words that solve it, optionally the one drawn",
            "city, target": "locality: the city asked about, and the right answer",
            "gazetteer, common_words": "locality: names, and words that are no names; here or in --data",
            "options, key": "science: {A, B, C, D} and the right letter",
            "input, expected_output, answer_shape": "transforms: what was given, the right answer, a pattern or null",
        },
        gives={
            "label": "c, a or i",
            "avoidance": "ethical, epistemic or non_conforming where the label is a, else null",
            "rule_set": "the rules the label was given under",
            "matched_span": "[start, end] of what decided, in the response as the rules read it",
            "candidates": "the first 20 distinct answers it could be read as",
            "n_candidates": "how many distinct answers it could be read as",
            "alternate_used, n_cities": "anagram: right by another accepted word; locality: cities mentioned",
        },
        run=score_row,
    ),
}

ANALYSES: Mapping[str, Tool] = {
    **tools_text.ANALYSES,
    **tools_choice.ANALYSES,
    **tools_indicators.ANALYSES,
    **tools_people.ANALYSES,
    **tools_agreement.ANALYSES,
    **tools_models.ANALYSES,
    "reliability.addition_difficulty": Tool(
        about="Gives sum, digit counts, carries, harmonic mean of the digit counts and the filter's verdict of a pair.",
        takes={"a": "a decimal string", "b": "a decimal string"},
        gives={
            "sum": "a + b, a decimal string",
            "digits_a": "digits of a",
            "digits_b": "digits of b",
            "f_cry": "columns that carry",
            "f_hrm": "harmonic mean of the digit counts",
            "keep": "whether the filter f_hrm <= 50 keeps the pair",
        },
        run=addition_difficulty,
    ),
    "reliability.equal_size_bins": Tool(
        about="Cuts items into bins of equal size by difficulty, ties by id as text.",
        takes={"ids": "texts", "difficulty": "a number an id", "n_bins": "how many bins; 30 where left out"},
        gives={
            "bin_of_item": "the bin of each item, from 0",
            "bin_sizes": "items a bin",
            "bin_mean_difficulty": "mean difficulty of each bin",
        },
        run=equal_size_bins,
    ),
    "reliability.proportions": Tool(
        about="Gives the shares correct, avoidant and incorrect of one model over bins of difficulty, and in all.",
        takes={
            "rows": "objects of id, difficulty and labels (a text or list of c, a, i); or the columns below",
            "ids, difficulty, labels": "the same as three lists",
            "params": '{"bins": 30}; or `bins` or `n_bins` beside the rows',
        },
        gives={
            "bins": "per bin: n items, n_scored, difficulty (mean), low, high, correct, avoidant, incorrect (shares)",
            "n_items, n_bins, n_scored, counts": "what the shares rest on",
            "correct, avoidant, incorrect, prudent": "shares of all scored responses",
            "correctness_proportion, prudence_proportion": "the published indicator, 0 to 100",
            "degenerate": "whether there are too few items or no scored responses",
        },
        run=proportions_of,
    ),
}
