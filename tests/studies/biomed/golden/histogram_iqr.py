"""What a histogram of token counts keeps and prints."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import listed
from support_biomed_golden import NEAR

from harness.studies.biomed.standalone.figures import ANALYSES

EXPECTED = ("q1", "q3", "kept", "stat", "median_kept", "label", "xticks")


def read(path: Path, tally: Tally) -> None:
    for name, case in listed(path):
        check(tally, name, case, ANALYSES["biomed.histogram_iqr"].run, ("counts",), EXPECTED, within=NEAR)
