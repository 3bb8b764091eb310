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
_NUMBER = re.compile(r"(?<![\d.^])[-+]?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?")
_GRID = re.compile(r"(?<![\d.])(\d{1,4})\s?[x×*,\s]\s?(\d{1,4})(?:\s?[x×*,\s]\s?(\d{1,4}))?(?!\.\d)")
_ANGSTROM = 1e-10
_BOHR = 0.529177210903
_ATOMIC = re.compile(r"a\.\s?u\b\.?|au\b|bohr|a_?0\b|atomic units", re.IGNORECASE)
_AXES = re.compile(r"(?<![A-Za-z])([abc](?:\s?=\s?[abc]){0,2})\s?[=:]\s?(?=\d)")
_MILLER = re.compile(r"[\[({<]\s?(-?\d)\s?,?\s?(-?\d)\s?,?\s?(?:(-?\d)\s?,?\s?)?(-?\d)\s?[\])}>]")
_BARE = re.compile(r"(?<![\w.-])(-?\d)\s?,?\s?(-?\d)\s?,?\s?(?:(-?\d)\s?,?\s?)?(-?\d)(?![\w.])")
# Space groups in the order of their numbers by short symbols, and other settings of some.
_IN_ORDER = """
P1 P-1 P2 P21 C2 Pm Pc Cm Cc P2/m P21/m C2/m P2/c P21/c C2/c P222 P2221 P21212 P212121 C2221 C222 F222 I222 I212121
Pmm2 Pmc21 Pcc2 Pma2 Pca21 Pnc2 Pmn21 Pba2 Pna21 Pnn2 Cmm2 Cmc21 Ccc2 Amm2 Abm2 Ama2 Aba2 Fmm2 Fdd2 Imm2 Iba2 Ima2
Pmmm Pnnn Pccm Pban Pmma Pnna Pmna Pcca Pbam Pccn Pbcm Pnnm Pmmn Pbcn Pbca Pnma Cmcm Cmca Cmmm Cccm Cmma Ccca Fmmm
Fddd Immm Ibam Ibca Imma P4 P41 P42 P43 I4 I41 P-4 I-4 P4/m P42/m P4/n P42/n I4/m I41/a P422 P4212 P4122 P41212 P4222
P42212 P4322 P43212 I422 I4122 P4mm P4bm P42cm P42nm P4cc P4nc P42mc P42bc I4mm I4cm I41md I41cd P-42m P-42c P-421m
P-421c P-4m2 P-4c2 P-4b2 P-4n2 I-4m2 I-4c2 I-42m I-42d P4/mmm P4/mcc P4/nbm P4/nnc P4/mbm P4/mnc P4/nmm P4/ncc P42/mmc
P42/mcm P42/nbc P42/nnm P42/mbc P42/mnm P42/nmc P42/ncm I4/mmm I4/mcm I41/amd I41/acd P3 P31 P32 R3 P-3 R-3 P312 P321
P3112 P3121 P3212 P3221 R32 P3m1 P31m P3c1 P31c R3m R3c P-31m P-31c P-3m1 P-3c1 R-3m R-3c P6 P61 P65 P62 P64 P63 P-6
P6/m P63/m P622 P6122 P6522 P6222 P6422 P6322 P6mm P6cc P63cm P63mc P-6m2 P-6c2 P-62m P-62c P6/mmm P6/mcc P63/mcm
P63/mmc P23 F23 I23 P213 I213 Pm-3 Pn-3 Fm-3 Fd-3 Im-3 Pa-3 Ia-3 P432 P4232 F432 F4132 I432 P4332 P4132 I4132 P-43m
F-43m I-43m P-43n F-43c I-43d Pm-3m Pn-3n Pm-3n Pn-3m Fm-3m Fm-3c Fd-3m Fd-3c Im-3m Ia-3d
"""
_SETTINGS = {
    **dict.fromkeys(("p21/n", "p21/a", "p21/b"), 14),
    **dict.fromkeys(("i2/m", "a2/m"), 12),
    **dict.fromkeys(("a2/a", "a2/n", "i2/a", "i2/c", "c2/n"), 15),
    **dict.fromkeys(("pbnm", "pmcn", "pnam", "pmnb", "pcmn"), 62),
    **dict.fromkeys(("p21ab", "p21nb", "pbn21", "pn21a", "p21cn"), 33),
    **dict.fromkeys(("p21ma", "pb21m", "p21am"), 26),
    **dict.fromkeys(("amam", "bbmm", "ccmm", "amma", "bmmb"), 63),
    **dict.fromkeys(("cmce", "bmab", "abma"), 64),
    "cmme": 67,
    "ccce": 68,
    "aem2": 39,
    "aea2": 41,
    "bb21m": 36,
    "a21am": 36,
    "c-1": 2,
    "f4/mmm": 139,
    "p3": 143,
    "pm3": 200,
    "pa3": 205,
    "ia3": 206,
    "pm3m": 221,
    "pn3m": 224,
    "fm3m": 225,
    "fd3m": 227,
    "im3m": 229,
    "ia3d": 230,
}
_GROUPS: Mapping[str, int] = {
    **{symbol.casefold(): number for number, symbol in enumerate(_IN_ORDER.split(), 1)},
    **_SETTINGS,
}
_BARRED: Mapping[str, int] = {
    symbol.replace("-", ""): number for symbol, number in _GROUPS.items() if "-" in symbol and symbol[1:] != "-1"
}


def vector(text: str) -> Vector:
    """Return the lengths in ångström in a text: `[3.61,,]`, `a = 3.2 Å, c = 0.52 nm`, `15`; None for a blank entry.

    A unit behind the last number is that of all, if no other has one: `15 x 15 x 15 bohr`.
    """
    text = text[:_LONGEST]
    ends = [text[at.end() :].strip() for at in list(_NUMBER.finditer(text))[:_MOST]]
    units = [_unit(end) for end in ends]
    shared = units[-1] if units and units[-1] and not any(units[:-1]) else 1.0
    if named := list(_AXES.finditer(text)):
        given = {axis: _length(text[at.end() :], shared) for at in named for axis in at[1] if axis in "abc"}
        return tuple(given.get(axis) for axis in "abc")
    inside = text.strip().strip("[]()")
    if "," in inside and len(parts := inside.split(",")) <= _MOST and not any(part.count(".") > 1 for part in parts):
        return tuple(_length(part, shared) for part in parts)
    found = (_length(text[at.start() :], shared) for at in list(_NUMBER.finditer(text))[:_MOST])
    return tuple(each for each in found if each)


def _length(text: str, shared: float) -> Number | None:
    found = _NUMBER.search(text)
    read = reading(text[found.start() :]) if found else None
    if read is None:
        return None
    factor = _unit(read.rest) or shared
    return Number(read.low.value * factor, read.low.step * factor)


def _unit(text: str) -> float:
    """Return the unit of length at the start of a text in ångström; 0 if there is none."""
    if _ATOMIC.match(text):
        return _BOHR
    words = re.match(r"[^\W\d]+", text)
    unit = read_unit(words[0]) if words else None
    return unit.factor / _ANGSTROM if unit and unit.powers == (("m", 1.0),) else 0.0


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
    if at := re.search(r"(?:\bno\.?|#|\bnumber|\bgroup) ?(\d{1,3})(?!\d)", text, re.IGNORECASE):
        return frozenset([at[1]])
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
