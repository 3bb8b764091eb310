"""Counts shared by overlap metrics: n-grams that two texts have in common, and precision, recall and F-measure.

Each n-gram counts as often as on the side that has fewer of it. The module is separate from the metrics, so that a step
of one metric does not need the packages of another.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


def count_shared_ngrams(ours: Sequence[str], theirs: Sequence[str], size: int) -> int:
    """Count the n-grams of `size` words that both sides have; `size` is at least 1."""
    short, long = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    counts = Counter(_ngrams(short, size))
    met = Counter(filter(counts.__contains__, _ngrams(long, size)))  # only these n-grams of the longer side are kept
    return sum(min(count, counts[ngram]) for ngram, count in met.items())


def count_ngrams(words: Sequence[str], size: int) -> int:
    """Return the number of n-grams of `size` words in a text."""
    return max(len(words) - size + 1, 0)


def _ngrams(words: Sequence[str], size: int) -> Iterable[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(size)), strict=False)


class Overlap(NamedTuple):
    """Precision, recall and F-measure of a response against a reference."""

    precision: float
    recall: float
    fmeasure: float


NONE = Overlap(0.0, 0.0, 0.0)


def word_positions(words: Sequence[str]) -> dict[str, int]:
    """Return the positions of each word in a list as a bit set."""
    found: dict[str, int] = {}
    for index, word in enumerate(words):
        found[word] = found.get(word, 0) | 1 << index
    return found


def common_length(reference: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of two lists of words."""
    where, full = word_positions(reference), (1 << len(reference)) - 1
    row = full
    for mask in map(where.get, other):
        if mask is not None:  # a word that the reference lacks does not change the row
            both = row & mask
            row = (row + both | row - both) & full
    return len(reference) - row.bit_count()


def common_positions(where: Mapping[str, int], size: int, other: Sequence[str]) -> int:
    """Return one longest common subsequence as the bit set of its words' positions in a list of `size` words.

    Of several with the same length, it is the one that the package rouge-score returns, which goes back from the ends
    of both lists: equal words are taken; otherwise the word of the other text is dropped if the subsequence is longer
    without it, else the word of the reference.
    """
    full = (1 << size) - 1
    rows, row = [], full
    for word in other:
        if mask := where.get(word):
            both = row & mask
            row = (row + both | row - both) & full
        rows.append(row)
    taken, end = 0, size
    for word, row in zip(reversed(other), reversed(rows), strict=True):
        mask = where.get(word, 0)
        # drop words of the reference down to the nearest place with equal words or a 0 in the row
        end = ((mask | ~row) & (1 << end) - 1).bit_length()
        if not end:
            break
        if mask >> end - 1 & 1:
            end -= 1
            taken |= 1 << end
    return taken


ORDER = 4
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SPACED = (
    (re.compile(r"([\{-\~\[-\`\!-\&\(-\+\:-\@\/])"), r" \1 "),  # signs become separate tokens
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),  # a dot or a comma too, except between digits
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),  # a dash after a digit too
)


class Bleu(NamedTuple):
    """A BLEU score and its components; the length ratio to an empty reference is None."""

    bleu: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    length_ratio: float | None
    response_tokens: int
    reference_tokens: int


def bleu(response: str, reference: str) -> Bleu:
    """Compute sentence BLEU of a response against one reference; it is 0 if either text is empty."""
    ours, theirs = tokenise_mteval(response), tokenise_mteval(reference)
    precisions = tuple(_precision(ours, theirs, size) for size in range(1, ORDER + 1))
    ratio = len(ours) / len(theirs) if theirs else None
    penalty = 0.0
    if ratio:
        penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    mean = math.exp(math.fsum(math.log(each) / ORDER for each in precisions)) if min(precisions) > 0 else 0.0
    return Bleu(mean * penalty, precisions, penalty, ratio, len(ours), len(theirs))


def tokenise_mteval(text: str) -> list[str]:
    """Tokenise a text as mteval-v13a does."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in _ENTITIES if "&" in text else ():
        text = text.replace(entity, sign)
    text = f" {text} "  # so that a dot at either end has a neighbour
    for pattern, spaced in _SPACED:
        text = pattern.sub(spaced, text)
    return text.split()


def _precision(ours: Sequence[str], theirs: Sequence[str], size: int) -> float:
    mine = count_ngrams(ours, size)
    return count_shared_ngrams(ours, theirs, size) / mine if mine else 0.0
