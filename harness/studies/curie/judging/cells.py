"""Cells and grids: vectors, supercells, k-points, Miller indices and space groups as fields state them (OURS).

Independent of the material.
"""

# ruff: noqa: RUF001, RUF002 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from harness.answers.units import read_unit
from harness.studies.curie.judging.quantities import Number, number, reading

Vector = tuple[Number | None, ...]
_LONGEST = 200
_MOST = 12  # numbers of a vector
_NUMBER = re.compile(r"(?<![\d.])[-+]?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?")
_GRID = re.compile(r"(?<![\d.])(\d{1,4})\s?[x×*,\s]\s?(\d{1,4})(?:\s?[x×*,\s]\s?(\d{1,4}))?(?!\.\d)")
_ANGSTROM = 1e-10
_AXES = re.compile(r"(?<![A-Za-z])([abc](?:\s?=\s?[abc]){0,2})\s?[=:]\s?(?=\d)")
_MILLER = re.compile(r"[\[({<]\s?(-?\d)\s?,?\s?(-?\d)\s?,?\s?(?:(-?\d)\s?,?\s?)?(-?\d)\s?[\])}>]")
_BARE = re.compile(r"(?<![\w.-])(-?\d)\s?,?\s?(-?\d)\s?,?\s?(?:(-?\d)\s?,?\s?)?(-?\d)(?![\w.])")
# Numbers of space groups, for texts that give either symbol or number; settings of one group share its number.
_GROUPS: Mapping[str, int] = {
    "p1": 1,
    "p-1": 2,
    "p2": 3,
    "p21": 4,
    "c2": 5,
    "pm": 6,
    "pc": 7,
    "cm": 8,
    "cc": 9,
    "p2/m": 10,
    "p21/m": 11,
    "c2/m": 12,
    "p2/c": 13,
    "p21/c": 14,
    "p21/n": 14,
    "p21/a": 14,
    "c2/c": 15,
    "p212121": 19,
    "pca21": 29,
    "pna21": 33,
    "pbca": 61,
    "pnma": 62,
    "pbnm": 62,
    "pmmm": 47,
    "pnnm": 58,
    "cmcm": 63,
    "cmca": 64,
    "cmce": 64,
    "cmmm": 65,
    "immm": 71,
    "fdd2": 43,
    "i4/m": 87,
    "i41/a": 88,
    "p4mm": 99,
    "i4cm": 108,
    "i-42d": 122,
    "p4/mmm": 123,
    "p4/nmm": 129,
    "p42/mnm": 136,
    "i4/mmm": 139,
    "i4/mcm": 140,
    "i41/amd": 141,
    "r3": 146,
    "r-3": 148,
    "p3m1": 156,
    "r3m": 160,
    "r3c": 161,
    "p-3m1": 164,
    "r-3m": 166,
    "r-3c": 167,
    "p63/m": 176,
    "p63mc": 186,
    "p6/mmm": 191,
    "p63/mmc": 194,
    "p-62m": 189,
    "p-6m2": 187,
    "p213": 198,
    "pa-3": 205,
    "ia-3": 206,
    "f-43m": 216,
    "p-43m": 215,
    "pm-3m": 221,
    "pm3m": 221,
    "pm-3n": 223,
    "pn-3m": 224,
    "fm-3m": 225,
    "fm3m": 225,
    "fd-3m": 227,
    "fd3m": 227,
    "im-3m": 229,
    "im3m": 229,
    "ia-3d": 230,
}
_BARRED: Mapping[str, int] = {
    symbol.replace("-", ""): number for symbol, number in _GROUPS.items() if "-" in symbol and symbol != "p-1"
}


def vector(text: str) -> Vector:
    """Return the lengths in ångström in a text: `[3.61,,]`, `a = 3.2 Å, c = 0.52 nm`, `15`; None for a blank entry."""
    text = text[:_LONGEST]
    if named := list(_AXES.finditer(text)):
        given = {axis: _length(text[at.end() :]) for at in named for axis in at[1] if axis in "abc"}
        return tuple(given.get(axis) for axis in "abc")
    inside = text.strip().strip("[]()")
    if "," in inside and len(parts := inside.split(",")) <= _MOST and not any(part.count(".") > 1 for part in parts):
        return tuple(_length(part) for part in parts)
    found = (_length(text[at.start() :]) for at in list(_NUMBER.finditer(text))[:_MOST])
    return tuple(each for each in found if each)


def _length(text: str) -> Number | None:
    found = _NUMBER.search(text)
    read = reading(text[found.start() :]) if found else None
    if read is None:
        return None
    words = re.match(r"[^\W\d]+", read.rest)
    unit = read_unit(words[0]) if words else None
    factor = unit.factor / _ANGSTROM if unit and unit.powers == (("m", 1.0),) else 1.0
    return Number(read.low.value * factor, read.low.step * factor)


@lru_cache(1024)
def grid(text: str) -> tuple[int, ...]:
    """Return a grid or supercell: `[4,2,1]`, `4×2×1`, `2x2`, `Gamma` (1, 1, 1); empty if the text has none."""
    text = text[:_LONGEST]
    if found := _GRID.search(text):
        return tuple(int(each) for each in found.groups() if each)
    if re.search(r"gamma|Γ", text, re.IGNORECASE):
        return (1, 1, 1)
    alone = re.fullmatch(r"\s*\[?\(?(\d{1,4})\)?\]?(?:\.0)?\s*", text)
    return (int(alone[1]),) if alone else ()


@lru_cache(1024)
def miller(text: str, *, bare: bool = False) -> tuple[int, ...]:
    """Return Miller indices, four reduced to three: `(111)`, `[1,1,0]`, `10-10`; with `bare` also without brackets."""
    found = _MILLER.search(text[:_LONGEST]) or (_BARE.search(text[:_LONGEST]) if bare else None)
    if not found:
        return ()
    read = [int(each) for each in found.groups() if each is not None]
    if len(read) == 4:
        read = [read[0], read[1], read[3]] if read[0] + read[1] + read[2] == 0 else read
    return tuple(read)


def group(text: str) -> frozenset[str]:
    """Return the numbers of the space groups that a text may name, by symbol or number; else its letters.

    A symbol without a bar may have lost it: R3m is 160 or 166.
    """
    text = text[:_LONGEST].strip()
    inside = re.match(r"([^()]*)\s?\(([^()]*)\)$", text)
    for part in (text, *(inside.groups() if inside else ())):
        symbol = re.sub(r"[\s_]|space ?group|symmetry", "", re.sub(r"(\d)[\u0304\u0305]", r"-\1", part.casefold()))
        digits = re.fullmatch(r"(?:no\.?|#|number)?(\d{1,3})", symbol)
        if digits:
            return frozenset([digits[1]])
        if found := {_GROUPS.get(symbol), _BARRED.get(symbol)} - {None}:
            return frozenset(map(str, found))
    for part in re.split(r"[\s,;()]+", text.replace("_", "")):  # a symbol among words
        if found := {_GROUPS.get(part.casefold()), _BARRED.get(part.casefold())} - {None}:
            return frozenset(map(str, found))
    return frozenset([re.sub(r"[\s_]", "", text.casefold())]) if text else frozenset()


def plain_number(text: str) -> Number | None:
    """Return the first number of a plain text, or None."""
    found = _NUMBER.search(text[:_LONGEST])
    return number(found[0]) if found else None


def is_bare(text: str) -> bool:
    """Whether a plain text consists of a number only."""
    return bool(re.fullmatch(r"\s*[\d.]{1,20}\s*", text))
