"""The standalone scorer `biomed.grade_parse`: the grade in a grader's reply, as published or strict (OURS).

Asks no grader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import Row, Text, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.biomed.judging.grade_text import grade, score_of
from harness.studies.biomed.terms import MODES, PAPER


class GradeReply(Row):
    """Input: the reply of a grader."""

    text: Text = Field(description="the reply")
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper (the first number anywhere, the default) or strict (OURS: the number alone)"
    )


class ReadGrade(ToolOutput):
    """Output: the grade that a grader's reply states and its score, or null if there is none."""

    score: float | None = Field(description="the grade / 3, -1 where the answer was said not to know; null: no grade")
    valid: bool = Field(description="whether a grade of the scale can be read")
    grade: str | None = Field(description="the raw grade, 3.0 to 0.0 in halves or -1.0")


def _read(row: GradeReply) -> dict[str, Any]:
    found = grade(row.text, row.mode)
    return {"score": None if found is None else score_of(found), "valid": found is not None, "grade": found}


SCORERS: Mapping[str, Tool] = {
    "biomed.grade_parse": Tool(
        about="Reads the grade in a grader's reply, and gives its score (CARDBiomedBench, BioScore).",
        takes=GradeReply,
        gives=ReadGrade,
        run=_read,
    ),
}
