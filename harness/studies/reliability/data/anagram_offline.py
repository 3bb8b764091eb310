"""A heuristic filter for English words in a plain frequency list, for use without a dictionary (OURS).

Such a list is full of names and typing errors. A word is kept if it is frequent enough for its length and if its
regular relatives (walk, walks, walked, walker) are in the list, too. Names and errors rarely have relatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

FILTER = "frequency and relatives (OURS, version 1)"
# Smallest count in a thousand million words, by length: short strings are more often not a word.
_LEAST = {3: 4000, 4: 2000, 5: 2000, 6: 600, 7: 600, 8: 600, 9: 200, 10: 200, 11: 80, 12: 80, 13: 30, 14: 30}
_LEAST_OF_LONG = 10
_RELATIVES = {3: 4, 4: 3, 5: 2, 6: 2, 7: 2, 8: 2}  # how many relatives must be in the list; one for longer words
_RARER, _MUCH_RARER = 20, 150  # how much rarer than the smallest count, or than the word, a relative may be
_SWAPS = tuple(
    (old, new)
    for old, news in (
        ("", "s es ed d ing er ers r ly ness al y ity ism ist ic ment ful able est ation ably ically isation ization"),
        ("e", "ing able ation ity y er al ion or"),
        ("y", "ies ied ily iness ier ically ical ic ist ists"),
        ("s", "ly ed"),
        ("ed", "ing"),
        ("ation", "e ed"),
        ("ity", "e"),
        ("ism", "ist"),
        ("ical", "ic"),
        ("ization", "ized"),
        ("isation", "ised"),
    )
    for new in news.split()
)


def likely_words(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the likely English words of a frequency list (counts in a thousand million words), in the list's order."""
    for word, count in counts.items():
        floor = _LEAST.get(len(word), _LEAST_OF_LONG)
        if count < floor:
            continue
        least = max(floor // _RARER, count // _MUCH_RARER, 1)
        met = sum(counts.get(other, 0) >= least for other in set(_relatives(word)) if len(other) > 2)
        if met >= _RELATIVES.get(len(word), 1):
            yield word


def _relatives(word: str) -> Iterator[str]:
    for old, new in _SWAPS:
        if word.endswith(old):
            yield word[: len(word) - len(old)] + new
        if word.endswith(new):
            yield word[: -len(new)] + old
    for ending in ("ing", "ed", "er"):
        yield word + word[-1] + ending
