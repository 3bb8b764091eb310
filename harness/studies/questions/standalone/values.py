"""The standalone scorers of values: `questions.number`, `questions.choice`, `questions.json`, `questions.judge`.

They work on the fields that a caller passes, independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness import texts
from harness.errors import InputError
from harness.scorers.given import Flag, Row, Text, ToolOutput, one_of_words, whole_number
from harness.scorers.tool import Tool
from harness.studies.questions.judging.rubric import UNREADABLE, grade
from harness.studies.questions.scoring.json_answer import json_answer
from harness.studies.questions.scoring.letter import choice
from harness.studies.questions.scoring.number import number
from harness.studies.questions.scoring.schema import parse_schema
from harness.studies.questions.standalone.answers import AnswerOutput, AnswerRow


class NumberInput(AnswerRow):
    """Input: an answer, its target, and the tolerances."""

    tolerance: Text = Field(default="0", description="how far the number may be off, as a decimal in quotes")
    relative: Text = Field(default="0", description="the same as a share of the target; the wider of the two holds")
    take: Annotated[str, one_of_words("a number", "last", "first", "only")] = Field(
        default="last", description="which of several numbers in the answer: last, first or only"
    )
    decimal: Annotated[str, one_of_words("a mark", "point", "comma")] = Field(
        default="point", description="the mark before a fraction: point or comma"
    )


class ChoiceInput(AnswerRow):
    """Input: an answer, the options by letter, and the letter of the right one."""

    target: Text = Field(description="the letter of the right option")
    options: dict[str, Text] = Field(description="the texts of the options by letter: {A: …, B: …}")


class JsonInput(AnswerRow):
    """Input: an answer, and the requirements for its JSON."""

    target: Text = Field(default="", description="the right answer, as JSON")
    schema_text: Text = Field(default="", description="a JSON Schema, as JSON: what the answer must be")
    equal: Flag | None = Field(
        default=None, description="whether the target must be met; else where there is no schema"
    )


class GradeInput(Row):
    """Input: a judge's reply, and the best grade."""

    reply: Text = Field(description="what a judge said, with `GRADE:` and a whole number")
    best: Annotated[int, whole_number(1, 100)] = Field(default=1, description="the best grade")


class GradeOutput(ToolOutput):
    """Output: the grade that a reply states."""

    grade: int | None = Field(description="the grade, from 0 to the best; null where the reply says none")
    value: float | None = Field(description="the grade as a share of the best")
    why: str = Field(default="", description="why there is none")


def _number(row: NumberInput) -> Mapping[str, Any]:
    told = {name: getattr(row, name) for name in ("tolerance", "relative", "take", "decimal")}
    for name in ("tolerance", "relative"):
        try:
            texts.validate_decimal(told[name])
        except ValueError as bad:
            raise InputError(str(bad), where=name, next="such as 0.01") from bad
    return number(row.response, row.gold(), told)


def _json(row: JsonInput) -> Mapping[str, Any]:
    schema = parse_schema(row.schema_text) if row.schema_text else None
    equal = schema is None if row.equal is None else row.equal
    return json_answer(row.response, row.gold(), schema, equal=equal)


def _judge(row: GradeInput) -> Mapping[str, Any]:
    found = grade(row.reply, row.best)
    if found is None:
        return {"grade": None, "value": None, "why": UNREADABLE}
    return {"grade": found, "value": found / row.best}


SCORERS: Mapping[str, Tool] = {
    "questions.number": Tool(
        "Compares a number in an answer with its target, within a tolerance.", NumberInput, AnswerOutput, _number
    ),
    "questions.choice": Tool(
        "Reads which option an answer names, by its letter or its text.",
        ChoiceInput,
        AnswerOutput,
        lambda row: choice(row.response, row.gold(), row.options),
    ),
    "questions.json": Tool(
        "Compares an answer's JSON with its target, or holds it against a JSON Schema.", JsonInput, AnswerOutput, _json
    ),
    "questions.judge": Tool("Reads the grade of a judge's reply.", GradeInput, GradeOutput, _judge),
}
