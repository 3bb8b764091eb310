"""The standalone scorer `questions.code`: an answer's code against its item's tests.

Runs no program itself: it returns the program, and the caller that scores rows runs it in a sandbox and adds the result
to the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from harness.scorers.given import Row, Text
from harness.scorers.tool import ForeignProgram, Tool
from harness.studies.questions.code.code_tests import CodeTests, read_tests
from harness.studies.questions.code.outcomes import passed
from harness.studies.questions.code.programs import program
from harness.studies.questions.standalone.answers import AnswerOutput
from harness.trial import TrialLimits


class CodeInput(Row):
    """Input: an answer with code, its unit tests, and what running them printed."""

    response: Text = Field(description="what a model said: Python, or text with Python in fenced blocks")
    tests: Text = Field(description="Python that raises where the code is wrong; `assert call == value` is hidden best")
    trial: dict[str, Any] | None = Field(
        default=None, description="what came of the program: outcome (done, failed, …) and stdout"
    )


def _program(row: CodeInput) -> tuple[str, str] | None:
    found = read_tests(row.tests)
    return program(row.response, found.visible()) if isinstance(found, CodeTests) else None


def _run(row: CodeInput) -> Mapping[str, Any]:
    return passed(row.response, row.tests, row.trial)


SCORERS: Mapping[str, Tool] = {
    "questions.code": Tool(
        about="Runs the tests of an item against an answer's code, in a sandbox.",
        takes=CodeInput,
        gives=AnswerOutput,
        run=_run,
        foreign=ForeignProgram(_program, "trial", TrialLimits()),
    ),
}
