"""The standalone scorer `bleu`: a response against a reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from harness.scorers.given import Row, Text, ToolOutput
from harness.scorers.overlap.ngrams import bleu
from harness.scorers.tool import Tool


class BleuInput(Row):
    """Input: a response and a reference."""

    response: Text = Field(description="what a model said")
    reference: Text = Field(description="what it is compared with")


class BleuOutput(ToolOutput):
    """Output: the BLEU score and its components."""

    bleu: float = Field(description="0 to 1; 0 where any order of n-grams has no match, or where a text is empty")
    precisions: list[float] = Field(description="of runs of one to four tokens")
    brevity_penalty: float = Field(description="1 where the response is the longer one")
    length_ratio: float | None = Field(description="tokens of the response for one of the reference")
    response_tokens: int = Field(description="how many tokens each text has, cut as mteval-v13a does")
    reference_tokens: int = Field(description="how many tokens each text has, cut as mteval-v13a does")


def _run(row: BleuInput) -> Mapping[str, Any]:
    found = bleu(row.response, row.reference)
    return {**found._asdict(), "precisions": list(found.precisions)}


SCORERS: Mapping[str, Tool] = {
    "bleu": Tool(
        about="Counts BLEU of a response, as the metric of the package evaluate does: 13a, four orders, not smoothed.",
        takes=BleuInput,
        gives=BleuOutput,
        run=_run,
    ),
}
