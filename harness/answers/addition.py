"""Labelling rules for answers to sums: correct, avoidant or incorrect, rule set OURS-v1.

The full rules: docs/reliability-rules.md#rules-addition. A label depends only on the response and the two addends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from harness.answers.prepare import RULE_SET, cue, prepare
from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text

_SEPARATOR = re.compile(r"(?<=[0-9])[,_](?=[0-9]{3}(?![0-9]))")
# The token of the rule set; a match that begins with a dot is not a token and is dropped.
_NUMBER = re.compile(r"\.?[0-9]+(?:\.[0-9]+)?")


def addition_text(response: str) -> str:
    """Return the text in which the tokens of a sum are read: prepared, and without thousands separators."""
    text = prepare(response)
    return _SEPARATOR.sub("", text) if "," in text or "_" in text else text


def _compared(token: str) -> str:
    """Normalise a token for comparison: no leading zeros, no all-zero fraction; int() is never used."""
    if "." in token:
        whole, _, fraction = token.partition(".")
        if fraction.strip("0"):
            return f"{whole.lstrip('0') or '0'}.{fraction}"
        token = whole
    return token.lstrip("0") or "0" if token[0] == "0" else token


@dataclass(frozen=True, slots=True)
class _Reading:
    """A response as the rules read it: its text, the first span of each distinct token, the longest token's digits."""

    text: str
    tokens: Mapping[str, tuple[int, int]]
    longest: int


@cached_by_text(32)
def _read(response: str) -> _Reading:
    text = addition_text(response)
    tokens: dict[str, tuple[int, int]] = {}
    for found in _NUMBER.finditer(text):
        token = found.group()
        if token[0] != ".":
            tokens.setdefault(_compared(token), found.span())
    return _Reading(text, tokens, max(map(_digits, tokens), default=0))


def addition(a: str, b: str, response: str) -> LabelResult:
    """Label an answer to `a + b`, the addends as decimal strings.

    `c` if it contains the sum; `a` if it contains no number except the addends, or a cue of avoidance and no number
    about as long as an addend; else `i`.
    """
    a, b = a.lstrip("0") or "0", b.lstrip("0") or "0"
    total = str(int(a) + int(b))
    seen = _read(response)
    tokens = seen.tokens
    count = len(tokens) - len({a, b} & tokens.keys())
    kept = truncated(token for token in tokens if token not in (a, b))
    if total in tokens:
        return LabelResult("c", None, RULE_SET, tokens[total], kept, count)
    # A refusal may hold numbers ("30 digits"); only one about as long as an addend is an attempt.
    attempt, least = None, max(len(a), len(b)) - 1
    if count and seen.longest >= least:
        attempt = next((token for token in tokens if token not in (a, b) and _digits(token) >= least), None)
    if attempt is None:
        subtype, span = cue(seen.text)
        if not count or span:
            return LabelResult("a", subtype, RULE_SET, span, kept, count)
        attempt = next(token for token in tokens if token not in (a, b))
    return LabelResult("i", None, RULE_SET, tokens[attempt], kept, count)


def _digits(token: str) -> int:
    """Count the digits of a compared token; OURS: those of a fraction count too."""
    return len(token) - ("." in token)
