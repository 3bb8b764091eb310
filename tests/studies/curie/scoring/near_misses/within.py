"""Near misses whose worth a scientist may give as bounds, with what the published scorer sees of them.

The form is that of `near_miss`, with a gold a row, two bounds, and two reasons more. All texts are our own.
"""

from __future__ import annotations

from typing import NamedTuple


class NearMissWithin(NamedTuple):
    """An answer to a gold, and the bounds of what a scientist gives, laid down before any scorer was run."""

    gold: str  # the ground-truth file's text
    name: str  # what is wrong with the answer, or only looks wrong
    answer: str
    low: float
    high: float
    why: str  # the scientist's reason
    paper: str = ""  # why the published scorer gives what it gives, where that is no judgement of the answer
    apart: str = ""  # why strict mode parts with the scientist, where it does


Given = float | tuple[float, float]  # what a scientist gives: a value, or something between two


def row(gold: str, name: str, answer: str, given: Given, why: str, paper: str = "", apart: str = "") -> NearMissWithin:
    """Write one near miss."""
    low, high = given if isinstance(given, tuple) else (given, given)
    return NearMissWithin(gold, name, answer, low, high, why, paper, apart)


def share(matched: int, gold: int, predicted: int) -> float:
    """Give the F1 of so many right items, as a person counts them."""
    return 2 * matched / (gold + predicted)
