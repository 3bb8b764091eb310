"""ROUGE-1, -2, -L and -Lsum as the package rouge-score computes them, equal to the last bit of a value.

Words and stems are the package's own: its pattern of a word, and its tokenizer if words are stemmed. The counting is
ours, in bits instead of tables. How a text is split into lines for Lsum, and the scale of a printed value, are up to
the study.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from harness.errors import MissingError
from harness.scorers.overlap import ngrams
from harness.scorers.overlap.ngrams import NONE, Overlap

KINDS = ("rouge1", "rouge2", "rougeL", "rougeLsum")


def rouge(response: str, reference: str, kinds: Iterable[str] = KINDS, *, stem: bool = False) -> dict[str, Overlap]:
    """Compute each of `kinds` of ROUGE of a response against a reference, by the kind's name.

    With `stem`, words are compared by their stems. Raises MissingError if rouge-score is not installed.
    """
    cut = package_tokenizer(stem=stem)
    ours, theirs = cut(response), cut(reference)
    counted: dict[str, Callable[[], Overlap]] = {
        "rouge1": lambda: _ngrams(ours, theirs, 1),
        "rouge2": lambda: _ngrams(ours, theirs, 2),
        "rougeL": lambda: _longest(ours, theirs),
        "rougeLsum": lambda: _summary(_lines(response, cut), _lines(reference, cut)),
    }
    return {kind: counted[kind]() for kind in kinds}


@cache
def package_tokenizer(*, stem: bool = False) -> Callable[[str], list[str]]:
    """Return the package's tokenizer, with or without stems; raises MissingError if the package is not installed.

    Without stems, the package's `tokenize` returns the runs of a valid token's characters in the lower-cased text. Here
    the package's own pattern, unanchored, finds them in a quarter of the time of its substitution and split.
    """
    try:
        if stem:
            from rouge_score.tokenizers import DefaultTokenizer  # noqa: PLC0415 - it loads nltk

            stemmed: Callable[[str], list[str]] = DefaultTokenizer(use_stemmer=True).tokenize
            return stemmed
        from rouge_score.tokenize import VALID_TOKEN_PATTERN  # noqa: PLC0415 - an optional dependency
    except ModuleNotFoundError as bad:
        raise MissingError(
            f"ROUGE needs the package rouge-score, and {bad.name} is not installed beside this Python",
            where="rouge",
            next="pip install 'repro-harness[science]'",
        ) from bad
    runs = re.compile(VALID_TOKEN_PATTERN.removeprefix("^").removesuffix("$")).findall
    return lambda text: runs(text.lower())


def _lines(text: str, cut: Callable[[str], list[str]]) -> list[list[str]]:
    return [cut(line) for line in text.split("\n") if line]


def _of(hits: int, ours: int, theirs: int) -> Overlap:
    precision, recall = hits / max(ours, 1), hits / max(theirs, 1)
    both = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / both if both > 0 else 0.0)


def _ngrams(ours: Sequence[str], theirs: Sequence[str], size: int) -> Overlap:
    return _of(
        ngrams.count_shared_ngrams(ours, theirs, size),
        ngrams.count_ngrams(ours, size),
        ngrams.count_ngrams(theirs, size),
    )


def _longest(ours: Sequence[str], theirs: Sequence[str]) -> Overlap:
    if not ours or not theirs:
        return NONE
    return _of(ngrams.common_length(theirs, ours), len(ours), len(theirs))


def _summary(ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> Overlap:
    """For each line of the reference, count the words that any line of the response shares with it, each word once."""
    left, right = (Counter(word for line in lines for word in line) for lines in (ours, theirs))
    sizes = left.total(), right.total()
    if not all(sizes):
        return NONE
    lines = {tuple(line): frozenset(line) for line in ours}  # a repeated line adds nothing to a union
    hits = 0
    for line in theirs:
        where, union = ngrams.word_positions(line), 0
        for other, has in lines.items():
            if not has.isdisjoint(where):
                union |= ngrams.common_positions(where, len(line), other)
        for index, word in enumerate(line):
            if union >> index & 1 and left[word] > 0 and right[word] > 0:
                hits += 1
                left[word] -= 1
                right[word] -= 1
    return _of(hits, *sizes)
