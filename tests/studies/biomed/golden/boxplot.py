"""The box plot of graded responses: the values of each box, and the share of abstentions under it."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import load
from support_biomed_golden import GRADED, NEAR, graded_rows

from harness.studies.biomed.standalone.figures import ANALYSES

INPUTS = (GRADED,)


def read(path: Path, tally: Tally) -> None:
    case = {**load(path), "rows": graded_rows(path)}
    run = ANALYSES["biomed.boxplot"].run
    check(tally, "the file", case, run, ("model_order", "metric", "rows"), ("result",), within=NEAR)
