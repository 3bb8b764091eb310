"""Stimuli made for the rows of a layout of the study `brain`."""

from __future__ import annotations

from collections.abc import Callable

from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.layout import Layout


def of_words(row: int) -> str:
    """Give a text of one to five words, a number a word."""
    return " ".join(str(word) for word in range(1 + row % 5))


def stimuli(layout: Layout, text: Callable[[int], str] = of_words) -> list[Stimulus]:
    """Give one stimulus a row, its text by the row's number."""
    return [
        {
            "id": layout.ids[row],
            "label": layout.labels[row],
            "block": layout.blocks[row],
            "position": layout.positions[row],
            "text": text(row),
            "experiment": layout.experiments[row],
        }
        for row in range(len(layout.ids))
    ]
