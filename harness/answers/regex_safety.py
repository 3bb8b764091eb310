"""ReDoS check of an untrusted regular expression: refused if matching could take exponential time.

A pattern whose time grows with a power of the text's length passes (`.*a.*b`), so the caller must bound the text.
"""

from __future__ import annotations

import re
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from harness.texts import is_possessive

LONGEST = 2_000
FEW = 4  # a part that itself repeats may occur this often, for then the work grows only by powers
_REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT)


def refusal(pattern: str) -> str:
    """Return why a pattern for `re` is refused: the reason of `endless`, or that Python versions read it differently.

    Empty if the pattern is accepted.
    """
    if why := endless(pattern):
        return why
    return "some Pythons misread a possessive repeat or an atomic group" if is_possessive(pattern) else ""


def endless(pattern: str) -> str:
    """Return why a pattern is refused; empty if it may be used. A pattern of over 2,000 characters is refused.

    Many repeats around another repeat, or around a choice, can take time that doubles with each character.
    """
    if len(pattern) > LONGEST:
        return f"a pattern is at most {LONGEST} characters long"
    try:
        tree = parser.parse(pattern)
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return "this is no regular expression"
    return "a repeat stands around another repeat or a choice, which may run for ever" if _nested(tree, False) else ""


def _nested(tree: Any, repeated: bool) -> bool:
    for sign, value in tree:
        if repeated and (sign is signs.BRANCH or (sign in _REPEATS and value[0] != value[1] and value[1] > 1)):
            return True
        if sign in _REPEATS:
            if _nested(value[2], repeated or value[1] > FEW):
                return True
        elif any(_nested(part, repeated) for part in _inside(value)):
            return True
    return False


def _inside(value: Any) -> list[Any]:
    """Return the patterns within a part of a pattern: of a group, a choice, a lookahead or lookbehind."""
    if isinstance(value, parser.SubPattern):
        return [value]
    if isinstance(value, list | tuple):
        return [each for part in value for each in _inside(part)]
    return []
