"""The labels of Pereira's rows, `384-animal-0-fh`: parsed into fields and formatted."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.errors import InputError
from harness.studies.brain.terms import EXP1, EXP2

HALVES = ("fh", "sh")  # the first and the second half of an experiment's sorted categories
_LABEL = re.compile(rf"({EXP1}|{EXP2})-([^\s-][^\s]*)-([0-9]{{1,4}})-({'|'.join(HALVES)})")


class PereiraLabel(NamedTuple):
    """The parts of the label of a row of Pereira: experiment, category, passage, and half of the passage."""

    experiment: str
    category: str
    passage: int
    half: str

    def text(self) -> str:
        """Return the label as it is written in files."""
        return f"{self.experiment}-{self.category}-{self.passage}-{self.half}"


def parse_label(text: str) -> PereiraLabel:
    """Parse a label of Pereira's rows; raise InputError for any other text."""
    found = _LABEL.fullmatch(text)
    if not found:
        raise InputError(
            f"{text[:80]!r} is no label of Pereira's rows", where="label", next="write it like 384-animal-0-fh"
        )
    experiment, category, passage, half = found.groups()
    return PereiraLabel(experiment, category, int(passage), half)
