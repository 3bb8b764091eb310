"""The standalone scorers of texts: `questions.exact`, `questions.match`, `questions.f1`, `questions.regex`.

They work on the fields that a caller passes, independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import Flag, Text, one_of_words, whole_number
from harness.scorers.tool import Tool
from harness.studies.questions.scoring import search
from harness.studies.questions.scoring.exact import exact
from harness.studies.questions.scoring.f1 import f1
from harness.studies.questions.scoring.match import SWITCHES, match
from harness.studies.questions.scoring.pattern import regex
from harness.studies.questions.standalone.answers import AnswerOutput, AnswerRow

PLACES = ("whole", "begin", "end", "within")


class MatchInput(AnswerRow):
    """Input: an answer and its target; differences of case, space, punctuation or articles are ignored if true."""

    case: Flag = Field(default=True, description="upper and lower case")
    space: Flag = Field(default=True, description="how much space stands between words")
    punctuation: Flag = Field(default=True, description="punctuation, but for signs inside of numbers")
    articles: Flag = Field(default=True, description="the words a, an, the")
    where: Annotated[str, one_of_words("a place", *PLACES)] = Field(
        default="whole", description=f"where in the answer the target stands, in whole words: {', '.join(PLACES)}"
    )


class RegexInput(AnswerRow):
    """Input: an answer, its target and a regular expression."""

    target: Text = Field(default="", description="the right answer; with `matches` it counts nothing")
    pattern: Text = Field(
        description="a regular expression as Python's `re` has it; one that may run for ever is refused"
    )
    group: Annotated[int, whole_number(0, 99)] | None = Field(
        default=None, description="its group; else the first it has"
    )
    take: Annotated[str, one_of_words("a match", "first", "last")] = Field(
        default="first", description="which of several matches: first or last"
    )
    matches: Flag = Field(default=False, description="only whether it finds anything")
    normalised: Flag = Field(default=False, description="compare as questions.match does; else letter by letter")


def _match(row: MatchInput) -> Mapping[str, Any]:
    switches = {name: bool(getattr(row, name)) for name in SWITCHES}
    return match(row.response, row.gold(), switches, row.where)


def _regex(row: RegexInput) -> Mapping[str, Any]:
    if why := search.refused(row.pattern):
        raise InputError(f"the pattern is refused: {why}", where="pattern", next="write another one")
    if row.group is not None and row.group > search.groups(row.pattern):
        raise InputError("the pattern has no such group", where="group", next="count its brackets, from 1")
    told = {"pattern": row.pattern, "take": row.take, "matches": row.matches, "normalised": row.normalised}
    return regex(row.response, row.gold(), told if row.group is None else {**told, "group": row.group})


SCORERS: Mapping[str, Tool] = {
    "questions.exact": Tool(
        "Compares an answer with its target letter by letter.",
        AnswerRow,
        AnswerOutput,
        lambda row: exact(row.response, row.gold()),
    ),
    "questions.match": Tool(
        "Compares an answer with its target once both are normalised.", MatchInput, AnswerOutput, _match
    ),
    "questions.f1": Tool(
        "Counts the words that an answer and its target share, as SQuAD does.",
        AnswerRow,
        AnswerOutput,
        lambda row: f1(row.response, row.gold()),
    ),
    "questions.regex": Tool(
        "Compares what a regular expression finds in an answer with its target.", RegexInput, AnswerOutput, _regex
    ),
}
