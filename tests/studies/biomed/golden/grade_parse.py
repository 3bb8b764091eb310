"""Grades in replies, as the official code reads them."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import listed

from harness.studies.biomed.standalone.grades import SCORERS


def read(path: Path, tally: Tally) -> None:
    for name, case in listed(path):
        check(tally, name, case, SCORERS["biomed.grade_parse"].run, ("text",), ("score", "valid"), within=Within(1e-12))
