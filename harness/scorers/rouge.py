"""The standalone scorer `rouge`: a response against a reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import Flag, Row, Text, ToolOutput, list_of_values, one_of_words
from harness.scorers.overlap.rouge import KINDS, rouge
from harness.scorers.tool import Tool

_KINDS = list_of_values(one_of_words("a kind of ROUGE", *KINDS), "a list of kinds")


class RougeInput(Row):
    """Input: a response, a reference, and the kinds of ROUGE to compute."""

    response: Text = Field(description="what a model said; every line feed parts two lines for rougeLsum")
    reference: Text = Field(description="what it is compared with, in lines too")
    kinds: Annotated[list[str], _KINDS] = Field(default=[*KINDS], description=f"which of {', '.join(KINDS)}; else all")
    stem: Flag = Field(default=False, description="compare words by their stems (Porter's, with NLTK's extensions)")


class RougeKindOutput(ToolOutput):
    """One kind of ROUGE: precision, recall, F-measure."""

    precision: float
    recall: float
    fmeasure: float


class RougeOutput(ToolOutput):
    """Output: the kinds of ROUGE that were asked for, each from 0 to 1."""

    rouge1: RougeKindOutput | None = Field(default=None, description="words in common: precision, recall, fmeasure")
    rouge2: RougeKindOutput | None = Field(default=None, description="pairs of words in common")
    rougeL: RougeKindOutput | None = Field(default=None, description="the longest common subsequence of words")  # noqa: N815
    rougeLsum: RougeKindOutput | None = Field(  # noqa: N815
        default=None, description="for each line of the reference, the union of what lines of the response share"
    )


def _run(row: RougeInput) -> Mapping[str, Any]:
    found = rouge(row.response, row.reference, row.kinds, stem=row.stem)
    return {kind: shared._asdict() for kind, shared in found.items()}


SCORERS: Mapping[str, Tool] = {
    "rouge": Tool(
        about="Counts ROUGE-1, -2, -L and -Lsum of a response, as the package rouge-score 0.1.2 does.",
        takes=RougeInput,
        gives=RougeOutput,
        run=_run,
    ),
}
