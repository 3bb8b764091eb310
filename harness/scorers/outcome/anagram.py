"""Labelling rules for answers to anagrams: correct, avoidant or incorrect, rule set OURS-v1.

In full: docs/reliability-rules.md#rules-anagram. It knows one response and what was asked; it must never know a model,
a prompt, a file or another response.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from harness.scorers.outcome.result import LabelResult, truncated
from harness.scorers.prepare import RULE_SET, cue, prepare
from harness.scorers.text_cache import cached_by_text

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
    """Give the text in which an anagram's rules read: prepared, and in lower case."""
    return prepare(response).lower()


@dataclass(frozen=True, slots=True)
class _Reading:
    """A response as the rules see it: prepared, in lower case, its words, the first place of each one put forward."""

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
    """Give the forms of an attempt that a text can hold; looking for a sign is far cheaper than for a form."""
    if '"' in text or "'" in text:
        yield _QUOTED
    if "word" in text or "answer" in text or "anagram" in text or "solution" in text:
        yield _NAMED
    if "=" in text or "->" in text:
        yield _ARROW
    if "unscramble" in text:
        yield _UNSCRAMBLES


@lru_cache(maxsize=64)  # an item is asked in all its wordings one after another
def _solutions(accepted: tuple[str, ...], target: str | None) -> frozenset[str]:
    return frozenset(word.lower() for word in ((*accepted,) if target is None else (*accepted, target)))


def anagram(letters: str, accepted: Iterable[str], response: str, target: str | None = None) -> LabelResult:
    """Label an answer to the anagram `letters`; with `target`, say whether only another accepted word was found.

    `c` where a word that solves it stands in the response, `i` where another word is put forward, else `a`.

    `matched_span` lies in `anagram_text`, that of a cue in the prepared response; these differ in length only where
    a letter has no small one of its own.
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
    """Give the first right word as what decided, and every word it could have been read as."""
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
    """Say that no other word was taken for the target; without a target nothing can be said of it."""
    return _UNTOLD if target is None else _TARGET
