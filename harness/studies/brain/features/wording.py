"""Counts of words and letters in the samples' texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.errors import InputError
from harness.studies.brain.rowtypes import Stimulus

_LETTERS = re.compile(r"\w+")


def sentence_lengths(stimuli: Sequence[Stimulus], *, by_letters: bool = False) -> list[int]:
    """Return the number of words of each sample: its `words` if given, else the number of pieces between white space.

    With `by_letters`, runs of letters and digits are counted instead, so a hyphen separates words; this needs the text.
    Raises InputError for a sample without words.
    """
    return [_length(row, by_letters) for row in stimuli]


def word_rates(stimuli: Sequence[Stimulus]) -> list[int]:
    """Return the number of words in each sample, possibly 0; raise InputError if no sample has any."""
    counts = [_words(row) for row in stimuli]
    _require_some(counts, "words")
    return counts


def characters(stimuli: Sequence[Stimulus]) -> list[int]:
    """Return the number of characters of each sample's text; raise InputError if no sample has any."""
    counts = [len(row["text"].strip()) for row in stimuli]
    _require_some(counts, "characters")
    return counts


def _length(row: Stimulus, by_letters: bool) -> int:
    count = len(_LETTERS.findall(row["text"])) if by_letters else _words(row)
    if count < 1:
        raise InputError("the sample has no words to count", where=row["id"][:80], next="give its text")
    return count


def _words(row: Stimulus) -> int:
    given = row.get("words")
    if given is None:
        return len(row["text"].split())
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise InputError("`words` is no number of words", where=row["id"][:80], next="give a whole number from 0 up")
    return given


def _require_some(counts: Sequence[int], what: str) -> None:
    if not any(counts):
        raise InputError(f"the samples have no {what}", where="stimuli", next="give their texts")
