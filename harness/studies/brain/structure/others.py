"""The rows of Fedorenko (words of sentences) and of Blank (scans of stories): their number and places.

Facts of the published recordings.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.terms import BLANK, FEDORENKO

SENTENCES, WORDS = 52, 8
TRS: Mapping[str, int] = {  # scans of each story, in file order, which is sorted
    "Aqua": 143,
    "Boar": 153,
    "Elvis": 135,
    "HighSchool": 157,
    "KingOfBirds": 181,
    "MatchstickSeller": 181,
    "MrSticky": 189,
    "Tulips": 178,
}


def fedorenko(sentences: int = SENTENCES, words: int = WORDS) -> Layout:
    """Return the layout of Fedorenko's words in sentences; a row's label is its number. Raises InputError below 1."""
    _require_rows(FEDORENKO, "sentences", sentences)
    _require_rows(FEDORENKO, "words", words)
    pairs = [(sentence, word) for sentence in range(sentences) for word in range(words)]
    return Layout(
        FEDORENKO,
        tuple(f"s{sentence:02}-w{word}" for sentence, word in pairs),
        tuple(map(str, range(len(pairs)))),
        tuple(f"s{sentence:02}" for sentence, _ in pairs),
        tuple(word for _, word in pairs),
        ("",) * len(pairs),
    )


def blank(trs: Mapping[str, int] = TRS) -> Layout:
    """Return the layout of Blank's rows, fMRI scans in stories, with this many scans each, in the given order.

    Raises InputError if there are no stories, or if a story has no scans.
    """
    if not trs:
        raise InputError("there are no stories", where=BLANK, next="give the scans of each story")
    for story, count in trs.items():
        _require_rows(BLANK, story, count)
    pairs = [(story, scan) for story, count in trs.items() for scan in range(count)]
    stories = tuple(story for story, _ in pairs)
    ids = tuple(f"{story}-{scan:03}" for story, scan in pairs)
    return Layout(BLANK, ids, stories, stories, tuple(scan for _, scan in pairs), ("",) * len(pairs))


def _require_rows(dataset: str, name: str, count: int) -> None:
    if count < 1:
        raise InputError(f"`{name[:80]}` is {count}", where=dataset, next="give a whole number from 1 up")
