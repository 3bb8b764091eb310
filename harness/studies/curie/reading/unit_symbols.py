"""Units that may follow a number in a text: symbols, with the prefixes they take, and words for them.

OURS. Nothing is converted: `1 km` and `1000 m` are two quantities. Does not search texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_PREFIXED: Mapping[str, str] = {  # prefixes of each symbol, few enough that no English word is read as a unit
    "eV": "mkMGTμ",
    "V": "nμmkM",
    "A": "pnμmk",
    "W": "μmkMGT",
    "Hz": "mkMGT",
    "Pa": "mhkMG",
    "J": "μmkMGTPE",
    "N": "μmkM",
    "K": "μmn",
    "T": "μmn",
    "m": "pnμmck",
    "s": "fpnμm",
    "g": "nμmkMGTP",
    "L": "μmd",
    "mol": "nμmk",
    "Ω": "mkMG",
    "F": "pnμm",
    "C": "nμm",
    "S": "μm",
    "B": "kMGT",
    "bar": "mk",
    "rad": "m",
    "cal": "k",
    "t": "kMG",
}
_PLAIN = (
    "%",
    "‰",
    "°",
    "°C",
    "°F",
    "°N",
    "°S",
    "°E",
    "°W",
    "Å",
    "ppm",
    "ppb",
    "dB",
    "Ry",
    "Ha",
    "ha",
    "psu",
    "atm",
    "min",
    "h",
    "hr",
    "d",
    "yr",
    "week",
    "month",
    "rpm",
    "DU",
    "Sv",
    "bit",
    "kbit",
    "Mbit",
)
_WORDS: Mapping[str, str] = {
    "percent": "%",
    "degree": "°",
    "deg": "°",
    "metre": "m",
    "meter": "m",
    "kilometre": "km",
    "kilometer": "km",
    "centimetre": "cm",
    "centimeter": "cm",
    "millimetre": "mm",
    "millimeter": "mm",
    "micron": "μm",
    "nanometre": "nm",
    "nanometer": "nm",
    "second": "s",
    "sec": "s",
    "minute": "min",
    "hour": "h",
    "day": "d",
    "month": "month",
    "year": "yr",
    "kelvin": "K",
    "volt": "V",
    "gram": "g",
    "kilogram": "kg",
    "tonne": "t",
    "hectare": "ha",
    "pascal": "Pa",
    "hectopascal": "hPa",
    "watt": "W",
    "hertz": "Hz",
    "litre": "L",
    "liter": "L",
    "angstrom": "Å",
    "kilometers": "km",
}
_OTHER: Mapping[str, str] = {"hr": "h", "l": "L", "ml": "mL", "hrs": "h", "yrs": "yr", "degC": "°C", "ºC": "°C"}


def _symbols() -> Iterator[tuple[str, str]]:
    for symbol, prefixes in _PREFIXED.items():
        yield symbol, symbol
        for prefix in prefixes:
            yield prefix + symbol, prefix + symbol
            if prefix == "μ":
                yield "u" + symbol, prefix + symbol
    for symbol in _PLAIN:
        yield symbol, symbol


SYMBOLS: Mapping[str, str] = {**dict(_symbols()), **_OTHER}


def unit(written: str) -> str | None:
    """Return the symbol of a unit, given as a symbol (case-sensitive) or an English word; None for any other text."""
    if written in SYMBOLS:
        return SYMBOLS[written]
    word = written.lower()
    return _WORDS.get(word) or (_WORDS.get(word[:-1]) if word.endswith("s") else None)
