"""The standalone scorer `curie.lmscore`: a judge's first word by its log-probabilities; OURS in both modes.

The log-probabilities are part of the input; no judge is asked here. Independent of where rows come from and where
results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.scorers.given import AbsentValue, FieldCheck, Row, Text, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.stats import is_number
from harness.studies.curie.scoring.lmscore import ROUNDING, score
from harness.studies.curie.tasks import MODES, PAPER


def _is_logprob(value: Any) -> bool:
    return value == "-inf" or (is_number(value) and value <= ROUNDING)


LOGPROB = FieldCheck(_is_logprob, "a logarithm of a probability", {"type": ["number", "string"]}, "give 0 or less")


class TokenLogprob(Row):
    """One of the likeliest tokens at a position, with its natural log-probability; `-inf` may be a text."""

    token: Text
    logprob: Annotated[float, LOGPROB]


class LmscoreInput(Row):
    """Input: the likeliest tokens at the first token of a judge's reply."""

    top_logprobs: list[TokenLogprob] = Field(
        description="objects of token and logprob (natural), of the first token whose text is not blank"
    )
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper or strict; the value is the same, since the paper published no code"
    )


class LmscoreOutput(ToolOutput):
    """Output: the score from 0 to 1, and the share of each class."""

    value: float | AbsentValue = Field(description="0 is bad, 1 is good")
    outcome: Literal["valid"] = Field(description="valid, since no answer is looked at")
    detail: dict[str, Any] = Field(description="metrics (lmscore_project, p_bad, p_ok, p_good), mode, version")


def _run(row: LmscoreInput) -> Mapping[str, Any]:
    return score([{"token": one.token, "logprob": float(one.logprob)} for one in row.top_logprobs], row.mode)


SCORERS: Mapping[str, Tool] = {
    "curie.lmscore": Tool(
        about="Scores a judge's first word, good, okay or bad, by its log-probabilities (CURIE, LMScore; OURS).",
        takes=LmscoreInput,
        gives=LmscoreOutput,
        run=_run,
    ),
}
