"""The standalone scorer `curie.biogr_areas`: boxes and polygons in an answer against the right ones (OURS).

Independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from harness.scorers.given import AbsentValue, Row, Text, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.curie.scoring import areas


class AreasInput(Row):
    """Input: an answer, and the right area."""

    model_response: Text = Field(
        description="what a model said: a box with W, S, E and N, a list of such, a ring, or GeoJSON with polygons"
    )
    ground_truth_text: Text = Field(description="the right area in one of the same forms")


class AreasOutput(ToolOutput):
    """Output: IoU of the areas, whether the answer could be read, and all measurements."""

    value: float | AbsentValue = Field(description="intersection over union, in square degrees")
    outcome: Literal["valid", "invalid", "missing", "gold_invalid"] = Field(description="missing is a blank answer")
    detail: dict[str, Any] = Field(description="metrics by name, mode, version; suspected, or the reason of a refusal")


def _run(row: AreasInput) -> Mapping[str, Any]:
    return areas.score(row.model_response, row.ground_truth_text)


SCORERS: Mapping[str, Tool] = {
    "curie.biogr_areas": Tool(
        about="Compares boxes and polygons in an answer with the right ones, over the antimeridian too (OURS).",
        takes=AreasInput,
        gives=AreasOutput,
        run=_run,
    ),
}
