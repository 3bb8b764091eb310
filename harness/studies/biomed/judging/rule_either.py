"""Find values that a response leaves open: "1999 or 2001", "1999 (or 2001)", "between 4 and 6"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from harness.studies.biomed.reading.mentions import ROMAN

_REACH = 60  # letters beside a value in which another one is looked for
_BETWEEN = (
    r"(?:in|at|on|of|is|was|it|be|it is|it was|the|year|years|phase|phases|chromosome|chr|position|allele|gene|snp|drug"
    r"|around|about|even|maybe|possibly|perhaps|also|else|p|p-value|p\s?=|=|approximately|(?:chr)?\d{1,2}:|[,;:('~])"
)
_GUESS = (
    r"(?:or|if (?:it|that)(?:'s| is)(?:n't| not)|if not|unless (?:it|that)(?:'s| is)|alternatively|maybe|possibly"
    r"|perhaps|might|may|could)"
)
_OR = re.compile(
    rf"^['\")%\s]*(?:bp\s)?(?:,? i (?:would |'d )?(?:say|think|believe|guess)\b)?(?:[,;(]\s?)*(?:it |this "
    rf"|that )?\b{_GUESS}\b\s*(?:{_BETWEEN}\s*){{0,5}}$"
)
_TO = re.compile(r"^\s*(?:\b(?:and|to)\b|-|/)\s*(?:in\s)?$")
_RANGE = re.compile(r"\b(?:between|from|either|anywhere in|somewhere in|range of)\W+(?:in |the |phase |chromosome )?$")
_SIGN: dict[str, str] = {
    "year": r"(?<![\w.,])(?:19|20)\d\d(?!\w|,\d|\.\d)",
    "phase": r"(?<![\w.])(?:[1-4]|i{1,3}|iv)[ab]?(?!\w|\.\d)",
    "chromosome": r"(?<![\w.])(?:\d{1,2}|x|y)(?!\w|[,.:]\d)",
    "position": r"(?<![\w.,])(?:\d{1,3}(?:,\d{3}){1,3}|\d{5,9})(?!\w|,\d|\.\d)",
    "count": r"(?<![\w.,])(?:\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten)(?!\w|[,.]\d)",
}
_ANY = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:\s?x\s?10\s?\^?\s?-?\d{1,3}|e[-+]?\d{1,3})?(?!\w|\.\d)(?:\s?%)?")
_NAME = re.compile(r"[A-Za-z][\w-]{0,40}")
_NOT_NAME = frozenset({"i", "the", "its", "near", "not", "any", "both", "other"})


def alternative(lower: str, start: int, end: int, slot: str, same: Callable[[str], bool]) -> str:
    """Return the other value of a slot that a text offers instead of the value from `start` to `end`; empty if none.

    `lower` is the text in lower case. `same` tells whether a text is an accepted value.
    """
    sign = re.compile(_SIGN[slot]) if slot in _SIGN else _ANY
    for found in sign.finditer(lower, end, min(len(lower), end + _REACH)):
        if not same(ROMAN.get(found[0], found[0])) and _offers(lower, start, end, found.start(), slot):
            return found[0]
        break
    before = list(sign.finditer(lower, max(0, start - _REACH), start))
    for found in before[-1:]:
        if not same(ROMAN.get(found[0], found[0])) and _offers(lower, found.start(), found.end(), start, slot):
            return found[0]
    return ""


def other_name(text: str, start: int, length: int, same: Callable[[str], bool]) -> str:
    """Return the other name that a text offers, with an "or", instead of the name at `start`; empty if none."""
    end = start + length
    base = max(0, start - _REACH)
    lower = text[base : end + _REACH].lower()
    for found in _names(text, end, end + _REACH):
        if _OR.match(lower[end - base : found.start() - base]) and not same(found[0]):
            return found[0]
    for found in reversed(list(_names(text, base, start))):
        if _OR.match(lower[found.end() - base : start - base]) and not same(found[0]):
            return found[0]
    return ""


def _names(text: str, start: int, end: int) -> Iterable[re.Match[str]]:
    """Yield the words between `start` and `end` that can be names: those with a capital letter or a digit."""
    for found in _NAME.finditer(text, max(0, start), min(len(text), end)):
        if re.search(r"[A-Z\d]", found[0]) and found[0].lower() not in _NOT_NAME:
            yield found


def _offers(lower: str, start: int, end: int, following: int, slot: str) -> bool:
    """Whether the text between two values leaves open which of them holds."""
    between = lower[end:following]
    if _OR.match(between):
        return True
    joins = bool(_TO.match(between)) or (slot == "year" and between.strip() == ",")
    return joins and (slot == "year" or bool(_RANGE.search(lower[max(0, start - 30) : start])))
