"""The file of token statistics, letter by letter."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import load

from harness.studies.biomed.standalone.figures import ANALYSES


def read(path: Path, tally: Tally) -> None:
    run = ANALYSES["biomed.statistics_txt"].run
    check(tally, "the file", load(path), run, ("inputs", "models"), ("text",), within=EXACT)
