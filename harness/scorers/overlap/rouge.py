"""ROUGE-1, -2, -L and -Lsum as the package rouge-score 0.1.2 counts them, to the last bit of a value.

Words are runs of a-z and 0-9 in the lowered text: every other sign parts two words. It must never know a study: how a
text is cut into lines before Lsum, and on what scale a value is printed, are a study's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from harness.errors import MissingError
from harness.scorers.overlap import lcs, ngrams

KINDS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
_WORD = re.compile(r"[a-z0-9]+")
_STEMMED_FROM = 4  # characters: shorter words stay as they are


class Overlap(NamedTuple):
    """Precision, recall and F-measure of a response against a reference."""

    precision: float
    recall: float
    fmeasure: float


NONE = Overlap(0.0, 0.0, 0.0)


def rouge(response: str, reference: str, kinds: Iterable[str] = KINDS, *, stem: bool = False) -> dict[str, Overlap]:
    """Compute each of `kinds` of ROUGE of a response against a reference, by the kind's name.

    With `stem` words are compared by their stems: MissingError where nltk is not installed.
    """
    cut = _stemmed() if stem else _words
    ours, theirs = cut(response), cut(reference)
    counted: dict[str, Callable[[], Overlap]] = {
        "rouge1": lambda: _ngrams(ours, theirs, 1),
        "rouge2": lambda: _ngrams(ours, theirs, 2),
        "rougeL": lambda: _longest(ours, theirs),
        "rougeLsum": lambda: _summary(_lines(response, cut), _lines(reference, cut)),
    }
    return {kind: counted[kind]() for kind in kinds}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _stemmed() -> Callable[[str], list[str]]:
    try:
        from nltk.stem.porter import PorterStemmer  # noqa: PLC0415 - heavy, and rarely wanted
    except ImportError as bad:
        raise MissingError("the package nltk is not installed", where="stem", next="install nltk") from bad

    stem = PorterStemmer().stem

    def cut(text: str) -> list[str]:
        words = (stem(word) if len(word) >= _STEMMED_FROM else word for word in _words(text))
        return [word for word in words if _WORD.fullmatch(word)]

    return cut


def _lines(text: str, cut: Callable[[str], list[str]]) -> list[list[str]]:
    return [cut(line) for line in text.split("\n") if line]


def _of(hits: int, ours: int, theirs: int) -> Overlap:
    precision, recall = hits / max(ours, 1), hits / max(theirs, 1)
    both = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / both if both > 0 else 0.0)


def _ngrams(ours: Sequence[str], theirs: Sequence[str], size: int) -> Overlap:
    return _of(ngrams.shared(ours, theirs, size), ngrams.number(ours, size), ngrams.number(theirs, size))


def _longest(ours: Sequence[str], theirs: Sequence[str]) -> Overlap:
    if not ours or not theirs:
        return NONE
    return _of(lcs.length(theirs, ours), len(ours), len(theirs))


def _summary(ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> Overlap:
    """Count, for each line of the reference, what any line of the response has in common with it, no word twice."""
    left, right = (Counter(word for line in lines for word in line) for lines in (ours, theirs))
    sizes = left.total(), right.total()
    if not all(sizes):
        return NONE
    lines = {tuple(line): frozenset(line) for line in ours}  # a line that comes again adds nothing to a union
    hits = 0
    for line in theirs:
        where, union = lcs.places(line), 0
        for other, has in lines.items():
            if not has.isdisjoint(where):
                union |= lcs.common(where, len(line), other)
        for index, word in enumerate(line):
            if union >> index & 1 and left[word] > 0 and right[word] > 0:
                hits += 1
                left[word] -= 1
                right[word] -= 1
    return _of(hits, *sizes)
