"""The published split into test and train, which overlap."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import load

from harness.studies.biomed.standalone.data import ANALYSES

FOUND = ("test_uuids", "n_test", "n_train", "overlap_test_train", "train_uuids_first10", "train_uuids_last3")


def read(path: Path, tally: Tally) -> None:
    run = ANALYSES["biomed.official_split_main"].run
    check(tally, "the file", load(path), run, ("templates",), FOUND, within=EXACT)
