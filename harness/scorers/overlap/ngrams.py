"""Counts that measures of overlap share: n-grams that two texts have in common, and precision, recall and F-measure.

Each n-gram counts as often as the rarer side has it. Apart from the measures, so that a step of one needs the packages
of no other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple


def shared(ours: Sequence[str], theirs: Sequence[str], size: int) -> int:
    """Count the n-grams of `size` words that both sides have; `size` is at least 1."""
    short, long = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    counts = Counter(_ngrams(short, size))
    met = Counter(filter(counts.__contains__, _ngrams(long, size)))  # of the longer side only these are kept
    return sum(min(count, counts[ngram]) for ngram, count in met.items())


def number(words: Sequence[str], size: int) -> int:
    """Count the n-grams of `size` words that a text has."""
    return max(len(words) - size + 1, 0)


def _ngrams(words: Sequence[str], size: int) -> Iterable[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(size)), strict=False)


class Overlap(NamedTuple):
    """Precision, recall and F-measure of a response against a reference."""

    precision: float
    recall: float
    fmeasure: float


NONE = Overlap(0.0, 0.0, 0.0)
