"""Row types for locality and science answers: a pydantic model of each, with the method that labels it.

They are the input of a standalone scorer: it takes a row, and `outcome` gives the row's label. It
knows which fields the rules of these two benchmarks need; it must never know where rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import FieldCheck, Row, Text, Texts, UncheckedList, checked, one_of
from harness.scorers.outcome.gazetteer import Gazetteer, gazetteer
from harness.scorers.outcome.locality import locality
from harness.scorers.outcome.names import LONGEST_NAME
from harness.scorers.outcome.result import LabelResult
from harness.scorers.outcome.rows_text import RESPONSE, RULES, VERSION
from harness.scorers.outcome.rule_sets import NEWEST, V1, V2, RuleSet
from harness.scorers.outcome.science import LETTERS, science
from harness.scorers.outcome.v2.locality import locality as locality_v2
from harness.scorers.outcome.v2.science import science as science_v2

# The last gazetteer built, and from what: rows repeat their lists, and to compare costs a hundredth of building.
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
]  # long, and the same in every row: looked at when a gazetteer is built of them

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

        InputError where `gazetteer` or `common_words` holds anything but texts of the allowed length.
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
    key: Annotated[str, one_of("one of A, B, C and D", *LETTERS)] = Field(description="the right letter")
    rule_set: RuleSet = Field(default=NEWEST, description=VERSION)

    def outcome(self) -> LabelResult:
        """Label the answer correct, avoidant or incorrect, by the option it picks."""
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


ROWS: Mapping[str, Callable[[Mapping[str, Any]], LabelResult]] = {
    "locality": lambda row: checked(Locality, {**row, "benchmark": "locality"}).outcome(),
    "science": lambda row: checked(Science, {**row, "benchmark": "science"}).outcome(),
}
