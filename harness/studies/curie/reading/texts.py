"""Texts in the form in which facts are compared, without differences in spelling (rule F0).

Independent of the field that a text is from. Does not compare texts.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

MOST = 20_000  # characters of one text that are compared; OURS
KEPT = "%‰"  # punctuation that carries meaning
_FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)(?:```|\Z)", re.MULTILINE | re.DOTALL)


def norm(text: str) -> str:
    """Return a text's NFKC form, HTML decoded, case folded, white space collapsed, outer punctuation removed (F0).

    A minus before a digit and percent signs stay; a lone surrogate becomes a question mark.
    """
    plain = unicodedata.normalize("NFKC", html.unescape(encodable(text[:MOST]))).casefold()
    plain = " ".join(plain.split())
    start, end = 0, len(plain)
    while start < end and _is_outer(plain[start]) and not _is_sign(plain, start):
        start += 1
    while end > start and _is_outer(plain[end - 1]):
        end -= 1
    return plain[start:end]


def _is_outer(letter: str) -> bool:
    return letter == " " or (unicodedata.category(letter)[0] == "P" and letter not in KEPT)


def _is_sign(text: str, place: int) -> bool:
    return text[place] == "-" and text[place + 1 : place + 2].isdigit()


def encodable(text: str) -> str:
    """Return a text that UTF-8 can hold: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def leaves(value: Any, *, numbers: bool = True) -> Iterator[str]:
    """Yield the strings of a JSON value in order, and its numbers as texts; blank texts, null and NaN are left out."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting.extend(reversed(list(one.values())))
        elif isinstance(one, list | tuple):
            waiting.extend(reversed(one))
        elif isinstance(one, str):
            if one.strip():
                yield one
        elif numbers and one is not None and not (isinstance(one, float) and math.isnan(one)):
            yield spelled(one)


def spelled(value: float | bool) -> str:
    """Return a number or a truth value as JSON spells it; `long` for an integer that is too long to convert."""
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return str(value)
    except ValueError:  # more digits than Python converts
        return "long"


def fenced(text: str) -> list[str]:
    """Return the contents of a text's code fences in order; a fence that is not closed runs to the end."""
    return _FENCED.findall(text)
