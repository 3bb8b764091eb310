"""Expressions of units as factors of SI, read by the table of units beside this (OURS).

It must never know which quantity a unit measures.
"""

# ruff: noqa: RUF001 - signs of print and Greek letters that look like ours are the point

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.unit_table import ALIASES, COUNTED, OFFSETS, PLAIN, PREFIXED, PREFIXES

Powers = tuple[tuple[str, float], ...]  # of the base units, sorted, none zero
_LONGEST = 60  # letters of a unit that are read
_NOTHING = re.compile(r"|dimensionless|unit-?less|no units?|none|n/?a|-|1|ratio|number|riu|no unit \(dimensionless\)")
_ARBITRARY = re.compile(r"a\. ?u\.?|arb\.?(?: ?u(?:nits?|\.)?)?|arbitrary units?|counts?|cps")
_SHARE = re.compile(r"\b(at|wt|mol|vol|mass|atomic|weight|molar|volume)[. ]{0,2}(?:%|percent)", re.IGNORECASE)
_SHARES = {"mass": "wt", "weight": "wt", "atomic": "at", "molar": "mol", "volume": "vol"}
_WORD = re.compile(r"(femto|pico|nano|micro|milli|centi|kilo|mega|giga|tera)(\w{3,12}?)s?")
_WORDS = dict(
    zip(("femto", "pico", "nano", "micro", "milli", "centi", "kilo", "mega", "giga", "tera"), "fpnμmckMGT", strict=True)
)
_TEN = re.compile(r"[x×*]?\s?10\s?\^?\s?([+-]?\d{1,2})\s?(?=[^\W\d])")
_TOKEN = re.compile(
    r"(?P<name>(?:f\.u\.|[^\W\d_]+°?|°[CF]?(?![^\W\d_])|%))\s?(?:(?:\^|\*\*)?\s?\(?(?P<power>[+-]?\d(?:\.\d+)?)(?!\d)\)?)?"
    r"|(?P<sign>[/·×*().\s\[\],-]|1(?=\s?/))"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a unit is in SI: a factor, base units with their powers, and what is added where it stands alone."""

    factor: float
    powers: Powers
    offset: float = 0.0
    share: str = ""  # of what a percentage is one: at, wt, mol, vol; empty where it does not say


DIMENSIONLESS = Measure(1.0, ())


@lru_cache(4096)
def measure(text: str) -> Measure | None:
    """Give what a unit in plain text is in SI, as `W/(m·K)`, `cm^2 V^-1 s^-1` or `10^18 cm-3`; None if unreadable."""
    text = text.strip().strip("[]").strip()
    if len(text) > _LONGEST:
        return None
    folded = text.casefold()
    if _NOTHING.fullmatch(folded):
        return DIMENSIONLESS
    if _ARBITRARY.fullmatch(folded):
        return Measure(1.0, (("arb", 1.0),))
    if of := _SHARE.search(text):
        kind = of[1].casefold()
        text = text.replace(of[0], "%")
        found = _expression(text)
        return found and Measure(found.factor, found.powers, 0.0, _SHARES.get(kind, kind))
    return _expression(
        re.sub(r"\bdeg(?:rees?|\.)?\s?([CFcf])(?:elsius|ahrenheit)?\b", r"°\1", text).replace("° C", "°C")
    )


def _expression(text: str) -> Measure | None:
    """Multiply the units of an expression; after a stroke all are below it. None where one is unknown or too large."""
    try:
        found = _product(text)
    except OverflowError:
        return None
    return found if found and 1e-200 < found.factor < 1e200 else None


def _product(text: str) -> Measure | None:
    text = re.sub(r"\s?\bper\b\s?", "/", text)
    factor, powers, below, names = 1.0, dict[str, float](), False, list[str]()
    if ten := _TEN.match(text):
        factor, text = 10.0 ** int(ten[1]), text[ten.end() :]
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        place = found.end()
        if found["sign"]:
            below |= found["sign"] == "/"
            continue
        power = float(found["power"] or 1)
        power = -abs(power) if below else power
        run = _units(found["name"])
        for name, raised_to in zip(run, [-1.0 if below else 1.0] * (len(run) - 1) + [power], strict=True):
            if (one := _one(name)) is None:
                return None
            factor *= one[0] ** raised_to
            for base, raised in one[1]:
                powers[base] = powers.get(base, 0.0) + raised * raised_to
        names += run
    if not names:
        return None
    offset = OFFSETS.get(_named(names[0]), 0.0) if len(names) == 1 and not below else 0.0
    return Measure(factor, tuple(sorted(pair for pair in powers.items() if pair[1])), offset)


def _named(name: str) -> str:
    """Give a unit's name as the tables spell it."""
    found = ALIASES.get(name) or ALIASES.get(name.casefold()) if name not in PREFIXED else name
    if found is None and (said := _WORD.fullmatch(name.casefold())):
        base = ALIASES.get(said[2], ALIASES.get(said[2] + "s", ""))
        found = _WORDS[said[1]] + base if base in PREFIXED else None
    return found or name


def _units(name: str) -> list[str]:
    """Split letters that run together, as `Ωcm` or `Vs`, into units; what cannot be split is one."""
    if _one(name) is not None:
        return [name]
    for cut in range(len(name) - 1, 0, -1) if len(name) <= 8 else ():
        if _one(name[:cut]) is not None and _one(name[cut:]) is not None:
            return [name[:cut], name[cut:]]
    return [name]


@lru_cache(2048)
def _one(name: str) -> tuple[float, Powers] | None:
    """Look one unit up: as it is, by another name, or with a prefix."""
    if name in COUNTED:
        return 1.0, ()
    name = _named(name)
    if name == "cm3":
        return 1e-6, (("m", 3.0),)
    if found := PLAIN.get(name) or PREFIXED.get(name):
        return found[0], _powers(found[1])
    if len(name) > 1 and name[0] in PREFIXES and (rest := PREFIXED.get(name[1:])):
        return PREFIXES[name[0]] * rest[0], _powers(rest[1])
    return None


def _powers(text: str) -> Powers:
    found = (re.fullmatch(r"([A-Za-z]+)(-?\d)?", one) for one in text.split())
    return tuple((one[1], float(one[2] or 1)) for one in found if one)
