"""The table of text metrics; what the file says about BERTScore in words is not compared."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import load

from harness.studies.biomed.standalone.performance import ANALYSES


def read(path: Path, tally: Tally) -> None:
    case = {name: value for name, value in load(path).items() if name != "note"}
    run = ANALYSES["biomed.nlp_table"].run
    check(tally, "the file", case, run, ("columns", "metrics", "models"), ("table",), within=EXACT)
