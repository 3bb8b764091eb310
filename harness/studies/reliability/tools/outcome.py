"""The scorer of the study as it works alone: a response with what was asked, and the label it gets.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.scorers.outcome.by_row import score_row
from harness.scorers.tool import Tool

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
