"""The fields that the study's standalone scorers share: an answer, the right answers, and a value with what was read.

Independent of rules.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from harness.scorers.given import AbsentValue, Row, Text, Texts, ToolOutput


class AnswerRow(Row):
    """Input: an answer, its target, and further accepted answers."""

    response: Text = Field(description="what a model said")
    target: Text = Field(description="the right answer")
    accepted: Texts = Field(default=[], description="further right answers")

    def gold(self) -> dict[str, Any]:
        """Return the right answers as a gold row holds them."""
        return {"target": self.target, "accepted": self.accepted}


class AnswerOutput(ToolOutput):
    """Output: the value of an answer, and the text that the scorer read of it."""

    value: float | AbsentValue = Field(description="0 to 1; missing, with the reason, where it cannot be had")
    detail: dict[str, Any] = Field(
        description="`answer`: what was read, null for nothing; and what the rule tells besides"
    )
