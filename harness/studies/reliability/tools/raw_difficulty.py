"""The raw difficulty of an addition, an anagram or a text task as analyses that work alone, each from two texts.

It knows the names and fields a caller uses; it must never know a scale, nor where rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.scorers.tool import Tool
from harness.studies.reliability.data import addition, anagram, transforms
from harness.studies.reliability.tools.fields import field


def _derived(
    facts: Callable[[Any, Any], Mapping[str, Any]], about: str, takes: Mapping[str, str], gives: Mapping[str, str]
) -> Tool:
    """Declare an analysis that only derives: the two fields it takes are what the function is given, in their order."""
    return Tool(about, takes, gives, lambda given: facts(*(field(given, name) for name in takes)))


# Of each benchmark whose raw difficulty follows from two texts.
DERIVED: Mapping[str, Tool] = {
    "addition": _derived(
        addition.facts,
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
    ),
    "anagram": _derived(
        anagram.facts,
        about="Says whether a string is an anagram of a word as the benchmark draws them, and its difficulty.",
        takes={"word": "a text", "anagram": "a text"},
        gives={
            "f_let": "letters of the anagram",
            "valid": "whether it holds the word's letters in another order, 3 to 20 of them",
        },
    ),
    "transforms": _derived(
        transforms.facts,
        about="Gives the difficulty f_w+l of a text task: words of input and output, and the edits between them.",
        takes={"input": "a text", "output": "a text"},
        gives={
            "words_in": "words of the input, by white space",
            "words_out": "words of the output",
            "levenshtein": "edits of single characters that turn one into the other",
            "f_wl": "the sum of the three",
        },
    ),
}

ANALYSES: Mapping[str, Tool] = {
    "reliability.addition_difficulty": DERIVED["addition"],
    "reliability.anagram_validity": DERIVED["anagram"],
    "reliability.transforms_difficulty": DERIVED["transforms"],
}
