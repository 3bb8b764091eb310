"""Pairs of numbers: their sum, digits, carries, and whether the pair is kept."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, each

from harness.studies.reliability.standalone.raw_difficulty import ANALYSES

GIVEN = ("a", "b")
EXPECTED = ("sum", "digits_a", "digits_b", "f_cry", "f_hrm", "keep")


def read(path: Path, tally: Tally) -> None:
    each(path, tally, ANALYSES["reliability.addition_difficulty"].run, GIVEN, EXPECTED)
