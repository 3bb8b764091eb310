"""Draws that the kinds of text task of our own share: one of several, a number, an amount, a date, and patterns.

Independent of any one kind.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from harness import seeds

_T = TypeVar("_T")
Drawn = tuple[str, str]  # the text of an instance, and its right answer
FIRST_DAY = datetime.date(1990, 1, 1)
DAYS = 12_000  # dates are drawn from about 33 years
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip  # of our own, since the names of a locale may differ
DATE_SHAPE, CLOCK_SHAPE, AMOUNT_SHAPE = r"\d{4}-\d{2}-\d{2}", r"\b\d{2}:\d{2}\b", r"\d\.\d{2}\b"
NUMBER_SHAPE = r"\b\d+\b"


def one(source: seeds.Stream, choices: Sequence[_T]) -> _T:
    """Draw one of several choices."""
    return choices[seeds.draw_below(source, len(choices))]


def between(source: seeds.Stream, low: int, high: int) -> int:
    """Draw a whole number from low to high, both included."""
    return low + seeds.draw_below(source, high - low + 1)


def numbers(source: seeds.Stream, count: int, low: int, high: int) -> list[int]:
    """Draw different whole numbers from low to high, both included."""
    return seeds.draw_sample(source, range(low, high + 1), count)


def unsorted(source: seeds.Stream, choices: Sequence[_T], count: int) -> list[_T]:
    """Draw some distinct choices in an order that is not ascending, so that sorting them changes something."""
    while True:
        drawn = seeds.draw_sample(source, choices, count)
        if drawn != sorted(drawn):  # type: ignore[type-var]  # words, numbers or times
            return drawn


def date(source: seeds.Stream) -> datetime.date:
    """Draw a calendar date."""
    return FIRST_DAY + datetime.timedelta(days=seeds.draw_below(source, DAYS))


def clock(minutes: int) -> str:
    """Return the time of day so many minutes after midnight."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def amount(cents: int) -> str:
    """Return an amount of money with two decimals."""
    return f"{cents // 100}.{cents % 100:02d}"


def any_of(choices: Iterable[str], cased: bool = False) -> str:
    """Return a regular expression that matches any of some words, in any letter case unless `cased`.

    A word that another one begins with comes after it.
    """
    first: dict[str, list[str]] = {}
    for choice in sorted(set(choices), key=lambda word: (-len(word), word)):
        first.setdefault(choice[0] if cased else choice[0].lower(), []).append(re.escape(choice[1:]))
    parts = "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in sorted(first.items()))
    return rf"\b(?:{parts})\b" if cased else rf"\b(?i:{parts})\b"
