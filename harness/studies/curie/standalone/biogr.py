"""The standalone scorer `curie.biogr`: a bounding box in an answer against the right one, in paper or strict mode.

Independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.scorers.given import AbsentValue, Row, Text, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.curie.scoring import boxes, boxes_strict
from harness.studies.curie.tasks import MODES, PAPER


class BiogrInput(Row):
    """Input: an answer, and the right box."""

    model_response: Text = Field(description="what a model said: JSON with W, S, E and N, in degrees")
    ground_truth_text: Text = Field(description="the ground-truth file, or its preprocessed text")
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper (as published, the default) or strict (OURS)"
    )


class BiogrOutput(ToolOutput):
    """Output: IoU of the boxes, whether the answer could be read, and all measurements."""

    value: float | str | AbsentValue = Field(description="intersection over union; nan as a text")
    outcome: Literal["valid", "invalid", "missing", "gold_invalid"] = Field(description="missing is a blank answer")
    detail: dict[str, Any] = Field(description="metrics by name, mode, version; strict: suspected_swap, wide")
    suspected_swap: bool | None = Field(default=None, description="strict: west and east may have changed places")


def _run(row: BiogrInput) -> Mapping[str, Any]:
    rules = boxes if row.mode == PAPER else boxes_strict
    found = rules.score(row.model_response, row.ground_truth_text)
    detail = found["detail"]
    return {**found, **{name: detail[name] for name in ("suspected_swap",) if name in detail}}


SCORERS: Mapping[str, Tool] = {
    "curie.biogr": Tool(
        about="Compares a bounding box in an answer with the right one (CURIE, BIOGR).",
        takes=BiogrInput,
        gives=BiogrOutput,
        run=_run,
    ),
}
