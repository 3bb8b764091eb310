"""Which sample a text speaks of: conditions with numbers, dopants, substrates and labels (OURS).

It must never know a property, nor how two items are compared as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from harness.studies.curie.judging.elements import NAMES, SYMBOLS
from harness.studies.curie.judging.normal import words
from harness.studies.curie.judging.quantities import Number, Quantity, among, same_quantity
from harness.studies.curie.judging.units import Powers

_KELVIN: Powers = (("K", 1.0),)
_METER: Powers = (("m", 1.0),)
_ROOM = Quantity(Number(298.15, 20.0), Number(298.15, 20.0), _KELVIN)  # anything from 292 to 304 K is room temperature
_AT_ROOM = re.compile(r"\b(?:room|ambient)[- ]temp|\bRT\b")
_MOST = 20  # conditions of a text that are read
_NOUNS = {
    "thickness": r"thick|thin\b|film|layer",
    "annealing": r"anneal|calcin|sinter|fired|firing|heat.?treat|baked",
    "growth": r"substrate temp|grow|deposit|synthes|hydrothermal|prepar",
    "diameter": r"diameter|radius",
    "size": r"size|grain|crystallite",
    "height": r"height|tall",
    "length": r"(?<!wave)length|long",
    "width": r"width|wide",
    "depth": r"depth|deep",
    "wavelength": r"wavelength|λ|emission|excitation",
    "energy": r"photon|energy|implant",
    "frequency": r"frequen",
    "field": r"field",
    "pressure": r"pressure|vacuum",
    "time": r"time|duration|for\b",
    "doping": r"dop|concentration|content|fraction|mol",
    "spacing": r"spacing",
    "dose": r"dose|fluence",
    "at": r"measur|\bat\b",
}
_NOUN = re.compile("|".join(rf"(?P<{name}>{pattern})" for name, pattern in _NOUNS.items()), re.IGNORECASE)
_SHARE = re.compile(r"(?<![A-Za-z])x\s?=\s?(0?\.\d{1,4}|[01])(?!\d)")
_ELEMENT = r"(?:[A-Z][a-z]?|[A-Za-z]{3,12})(?![A-Za-z])"
_DOPED = re.compile(
    rf"\(?(?<![^\W_])(?P<list>{_ELEMENT}(?:(?:,\s?|\s?(?:and|&)\s|/){_ELEMENT}){{0,3}})\)?[- ]{{1,2}}"
    r"(?:co-?)?(?:hyper-?)?(?:doped|doping)\b(?! with)"
    rf"|\b(?:co-?)?(?:hyper-?)?doped with (?:\d[\d.]*\s?(?:%|at\.?%|mol\s?%|wt\.?\s?%)\s)?"
    rf"(?P<with>{_ELEMENT}(?:(?:,\s?|\s(?:and|&)\s){_ELEMENT}){{0,3}})"
    r"|(?<=[A-Za-z\d)]):(?P<after>[A-Z][a-z]?)(?![a-z\d])",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(r"[Dd]op|:[A-Z]")
_SUBSTRATE = re.compile(
    r"(?:\b(?:grown|deposited|supported|prepared|formed|coated|lying)\s)?\b(?:on|onto)\s(?:an?\s|the\s)?(?P<of>[^,;\n]{1,60}?)"
    r"(?:\s?-?(?:substrates?|templates?|wafers?)\b|(?=[,;\n]|$))"
)
_LABEL = re.compile(
    r"\b(?:[Ss]amples?|[Ss]pecimens?|[Cc]ompounds?|[Cc]omplex|[Dd]yes?|[Dd]evices?|[Ss]tructures?|[Mm]odels?|[Nn]o\.?)\s?#?\s?"
    r"(\d{1,3}[a-z]?|[A-Z]\d{0,2}|[ivx]{1,4})\b"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """What tells a sample from others of its material."""

    conditions: tuple[tuple[str, Quantity], ...] = ()
    dopants: frozenset[str] = frozenset()
    undoped: bool = False
    substrates: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    share: float | None = None  # the `x` of a formula


def conditions(text: str) -> tuple[tuple[str, Quantity], ...]:
    """Give the quantities of a plain text, each with the noun beside it that says of what: at most 20."""
    found: list[tuple[str, Quantity]] = []
    for line in text.split("\n"):
        near = islice(among(line), _MOST - len(found))
        found += [(_noun(before, after, quantity), quantity) for quantity, before, after in near]
        if _AT_ROOM.search(line):
            found.append(("at", _ROOM))
        if len(found) >= _MOST:
            break
    return tuple(found[:_MOST])


def _noun(before: str, after: str, quantity: Quantity) -> str:
    """Name what a quantity is of by the last noun before it or the first behind it; lengths `at` are wavelengths."""
    nouns = [str(at.lastgroup) for at in _NOUN.finditer(before)][-1:] or [
        str(at.lastgroup) for at in _NOUN.finditer(after)
    ][:1]
    if not nouns:
        return ""
    return "wavelength" if nouns == ["at"] and quantity.powers == _METER else nouns[0]


def dopants(text: str) -> frozenset[str]:
    """Give the elements that a plain text says a material is doped with."""
    found = set[str]()
    for said in _DOPED.finditer(text) if _SAYS_SO.search(text) else ():
        found |= _elements(said["list"] or said["with"] or said["after"])
    return frozenset(found)


def without_dopants(text: str) -> str:
    """Leave a material's name without its dopants: `Al-doped ZnO` is ZnO, and so is `ZnO:Al`."""
    if not _SAYS_SO.search(text):
        return text
    return _DOPED.sub(lambda at: " " if _elements(at["list"] or at["with"] or at["after"]) else at[0], text)


def _elements(text: str) -> set[str]:
    parts = re.split(r",\s?|/|\s(?:and|&)\s", text)
    return {symbol for part in parts if (symbol := part if part in NAMES else SYMBOLS.get(part.strip().casefold(), ""))}


def without_substrate(text: str) -> str:
    """Leave what lies on something: `GaN on sapphire substrate` is GaN."""
    return _SUBSTRATE.sub(" ", text)


def sample(name: str, about: str, more: str = "") -> Sample:
    """Read a sample from its material's name, from the lines about it, and from those about how it was measured."""
    both = f"{name}\n{about}"
    bare = without_substrate(both)
    on = frozenset(" ".join(words(at["of"])) for at in _SUBSTRATE.finditer(both) if not at["of"].strip().isdigit())
    share = _SHARE.search(f"{both}\n{more}")
    return Sample(
        conditions(f"{bare}\n{more}"),
        dopants(bare),
        bool(re.search(r"\b[Uu]n-?doped\b", both)),
        frozenset(filter(None, on)),
        frozenset(at[1] for at in _LABEL.finditer(both)),
        float(share[1]) if share else None,
    )


def contradicted(one: Sequence[tuple[str, Quantity]], two: Sequence[tuple[str, Quantity]]) -> str:
    """Name the first condition that both texts state, and in which no value of one is a value of the other."""
    for noun, kind in dict.fromkeys((noun, quantity.powers) for noun, quantity in one):
        mine, theirs = ([each for name, each in side if (name, each.powers) == (noun, kind)] for side in (one, two))
        if theirs and not any(same_quantity(a, b) for a in mine for b in theirs):
            return noun or "a condition"
    return ""


def other_sample(one: Sample, two: Sample, named: tuple[frozenset[str], frozenset[str]]) -> str:
    """Say why two descriptions are of different samples, or nothing; `named` are the dopants in the materials' names.

    Silence contradicts nothing, save where a name itself says a dopant and the other side knows of none.
    """
    by_name = (named[0] and not two.dopants) or (named[1] and not one.dopants)
    differing = contradicted(one.conditions, two.conditions)
    said = {
        "dopants differ": one.dopants and two.dopants and one.dopants != two.dopants,
        "one is doped": by_name or (one.undoped and two.dopants) or (two.undoped and one.dopants),
        "labels of samples differ": one.labels and two.labels and not one.labels & two.labels,
        "substrates differ": one.substrates and two.substrates and not _share_words(one.substrates, two.substrates),
        "x differs": one.share is not None and two.share is not None and abs(one.share - two.share) > 1e-9,
        f"{differing} differs": differing,
    }
    return next((why for why, holds in said.items() if holds), "")


def _share_words(one: frozenset[str], two: frozenset[str]) -> bool:
    return any(set(a.split()) & set(b.split()) for a in one for b in two)
