"""Values of materials papers (OURS): numbers, ranges and uncertainties in texts, with their stated precision.

Independent of the property and the material.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import pi

from harness.answers.units import DIMENSIONLESS, Measure, Powers, read_unit

SHARE = 0.02  # largest relative difference between roundings of one value: 3 is not a rounding of 3.3
EXACT = 1e-4  # relative difference allowed after a unit conversion with a rounded factor
_LONGEST = 200  # letters of a value that are read
_NUMBER = (
    r"(?:(?<![\d.])[-+])?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d{1,30})?|\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?!\d)"
    r"(?:\s?[eE][-+]?\d{1,3}(?![\d.])|\s?[x×*·]\s?10\s?\^?\s?\(?[-+]?\d{1,2}\)?(?!\d)|\(\d{1,3}\))?"
)
_TEN = re.compile(r"10\s?\^\s?\(?(?:[-+]?\d{1,2})\)?")
_VALUE = re.compile(
    rf"(?P<sign>[<>≤≥~≈∼=⩽⩾]*)\s?(?P<low>{_TEN.pattern}|{_NUMBER})"
    rf"(?:\s?(?:±|\+/-|\+-)\s?(?P<spread>{_NUMBER})"
    rf"|\s?(?P<between>-|down to|up to|to|and|\.\.\.?|~|…)\s?(?P<high>{_TEN.pattern}|{_NUMBER}))?\s?"
)
_SCALED = re.compile(r"\(([^()]{1,40})\)\s?([x×*·]\s?10\s?\^?\s?\(?[-+]?\d{1,2}\)?|[eE][-+]?\d{1,3})")
_OF_METAL = re.compile(
    r"(?<=g)[ _]?(?:Pt|Pd|Ir|Ru|Rh|Au|Ag|Ni|cat(?:alyst)?|metal|PGM)\b|(?<=cm2)[ _]?(?:geo|ECSA|real|Pt)\b"
)
_OF_GAS = re.compile(r"(?<=mol)[ _]?(?:O2|CO2|H2O|H2|N2|CH4|CO|NH3|NO|SO2|Li|e-?)(?![A-Za-z\d])")
_COUNTED = re.compile(r"^(?:H2|O2|CO2|N2|NH3|CO|e-|electrons?|molecules?|events?|photons?|cycles?) ?/ ?(?=[a-z])")
_UNIT_FIRST = re.compile(
    r"[^\s\d(),;]{1,12}(?=\s(?:for|in|at|was|were|is|on|per the|throughout|cut-?off|plane|kinetic)\b)"
)
_OTHER_UNITS = {"/y": "/yr", "/a": "/yr", "y-1": "yr-1", "a-1": "yr-1", "y^-1": "yr-1", "/annum": "/yr"}
_SPELT = re.compile(r"(?<=m)(?: ?/(?:y|a)|/annum)(?![a-z])|(?<= )(?:y|a)\^?-1".replace(" ?/", "/"))
_ASIDE = re.compile(r"\s?[(\[,;=\n]|\s(?:i\.\s?e\.|or|that is|corresponding|equivalent|equal|which)\b")
_POWER = re.compile(r"[-+]?\d{1,3}(?=\)?$)")
_FIRST = re.compile(
    r"(?:about|around|approximately|approx\.?|ca\.?|circa|nearly|almost|roughly|some|between|from|range|ranging from"
    r"|of order|of the order of|on the order of|equal to|value|=|~)\s?|(?P<upper>up to|at most|below|less than|under"
    r"|not more than|no more than|maximum of|max\.?|smaller than|lower than|not exceeding"
    r"|upper bound:?|upper limit:?)\s?"
    r"|(?P<lower>at least|above|over|more than|greater than|larger than|exceeding|exceeds|beyond|higher than"
    r"|not less than|no less than|minimum of|min\.|lower bound:?|lower limit:?)\s?",
    re.IGNORECASE,
)
_BOUNDS = {**dict.fromkeys("<≤⩽", "upper"), **dict.fromkeys(">≥⩾", "lower")}
_PLANCK, _LIGHT, _MU0 = 6.62607015e-34, 299792458.0, 4e-7 * pi
_PARTS = re.compile(r"([-+]?[\d.,]+)(?:\((\d+)\))?(?:.*?(?:[eE]|10\s?\^?\s?\(?)([-+]?\d{1,3})\)?)?")
_AMONG = re.compile(
    rf"(?<![\w.^])(?P<low>{_TEN.pattern}|{_NUMBER})"
    rf"(?:\s?(?:±|\+/-)\s?{_NUMBER}|\s?(?:-|–|down to|to|and)\s?(?P<high>{_NUMBER}))?"
    r"[\s-]?(?P<unit>°\s?[CF]?\b|(?:at|wt|mol|vol)\.?\s?%|[^\W\d_]{1,12}°?(?![^\W\d_])(?:/[^\W\d_]{1,6})?"
    r"(?:\^?-?\d)?|%)"
)
_WORDS = frozenset(
    [
        "a",
        "A",
        "as",
        "at",
        "d",
        "in",
        "is",
        "or",
        "S",
        "T",
        "u",
        "D",
        "P",
        "M",
        "H",
        "t",
        "one",
        "unit",
        "dot",
        "dots",
        "element",
        "lb",
        "Da",
    ]
)


_PHOTON: Powers = (("kg", 1.0), ("m", 2.0), ("s", -2.0))
_FIELD: Powers = (("A", -1.0), ("kg", 1.0), ("s", -2.0))
_FACTORS: Mapping[Powers, tuple[float, Powers]] = {
    (("s", -1.0),): (_PLANCK, _PHOTON),
    (("m", -1.0),): (_PLANCK * _LIGHT, _PHOTON),
    (("A", 1.0), ("m", -1.0)): (_MU0, _FIELD),
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and the value of a unit of its last digit."""

    value: float
    step: float


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value or range with its unit, in SI if the unit is known."""

    low: Number
    high: Number
    powers: Powers | str  # the unit's text if the unit is unknown
    spread: float = 0.0
    share: str = ""
    bound: str = ""  # upper or lower if the value is only a bound


@dataclass(frozen=True, slots=True)
class Reading:
    """A value or range as a text states it, and the rest of the text, such as its unit."""

    low: Number
    high: Number
    spread: float
    rest: str
    bound: str = ""


def number(text: str) -> Number | None:
    """Return one number: `4x10^8`, `10^-5`, `1,000`, `3.4(2)`; None for anything else."""
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
    """Return the value or range at the start of a plain text, and the text after it; None if there is none."""
    text, bound = text.strip()[:_LONGEST], ""
    while said := _FIRST.match(text):
        bound = said.lastgroup or bound
        text = text[said.end() :]
    if scaled := _SCALED.match(text):  # (5.0 ± 0.1)x10^-4
        inner, ten = reading(scaled[1]), _POWER.search(scaled[2])
        if inner is None or ten is None or inner.rest or abs(int(ten[0])) > 200:
            return None
        size, rest = 10.0 ** int(ten[0]), text[scaled.end() :].strip()
        return Reading(
            _times(inner.low, size), _times(inner.high, size), inner.spread * size, rest, inner.bound or bound
        )
    found = _VALUE.match(text)
    low = number(found["low"]) if found else None
    if not found or not low:
        return None
    high = number(found["high"]) if found["high"] else None
    spread = number(found["spread"]) if found["spread"] else None
    if high and high.value < low.value:
        if found["between"] in ("-", "~", "..", "..."):  # `10-5` is not a range
            return None
        low, high = high, low
    bound = next((_BOUNDS[sign] for sign in found["sign"] if sign in _BOUNDS), bound)
    return Reading(low, high or low, spread.value if spread else 0.0, text[found.end() :].strip(), bound)


def _times(end: Number, factor: float) -> Number:
    return Number(end.value * factor, end.step * factor)


def quantity(low: str, high: str, unit: str) -> Quantity | None:
    """Return the quantity of a low and a high value and a unit, all plain texts; a blank end is equal to the other end.

    The unit may follow the value instead, and the ends may stand in either order. Returns None if neither end is a
    number.
    """
    first, last = reading(low), reading(high)
    first, last = first or last, last or first
    if first is None or last is None:
        return None
    bound = first.bound or last.bound
    unit = re.sub(r"^mPa[ ·.*-]?s$", "cP", _COUNTED.sub("1/", unit))
    unit = _OF_METAL.sub("", _OF_GAS.sub("", unit))
    unit = _SPELT.sub(lambda at: _OTHER_UNITS[at[0]], unit)
    known = read_unit(unit or first.rest or last.rest)
    if unit and known == DIMENSIONLESS and (first.rest or last.rest):
        known = read_unit(first.rest or last.rest) or known
    unit = unit or first.rest or last.rest
    if known is None and (bare := _ASIDE.split(unit, 1)[0].strip()) and bare != unit:  # `25 Ha (i.e. 50 Ry)`
        known = read_unit(bare)
    if known is None and (at := _UNIT_FIRST.match(unit)):  # `450 eV for the slabs`
        known = read_unit(at[0])
    if known is None:
        ends = _sorted(first.low, last.high)
        return Quantity(*ends, re.sub(r"[\s·.*^()]", "", unit.casefold()), first.spread, "", bound)
    ends = _sorted(_in_si(first.low, known), _in_si(last.high, known))
    return Quantity(*ends, known.powers, first.spread * known.factor, known.share, bound)


def _sorted(low: Number, high: Number) -> tuple[Number, Number]:
    return (low, high) if low.value <= high.value else (high, low)


def same_quantity(one: Quantity, two: Quantity) -> bool:
    """Whether two quantities are equal within their digits: 5.64 and 5.6, 0.33 nm and 3.3 Å, 97 % and 0.97.

    A field is also equal to its flux density in vacuum, and an energy to the frequency, the wave number and the
    wavelength of its photon. A lower bound is not equal to an upper one.
    """
    if (one.share and two.share and one.share != two.share) or (one.bound and two.bound and one.bound != two.bound):
        return False
    if one.powers != two.powers:
        one, two = _converted(one), _converted(two)
        if one.powers != two.powers or not one.powers:
            return False
    if same_number(one.low, two.low) and same_number(one.high, two.high):
        return True
    return _spans(one, two) or _spans(two, one)


def _converted(one: Quantity) -> Quantity:
    """Return a photon's frequency, wave number or wavelength as its energy, and a magnetic field as a flux density."""
    if one.powers == (("m", 1.0),) and min(one.low.value, one.high.value) > 0:
        ends = [
            Number(_PLANCK * _LIGHT / end.value, _PLANCK * _LIGHT * end.step / end.value**2)
            for end in (one.high, one.low)
        ]
        return Quantity(ends[0], ends[1], _PHOTON)
    if not isinstance(one.powers, str) and (to := _FACTORS.get(one.powers)):
        return Quantity(_times(one.low, to[0]), _times(one.high, to[0]), to[1], one.spread * to[0], "", one.bound)
    return one


def _spans(one: Quantity, two: Quantity) -> bool:
    """Whether the range `two` is the one that the value `one` spans with its uncertainty."""
    if not one.spread or one.low != one.high or two.low == two.high:
        return False
    ends = (Number(one.low.value - one.spread, 0), Number(one.low.value + one.spread, 0))
    return same_number(ends[0], two.low) and same_number(ends[1], two.high)


def same_number(one: Number, two: Number) -> bool:
    """Whether two numbers are equal, or one is the other's rounding by at most two per cent."""
    apart, size = abs(one.value - two.value), max(abs(one.value), abs(two.value))
    rounding = min(max(one.step, two.step) * 0.5 * (1 + 1e-9), SHARE * size)
    return apart <= max(rounding, EXACT * size if one.step != two.step else 1e-9 * size)


def among(line: str) -> Iterator[tuple[Quantity, str, str]]:
    """Yield the quantities with known units in a plain line, each with the words before and after it."""
    hits = [(at, known) for at in _AMONG.finditer(line[: 5 * _LONGEST]) if (known := _unit_of(at))]
    ends = [0, *(at.end() for at, _ in hits)]
    starts = [*(at.start() for at, _ in hits), len(line)]
    for place, (found, known) in enumerate(hits):
        low = number(found["low"])
        high = number(found["high"]) if found["high"] else low
        if low and not low.value and found["unit"] == "T":  # a field is swept from zero
            low = high
        if low and high and (known.powers or found["unit"].endswith("%")):
            one = Quantity(*_sorted(_in_si(low, known), _in_si(high, known)), known.powers, 0.0, known.share)
            yield one, line[ends[place] : found.start()], line[found.end() : starts[place + 1]]


def _unit_of(at: re.Match[str]) -> Measure | None:
    """Return the unit of a quantity among words; `T` is a field only behind a blank, as `1T` is a stack of layers."""
    if at["unit"] == "T" and at[0].endswith(" T"):
        return read_unit("T")
    if at["unit"] == "d" and re.match(r"\s*(?:$|[,;)\n])", at.string[at.end() :][:4]):
        return read_unit("d")
    return _simple(at["unit"])


def _simple(unit: str) -> Measure | None:
    """Return a unit that stands among words, where `C` is a degree; None for words that only look like units."""
    return None if unit in _WORDS else read_unit("°C" if unit == "C" else unit)


def _in_si(end: Number, unit: Measure) -> Number:
    return Number(end.value * unit.factor + unit.offset, end.step * unit.factor)
