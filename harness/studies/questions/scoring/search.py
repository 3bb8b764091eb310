"""A search by a foreign regular expression in a hostile text, bounded: by what is searched, and by a clock at last.

Patterns that can take exponential time are refused before. One whose time grows with a power of the text can still
run long: then there is no match and no mismatch, but `None`. The package `regex` searches, since it alone stops by a
clock; what it reads otherwise than Python's own `re` is refused too, but for what belongs to words: to it marks of a
script do, and raised digits do not. It must never know what a match is worth.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from harness.errors import MissingError
from harness.scorers.outcome.regex_safety import endless

LONGEST = 200_000  # characters of a text that is searched; what is longer has no score
SECONDS = 2.0  # of computing, as the package counts them: a busy machine does not make it less
LARGEST = 20_000  # parts of a pattern, each as often as a count such as {3,5} says: the package writes them out
_FUZZY = re.compile(r"\{(?![0-9]*,?[0-9]*\})|\{,?\}")  # `(?:a){e<2}` is an edit distance to `regex`, to `re` a text
_REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_SET = re.compile(r"\[\^?\]?[^\]]*\]")


TOO_LONG = f"a text is longer than {LONGEST:,} characters"
OUT_OF_TIME = f"the search took longer than {SECONDS:g} seconds"


class UnsearchedError(Exception):
    """There is no saying whether a pattern is found in a text, and why: no score can be made of it."""


def refused(pattern: str) -> str:
    """Give the reason why a pattern is refused: it may run for ever, or mean two things; empty where it may be used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return endless(pattern) or _differs(pattern)


def _differs(pattern: str) -> str:
    bare = _ESCAPED.sub("", pattern)
    if _FUZZY.search(_SET.sub("", bare)):
        return "a brace that is no count of repeats is written `\\{`"
    if "[:" in bare:
        return "write `[\\:` where a colon begins a set: classes such as [:alpha:] are not known"
    if _size(parser.parse(pattern)) > LARGEST:
        return f"its counts of repeats make more than {LARGEST:,} parts of it"
    try:
        _compiled(pattern)
    except ValueError as bad:
        return f"this regular expression is not plain: {str(bad)[:100]}"
    return ""


def _size(part: Any) -> int:
    """Count the parts of a pattern, those in a repeat as often as its counts say."""
    if isinstance(part, tuple) and len(part) == 2 and part[0] in _REPEATS:
        least, most, inner = part[1]
        return (1 + _size(inner)) * max(1, int(least if most is signs.MAXREPEAT else most))
    if isinstance(part, list | tuple | parser.SubPattern):
        return 1 + sum(map(_size, part))
    return 0


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    try:
        import regex  # noqa: PLC0415 - heavy, and few studies search
    except ImportError as bad:
        raise MissingError(
            "the package regex, which stops a search by a clock, is not installed",
            where=f"the pattern {pattern[:60]!r}",
            next="install regex, which the extra `science` of the harness brings along",
        ) from bad
    try:
        return regex.compile(pattern, regex.VERSION0)
    except regex.error as bad:
        raise ValueError(str(bad)) from bad


def is_found(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text; UnsearchedError where that cannot be said."""
    if len(text) > LONGEST:
        raise UnsearchedError(TOO_LONG)
    found = find(pattern, text, "first", 0)
    if found is None:
        raise UnsearchedError(OUT_OF_TIME)
    return bool(found)


def groups(pattern: str) -> int:
    """Count the groups of a pattern."""
    return int(_compiled(pattern).groups)


def find(pattern: str, text: str, take: str, group: int) -> list[str] | None:
    """Find the `first` or `last` match of a pattern: its group in a list, an empty list, or None if time ran out.

    A group that took no part in the match is an empty text.
    """
    compiled, last = _compiled(pattern), None
    try:
        for found in compiled.finditer(text, timeout=SECONDS):
            last = found
            if take == "first":
                break
    except TimeoutError:
        return None
    return [] if last is None else [last[group] or ""]
