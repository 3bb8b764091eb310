"""All standalone analyses of the study, by name.

An analysis with the name of a golden file is its official counterpart; the others are OURS.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.scorers.tool import Tool
from harness.studies.brain.standalone import averages, pipelines, ridge, scores, structure, tests

ANALYSES: Mapping[str, Tool] = {
    **structure.ANALYSES,
    **ridge.ANALYSES,
    **pipelines.ANALYSES,
    **scores.ANALYSES,
    **averages.ANALYSES,
    **tests.ANALYSES,
}
