"""Texts as scorers compare them: targets, normal forms, and the finding that a rule gives back.

An answer is hostile: everything here takes time in proportion to it. It must never know a model or a step.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping
from typing import Any

from harness.digest import sha256
from harness.rowtypes import Found, Missing
from harness.scorers.prepare import prepare

SHOWN = 200  # characters of what a scorer read that a row keeps
DIGEST = 16  # and signs of the digest of all of it
_ARTICLE = re.compile(r"(?i)\b(?:a|an|the)\b\s?")
_ASCII_SIGNS = frozenset(string.punctuation)
_MINUS = re.compile(r"(?<![^\W_])[\u2010\u2013\u2212](?=[$\u20ac\u00a3\u00a5]?\.?\d)")  # of other shapes than ASCII's
_NEGATIVE = re.compile(r"-[$\u20ac\u00a3\u00a5]?\.?\d")
_BETWEEN_DIGITS = frozenset(".,:/")  # part of a number, a date or a time
_UNSPACED = 0x2E80  # from here on stand scripts that put no blank between words


def targets(gold: Mapping[str, Any]) -> list[str]:
    """List the right answers of an item's gold: its target, and what else is accepted."""
    target = gold.get("target")
    return [str(one) for one in ([] if target is None else [target]) + list(gold.get("accepted") or [])]


def finding(value: float | Missing, answer: str | None, **detail: Any) -> Found:
    """Give a rule's finding, with what it read of the answer (None: nothing), and whatever else it tells."""
    return {"value": value, "detail": {"answer": None if answer is None else _read(answer), **detail}}


def without(reason: str) -> Found:
    """Give the finding of a rule that has no value, with the reason."""
    return finding({"missing": reason}, None)


def _read(text: str) -> str:
    """Cut what was read to what a row keeps; of a longer one also a digest, so that a majority votes on all of it."""
    if len(text) <= SHOWN:
        return shown(text)
    return f"{shown(text)} sha256 {sha256(text.encode('utf-8', 'surrogatepass'))[:DIGEST]}"


def shown(text: str) -> str:
    """Cut a text to what a row keeps of it; half a character, which fits in no file, becomes a question mark."""
    kept = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    return kept if kept.isascii() else kept.encode("utf-8", "replace").decode()


def normalised(text: str, *, case: bool, space: bool, punctuation: bool, articles: bool) -> str:
    """Normalise a text: whatever of the four is true makes no difference afterwards.

    Signs inside of numbers, and a minus before one, whatever its shape, are no punctuation.
    """
    text = prepare(text)
    if not text.isascii():
        text = _MINUS.sub("-", text)
    if case:
        text = text.casefold()
    if punctuation:
        text = "".join(char for at, char in enumerate(text) if char.isalnum() or not _punctuation(text, at))
    if articles:
        text = _ARTICLE.sub("", text)
    return " ".join(text.split()) if space else text.strip()


def _punctuation(text: str, at: int) -> bool:
    char = text[at]
    if char not in _ASCII_SIGNS and unicodedata.category(char)[0] != "P":
        return False
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if char in _BETWEEN_DIGITS and before.isdecimal():
        return not after.isdecimal()
    if char == "-":
        return before.isalnum() or not _NEGATIVE.match(text, at)
    return not (char == "." and after.isdecimal()) or before.isalnum()


def stands(part: str, text: str, where: str) -> bool:
    """Whether a part is the `whole` text, or stands at its `begin`, its `end` or anywhere `within`, in whole words."""
    if where == "whole" or not part:
        return part == text
    if where == "begin":
        return text.startswith(part) and _edge(part[-1], text[len(part) : len(part) + 1])
    if where == "end":
        return text.endswith(part) and _edge(part[0], text[: len(text) - len(part)][-1:])
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        if _edge(part[0], text[at - 1 : at] if at else "") and _edge(part[-1], text[end : end + 1]):
            return True
        at = text.find(part, at + 1)
    return False


def _edge(inside: str, outside: str) -> bool:
    """Whether a word ends between two signs."""
    if not (inside.isalnum() and outside.isalnum()):
        return True
    return ord(inside) >= _UNSPACED or ord(outside) >= _UNSPACED
