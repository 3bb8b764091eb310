"""Golden reader: supervision matrices of true labels and people's verdicts."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check, laid_out, tolerance
from golden.files import cases_or_one, load

from harness.studies.reliability.standalone.people import ANALYSES

FILES = ("supervision_matrix*.json",)
EXPECTED = (
    "counts", "incorrect_to_correct_over_nonavoidant", "incorrect_to_correct_over_incorrect",
    "correct_to_incorrect_over_correct", "supervision_accuracy", "unsure_rate",
)  # fmt: skip


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.supervision"].run, tolerance(golden)
    for name, case in cases_or_one(golden):
        check(tally, name, laid_out(case, ("records", "counts")), run, ("records",), EXPECTED, within=within)
