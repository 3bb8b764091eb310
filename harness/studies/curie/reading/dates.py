"""Convert days, months and years in common spellings to ISO texts of the same precision.

OURS. A day such as 03/04/2001, which two countries read differently, stays unchanged. Independent of the field that
holds the date.
"""

from __future__ import annotations

import re
from datetime import date

from harness.studies.curie.reading.texts import norm

LAST_OF_NEXT = 49  # for years of two digits: 49 is 2049, 50 is 1950
_NAMES = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTHS = {name[:length]: at for at, name in enumerate(_NAMES, 1) for length in (3, 4, len(name))}
_NUMBERS = re.compile(r"(\d{4}|\d{1,2})(?:[-/.](\d{1,2})(?:[-/.](\d{4}|\d{1,2}))?)?(?:t[\d:.+z-]*| [\d:]+)?", re.ASCII)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_WORDS = re.compile(rf"(?:{_DAY}\.? (?:of )?)?([a-z]{{3,9}})\.?(?: {_DAY})?,? (\d{{4}})", re.ASCII)


def iso(text: str) -> str:
    """Return a date as YYYY-MM-DD, YYYY-MM or YYYY; a text that is not a date in its normal form (F0)."""
    plain = norm(text)
    if found := _NUMBERS.fullmatch(plain):
        return _of_numbers(*found.groups()) or plain
    if found := _WORDS.fullmatch(plain):
        before, month, after, year = found.groups()
        return _spelled(year, str(_MONTHS.get(month, 0)), before or after) or plain
    return plain


def _of_numbers(first: str, second: str | None, third: str | None) -> str:
    if len(first) == 4:
        return _spelled(first, second, third)
    if second is None or third is None:
        return ""
    if len(third) == 4:  # a day and a month, if only one order is possible
        orders = {_spelled(third, month, day) for month, day in ((first, second), (second, first))} - {""}
        return orders.pop() if len(orders) == 1 else ""
    return _spelled(str(int(first) + (2000 if int(first) <= LAST_OF_NEXT else 1900)), second, third)


def _spelled(year: str, month: str | None, day: str | None) -> str:
    """Return a valid day, month or year in ISO form; empty for any other."""
    try:
        whole = date(int(year), int(month or 1), int(day or 1)).isoformat()
    except ValueError:
        return ""
    return whole if day else whole[:7] if month else whole[:4]
