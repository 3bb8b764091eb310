"""The analyses of single anagrams and text tasks, that work alone: over the command line, in a test, for an agent.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.scorers.tool import Tool
from harness.studies.reliability.data import anagram, transforms
from harness.studies.reliability.tools.fields import field


def anagram_validity(given: Mapping[str, Any]) -> dict[str, Any]:
    """Say whether a string is an anagram of a word as the benchmark draws them."""
    return anagram.facts(field(given, "word"), field(given, "anagram"))


def transforms_difficulty(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the difficulty of an input and its output."""
    return transforms.facts(field(given, "input"), field(given, "output"))


ANALYSES: Mapping[str, Tool] = {
    "reliability.anagram_validity": Tool(
        about="Says whether a string is an anagram of a word as the benchmark draws them, and its difficulty.",
        takes={"word": "a text", "anagram": "a text"},
        gives={
            "f_let": "letters of the anagram",
            "valid": "whether it holds the word's letters in another order, 3 to 20 of them",
        },
        run=anagram_validity,
    ),
    "reliability.transforms_difficulty": Tool(
        about="Gives the difficulty f_w+l of a text task: words of input and output, and the edits between them.",
        takes={"input": "a text", "output": "a text"},
        gives={
            "words_in": "words of the input, by white space",
            "words_out": "words of the output",
            "levenshtein": "edits of single characters that turn one into the other",
            "f_wl": "the sum of the three",
        },
        run=transforms_difficulty,
    ),
}
