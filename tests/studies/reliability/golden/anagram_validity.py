"""Words and anagrams: letters, and whether the pair is valid."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, each

from harness.studies.reliability.standalone.raw_difficulty import ANALYSES

GIVEN = ("word", "anagram")
EXPECTED = ("f_let", "valid")


def read(path: Path, tally: Tally) -> None:
    each(path, tally, ANALYSES["reliability.anagram_validity"].run, GIVEN, EXPECTED)
