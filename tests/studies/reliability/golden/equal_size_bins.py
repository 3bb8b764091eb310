"""Items in bins of equal size by difficulty."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, each

from harness.studies.reliability.standalone.indicators import ANALYSES

GIVEN = ("ids", "difficulty", "n_bins")
EXPECTED = ("bin_of_item", "bin_sizes", "bin_mean_difficulty")


def read(path: Path, tally: Tally) -> None:
    each(path, tally, ANALYSES["reliability.bins"].run, GIVEN, EXPECTED)
