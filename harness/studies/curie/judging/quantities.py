"""Values of materials papers (OURS): numbers, ranges and uncertainties in texts, with the precision they state.

It must never know of which property, nor of which material.
"""

# ruff: noqa: RUF001 - signs of print and Greek letters that look like ours are the point

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.units import Measure, Powers, measure

SHARE = 0.02  # by how much two roundings of one value may differ at most: 3 is no rounding of 3.3
EXACT = 1e-4  # by how much a conversion may differ, whose factor somebody has rounded
_LONGEST = 200  # letters of a value that are read
_NUMBER = (
    r"(?:(?<![\d.])[-+])?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d{1,30})?|\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?!\d)"
    r"(?:\s?[eE][-+]?\d{1,3}(?![\d.])|\s?[x×*·]\s?10\s?\^?\s?\(?[-+]?\d{1,2}\)?(?!\d)|\(\d{1,3}\))?"
)
_TEN = re.compile(r"10\s?\^\s?\(?(?:[-+]?\d{1,2})\)?")
_VALUE = re.compile(
    rf"(?P<sign>[<>≤≥~≈∼=]*)\s?(?P<low>{_TEN.pattern}|{_NUMBER})"
    rf"(?:\s?(?:±|\+/-|\+-)\s?(?P<spread>{_NUMBER})|\s?(?:-|to|and|\.\.\.?|~)\s?(?P<high>{_NUMBER}))?\s?"
)
_FIRST = re.compile(
    r"(?:about|around|approximately|approx\.?|ca\.?|circa|nearly|almost|between|from|range|up to|at least|at most|over"
    r"|above|below|less than|more than|greater than|of order|~)\s?"
)
_PARTS = re.compile(r"([-+]?[\d.,]+)(?:\((\d+)\))?(?:.*?(?:[eE]|10\s?\^?\s?\(?)([-+]?\d{1,3})\)?)?")
_AMONG = re.compile(
    rf"(?<![\w.^])(?P<low>{_TEN.pattern}|{_NUMBER})(?:\s?(?:±|\+/-)\s?{_NUMBER}|\s?(?:-|–|to|and)\s?(?P<high>{_NUMBER}))?"
    r"\s?(?P<unit>°\s?[CF]?\b|[^\W\d_]{1,12}°?(?![^\W\d_])(?:/[^\W\d_]{1,6})?(?:\^?-?\d)?|%)"
)
_WORDS = frozenset(
    {"a", "A", "as", "at", "d", "in", "is", "or", "S", "T", "u", "D", "one", "unit", "dot", "dots", "element"}
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, and the value of its last digit."""

    value: float
    step: float


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value or range in SI where its unit is known, with what it is measured in."""

    low: Number
    high: Number
    powers: Powers | str  # the unit's text where nobody knows the unit
    spread: float = 0.0
    share: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A value or range as a text gives it, and what follows: its unit, where it names one."""

    low: Number
    high: Number
    spread: float
    rest: str


def number(text: str) -> Number | None:
    """Read one number: `4x10^8`, `10^-5`, `1,000`, `3.4(2)`; None for anything else."""
    if ten := _TEN.fullmatch(text):
        size = 10.0 ** int(ten[0].partition("^")[2].strip(" ()"))
        return Number(size, size)
    found = _PARTS.match(text)
    if not found or not any(sign.isdigit() for sign in found[1]):
        return None
    digits, exponent = found[1].replace(",", ""), int(found[3] or 0)
    if abs(exponent) > 200 or digits.count(".") > 1:
        return None
    decimals = len(digits.partition(".")[2])
    return Number(float(digits) * 10.0**exponent, 10.0 ** (exponent - decimals))


@lru_cache(4096)
def reading(text: str) -> Reading | None:
    """Read the value or range that a plain text begins with, and what stands after it; None where there is none."""
    text = text.strip()[:_LONGEST]
    while said := _FIRST.match(text):
        text = text[said.end() :]
    found = _VALUE.match(text)
    low = number(found["low"]) if found else None
    if not found or not low:
        return None
    high = number(found["high"]) if found["high"] else None
    spread = number(found["spread"]) if found["spread"] else None
    if high and high.value < low.value:  # `10-5` is no range
        return None
    return Reading(low, high or low, spread.value if spread else 0.0, text[found.end() :].strip())


def quantity(low: str, high: str, unit: str) -> Quantity | None:
    """Give the quantity of a low and a high value and a unit, plain texts; a blank end is the other one.

    The unit may stand behind the value instead. None where neither end is a number.
    """
    first, last = reading(low), reading(high)
    first, last = first or last, last or first
    if first is None or last is None:
        return None
    unit = unit or (first.rest or last.rest)
    known = measure(unit)
    if known is None:
        return Quantity(first.low, last.high, re.sub(r"[\s·.*^()]", "", unit.casefold()), first.spread)
    ends = _in_si(first.low, known), _in_si(last.high, known)
    return Quantity(*ends, known.powers, first.spread * known.factor, known.share)


def same_quantity(one: Quantity, two: Quantity) -> bool:
    """Whether two quantities are one, as far as their digits go: 5.64 and 5.6, 0.33 nm and 3.3 Å, 97 % and 0.97."""
    if one.powers != two.powers or (one.share and two.share and one.share != two.share):
        return False
    if same_number(one.low, two.low) and same_number(one.high, two.high):
        return True
    return _spans(one, two) or _spans(two, one)


def _spans(one: Quantity, two: Quantity) -> bool:
    """Whether a range is what a value with its uncertainty spans."""
    if not one.spread or one.low != one.high or two.low == two.high:
        return False
    ends = (Number(one.low.value - one.spread, 0), Number(one.low.value + one.spread, 0))
    return same_number(ends[0], two.low) and same_number(ends[1], two.high)


def same_number(one: Number, two: Number) -> bool:
    """Whether one number is the other, or its rounding by at most two per cent."""
    apart, size = abs(one.value - two.value), max(abs(one.value), abs(two.value))
    rounding = min(max(one.step, two.step) * 0.5 * (1 + 1e-9), SHARE * size)
    return apart <= max(rounding, EXACT * size if one.step != two.step else 1e-9 * size)


def among(line: str) -> Iterator[tuple[Quantity, str, str]]:
    """Give the quantities with known units that stand among the words of a plain line, with the words around each."""
    hits = [(at, known) for at in _AMONG.finditer(line[: 5 * _LONGEST]) if (known := _simple(at["unit"]))]
    ends = [0, *(at.end() for at, _ in hits)]
    starts = [*(at.start() for at, _ in hits), len(line)]
    for place, (found, known) in enumerate(hits):
        low = number(found["low"])
        high = number(found["high"]) if found["high"] else low
        if low and high and (known.powers or found["unit"] == "%"):
            one = Quantity(_in_si(low, known), _in_si(high, known), known.powers, 0.0, known.share)
            yield one, line[ends[place] : found.start()], line[found.end() : starts[place + 1]]


def _simple(unit: str) -> Measure | None:
    """Know a unit among words, where `C` is a degree and some words could be units, too."""
    return None if unit in _WORDS else measure("°C" if unit == "C" else unit)


def _in_si(end: Number, unit: Measure) -> Number:
    return Number(end.value * unit.factor + unit.offset, end.step * unit.factor)
