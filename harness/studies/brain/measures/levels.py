"""The paired test of two models' squared errors at three levels: rows as published, blocks, and folds (OURS).

The block and fold levels average errors first, so that the compared samples are less similar to one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.brain.measures.blocks import block_means, scan_blocks
from harness.studies.brain.measures.ttest import paired_p
from harness.studies.brain.structure.folds import Fold
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.terms import BLANK

Array = Any  # a numpy array
ROW, BLOCK, FOLD = "row", "block", "fold"
LEVELS = (ROW, BLOCK, FOLD)


@dataclass(frozen=True)
class ComparedRows:
    """The rows over which two models are tested: each row's block and fold, and the order in which folds come."""

    blocks: tuple[int, ...]  # numbered in the sorted order of their labels
    folds: tuple[int, ...]
    order: tuple[int, ...]  # row numbers, fold after fold

    def p(self, errors: Array, against: Array, level: str, *, omit: bool = False) -> Array:
        """Return a p-value per unit over rows, block means or fold means; InputError for another level or rows."""
        if level not in LEVELS:
            raise InputError(f"no level is called {level[:80]!r}", where="level", next=f"use one of {LEVELS}")
        labels = {ROW: None, BLOCK: self.blocks, FOLD: self.folds}[level]
        return labelled_p(errors, against, labels, omit=omit)

    def misaligned_p(self, errors: Array, against: Array, *, omit: bool = False) -> Array:
        """Return p-values of the block test with rows and labels in different orders, as the authors' code seems to.

        If the folds do not follow the order of the rows, its blocks are not real blocks. OURS is to report it next to
        the other.
        """
        order = [*self.order]
        return labelled_p(errors[order], against[order], self.blocks, omit=omit)


def labelled_p(errors: Array, against: Array, labels: Sequence[Any] | None, *, omit: bool = False) -> Array:
    """Return a p-value per unit over the means of errors within labels, or over samples if `labels` is None.

    p is 1 for fewer than two labels. Raises InputError if the tables have different shapes or the labels do not fit.
    """
    if labels is None:
        return paired_p(errors, against, omit=omit)
    return paired_p(*(block_means(one, labels, omit=omit)[1] for one in (errors, against)), omit=omit)


def compared_rows(parts: Iterable[tuple[Layout, Sequence[Fold]]]) -> ComparedRows:
    """Return the blocks and folds of the rows of one or more experiments, concatenated.

    Blocks are those of the layout (passages, sentences); in Blank, they are ten scans. Folds of different experiments
    are different folds.
    """
    blocks: list[str] = []
    folds: list[int] = []
    order: list[int] = []
    for layout, found in parts:
        start, first = len(folds), max(folds, default=-1) + 1
        own = _blocks(layout)
        blocks += [f"{start:09} {name}" for name in own]
        of = {row: number for number, fold in enumerate(found) for row in fold.test}
        folds += [first + of[row] for row in range(len(own))]
        order += [start + row for fold in found for row in fold.test]
    rank = {name: place for place, name in enumerate(sorted({*blocks}))}
    return ComparedRows(tuple(rank[name] for name in blocks), tuple(folds), tuple(order))


def _blocks(layout: Layout) -> Sequence[str]:
    """Return the block of each row as names that sort like the labels."""
    return [f"{one:09}" for one in scan_blocks(layout.labels)] if layout.dataset == BLANK else layout.blocks
