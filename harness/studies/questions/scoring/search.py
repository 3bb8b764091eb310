"""Search with a user's regular expression in an untrusted text, limited by the text's length and by a timeout.

Patterns that can take exponential time are rejected in advance. A pattern that takes polynomial time can still run
long; the result is then `None`, neither a match nor a mismatch. The package `regex` is used, since Python's own `re`
has no timeout. Patterns that `regex` reads differently from `re` are rejected too. The one difference that remains is
what counts as part of a word: for `regex`, combining marks do and superscript digits do not. Independent of how matches
are scored.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from harness.answers.regex_safety import endless
from harness.errors import MissingError

LONGEST = 200_000  # characters of a text; a longer one is not searched and has no score
SECONDS = 2.0  # of computing time, as the package counts it; independent of other load on the machine
LARGEST = 20_000  # parts of a pattern, counted with repeats such as {3,5}, which the package expands
_FUZZY = re.compile(r"\{(?![0-9]*,?[0-9]*\})|\{,?\}")  # `(?:a){e<2}`: an edit distance in `regex`, a text in `re`
_REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_SET = re.compile(r"\[\^?\]?[^\]]*\]")


TOO_LONG = f"a text is longer than {LONGEST:,} characters"
OUT_OF_TIME = f"the search took longer than {SECONDS:g} seconds"


class UnsearchedError(Exception):
    """A regular expression that could not be searched in a text, so that there is no score; the message says why."""


def refused(pattern: str) -> str:
    """Return the reason why a regular expression is not allowed, or an empty text if it is.

    A pattern is rejected if it may run forever, or if `re` and `regex` may read it differently.
    """
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
    """Count the parts of a pattern; a repeated part counts as often as it may be repeated."""
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
    """Whether a regular expression matches somewhere in a text; raises UnsearchedError if that is unknown."""
    if len(text) > LONGEST:
        raise UnsearchedError(TOO_LONG)
    found = find(pattern, text, "first", 0)
    if found is None:
        raise UnsearchedError(OUT_OF_TIME)
    return bool(found)


def groups(pattern: str) -> int:
    """Return the number of capturing groups of a regular expression."""
    return int(_compiled(pattern).groups)


def find(pattern: str, text: str, take: str, group: int) -> list[str] | None:
    """Return the `first` or `last` match of a regular expression as [group], [] without one, None if time ran out.

    A group that did not take part in the match is an empty text.
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
