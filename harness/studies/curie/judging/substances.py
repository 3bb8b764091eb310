"""What a name or formula says a material is made of (OURS): composition, elements, or only the words it goes by.

It must never know a property, nor in which form a material is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.elements import ANIONS, CHARGES, NAMES, PREFIXES, ROMAN, SYMBOLS, VALENCES
from harness.studies.curie.judging.formulas import Counts, counts, elements, same_ratio
from harness.studies.curie.judging.material_names import CALLED, FORMULAS, MOLECULES
from harness.studies.curie.judging.normal import words

_ROMAN = re.compile(r"(\w+)\s?\(([ivx]{1,4})\)", re.IGNORECASE)
_BEFORE = re.compile(r"(mono|di|tri|tetra?|penta?|hexa?|hepta|octa|sesqui)(\w+)")
# Symbols that stand for a name among words: those that are words themselves do not.
_BY_SYMBOL = {
    symbol.casefold(): name
    for symbol, name in NAMES.items()
    if len(symbol) > 1 and symbol not in ("As", "At", "In", "No", "He", "Am", "Be")
}


@dataclass(frozen=True, slots=True)
class Substance:
    """A material as one name says it: exact composition, elements alone, and the words of the name."""

    counts: Counts | None
    elements: frozenset[str]
    words: frozenset[str]
    molecule: str = ""  # what a molecule or polymer with several names is called here


@lru_cache(4096)
def substance(name: str) -> Substance:
    """Read one name or formula of a material, in plain text and without words for its form."""
    said = words(name)
    joined = " ".join(said)
    tokens = frozenset(_BY_SYMBOL.get(word, word) for word in said)
    if joined in CALLED:
        called = CALLED[joined]
        return Substance(counts(MOLECULES.get(called, "")), frozenset(), tokens, called)
    if formula := FORMULAS.get(joined):
        exact = None if formula.startswith("~") else counts(formula)
        found = counts(formula.lstrip("~"))
        return Substance(exact, frozenset(element for element, _ in found or ()), tokens)
    bare = re.sub(r"\s+", "", name)
    if exact := counts(bare):
        return Substance(exact, frozenset(element for element, _ in exact), tokens)
    if open_ := elements(bare):
        return Substance(None, open_, tokens)
    return Substance(*_named(name, said), tokens)


def _named(name: str, said: Sequence[str]) -> tuple[Counts | None, frozenset[str]]:
    """Read a systematic name: `gallium nitride`, `titanium dioxide`, `iron(III) oxide`, `cobalt ferrite`."""
    if not 0 < len(said) <= 6:
        return None, frozenset()
    if len(said) == 2 and said[1] == "ferrite" and (metal := SYMBOLS.get(said[0])):
        return counts(f"{metal}Fe2O4"), frozenset({metal, "Fe", "O"})
    if charged := _charged(name, said):
        return charged, frozenset(element for element, _ in charged)
    found: list[tuple[str, int]] = []
    for word in said:
        if word in ROMAN or word in ("and", "of"):
            continue
        read = _half(word)
        if read is None:
            return None, frozenset()
        found += read
    told = any(many for _, many in found)
    single = len(found) == 1
    total: dict[str, float] = {}
    for element, many in found:
        total[element] = total.get(element, 0.0) + (many or 1)
    exact = tuple(sorted(total.items())) if (told and len(total) <= 2) or single else None
    return exact, frozenset(total)


def _half(word: str) -> list[tuple[str, int]] | None:
    """Read a word as elements, each with the number its prefix says, else 0; None where it says none."""
    if word in SYMBOLS:
        return [(SYMBOLS[word], 0)]
    if word in ANIONS:
        return [(element, 0) for element in ANIONS[word].split()]
    if (split := _BEFORE.fullmatch(word)) and (rest := _half(split[2])) and len(rest) == 1:
        return [(rest[0][0], PREFIXES[split[1]])]
    return None


def _charged(name: str, said: Sequence[str]) -> Counts | None:
    """Read a binary compound whose metal has a stated charge: copper(I) oxide, ferric oxide."""
    roman = _ROMAN.search(name)
    charge = ROMAN.get(roman[2].lower(), 0) if roman else CHARGES.get(said[0], 0)
    metal = SYMBOLS.get(roman[1].casefold() if roman else said[0])
    anion = ANIONS.get(said[-1], "")
    if not charge or not metal or anion not in VALENCES:
        return None
    return counts(f"{metal}{VALENCES[anion]}{anion}{charge}")


def same_substance(one: Iterable[Substance], two: Iterable[Substance]) -> bool:
    """Whether any two names mean one material: by composition, where both sides state it, else by elements or words.

    Molecules with one formula and different known names differ.
    """
    pairs = [(a, b) for a in one for b in two]
    if any(a.molecule and a.molecule == b.molecule for a, b in pairs):
        return True
    exact = [(a, b) for a, b in pairs if a.counts and b.counts]
    if exact:
        return any(same_ratio(a.counts or (), b.counts or ()) and not _apart(a, b) for a, b in exact)
    return any((a.words and a.words == b.words) or (a.elements and a.elements == b.elements) for a, b in pairs)


def _apart(one: Substance, two: Substance) -> bool:
    return bool(one.molecule and two.molecule and one.molecule != two.molecule)
