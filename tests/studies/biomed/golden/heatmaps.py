"""Heat maps of graded responses: four calculations, two columns of labels, two orders of models."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import listed
from support_biomed_golden import GRADED, NEAR, graded_rows

from harness.studies.biomed.standalone.figures import ANALYSES

INPUTS = (GRADED,)
GIVEN = ("category", "calculation_type", "threshold", "model_order")


def read(path: Path, tally: Tally) -> None:
    rows, run = graded_rows(path), ANALYSES["biomed.heatmaps"].run
    for name, case in listed(path):
        check(tally, name, {**case, "rows": rows}, run, (*GIVEN, "rows"), ("result",), within=NEAR)
