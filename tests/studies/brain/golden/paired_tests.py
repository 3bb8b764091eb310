"""Own cases of the paired tests: rows, blocks and folds, corrections in families, the best model of a unit."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import cases, load

from harness.scorers.given import as_json_data
from harness.studies.brain.standalone.tests import ANALYSES

FILES = ("block_test.json", "fdr.json", "lowest_error.json")


def read(path: Path, tally: Tally) -> None:
    def run(given):
        return as_json_data(ANALYSES[f"brain.{path.stem}"].run(given))

    for name, case in cases(load(path)):
        given, expected = case["given"], case["expected"]
        check(tally, name, {**given, **expected}, run, tuple(given), tuple(expected))
