"""Whole fits of one feature space: a case for each R2 that the file holds, found by its name."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import arrays

from harness.studies.brain.standalone.pipelines import ANALYSES

NEAR = Within(2e-3)


def read(path: Path, tally: Tally) -> None:
    given = arrays(path)
    run = ANALYSES["brain.pipeline_single_space"].run
    for name in sorted(key for key in given if "_r2_" in key):
        prefix = name.partition("_r2_")[0]
        inputs = (f"{prefix}_X", f"{prefix}_y", *(["alphas"] if "alphas" in given else []))
        case = {key: given[key] for key in (*inputs, name) if key in given}
        check(tally, name, case, run, inputs, (name,), within=NEAR, more={name: None})
