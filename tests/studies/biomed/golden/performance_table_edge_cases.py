"""The table's row of odd columns: one score, all abstained, none, grades that are missing, scores at the bound."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import listed
from support_biomed_golden import NEAR, spelt

from harness.studies.biomed.standalone.performance import ANALYSES

EXPECTED = ("table_row", "sem", "binom", "ellipse", "exception")


def read(path: Path, tally: Tally) -> None:
    run = ANALYSES["biomed.performance_table_edge_cases"].run
    for name, case in listed(path):
        said = {**case, **{each: spelt(case[each]) for each in EXPECTED[:-1]}}
        check(tally, name, said, run, ("scores",), EXPECTED, within=NEAR)
