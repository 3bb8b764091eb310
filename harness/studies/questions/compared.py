"""Text comparison for scorers: targets, normal forms, and the finding that a rule returns.

Answers are untrusted input, so every function here takes time proportional to their length. Independent of models and
steps.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping
from typing import Any

from harness.answers.prepare import prepare
from harness.digest import sha256
from harness.rowtypes import Found, Missing

SHOWN = 200  # characters that a row keeps of the text that a scorer read
DIGEST = 16  # characters of the digest of the whole text
_ARTICLE = re.compile(r"(?i)\b(?:a|an|the)\b\s?")
_ASCII_SIGNS = frozenset(string.punctuation)
_MINUS = re.compile(r"(?<![^\W_])[\u2010\u2013\u2212](?=[$\u20ac\u00a3\u00a5]?\.?\d)")  # other shapes than ASCII's
_NEGATIVE = re.compile(r"-[$\u20ac\u00a3\u00a5]?\.?\d")
_BETWEEN_DIGITS = frozenset(".,:/")  # part of a number, a date or a time
_UNSPACED = 0x2E80  # scripts from this code point on put no space between words


def targets(gold: Mapping[str, Any]) -> list[str]:
    """Return the right answers in an item's gold: its target and the further accepted answers."""
    target = gold.get("target")
    return [str(one) for one in ([] if target is None else [target]) + list(gold.get("accepted") or [])]


def finding(value: float | Missing, answer: str | None, **detail: Any) -> Found:
    """Return a scoring rule's result: its value, the text that it read from the answer (None: nothing), and details."""
    return {"value": value, "detail": {"answer": None if answer is None else _read(answer), **detail}}


def without(reason: str) -> Found:
    """Return the result of a scoring rule that has no value, with the reason."""
    return finding({"missing": reason}, None)


def _read(text: str) -> str:
    """Cut a text that was read to the length that a row keeps.

    A digest of the whole text follows one that is cut, so that majority votes compare whole texts.
    """
    if len(text) <= SHOWN:
        return shown(text)
    return f"{shown(text)} sha256 {sha256(text.encode('utf-8', 'surrogatepass'))[:DIGEST]}"


def shown(text: str) -> str:
    """Cut a text to the length that a score row keeps; lone surrogates, which cannot be encoded, become `?`."""
    kept = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    return kept if kept.isascii() else kept.encode("utf-8", "replace").decode()


def normalised(text: str, *, case: bool, space: bool, punctuation: bool, articles: bool) -> str:
    """Normalise a text: remove the differences (case, space, punctuation, articles) whose flag is true.

    Punctuation inside numbers and a minus before a number, whatever its shape, are kept.
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
    """Whether a text equals the `whole` answer, or occurs as whole words at its `begin`, at its `end` or `within` it.

    An empty part counts only if the text is empty, too.
    """
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
    """Whether there is a word boundary between two characters."""
    if not (inside.isalnum() and outside.isalnum()):
        return True
    return ord(inside) >= _UNSPACED or ord(outside) >= _UNSPACED
