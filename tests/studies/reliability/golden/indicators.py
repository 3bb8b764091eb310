"""Labels from end to end: bins, rates, indicators, with and without the discount of a choice among four."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check, laid_out, tolerance
from golden.files import cases_or_one, load

from harness.studies.reliability.standalone.indicators import ANALYSES

FILES = ("indicators_*.json",)
GIVEN = ("ids", "difficulty", "labels", "n_bins")
EXPECTED = (
    "counts", "bin_of_item", "bin_mean_difficulty", "bin_rate", "psi_correctness", "psi_prudence", "indicators",
    "spearman_difficulty_vs_rate", "ultracrepidarianism",
)  # fmt: skip
DISCOUNTED = {"expected_plain": {}, "expected_with_science_discount": {"science": True}}


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.indicators"].run, tolerance(golden)
    for name, case in cases_or_one(golden):
        for expected, more in DISCOUNTED.items():
            flat = laid_out(case, GIVEN, expected)
            check(tally, f"{name} {expected}", flat, run, GIVEN, EXPECTED, within=within, more=more)
