"""Labelling rules for answers to anagrams: correct, avoidant or incorrect, rule set OURS-v1.

The full rules: docs/reliability-rules.md#rules-anagram. A label depends only on the response and the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from harness.answers.prepare import RULE_SET, cue, prepare
from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text

# What an attempt looks like, over the prepared text in lower case.
_TOKEN = re.compile(r"[a-z]+")
_QUOTED = re.compile(r"""["']([a-z]{2,})["']""")
_NAMED = re.compile(
    r"""(?:answer|word|solution|anagram)\s*(?:(?:is|would be|could be)\s*(?:[:=]\s*)?|[:=]\s*)["']?([a-z]+)"""
)
_ARROW = re.compile(r"""(?:->|=>|=)\s*["']?([a-z]+)""")
_UNSCRAMBLES = re.compile(r"""unscrambles? (?:to|into)\s*["']?([a-z]+)""")
_NO_ANSWER = frozenset(
    (
        "a",
        "an",
        "the",
        "not",
        "that",
        "this",
        "it",
        "there",
        "no",
        "yes",
        "unknown",
        "unclear",
        "impossible",
        "i",
        "you",
        "we",
    )
)
_TARGET: Mapping[str, Any] = MappingProxyType({"alternate_used": False})
_ALTERNATE: Mapping[str, Any] = MappingProxyType({"alternate_used": True})
_UNTOLD: Mapping[str, Any] = MappingProxyType({})


def anagram_text(response: str) -> str:
    """Return the text in which an anagram's rules read: prepared, and in lower case."""
    return prepare(response).lower()


@dataclass(frozen=True, slots=True)
class _Reading:
    """A response as the rules read it: prepared, in lower case, its words, the first span of each proposed word."""

    prepared: str
    text: str
    words: frozenset[str]
    put_forward: Mapping[str, tuple[int, int]]


@cached_by_text(32)
def _read(response: str) -> _Reading:
    prepared = prepare(response)
    text = prepared.lower()
    words = _TOKEN.findall(text)
    put_forward: dict[str, tuple[int, int]] = {}
    if len(words) == 1:
        start = text.index(words[0])
        put_forward[words[0]] = start, start + len(words[0])
    else:
        spans = [found.span(1) for pattern in _forms(text) for found in pattern.finditer(text)]
        for start, end in sorted(spans):
            put_forward.setdefault(text[start:end], (start, end))
    return _Reading(prepared, text, frozenset(words), put_forward)


def _forms(text: str) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of an attempt that a text may contain; testing for a sign is much cheaper than a search."""
    if '"' in text or "'" in text:
        yield _QUOTED
    if "word" in text or "answer" in text or "anagram" in text or "solution" in text:
        yield _NAMED
    if "=" in text or "->" in text:
        yield _ARROW
    if "unscramble" in text:
        yield _UNSCRAMBLES


@lru_cache(maxsize=64)  # an item is asked in all its templates one after another
def _solutions(accepted: tuple[str, ...], target: str | None) -> frozenset[str]:
    return frozenset(word.lower() for word in ((*accepted,) if target is None else (*accepted, target)))


def anagram(letters: str, accepted: Iterable[str], response: str, target: str | None = None) -> LabelResult:
    """Label an answer to the anagram `letters`; with `target`, record whether only another accepted word was found.

    `c` if a word that solves the anagram is in the response, `i` if another word is proposed, else `a`. `matched_span`
    is a span in `anagram_text`; the span of a cue is one in the prepared response. These texts differ in length only if
    a letter has no lower-case form of one character.
    """
    solutions = _solutions(tuple(accepted), target)
    seen = _read(response)
    right = solutions & seen.words
    if right:
        return _correct(seen, right, letters.lower(), target)
    if seen.put_forward:
        letters = letters.lower()
        attempts = [word for word in seen.put_forward if word not in _NO_ANSWER and word != letters]
        if attempts:
            span = seen.put_forward[attempts[0]]
            return LabelResult("i", None, RULE_SET, span, truncated(attempts), len(attempts), _more(target))
    subtype, cue_span = cue(seen.prepared)
    return LabelResult("a", subtype, RULE_SET, cue_span, (), 0, _more(target))


def _correct(seen: _Reading, right: frozenset[str], letters: str, target: str | None) -> LabelResult:
    """Return the label `c` with the first right word as evidence, and all possible words as candidates."""
    found: dict[str, tuple[int, int]] = {}
    for token in _TOKEN.finditer(seen.text):
        word = token.group()
        if word in right and word not in found:
            found[word] = token.span()
            if len(found) == len(right):
                break
    places = {word: span for word, span in seen.put_forward.items() if word not in _NO_ANSWER and word != letters}
    places.update(found)
    candidates = sorted(places, key=places.__getitem__)
    alternate = target is not None and target.lower() not in right
    more = _ALTERNATE if alternate else _more(target)
    return LabelResult("c", None, RULE_SET, next(iter(found.values())), truncated(candidates), len(candidates), more)


def _more(target: str | None) -> Mapping[str, Any]:
    """Return the field that no other word was used instead of the target; empty without a target."""
    return _UNTOLD if target is None else _TARGET
