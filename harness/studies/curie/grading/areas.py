"""The score step of areas (OURS): boxes and polygons of an answer to BIOGR against the area of the ground truth.

It stands beside the score of one box and never replaces it. Needs shapely.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.curie.scoring import areas

SCORER = "areas"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: IoU of geographic areas, and which shares of gold and answer overlap.

    Raise MissingError if shapely is not installed.
    """

    def rule(seen: Seen) -> Found:
        return areas.score(seen.response["text"], seen.gold["gold"]["truth"])

    graded.write(params, inputs, out, SCORER, rule)
