"""Lookup of place names in a text by a gazetteer: whole words and phrases, in linear time.

The rule: docs/reliability-rules.md#rules-locality.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from harness.answers.names import COMMON_WORDS, stripped
from harness.answers.prepare import prepare

Span = tuple[int, int]
_RUN = re.compile(r"[^\W_]+")  # the letters and digits of a whole word, which has none before or after it
_BLANKED = bytes(code if chr(code).isalnum() else 32 for code in range(128)) + bytes(128)


@dataclass(frozen=True, slots=True, eq=False)
class Gazetteer:
    """An index of place names; compared and cached by identity, not by content."""

    names: frozenset[str]
    starts: frozenset[str]  # the beginnings of names of several words: after each word except the last
    common: frozenset[str]

    def mentions(self, text: str) -> list[Span]:
        """Return the spans of names, in order, in a text from `plain`; of overlapping names the earlier, longer."""
        names, starts, words = self.names, self.starts, _words(text)
        found: list[Span] = []
        if names.isdisjoint(words) and starts.isdisjoint(words):
            return found
        end = after = 0
        for place in [place for place, word in enumerate(words) if word in names or word in starts]:
            if place < after:
                continue
            word = words[place]
            start, end = _run(word, text, end)
            count, last = self._longest(text, start, end) if word in starts else (0, 0)
            if count:
                end, after = last, place + count
            if count or word in names:
                found.append((start, end))
        return found

    def _longest(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Return the word count and end of the longest name that begins here; 0, 0 if none does."""
        count, longest = 1, (0, 0)
        for run in _RUN.finditer(text, end):
            count += 1
            piece = text[start : run.end()]
            if piece in self.names:
                longest = count, run.end()
            if piece not in self.starts:
                break
        return longest


def gazetteer(names: Iterable[str], common: Iterable[str] | None = None) -> Gazetteer:
    """Build the index of names, once for all responses; without `common`, the shipped list of common words is used.

    OURS: a name extends from its first letter or digit to its last, so that a dot or quote at its ends makes no
    difference.
    """
    ordinary = COMMON_WORDS if common is None else frozenset(word.lower() for word in common)
    known: set[str] = set()
    starts: set[str] = set()
    for name in names:
        if name.isalnum() and name.isascii():
            known.add(name)
            continue
        text = plain(name)
        if runs := [run.span() for run in _RUN.finditer(text)]:
            first = runs[0][0]
            known.add(text[first : runs[-1][1]])
            starts.update(text[first:end] for _, end in runs[:-1])
    return Gazetteer(frozenset(name for name in known if name.lower() not in ordinary), frozenset(starts), ordinary)


def plain(text: str) -> str:
    """Normalise a text for the lookup: prepared, without combining accents, each run of white space as one space."""
    text = stripped(prepare(text))
    if "  " in text or not text.isprintable():  # white space other than a space is not printable
        text = " ".join(text.split())
    return text


def named(name: str) -> str:
    """Normalise a name for a case-insensitive search: from its first letter or digit to its last; may be empty."""
    text = plain(name).lower()
    runs = [run.span() for run in _RUN.finditer(text)]
    return text[runs[0][0] : runs[-1][1]] if runs else ""


def whole(phrase: str, text: str) -> Span | None:
    """Return the span of a phrase from `named` in a text, with no letter or digit next to it, or None."""
    at = text.find(phrase) if phrase else -1
    while at >= 0:
        end = at + len(phrase)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return at, end
        at = text.find(phrase, _end(text, at))
    return None


def _words(text: str) -> list[str]:
    if text.isascii():  # several times faster than a search
        return text.encode().translate(_BLANKED).decode().split()
    return _RUN.findall(text)


def _run(word: str, text: str, start: int) -> Span:
    """Return the next span of a word that is known to follow."""
    at = text.find(word, start)
    while text[at - 1 : at].isalnum() or text[at + len(word) : at + len(word) + 1].isalnum():
        at = text.find(word, _end(text, at))
    return at, at + len(word)


def _end(text: str, at: int) -> int:
    """Return the end of the run of letters and digits at an index; no other word can begin before that end."""
    run = _RUN.match(text, at)
    assert run
    return run.end()
