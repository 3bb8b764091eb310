"""The labels of Pereira's rows in the study's order."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import load

from harness.studies.brain.standalone.structure import ANALYSES


def read(path: Path, tally: Tally) -> None:
    check(tally, "the file", load(path), ANALYSES["brain.pereira_row_labels"].run, (), ("row_labels",), within=EXACT)
