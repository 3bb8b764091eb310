"""The scorers and analyses of the study that work alone: over the command line, in a test, for an agent.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.outcome.by_row import score_row
from harness.scorers.tool import Tool
from harness.studies.reliability.data.addition import facts
from harness.studies.reliability.measures.proportions import proportions
from harness.studies.reliability.terms import BINS
from harness.studies.reliability.tools import agreement, choice, difficulty, indicators, models, people, text
from harness.studies.reliability.tools.fields import field, same_length, sequence, whole


def addition_difficulty(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the benchmark derives from one pair of addends."""
    return facts(field(given, "a"), field(given, "b"))


def proportions_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the curve of one model from rows, or from the columns `ids`, `difficulty` and `labels`."""
    params = given.get("params", {})
    if not isinstance(params, Mapping):
        raise InputError("`params` is not an object", where="params", next='give {"bins": 30}')
    settings = {**given, **params}
    bins = whole(settings, "bins" if "bins" in settings else "n_bins", BINS)
    if "rows" in given:
        return proportions(sequence(given, "rows"), bins)
    columns = {name: sequence(given, name) for name in ("ids", "difficulty", "labels")}
    same_length(columns)
    table = zip(*columns.values(), strict=True)
    return proportions(({"id": item, "difficulty": at, "labels": labels} for item, at, labels in table), bins)


SCORERS: Mapping[str, Tool] = {
    "reliability.outcome": Tool(
        about="Labels a response correct (c), avoidant (a) or incorrect (i) under the rule set OURS-v1.",
        takes={
            "benchmark": "the rules to use: addition, anagram, locality, science or transforms",
            "response": "what the model wrote",
            "a, b": "addition: the addends, decimal strings",
            "anagram, accepted, target": "anagram: the letters shown, words that solve it, optionally the one drawn",
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
    **text.ANALYSES,
    **difficulty.ANALYSES,
    **choice.ANALYSES,
    **indicators.ANALYSES,
    **people.ANALYSES,
    **agreement.ANALYSES,
    **models.ANALYSES,
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
