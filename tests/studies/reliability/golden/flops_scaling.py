"""A line through values over compute; what a case calls its series is nothing to compare."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check, tolerance
from golden.files import cases_or_one, load

from harness.studies.reliability.standalone.people import ANALYSES

FILES = ("flops_scaling*.json",)


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.scaling"].run, tolerance(golden)
    for name, case in cases_or_one(golden):
        plain = {key: case[key] for key in case if key != "series"} if isinstance(case, dict) else case
        check(tally, name, plain, run, ("flops", "value"), ("slope_per_decade", "intercept"), within=within)
