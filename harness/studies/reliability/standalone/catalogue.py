"""The catalogue of the study's standalone analyses, by the names that callers use.

Joins the catalogues of the modules in this package.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.scorers.tool import Tool
from harness.studies.reliability.standalone import (
    agreement,
    difficulty,
    indicators,
    locality,
    models,
    people,
    proportions,
    raw_difficulty,
)

ANALYSES: Mapping[str, Tool] = {
    **raw_difficulty.ANALYSES,
    **difficulty.ANALYSES,
    **locality.ANALYSES,
    **proportions.ANALYSES,
    **indicators.ANALYSES,
    **people.ANALYSES,
    **agreement.ANALYSES,
    **models.ANALYSES,
}
