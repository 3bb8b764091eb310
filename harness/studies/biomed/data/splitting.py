"""The split into test and train: as the published script makes it, with its overlap, or disjoint."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.biomed.data.sampling import BATCH, PER_TEMPLATE, SEED, sample_by_template

OFFICIAL = "official"  # train is every row from number len(test) on, whether it was drawn for test or not
DISJOINT = "disjoint"  # OURS: train is what was not drawn
SPLITS = (OFFICIAL, DISJOINT)
TEST, TRAIN = "test", "train"
PARTS = (TEST, TRAIN)


@dataclass(frozen=True, slots=True)
class SplitParts:
    """The row numbers of a test and a train part, and how the two overlap."""

    mode: str
    test: tuple[int, ...]
    train: tuple[int, ...]
    overlap: int  # rows of train that are in test
    in_neither: int

    def part(self, name: str) -> tuple[int, ...]:
        """Return the positions of the rows of one part: train for TRAIN, test for any other name."""
        return self.train if name == TRAIN else self.test

    def counts(self, questions: Sequence[Hashable]) -> dict[str, Any]:
        """Return the sizes and overlaps for a dataset's counts; `questions` holds the texts of all rows."""
        asked = {questions[place] for place in self.test}
        return {
            "split": self.mode,
            "test": len(self.test),
            "train": len(self.train),
            "overlap": self.overlap,
            "same_question": sum(questions[place] in asked for place in self.train),
            "in_neither": self.in_neither,
        }


def split(
    templates: Sequence[str | None],
    mode: str = OFFICIAL,
    n: int = PER_TEMPLATE,
    batch_size: int = BATCH,
    random_state: int = SEED,
) -> SplitParts:
    """Split rows into a test part (the published sample) and a train part (by `mode`), given each row's template.

    Raise InputError for a mode other than `official` or `disjoint`, and as `sample_by_template` does.
    """
    if mode not in SPLITS:
        raise InputError("there is no such split", where="split_mode", next=f"use one of: {', '.join(SPLITS)}")
    test = sample_by_template(templates, n, batch_size, random_state)
    drawn, total = set(test), len(templates)
    # The script renumbers the sample from 0 and takes the rows whose own numbers are not among the new ones.
    train = range(len(test), total) if mode == OFFICIAL else [place for place in range(total) if place not in drawn]
    overlap = sum(place in drawn for place in train)
    return SplitParts(mode, tuple(test), tuple(train), overlap, total - len(test) - len(train) + overlap)
