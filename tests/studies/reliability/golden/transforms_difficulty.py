"""Texts before and after: words and edits."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, each

from harness.studies.reliability.standalone.raw_difficulty import ANALYSES

GIVEN = ("input", "output")
EXPECTED = ("words_in", "words_out", "levenshtein", "f_wl")


def read(path: Path, tally: Tally) -> None:
    each(path, tally, ANALYSES["reliability.transforms_difficulty"].run, GIVEN, EXPECTED)
