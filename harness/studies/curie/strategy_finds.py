"""What the cheap strategies find in a document without understanding: numbers, formulas, names, days, addresses.

Uses patterns only, on the beginning of a document, and keeps a limited number of finds of each kind. Sees no gold
answers, models or scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

SEEN = 200_000  # characters of a document that are looked at
MOST = 100  # finds of each kind

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_QUANTITY = re.compile(r"(?<![\w.])(-?\d{1,9}(?:\.\d{1,9})?)[ \u00a0]?([A-Za-zÅµμ°%Ω][A-Za-zÅµμ°Ω/^0-9²³⁻¹·-]{0,11})")
_FORMULA = re.compile(r"\b(?:[A-Z][a-z]?\d{0,3}){1,8}\b")
_ADDRESS = re.compile(r"https?://[^\s<>()\"']{3,300}")
_DAY = re.compile(rf"\b(?:\d{{4}}-\d\d-\d\d|\d{{1,2}} {_MONTH} \d{{4}})\b")
_NAME = re.compile(r"\b[A-Z][\w.-]{1,30}(?: [A-Z][\w.-]{1,30}){0,4}")
_PARAMETERS = re.compile(r"\[\[[^\[\]\n]{1,40}\]\]|\(\([^()\n]{1,40}\)\)")
_CITED = re.compile(r"\b(?:arXiv|doi):[^\s{}\[\],;]{3,60}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundQuantity:
    """A number with the unit that follows it, and the words and the formula before it."""

    number: str
    unit: str
    before: str
    formula: str


@dataclass(frozen=True, slots=True)
class Finds:
    """The quantities, formulas and other terms that patterns find in a document, each once, in order."""

    quantities: tuple[FoundQuantity, ...]
    formulas: tuple[str, ...]
    addresses: tuple[str, ...]
    days: tuple[str, ...]
    names: tuple[str, ...]
    parameters: tuple[str, ...]
    citations: tuple[str, ...]
    equations: tuple[str, ...]


@lru_cache(4)
def finds(document: str) -> Finds:
    """Find by patterns all quantities, formulas and terms in a document that could be part of an answer."""
    text = document[:SEEN]
    return Finds(
        _quantities(text),
        _once(each for each in _FORMULA.findall(text) if _is_formula(each)),
        _once(each.rstrip(".,;") for each in _ADDRESS.findall(text)),
        _once(_DAY.findall(text)),
        _once(_NAME.findall(text)),
        _once(_PARAMETERS.findall(text)),
        _once(each.rstrip(".") for each in _CITED.findall(text)),
        _once(_equations(text)),
    )


def _once(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:MOST]


def _is_formula(word: str) -> bool:
    """Whether a word looks like a formula; an abbreviation, which has no digits or small letters, does not."""
    return (
        len(word) > 1
        and any(letter.isdigit() or letter.islower() for letter in word)
        and sum(letter.isupper() for letter in word) > 1
    )


def _quantities(text: str) -> tuple[FoundQuantity, ...]:
    found = []
    for match in _QUANTITY.finditer(text):
        words = text[max(0, match.start() - 80) : match.start()].split()
        formula = next((word for word in reversed(words) if _FORMULA.fullmatch(word) and _is_formula(word)), "")
        found.append(FoundQuantity(match[1], match[2].rstrip("-"), " ".join(words[-4:]), formula))
        if len(found) == MOST:
            break
    return tuple(found)


def _equations(text: str) -> list[str]:
    """Return the texts between dollar signs, then all other lines with an equals sign."""
    pieces = text.split("$")
    marked = [piece.strip() for piece in pieces[1:-1:2] if piece.strip() and len(piece) <= 2000]
    plain = [line.strip() for line in text.splitlines() if "=" in line and "$" not in line and len(line) <= 2000]
    return [*marked, *plain]
