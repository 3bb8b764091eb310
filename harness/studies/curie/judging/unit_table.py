"""The table of units: factors of SI, base units, prefixes and other names (OURS, `curie-units-1`).

It must never know how an expression of units is written.
"""

from __future__ import annotations

from math import pi

VERSION = "curie-units-1"
_ENERGY, _PRESSURE = "m2 kg s-2", "m-1 kg s-2"

# What takes a prefix: its factor and base units. `Oe` is the field it stands for, `mol` a number, `angle` a base.
PREFIXED = {
    "m": (1.0, "m"), "g": (1e-3, "kg"), "s": (1.0, "s"), "A": (1.0, "A"), "K": (1.0, "K"), "mol": (6.02214076e23, ""),
    "Hz": (1.0, "s-1"), "N": (1.0, "m kg s-2"), "Pa": (1.0, _PRESSURE), "J": (1.0, _ENERGY), "W": (1.0, "m2 kg s-3"),
    "C": (1.0, "s A"), "V": (1.0, "m2 kg s-3 A-1"), "F": (1.0, "m-2 kg-1 s4 A2"), "Ω": (1.0, "m2 kg s-3 A-2"),
    "S": (1.0, "m-2 kg-1 s3 A2"), "T": (1.0, "kg s-2 A-1"), "H": (1.0, "m2 kg s-2 A-2"), "Wb": (1.0, "m2 kg s-2 A-1"),
    "eV": (1.602176634e-19, _ENERGY), "bar": (1e5, _PRESSURE), "L": (1e-3, "m3"), "l": (1e-3, "m3"),
    "Oe": (1000 / (4 * pi), "m-1 A"), "G": (1e-4, "kg s-2 A-1"), "emu": (1e-3, "m2 A"), "cal": (4.184, _ENERGY),
    "Ry": (2.1798723611e-18, _ENERGY), "rad": (1.0, "angle"), "lm": (1.0, "cd"), "cd": (1.0, "cd"),
}  # fmt: skip
PLAIN = {
    "Å": (1e-10, "m"), "Bohr": (5.29177210903e-11, "m"), "min": (60.0, "s"), "h": (3600.0, "s"), "d": (86400.0, "s"),
    "yr": (3.15576e7, "s"), "atm": (101325.0, _PRESSURE), "Torr": (133.322368421, _PRESSURE),
    "psi": (6894.757293, _PRESSURE), "Ha": (4.3597447222071e-18, _ENERGY), "erg": (1e-7, _ENERGY),
    "dyn": (1e-5, "m kg s-2"), "μB": (9.2740100783e-24, "m2 A"), "D": (3.33564e-30, "m s A"),
    "u": (1.66053906660e-27, "kg"), "°": (pi / 180, "angle"), "%": (0.01, ""), "ppm": (1e-6, ""), "ppb": (1e-9, ""),
    "rpm": (1 / 60, "s-1"), "arb": (1.0, "arb"), "dB": (1.0, "dB"), "M": (6.02214076e26, "m-3"),
    "one": (1.0, ""), "°C": (1.0, "K"), "°F": (5 / 9, "K"),
}  # fmt: skip
OFFSETS = {"°C": 273.15, "°F": 459.67 * 5 / 9}  # what is added in kelvin, where the unit stands alone
PREFIXES = {
    "f": 1e-15, "p": 1e-12, "n": 1e-9, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 0.1, "k": 1e3, "M": 1e6,
    "G": 1e9, "T": 1e12,
}  # fmt: skip
ALIASES = {
    "ohm": "Ω", "ohms": "Ω", "Ohm": "Ω", "Ohms": "Ω", "℧": "S", "ev": "eV", "EV": "eV", "Ev": "eV", "mev": "meV",
    "kev": "keV", "MEV": "meV", "electronvolt": "eV", "angstrom": "Å", "angstroms": "Å", "ang": "Å", "A°": "Å",
    "micron": "μm", "microns": "μm", "deg": "°", "degree": "°", "degrees": "°", "degC": "°C", "oC": "°C",
    "celsius": "°C", "degF": "°F", "fahrenheit": "°F", "kelvin": "K", "kelvins": "K", "percent": "%", "pct": "%",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "mins": "min", "minute": "min", "minutes": "min", "sec": "s",
    "secs": "s",
    "second": "s", "seconds": "s", "day": "d", "days": "d", "year": "yr", "years": "yr", "mmHg": "Torr", "torr": "Torr",
    "hartree": "Ha", "hartrees": "Ha", "Eh": "Ha", "rydberg": "Ry", "rydbergs": "Ry", "ryd": "Ry", "Ryd": "Ry",
    "ry": "Ry", "RY": "Ry", "bohr": "Bohr", "bohrs": "Bohr", "debye": "D", "amu": "u", "Da": "u", "gauss": "G",
    "oersted": "Oe", "tesla": "T", "mole": "mol", "moles": "mol", "liter": "L", "litre": "L", "cc": "cm3", "Mpa": "MPa",
    "Gpa": "GPa", "kpa": "kPa", "GPA": "GPa", "NM": "nm", "mbars": "mbar", "muB": "μB", "uB": "μB", "dyne": "dyn",
    "volt": "V", "volts": "V", "watt": "W", "watts": "W", "joule": "J", "joules": "J", "gram": "g", "grams": "g",
    "AA": "Å", "siemens": "S", "pascal": "Pa", "hertz": "Hz", "meter": "m", "metre": "m",
}  # fmt: skip
# What is counted has no dimension: `eV/atom` is an energy, `electrons/cm3` a density.
COUNTED = (
    "atom", "atoms", "cell", "cells", "electron", "electrons", "molecule", "ion", "ions", "particle", "f.u.", "fu",
    "pulse", "pulses", "sq", "square", "cycle", "formula", "unit", "dot", "dots", "site", "carriers", "element",
)  # fmt: skip
