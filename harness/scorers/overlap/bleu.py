"""BLEU as the metric `bleu` of the package evaluate counts it: tokens of 13a, up to four words, nothing smoothed.

Letters keep their case, and one order of n-grams without a match makes the whole 0, so a text of under four tokens
scores 0 even where it is the reference. It must never know a study.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from harness.scorers.overlap import ngrams

ORDER = 4
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SPACED = (
    (re.compile(r"([\{-\~\[-\`\!-\&\(-\+\:-\@\/])"), r" \1 "),  # signs stand alone; blanks part words as they are
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),  # a dot or a comma does, but between digits
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),  # a dash does after a digit
)


class Bleu(NamedTuple):
    """A BLEU score, and what it is made of; the length ratio to an empty reference is None."""

    bleu: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    length_ratio: float | None
    response_tokens: int
    reference_tokens: int


def bleu(response: str, reference: str) -> Bleu:
    """Compute sentence BLEU of a response against one reference; where either text is empty, it is 0."""
    ours, theirs = tokens(response), tokens(reference)
    precisions = tuple(_precision(ours, theirs, size) for size in range(1, ORDER + 1))
    ratio = len(ours) / len(theirs) if theirs else None
    penalty = 0.0
    if ratio:
        penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    mean = math.exp(math.fsum(math.log(each) / ORDER for each in precisions)) if min(precisions) > 0 else 0.0
    return Bleu(mean * penalty, precisions, penalty, ratio, len(ours), len(theirs))


def tokens(text: str) -> list[str]:
    """Tokenise a text as mteval-v13a does."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in _ENTITIES if "&" in text else ():
        text = text.replace(entity, sign)
    text = f" {text} "  # so that a dot at either end has a neighbour
    for pattern, spaced in _SPACED:
        text = pattern.sub(spaced, text)
    return text.split()


def _precision(ours: Sequence[str], theirs: Sequence[str], size: int) -> float:
    mine = ngrams.number(ours, size)
    return ngrams.shared(ours, theirs, size) / mine if mine else 0.0
