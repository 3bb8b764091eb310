"""The standalone analyses of raw difficulty: of an addition, an anagram or a text task, each from two texts.

Works on the names and fields that a caller uses; independent of scales and of where rows come from.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from harness.scorers.given import AnalysisInput, Text, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.reliability.data import addition, anagram, transforms


class AdditionInput(AnalysisInput):
    """Input: the two addends of an addition."""

    a: Text = Field(description="a decimal string")
    b: Text = Field(description="a decimal string")


class AdditionOutput(ToolOutput):
    """Output: the sum, and measures of difficulty of an addition."""

    sum: str = Field(description="a + b, a decimal string")
    digits_a: int = Field(description="digits of a")
    digits_b: int = Field(description="digits of b")
    f_cry: int = Field(description="columns that carry")
    f_hrm: float = Field(description="harmonic mean of the digit counts")
    keep: bool = Field(description="whether the filter f_hrm <= 50 keeps the pair")


class AnagramInput(AnalysisInput):
    """Input: a word, and a string to test as its anagram."""

    word: Text = Field(description="a text")
    anagram: Text = Field(description="a text")


class AnagramOutput(ToolOutput):
    """Output: whether the string is a valid anagram of the word, and its difficulty."""

    f_let: int = Field(description="letters of the anagram")
    valid: bool = Field(description="whether it holds the word's letters in another order, 3 to 20 of them")


class TransformsInput(AnalysisInput):
    """Input: the input and output of a text task."""

    input: Text = Field(description="a text")
    output: Text = Field(description="a text")


class TransformsOutput(ToolOutput):
    """Output: the difficulty f_w+l of a text task, and its three terms."""

    words_in: int = Field(description="words of the input, by white space")
    words_out: int = Field(description="words of the output")
    levenshtein: int = Field(description="edits of single characters that turn one into the other")
    f_wl: int = Field(description="the sum of the three")


# The analysis of each benchmark whose raw difficulty is computed from two texts.
DERIVED: Mapping[str, Tool] = {
    "addition": Tool(
        about="Gives sum, digit counts, carries, harmonic mean of the digit counts and the filter's verdict of a pair.",
        takes=AdditionInput,
        gives=AdditionOutput,
        run=lambda given: addition.facts(given.a, given.b),
    ),
    "anagram": Tool(
        about="Says whether a string is an anagram of a word as the benchmark draws them, and its difficulty.",
        takes=AnagramInput,
        gives=AnagramOutput,
        run=lambda given: anagram.facts(given.word, given.anagram),
    ),
    "transforms": Tool(
        about="Gives the difficulty f_w+l of a text task: words of input and output, and the edits between them.",
        takes=TransformsInput,
        gives=TransformsOutput,
        run=lambda given: transforms.facts(given.input, given.output),
    ),
}

ANALYSES: Mapping[str, Tool] = {
    "reliability.addition_difficulty": DERIVED["addition"],
    "reliability.anagram_validity": DERIVED["anagram"],
    "reliability.transforms_difficulty": DERIVED["transforms"],
}
