"""The analyses of the study that work alone, under the names a caller uses.

It joins the rooms beside it; it must never know a field.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.scorers.tool import Tool
from harness.studies.reliability.tools import (
    agreement,
    choice,
    difficulty,
    indicators,
    models,
    people,
    proportions,
    raw_difficulty,
)

ANALYSES: Mapping[str, Tool] = {
    **raw_difficulty.ANALYSES,
    **difficulty.ANALYSES,
    **choice.ANALYSES,
    **proportions.ANALYSES,
    **indicators.ANALYSES,
    **people.ANALYSES,
    **agreement.ANALYSES,
    **models.ANALYSES,
}
