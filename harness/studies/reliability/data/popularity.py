"""How often a name is met in English text: the popularity of a city for f_pop (reliability 2, OURS).

It knows words and counts; it must never know where a city lies or how many live in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from harness.errors import InputError, MissingError

Popularity = Callable[[str], int]
_DIGITS = 18  # a count that has more would be no count of words


def popularity(inputs: Mapping[str, Path]) -> Popularity:
    """Give pop(name) = 1 + the count of the lower-case name in the list given, or in a thousand million words."""
    if "words" in inputs:
        counts = dict(_counts(inputs["words"]))
        return lambda name: 1 + counts.get(name.lower(), 0)
    try:
        from wordfreq import word_frequency  # noqa: PLC0415 - a package of data, read only where no list is given
    except ImportError as bad:
        raise MissingError(
            "the package wordfreq is not installed",
            where="dataset locality",
            next="install this project with [science], or give a `words` file",
        ) from bad
    return lambda name: 1 + round(1e9 * word_frequency(name.lower(), "en"))


def f_pop(city: int, target: int) -> float:
    """Give the difficulty of an instance from the popularities of both cities: less popular is harder."""
    return -math.log10(math.sqrt(city * target))


def _counts(path: Path) -> Iterator[tuple[str, int]]:
    """Read lines of a word and its count, apart by a tab or a comma; the first line may name the columns."""
    number = 0
    try:
        with open(path, encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                word, _, count = line.rstrip("\r\n").replace(",", "\t").rpartition("\t")
                if count.isascii() and count.isdigit() and len(count) <= _DIGITS:
                    yield word.lower(), int(count)
                elif number > 1 and line.strip():
                    raise InputError(
                        "a line of the word list is not a word and its count",
                        where=f"words, line {number}",
                        next="give lines such as `word<tab>count` or `word,count`",
                    )
    except UnicodeDecodeError as bad:
        raise InputError("the file is not UTF-8", where=f"words, after line {number}", next="save it as UTF-8") from bad
