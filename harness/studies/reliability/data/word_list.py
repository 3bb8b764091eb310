"""Readers of word lists: files of words (and counts), and the package wordfreq if no file is given.

Independent of how the words are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.errors import InputError, MissingError

_DIGITS = 18  # a number with more digits is not a count of words


def counts(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (word, count) from each line of a word-frequency file, separated by tab or comma; may have a header.

    Raises InputError for any other line in another form.
    """
    for number, line in lines(path, "words"):
        word, _, count = line.replace(",", "\t").rpartition("\t")
        if count.isascii() and count.isdigit() and len(count) <= _DIGITS:
            yield word, int(count)
        elif number > 1:
            raise InputError(
                "a line of the word list is not a word and its count",
                where=f"words, line {number}",
                next="give lines such as `word<tab>count` or `word,count`",
            )


def lines(path: Path, name: str) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of each line of a file that is not blank; raise InputError if the file is not UTF-8."""
    number = 0
    try:
        with open(path, encoding="utf-8-sig") as given:
            for number, line in enumerate(given, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as bad:
        raise InputError(
            "the file is not UTF-8", where=f"{name}, after line {number}", next="save the list as UTF-8 text"
        ) from bad


def wordfreq(dataset: str) -> Any:
    """Import and return the package wordfreq; raise MissingError with advice if it is not installed."""
    try:
        import wordfreq as package  # noqa: PLC0415 - a package of data, read only if no list is given
    except ImportError as bad:
        raise MissingError(
            "the package wordfreq is not installed",
            where=f"dataset {dataset}",
            next="install this project with [science], or give a `words` file",
        ) from bad
    return package
