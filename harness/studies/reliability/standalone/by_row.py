"""The standalone labelling of responses on all five benchmarks: one row in, one labelled row out.

Each benchmark has a pydantic model of its rows, whose method labels a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, RootModel, model_validator

from harness.answers.addition import addition
from harness.answers.anagram import anagram
from harness.answers.gazetteer import Gazetteer, gazetteer
from harness.answers.locality import locality
from harness.answers.names import LONGEST_NAME
from harness.answers.regex_safety import refusal
from harness.answers.result import NEWEST, V1, V2, LabelResult, RuleSet
from harness.answers.science import LETTERS, science
from harness.answers.transforms import transforms
from harness.answers.v2.addition import addition as addition_v2
from harness.answers.v2.anagram import anagram as anagram_v2
from harness.answers.v2.locality import locality as locality_v2
from harness.answers.v2.science import science as science_v2
from harness.answers.v2.transforms import transforms as transforms_v2
from harness.errors import InputError
from harness.scorers.given import FieldCheck, Row, Text, Texts, UncheckedList, check_input, one_of_words

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
        """Label the answer by the expected output and, if given, the pattern of a well-formed answer.

        Raises InputError for a pattern that is not a regular expression, or whose search could take exponential time.
        """
        shape, accepted = self.answer_shape, self.accepted or ()
        if shape is not None and (what := refusal(shape)):
            raise InputError(f"`answer_shape` is refused: {what}", where="answer_shape", next="write a simpler pattern")
        return TRANSFORMS[self.rule_set](self.input, self.expected_output, self.response, shape, accepted)


TEXT_ROWS: Mapping[str, Callable[[Mapping[str, Any]], LabelResult]] = {
    "addition": lambda row: check_input(Addition, {**row, "benchmark": "addition"}).outcome(),
    "anagram": lambda row: check_input(Anagram, {**row, "benchmark": "anagram"}).outcome(),
    "transforms": lambda row: check_input(Transforms, {**row, "benchmark": "transforms"}).outcome(),
}


# The last gazetteer built, and its lists: rows repeat their lists, and comparing costs a hundredth of building.
_LAST: dict[str, Any] = {"names": None, "common": None, "built": None}


def _are_options(given: Any) -> bool:
    return (
        isinstance(given, Mapping)
        and sorted(map(str, given)) == list(LETTERS)
        and all(isinstance(each, str) for each in given.values())
    )


Options = Annotated[
    dict[str, str],
    FieldCheck(
        _are_options,
        "an object of four texts, A, B, C and D",
        {
            "type": "object",
            "properties": {letter: {"type": "string"} for letter in LETTERS},
            "required": list(LETTERS),
            "additionalProperties": False,
        },
        "give {A, B, C, D}",
    ),
]


Names = Annotated[
    list[Any], UncheckedList(list[str])
]  # long, and the same in every row, so checked when a gazetteer is built

SCIENCE = {V1: science, V2: science_v2}


class Locality(Row):
    """Input: an answer to a locality question, the city and the target."""

    benchmark: Literal["locality"] = Field(description=RULES)
    response: Text = Field(description=RESPONSE)
    city: Text = Field(description="the city asked about")
    target: Text = Field(description="the right answer")
    accepted: Texts | None = Field(default=None, description="other names of the right answer")
    gazetteer: Names = Field(description="names of cities; in every row, or with --data")
    common_words: Names | None = Field(
        default=None, description="words that are no names, instead of the list shipped; in every row, or with --data"
    )
    rule_set: RuleSet = Field(default=NEWEST, description=VERSION)

    def outcome(self) -> LabelResult:
        """Label the answer correct, avoidant or incorrect, by the cities that it names.

        Raises InputError if `gazetteer` or `common_words` contains anything but texts of the allowed length.
        """
        names = _gazetteer(self.gazetteer, self.common_words)
        if self.rule_set == V1:
            return locality(self.city, self.target, self.response, names)
        return locality_v2(self.city, self.target, self.accepted or (), self.response, names)


class Science(Row):
    """Input: an answer to a question with four options, and the key."""

    benchmark: Literal["science"] = Field(description=RULES)
    response: Text = Field(description=RESPONSE)
    options: Options = Field(description="{A, B, C, D}; in every row, or with --data")
    key: Annotated[str, one_of_words("one of A, B, C and D", *LETTERS)] = Field(description="the right letter")
    rule_set: RuleSet = Field(default=NEWEST, description=VERSION)

    def outcome(self) -> LabelResult:
        """Label the answer correct, avoidant or incorrect, by the option that it picks."""
        return SCIENCE[self.rule_set](self.options, self.key, self.response)


def _gazetteer(names: list[str], common: list[str] | None) -> Gazetteer:
    built: Gazetteer | None = _LAST["built"]
    if built is None or not (_same(_LAST["names"], names) and _same(_LAST["common"], common)):
        for name, given in (("gazetteer", names), ("common_words", common or [])):
            if not all(isinstance(each, str) and len(each) <= LONGEST_NAME for each in given):
                what = f"the field `{name}` is not a list of texts of at most {LONGEST_NAME} characters"
                raise InputError(what, where=name, next=f"correct `{name}`")
        built = gazetteer(names, common)
        _LAST.update(names=names, common=common, built=built)
    return built


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


CHOICE_ROWS: Mapping[str, Callable[[Mapping[str, Any]], LabelResult]] = {
    "locality": lambda row: check_input(Locality, {**row, "benchmark": "locality"}).outcome(),
    "science": lambda row: check_input(Science, {**row, "benchmark": "science"}).outcome(),
}


BENCHMARKS: Mapping[str, Callable[[Mapping[str, Any]], LabelResult]] = {**TEXT_ROWS, **CHOICE_ROWS}


class BenchmarkRow(
    RootModel[Annotated[Addition | Anagram | Locality | Science | Transforms, Field(discriminator="benchmark")]]
):
    """Input: a response with its question, a tagged union over the five benchmarks."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        if "benchmark" not in given:
            raise InputError("the field `benchmark` is missing", where="benchmark", next=f"use one of: {_NAMES}")
        if given["benchmark"] not in [*BENCHMARKS]:
            what = f"no rules for benchmark {given['benchmark']!r:.80}"
            raise InputError(what, where="benchmark", next=f"use one of: {_NAMES}")
        return given


_NAMES = ", ".join(BENCHMARKS)


def score_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Validate and label one row, and return the fields of its label; InputError names a wrong field."""
    return labelled(check_input(BenchmarkRow, row))


def labelled(row: BenchmarkRow) -> dict[str, Any]:
    """Label the response of one validated row, and return the label and its evidence as fields."""
    return row.root.outcome().row()
