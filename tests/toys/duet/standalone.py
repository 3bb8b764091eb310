"""The standalone scorer of `duet`: an answer against the number that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from harness.studies.duet.grading import RIGHT, label
from pydantic import Field

from harness.scorers.given import Row, Text, ToolOutput
from harness.scorers.tool import Grader, Tool


class Answered(Row):
    """Input: an answer, and the number that was asked for."""

    response: Text = Field(description="what a model said")
    target: Text = Field(description="the number, in digits")


class Labelled(ToolOutput):
    """Output: whether the answer is right."""

    label: Literal["right", "wrong"] = Field(description="right, or wrong")


SCORERS: Mapping[str, Tool] = {
    "duet.written": Tool(
        about="Says whether an answer begins with the number that was asked for.",
        takes=Answered,
        gives=Labelled,
        run=lambda row: {"label": label(row.response, row.target)},
        grader=Grader(("harness.studies.duet.grading:written",), RIGHT),
    ),
}
