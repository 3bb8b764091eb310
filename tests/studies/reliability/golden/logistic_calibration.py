"""Difficulty by what people got right: a logistic curve, and its values at points that are asked for."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check, tolerance
from golden.files import cases_or_one, load

from harness.studies.reliability.standalone.people import ANALYSES

FILES = ("logistic_calibration*.json",)


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.calibration"].run, tolerance(golden)
    for name, case in cases_or_one(golden):
        # what is asked for stands beside what is expected: the values of f of the expected points
        points = case.get("predict") if isinstance(case, dict) else None
        asked = [point["f"] for point in points] if points else []
        outputs = ("alpha", "beta", "predict") if points else ("alpha", "beta")
        check(tally, name, case, run, ("f", "y", "weights"), outputs, within=within, more={"predict": asked})
