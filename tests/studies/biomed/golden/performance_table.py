"""The table of performance of graded responses: printed rows, what its intervals rest on, ellipses, counts."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import load
from support_biomed_golden import GRADED, NEAR, graded_rows, spelt

from harness.studies.biomed.standalone.performance import ANALYSES

INPUTS = (GRADED,)
EXPECTED = (
    "table", "sem_calls_in_model_order", "binom_interval_calls_in_model_order", "scatter_ellipses_drawn", "counts",
)  # fmt: skip


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    case = {name: spelt(value) for name, value in golden.items()} | {"rows": graded_rows(path)}
    run = ANALYSES["biomed.performance_table"].run
    check(tally, "the file", case, run, ("models", "rows"), EXPECTED, within=NEAR)
