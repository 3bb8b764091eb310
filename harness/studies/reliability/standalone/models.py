"""The standalone analysis `models`: returns the table of the paper's models and the meaning of its source tags.

The contents of the table are in the study's module `models`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from harness.scorers.given import AnalysisInput, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.reliability.models import SOURCES, rows


class ModelsInput(AnalysisInput):
    """Input: none."""


class ModelsOutput(ToolOutput):
    """Output: the paper's models, one row each."""

    models: list[dict[str, Any]] = Field(
        description="objects of paper_name, name (as manifests write it), family and shaped (as the paper has them), "
        "parameters, tokens, flops (each a value with its source and status, or missing), access, raw_twin (of an "
        "exact pair), group (of those that were given more tokens), note"
    )
    sources: dict[str, str] = Field(description="what the tags of the sources stand for")


def models_of(given: ModelsInput) -> dict[str, Any]:
    """Return the whole table of the paper's models, and the meanings of the source tags; there are no options."""
    return {"models": rows(), "sources": dict(SOURCES)}


ANALYSES: Mapping[str, Tool] = {
    "reliability.models": Tool(
        about="Lists the paper's 32 models: family, parameters, tokens, compute, exact pairs, and where to get them.",
        takes=ModelsInput,
        gives=ModelsOutput,
        run=models_of,
    ),
}
