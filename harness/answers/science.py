"""Labelling rules for multiple-choice answers: correct, avoidant or incorrect, rule set OURS-v1.

The full rules: docs/reliability-rules.md#rules-science. A label depends only on the response, the options and the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import count, islice

from harness.answers.prepare import RULE_SET, cue, prepare
from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text

LETTERS = "ABCD"
_MARKS = {ord(mark): None for mark in "*`"}
_WHOLE = re.compile(r"[(\[{]?([A-D])[)\]}]?[.:)]?")
_SAID = re.compile(
    r"\b(?:[Aa]nswer|ANSWER|[Oo]ption|[Cc]hoice)\b(?:\s+(?:is|would be|should be))?\s*(?:[:=]\s*)?"
    r"[\(\[\"']?([A-D])(?![A-Za-z])"
)
_SAYS = ("nswer", "NSWER", "ption", "hoice")
_FIRST = re.compile(r"([A-D])(?:[)\].:,\r\n]|\Z)")
_BRACKETED = re.compile(r"\(([A-D])\)|\[([A-D])\]|\{([A-D])\}")
_FLANKS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")
_FINDS = 16  # positions tried one by one before the marked search, which keeps hostile repetition linear

Span = tuple[int, int]
_Letters = tuple[str | None, Span | None, int | None, tuple[str, ...]]  # letter, span, rule, letters seen


@cached_by_text(256)
def science_text(response: str) -> str:
    """Return the text in which an answer's letter is searched: prepared, and without the marks of bold and code."""
    text = prepare(response)
    return text.translate(_MARKS).strip() if "*" in text or "`" in text else text


def folded(text: str) -> str:
    """Fold a text for the search of an option's words: case-folded, each run of white space as one space."""
    return " ".join(text.casefold().split())


def science(options: Mapping[str, str], key: str, response: str) -> LabelResult:
    """Label an answer to a question with four options: `c` if it picks `key`, `i` if another one, `a` if no single one.

    In the result's `more`, `rule` is the number (1 to 5) of the rule that found the letter, or None.
    """
    text = science_text(response)
    letter, span, rule, seen = _letter(text)
    if letter is None:
        places = _places(tuple(options.items()), folded(text))
        if len(places) == 1:
            [(letter, span)] = places.items()
            rule, seen = 5, (letter,)
        else:
            seen = tuple(dict.fromkeys((*seen, *places)))
    if letter is None:
        subtype, at = cue(text)
        return LabelResult("a", subtype, RULE_SET, at, truncated(seen), len(seen), {"rule": None})
    return LabelResult("c" if letter == key else "i", None, RULE_SET, span, seen, len(seen), {"rule": rule})


@cached_by_text(256)
def _letter(text: str) -> _Letters:
    """Apply the rules that do not use the options; the first rule that finds a letter decides."""
    if len(text) <= 4 and (whole := _WHOLE.fullmatch(text)):
        return whole.group(1), whole.span(1), 1, (whole.group(1),)
    if any(word in text for word in _SAYS):
        said = list(_SAID.finditer(text))
        if said:
            return said[-1].group(1), said[-1].span(1), 2, _distinct(each.group(1) for each in said)
    if first := _FIRST.match(text):
        return first.group(1), first.span(1), 3, (first.group(1),)
    if "(" in text or "[" in text or "{" in text:
        bracketed = list(_BRACKETED.finditer(text))
        letters = _distinct(each.group()[1] for each in bracketed)
        if len(letters) == 1:
            return letters[0], bracketed[0].span(), 4, letters
        return None, None, None, letters
    return None, None, None, ()


def _distinct(letters: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(letters))


def _places(options: tuple[tuple[str, str], ...], text: str) -> dict[str, Span]:
    """Return the options whose text is in a folded text, except those that are part of another one found."""
    found: dict[str, tuple[str, Span]] = {}
    for letter, option in _folded_options(options):
        if span := _place(option, text):
            found[letter] = option, span
    return {
        letter: span
        for letter, (option, span) in found.items()
        if not any(other != option and _place(option, other) for other, _ in found.values())
    }


@lru_cache(maxsize=4096)
def _folded_options(options: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((letter, spelled) for letter, text in options if (spelled := folded(science_text(text))))


def _place(part: str, text: str) -> Span | None:
    """Return the span of a part of a text with no character of [0-9a-z] next to it, or None."""
    at = text.find(part)
    for _ in range(_FINDS):
        if at < 0:
            return None
        end = at + len(part)
        if not _touches(text[at - 1 : at]) and not _touches(text[end : end + 1]):
            return at, end
        at = text.find(part, at + 1)
    return None if at < 0 else _marked_place(part, text)


def _touches(char: str) -> bool:
    return char in _FLANKS


def _marked_place(part: str, text: str) -> Span | None:
    """Return the same span as `_place` in one pass, by a search in texts with marks around all other characters."""
    signs = {*part, *text, " "} - _FLANKS
    before, after = islice((mark for mark in map(chr, count(0xE000)) if mark not in signs), 2)
    table = {ord(sign): f"{before}{sign}{after}" for sign in signs}
    marked = f" {text} ".translate(table)
    at = marked.find(f"{after}{part.translate(table)}{before}")
    if at < 0:
        return None
    start = at - marked.count(after, 0, at) - marked.count(before, 0, at) - 1
    return start, start + len(part)
