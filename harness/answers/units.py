"""Units of measurement in texts as factors and base units of SI: prefixes, powers, products, quotients (OURS).

`read_unit` reads one expression, such as `W/(m·K)`, `cm² V⁻¹ s⁻¹`, `MPa√m` or `10^18 cm-3`. Two expressions measure
one thing if both have the same base units. Independent of numbers, and of the quantity that a unit measures.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import pi
from unicodedata import normalize

VERSION = "units-2"
_ENERGY, _PRESSURE = "m2 kg s-2", "m-1 kg s-2"

# Units that take a prefix: factor and base units. `Oe` is the field it stands for, `mol` a number, `angle` a base.
PREFIXED: Mapping[str, tuple[float, str]] = {
    "m": (1.0, "m"),
    "g": (1e-3, "kg"),
    "s": (1.0, "s"),
    "A": (1.0, "A"),
    "K": (1.0, "K"),
    "mol": (6.02214076e23, ""),
    "Hz": (1.0, "s-1"),
    "N": (1.0, "m kg s-2"),
    "Pa": (1.0, _PRESSURE),
    "J": (1.0, _ENERGY),
    "W": (1.0, "m2 kg s-3"),
    "C": (1.0, "s A"),
    "V": (1.0, "m2 kg s-3 A-1"),
    "F": (1.0, "m-2 kg-1 s4 A2"),
    "Ω": (1.0, "m2 kg s-3 A-2"),
    "S": (1.0, "m-2 kg-1 s3 A2"),
    "T": (1.0, "kg s-2 A-1"),
    "H": (1.0, "m2 kg s-2 A-2"),
    "Wb": (1.0, "m2 kg s-2 A-1"),
    "eV": (1.602176634e-19, _ENERGY),
    "bar": (1e5, _PRESSURE),
    "L": (1e-3, "m3"),
    "l": (1e-3, "m3"),
    "Oe": (1000 / (4 * pi), "m-1 A"),
    "G": (1e-4, "kg s-2 A-1"),
    "emu": (1e-3, "m2 A"),
    "cal": (4.184, _ENERGY),
    "Ry": (2.1798723611e-18, _ENERGY),
    "rad": (1.0, "angle"),
    "lm": (1.0, "cd"),
    "cd": (1.0, "cd"),
    "lx": (1.0, "m-2 cd"),
    "Bq": (1.0, "s-1"),
    "Gy": (1.0, "m2 s-2"),
    "Sv": (1.0, "m2 s-2"),
    "Torr": (133.322368421, _PRESSURE),
    "t": (1e3, "kg"),
    "D": (3.33564e-30, "m s A"),
    "P": (0.1, "m-1 kg s-1"),
    "St": (1e-4, "m2 s-1"),
    "gf": (9.80665e-3, "m kg s-2"),
}
PLAIN: Mapping[str, tuple[float, str]] = {
    "Å": (1e-10, "m"),
    "Bohr": (5.29177210903e-11, "m"),
    "in": (0.0254, "m"),
    "ft": (0.3048, "m"),
    "min": (60.0, "s"),
    "h": (3600.0, "s"),
    "d": (86400.0, "s"),
    "yr": (3.15576e7, "s"),
    "atm": (101325.0, _PRESSURE),
    "hPa": (100.0, _PRESSURE),
    "cmHg": (1333.22368421, _PRESSURE),
    "psi": (6894.757293, _PRESSURE),
    "ksi": (6894757.293, _PRESSURE),
    "Ha": (4.3597447222071e-18, _ENERGY),
    "erg": (1e-7, _ENERGY),
    "dyn": (1e-5, "m kg s-2"),
    "lbf": (4.4482216153, "m kg s-2"),
    "lb": (0.45359237, "kg"),
    "μB": (9.2740100783e-24, "m2 A"),
    "u": (1.66053906660e-27, "kg"),
    "°": (pi / 180, "angle"),
    "%": (0.01, ""),
    "‰": (1e-3, ""),
    "ppm": (1e-6, ""),
    "ppb": (1e-9, ""),
    "rpm": (1 / 60, "s-1"),
    "arb": (1.0, "arb"),
    "dB": (1.0, "dB"),
    "M": (6.02214076e26, "m-3"),
    "mM": (6.02214076e23, "m-3"),
    "μM": (6.02214076e20, "m-3"),
    "Barrer": (3.35e-16 * 6.02214076e23, "kg-1 s"),
    "one": (1.0, ""),
    "°C": (1.0, "K"),
    "°F": (5 / 9, "K"),
}
OFFSETS: Mapping[str, float] = {"°C": 273.15, "°F": 459.67 * 5 / 9}  # added in kelvin if the unit stands alone
PREFIXES: Mapping[str, float] = {
    "f": 1e-15,
    "p": 1e-12,
    "n": 1e-9,
    "μ": 1e-6,
    "u": 1e-6,
    "m": 1e-3,
    "c": 1e-2,
    "d": 0.1,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
}
_OTHER_NAMES = """
Ω: ohm, ohms, Ohm, Ohms; S: ℧, siemens, mho; eV: ev, EV, Ev, electronvolt, electronvolts; meV: mev, MEV; keV: kev
Å: angstrom, angstroms, ang, A°, AA, Angstrom, Angstroms, ångström, Ang; μm: micron, microns, um
°: deg, degree, degrees; °C: degC, oC, celsius, C°; °F: degF, fahrenheit; K: kelvin, kelvins
%: percent, pct, percentage; h: hr, hrs, hour, hours; min: mins, minute, minutes; s: sec, secs, second, seconds
d: day, days; yr: year, years; Torr: mmHg, torr; Ha: hartree, hartrees, Eh, Hartree, ha
Ry: rydberg, rydbergs, ryd, Ryd, ry, RY, Rydberg; Bohr: bohr, bohrs, a0; D: debye, Debye; u: amu, Da, dalton
G: gauss, Gauss; Oe: oersted, Oersted, oe; T: tesla; mol: mole, moles, mols; L: liter, litre, liters, litres
cm3: cc, ccm; MPa: Mpa, mpa; GPa: Gpa, GPA, gpa; kPa: kpa, KPa; nm: NM; mbar: mbars
μB: muB, uB, bohr magneton, magneton; dyn: dyne, dynes; V: volt, volts; W: watt, watts; J: joule, joules
g: gram, grams; Pa: pascal, pascals; Hz: hertz; m: meter, metre, meters, metres; N: newton, newtons
C: coulomb, coulombs; F: farad, farads; A: ampere, amperes, amp, amps; Wb: weber; H: henry; kgf: kp; in: inch, inches
cal: calorie, calories; P: poise, Poise; kbar: kilobar; lx: lux; cd: candela; lm: lumen, lumens; kg: Kg, KG; kHz: KHz
kOe: KOe; kV: KV; kW: KW; bar: bars
"""
# Counted things have no dimension: `eV/atom` is an energy, `electrons/cm3` a density.
COUNTED = frozenset(
    [
        "atom",
        "atoms",
        "cell",
        "cells",
        "electron",
        "electrons",
        "molecule",
        "molecules",
        "ion",
        "ions",
        "particle",
        "particles",
        "f.u.",
        "fu",
        "pulse",
        "pulses",
        "sq",
        "square",
        "squares",
        "□",
        "cycle",
        "cycles",
        "formula",
        "unit",
        "units",
        "dot",
        "dots",
        "site",
        "sites",
        "carriers",
        "carrier",
        "element",
        "hole",
        "holes",
        "photon",
        "photons",
        "dislocations",
        "grains",
        "spin",
        "RIU",
        "decade",
        "decades",
        "dec",
        "layer",
        "layers",
        "device",
        "bond",
        "bonds",
        "turn",
        "turns",
        "m0",
        "me",
        "m_e",
        "mₑ",
    ]
)

Powers = tuple[tuple[str, float], ...]  # powers of the base units, sorted, none zero
_LONGEST = 60  # letters of a unit that are read
_NOTHING = re.compile(
    r"|(?:dimension|unit)-?\s?less|no units?|none|n/?a|-|–|—|1|ratio|number|riu|no unit \(dimensionless\)|null|fraction"
)
_ARBITRARY = re.compile(r"a\. ?u\.?|arb\.?(?: ?u(?:nits?|\.)?)?|arbitrary units?|counts?|cps")
_SHARE = re.compile(
    r"\b(at|wt|mol|vol|mass|atomic|weight|molar|mole|volume|atom)[.\s-]{0,2}(?:%|percent\b|per cent\b)", re.IGNORECASE
)
_SHARE_AFTER = re.compile(r"(?:%|percent|per cent)\s?(?:by\s)?\(?(mass|weight|volume|wt|vol|mole?|atomic)\)?", re.I)
_REMARK = re.compile(
    r"\s+(?:strain|relative|total|absolute|of\b.{0,40}|in\b.{0,40}|\([a-z ]{3,40}\))$"
)  # `% strain`, `eV (mean)`
_REFERENCE = re.compile(
    r"\s?(?:\b(?:vs\.?|versus|against)\s?|[(_])\s?(?P<of>RHE|SHE|NHE|SCE|Ag/AgCl|Hg/HgO|Li/Li\+?|Na/Na\+?|Fc/Fc\+?)\)?",
    re.I,
)
_SHARES = {"mass": "wt", "weight": "wt", "atomic": "at", "molar": "mol", "volume": "vol", "mole": "mol", "atom": "at"}
_WORD = re.compile(r"(femto|pico|nano|micro|milli|centi|kilo|mega|giga|tera|hecto)(\w{3,12}?)s?")
_WORDS = dict(
    zip(
        ("femto", "pico", "nano", "micro", "milli", "centi", "kilo", "mega", "giga", "tera", "hecto"),
        "fpnμmckMGTh",
        strict=True,
    )
)
_TEN = re.compile(r"[x×*·]?\s?10\s?(?:\^|\*\*)?\s?[({]?\s?([+-]?\d{1,2})[)}]?\s?(?=[^\W\d]|[/·*×%])")
_POWER = r"[+-]?\d(?:\.\d{1,4}|/\d)?"
_TOKEN = re.compile(
    r"(?P<name>f\.u\.|□|m_?[0e](?![A-Za-z\d])|[^\W\d_]+(?:°(?![CF]))?|°\s?[CF](?![^\W\d_])|°|%|‰)"
    rf"(?:\s?(?:\^|\*\*)\s?(?:[({{]\s?(?P<inside>{_POWER})\s?[)}}]|(?P<raised>{_POWER}))(?!\d)"
    rf"|\s?(?P<plain>{_POWER})(?![\d.]))?"
    r"|(?P<sign>[/·×*().\s\[\]{},-]|1(?=\s?/)|√|∕|⁄)"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SIGNS = str.maketrans({**dict.fromkeys("‐‑‒–—−﹣－", "-"), **dict.fromkeys("⋅∙•∗", "·"), "µ": "μ", "Ω": "Ω", "Å": "Å"})


@dataclass(frozen=True, slots=True)
class Measure:
    """A unit in SI: a factor, base units with their powers, and an offset that is added if the unit stands alone."""

    factor: float
    powers: Powers
    offset: float = 0.0
    share: str = ""  # what a percentage or a potential refers to: at, wt, mol, vol, rhe; empty if not stated


DIMENSIONLESS = Measure(1.0, ())


def _aliases() -> dict[str, str]:
    entries = (entry.split(": ") for row in _OTHER_NAMES.strip().splitlines() for entry in row.split("; "))
    return {other.strip(): name.strip() for name, others in entries for other in others.split(",")}


_ALIASES = _aliases()


@lru_cache(4096)
def read_unit(text: str) -> Measure | None:
    """Return the unit that a text states: `W/(m·K)`, `cm^2 V^-1 s^-1`, `10^18 cm-3`; None if it cannot be read.

    A blank text and words such as `dimensionless` are the unit 1. All units after a slash are divisors.
    """
    if len(text) > 2 * _LONGEST:
        return None
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", lambda at: "^" + at[0].translate(_SUPERSCRIPTS), text)
    text = normalize("NFC", text.replace("½", "^0.5")).translate(_SIGNS).replace("^^", "^").strip()
    text = (text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text).strip()
    if len(text) > _LONGEST:
        return None
    folded = text.casefold()
    if _NOTHING.fullmatch(folded):
        return DIMENSIONLESS
    if _ARBITRARY.fullmatch(folded):
        return Measure(1.0, (("arb", 1.0),))
    return _of_something(text)


def _of_something(text: str) -> Measure | None:
    """Read a unit that may say what a percentage or a potential refers to."""
    if of := _SHARE.search(text) or _SHARE_AFTER.search(text):
        kind, rest = of[1].casefold(), text.replace(of[0], "%")
        share = _SHARES.get(kind, kind)
    elif electrode := _REFERENCE.search(text):
        share, rest = electrode["of"].casefold().rstrip("+"), text.replace(electrode[0], "")
    else:
        share, rest = "", re.sub(r"\bdeg(?:rees?|\.)?\s?([CFcf])(?:elsius|ahrenheit)?\b", _degrees, text)
    found = _expression(rest) or _expression(_REMARK.sub("", rest))
    return replace(found, offset=0.0 if share else found.offset, share=share) if found else None


def _degrees(at: re.Match[str]) -> str:
    return "°" + at[1].upper()


def _expression(text: str) -> Measure | None:
    """Multiply the units of an expression; None if a unit is unknown or the factor is too large or too small."""
    try:
        found = _product(text)
    except OverflowError:
        return None
    return found if found and 1e-200 < found.factor < 1e200 else None


def _product(text: str) -> Measure | None:
    text = (
        re.sub(r"\s?\bper\b\s?", "/", re.sub(r"\bper\s?cent\b", "%", text)).replace("/sqrt", "/√").replace("sqrt", "√")
    )
    text = re.sub(r"\b(?:square|cubic)\s(\w{1,12})", lambda at: at[1] + ("^2" if at[0][0] in "sS" else "^3"), text)
    factor, powers, below, names, root = 1.0, dict[str, float](), False, list[str](), False
    if ten := _TEN.match(text):
        factor, text = 10.0 ** int(ten[1]), text[ten.end() :]
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        place = found.end()
        if sign := found["sign"]:
            below |= sign in "/∕⁄"
            root = sign == "√" or (root and sign in "( ")
            continue
        power, told = _power(found["inside"] or found["raised"] or found["plain"])
        power *= 0.5 if root else 1.0
        root = False
        run = _split(found["name"].replace(" ", ""), told and power < 0, below)
        # A power belongs to the last of the units that run together, but `mK-1` and all after a slash are divisors.
        whole = len(run) > 1 and run[0] == "m" and told and power < 0
        raised = [*[power if whole else 1.0] * (len(run) - 1), power]
        for name, exponent in zip(run, raised, strict=True):
            if (one := _one(name)) is None:
                return None
            times_of = -abs(exponent) if below else exponent
            factor *= one[0] ** times_of
            for base, times in one[1]:
                powers[base] = powers.get(base, 0.0) + times * times_of
        names += run
    if not names:
        return None
    offset = OFFSETS.get(_named(names[0]), 0.0) if len(names) == 1 and not below else 0.0
    return Measure(factor, tuple(sorted((base, round(times, 6)) for base, times in powers.items() if times)), offset)


def _power(text: str | None) -> tuple[float, bool]:
    """Return a power such as `-1`, `1/2` or `0.5`, and whether one is written."""
    if not text:
        return 1.0, False
    over, _, under = text.partition("/")
    return float(over) / (float(under or 1) or 1.0), True


def _split(name: str, negative: bool, below: bool) -> list[str]:
    """Split letters that run together, such as `Ωcm`, `Vs` or `mAh`, into units.

    A name that cannot be split is one unit. `mK` that divides is a metre and a kelvin: nobody states a value per
    millikelvin.
    """
    if (below or negative) and name in ("mK", "mKelvin"):
        return ["m", "K"]
    if _one(name) is not None:
        return [name]
    for cut in range(len(name) - 1, 0, -1) if len(name) <= 8 else ():
        if _one(name[:cut]) is not None and _one(name[cut:]) is not None:
            return [name[:cut], name[cut:]]
    if len(name) <= 6 and not name.isupper():
        for cut in range(len(name) - 2, 0, -1):
            rest = name[cut:]
            for further in range(len(rest) - 1, 0, -1):
                parts = [name[:cut], rest[:further], rest[further:]]
                if all(_one(part) is not None for part in parts):
                    return parts
    return [name]


def _named(name: str) -> str:
    """Return a unit's name as the tables spell it."""
    found = _ALIASES.get(name) or _ALIASES.get(name.casefold()) if name not in PREFIXED else name
    if found is None and (said := _WORD.fullmatch(name.casefold())):
        base = _ALIASES.get(said[2], _ALIASES.get(said[2] + "s", ""))
        found = _WORDS[said[1]] + base if base in PREFIXED else None
    return found or name


@lru_cache(2048)
def _one(name: str) -> tuple[float, Powers] | None:
    """Look up one unit: by its name, another name, or with a prefix; None if it is unknown."""
    if name in COUNTED:
        return 1.0, ()
    name = _named(name)
    if name == "cm3":
        return 1e-6, (("m", 3.0),)
    if found := PLAIN.get(name) or PREFIXED.get(name):
        return found[0], _powers(found[1])
    if len(name) > 1 and name[0] in PREFIXES and (rest := PREFIXED.get(name[1:])):
        return PREFIXES[name[0]] * rest[0], _powers(rest[1])
    if len(name) > 3 and name[0] in PREFIXES and (rest := PREFIXED.get(_ALIASES.get(name[1:], ""))):
        return PREFIXES[name[0]] * rest[0], _powers(rest[1])  # uOhm, kohm
    return None


def _powers(text: str) -> Powers:
    total: dict[str, float] = {}
    for one in text.split():
        base = one.rstrip("-0123456789")
        total[base] = total.get(base, 0.0) + float(one[len(base) :] or 1)
    return tuple((base, times) for base, times in total.items() if times)
