"""Row types for answers to sums, anagrams and text tasks: a pydantic model of each, with the method that labels it.

They are the input of a standalone scorer: it takes a row, and `outcome` gives the row's label. It
knows which fields the rules of these benchmarks need; it must never know where rows come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import FieldCheck, Row, Text, Texts, checked
from harness.scorers.outcome.addition import addition
from harness.scorers.outcome.anagram import anagram
from harness.scorers.outcome.regex_safety import refusal
from harness.scorers.outcome.result import LabelResult
from harness.scorers.outcome.rule_sets import NEWEST, V1, V2, RuleSet
from harness.scorers.outcome.transforms import transforms
from harness.scorers.outcome.v2.addition import addition as addition_v2
from harness.scorers.outcome.v2.anagram import anagram as anagram_v2
from harness.scorers.outcome.v2.transforms import transforms as transforms_v2

RULES = "the rules to use: addition, anagram, locality, science or transforms"
RESPONSE = "what the model wrote"
VERSION = "the version of the rules; an older one labels as it did"
LONGEST_ADDEND = 4_000  # below Python's limit for turning text into a whole number
_DECIMAL = re.compile(r"[0-9]+")
Decimal = Annotated[
    str,
    FieldCheck(
        lambda value: isinstance(value, str) and len(value) <= LONGEST_ADDEND and bool(_DECIMAL.fullmatch(value)),
        "a whole number in decimal digits",
        {"type": "string", "pattern": "^[0-9]+$", "maxLength": LONGEST_ADDEND},
        'give text such as "42"',
    ),
]

ADDITION = {V1: addition, V2: addition_v2}
ANAGRAM = {V1: anagram, V2: anagram_v2}
TRANSFORMS = {V1: transforms, V2: transforms_v2}


class Addition(Row):
    """Input: an answer to a sum, and the addends."""

    benchmark: Literal["addition"] = Field(description=RULES)
    response: Text = Field(description=RESPONSE)
    a: Decimal = Field(description="the addends, decimal strings")
    b: Decimal = Field(description="the addends, decimal strings")
    rule_set: RuleSet = Field(default=NEWEST, description=VERSION)

    def outcome(self) -> LabelResult:
        """Label the answer correct, avoidant or incorrect, given the addends."""
        return ADDITION[self.rule_set](self.a, self.b, self.response)


class Anagram(Row):
    """Input: an answer to an anagram, and the words that solve it."""

    benchmark: Literal["anagram"] = Field(description=RULES)
    response: Text = Field(description=RESPONSE)
    anagram: Text = Field(description="the letters shown")
    accepted: Texts = Field(description="words that solve it")
    target: Text | None = Field(default=None, description="the one that was drawn, where it is known")
    rule_set: RuleSet = Field(default=NEWEST, description=VERSION)

    def outcome(self) -> LabelResult:
        """Label the answer correct, avoidant or incorrect, given the words that solve the anagram."""
        return ANAGRAM[self.rule_set](self.anagram, self.accepted, self.response, self.target)


class Transforms(Row):
    """Input: an answer to a text task, its input and expected output."""

    benchmark: Literal["transforms"] = Field(description=RULES)
    response: Text = Field(description=RESPONSE)
    input: Text = Field(description="what was given")
    expected_output: Text = Field(description="the right answer")
    answer_shape: Text | None = Field(default=None, description="a pattern of an answer, or null")
    accepted: Texts | None = Field(default=None, description="other right answers, where there are any")
    rule_set: RuleSet = Field(default=NEWEST, description=VERSION)

    def outcome(self) -> LabelResult:
        """Label the answer by the expected output and, where given, the pattern of a well-formed answer.

        InputError for a pattern that is no regular expression, or whose search could take exponential time.
        """
        shape, accepted = self.answer_shape, self.accepted or ()
        if shape is not None and (what := refusal(shape)):
            raise InputError(f"`answer_shape` is refused: {what}", where="answer_shape", next="write a simpler pattern")
        return TRANSFORMS[self.rule_set](self.input, self.expected_output, self.response, shape, accepted)


ROWS: Mapping[str, Callable[[Mapping[str, Any]], LabelResult]] = {
    "addition": lambda row: checked(Addition, {**row, "benchmark": "addition"}).outcome(),
    "anagram": lambda row: checked(Anagram, {**row, "benchmark": "anagram"}).outcome(),
    "transforms": lambda row: checked(Transforms, {**row, "benchmark": "transforms"}).outcome(),
}
