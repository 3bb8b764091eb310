"""The donuts of graded responses: labels by how often they occur."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import load
from support_biomed_golden import GRADED, graded_rows

from harness.studies.biomed.standalone.figures import ANALYSES

INPUTS = (GRADED,)


def read(path: Path, tally: Tally) -> None:
    case = {**load(path), "rows": graded_rows(path)}
    expected = ("bio_category", "reasoning_category")
    check(tally, "the file", case, ANALYSES["biomed.donut"].run, ("rows",), expected, within=EXACT)
