"""Raw difficulties, and the ranks that stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import Tally, each

from harness.studies.reliability.data.difficulty import calibrated

FILES = ("rank_calibration*.json",)


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    found = calibrated(given["raw"])
    return {"difficulty": found.values, **found.meta()}


def read(path: Path, tally: Tally) -> None:
    each(path, tally, run, ("raw",), ("difficulty", "calibrated"))
