"""What a material is made of according to its name or formula (OURS): composition, elements, or only words.

Independent of properties and of the form of a material.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from harness.studies.curie.judging.elements import ANIONS, CHARGES, NAMES, PREFIXES, ROMAN, SYMBOLS, VALENCES
from harness.studies.curie.judging.formulas import Counts, counts, elements, same_ratio
from harness.studies.curie.judging.material_names import CALLED, FORMULAS, MOLECULES, SOLUTIONS
from harness.studies.curie.judging.normal import words

_ROMAN = re.compile(r"\b(\w{1,30})\s?\(([ivx]{1,4})\)", re.IGNORECASE)
_BEFORE = re.compile(r"(mono|di|tri|tetra?|penta?|hexa?|hepta|octa|sesqui)(\w+)")
# Symbols that stand for a name among words, without those that are words themselves.
_BY_SYMBOL = {
    symbol.casefold(): name
    for symbol, name in NAMES.items()
    if len(symbol) > 1 and symbol not in ("As", "At", "In", "No", "He", "Am", "Be")
}


_SOLUTION = re.compile(
    rf"(?:^|(?<=[\s,(]))({'|'.join(SOLUTIONS)})[\s-]?\(?(\d{{3,4}}(?![\d./:-])|\d{{1,3}}(?:\.\d{{1,3}})?(?:\s?[/:-]\s?\d{{1,3}}(?:\.\d{{1,3}})?){{1,3}})"
)
_PARTS = re.compile(r"\s?[:/]\s?|\s-\s|\s?@\s?|\s(?:and|with|on|in)\s")
_FORMULA = re.compile(r"(?<![\w.])(?=\w{0,30}[A-Z])[A-Z\d(\[][A-Za-z\d.()\[\]]{0,40}")


@dataclass(frozen=True, slots=True)
class Substance:
    """A material as one name states it: exact composition, elements alone, and the words of the name."""

    counts: Counts | None
    elements: frozenset[str]
    words: frozenset[str]
    molecule: str = ""  # the name used here for a molecule or polymer with several names
    name: str = ""  # as it is written


@lru_cache(4096)
def substance(name: str) -> Substance:
    """Read one name or formula of a material, in plain text and without words for its form."""
    return replace(_read(name), name=name.strip())


def _read(name: str) -> Substance:
    said = words(name)
    joined = " ".join(said)
    tokens = frozenset(_BY_SYMBOL.get(word, word) for word in said)
    if joined in CALLED and not (len(name) <= 3 and name not in (name.upper(), name.lower()) and counts(name)):
        called = CALLED[joined]
        return Substance(counts(MOLECULES.get(called, "")), frozenset(), tokens, called)
    if formula := FORMULAS.get(joined):
        exact = None if formula.startswith("~") else counts(formula)
        found = counts(formula.lstrip("~"))
        return Substance(exact, frozenset(element for element, _ in found or ()), tokens)
    bare = re.sub(r"\s+", "", name)
    if exact := counts(_solved(name)):
        return Substance(exact, frozenset(element for element, _ in exact), tokens)
    if exact := counts(bare):
        return Substance(exact, frozenset(element for element, _ in exact), tokens)
    if open_ := elements(bare):
        return Substance(None, open_, tokens)
    exact, some = _named(name, said)
    parts = [part for part in _PARTS.split(re.sub(r"[\[\]](?:n|N|\d{1,3})?(?![A-Za-z])", " ", name)) if part.strip()]
    if not some and len(parts) in (2, 3):
        tokens = frozenset(key(part) for part in parts)
    return Substance(exact, some, tokens)


def parts_of(name: str) -> tuple[str, ...]:
    """Return keys of the components of a mixture such as `P3HT:PCBM`, in their order; empty if it is none."""
    found = [part for part in _PARTS.split(re.sub(r"[\[\]]n?", " ", name)) if part.strip()]
    return tuple(key(part) for part in found) if 1 < len(found) < 5 else ()


def key(name: str) -> str:
    """Return a text that is equal for names of one substance."""
    found = substance(name.strip()) if not _PARTS.search(name.strip()) else None
    if found is None:
        return " ".join(sorted(words(name)))
    if found.counts and not found.molecule:
        whole = math.fsum(many for _, many in found.counts)
        return " ".join(f"{element}{many / whole:.3f}" for element, many in found.counts)
    return found.molecule or " ".join(sorted(found.words))


def _solved(name: str) -> str:
    """Return the formula of an abbreviated solid solution with its shares: `NMC811`; empty if the name has none."""
    found = _SOLUTION.search(name)
    if not found:
        return ""
    form, told = SOLUTIONS[found[1]], found[2]
    shares = [float(one) for one in (told if told.isdigit() else re.split(r"\s?[/:-]\s?", told))]
    if form.count("{") != len(shares) or not all(shares[at] + shares[at ^ 1] for at in range(len(shares) & ~1)):
        return ""
    size = 2 if len(shares) == 4 else len(shares)
    whole = [math.fsum(shares[start : start + size]) for start in range(0, len(shares), size)]
    return form.format(*(f"{one / whole[at // size]:.4f}" for at, one in enumerate(shares))).replace(" ", "")


def formulas_in(text: str) -> tuple[Substance, ...]:
    """Return the substances whose formulas of two or more elements stand among the words of a text: the first ten."""
    found = (at[0].rstrip(".,;)") for at in islice(_FORMULA.finditer(text), 60))
    read = [substance(one) for one in found if any(sign.isdigit() for sign in one) or len(one) < 12]
    return tuple(one for one in read if one.counts and len(one.counts) > 1 and not one.molecule)[:10]


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
    """Return the elements of a word, each with the number its prefix states, else 0; None if it names no element."""
    if word in SYMBOLS:
        return [(SYMBOLS[word], 0)]
    if word in ANIONS:
        return [(element, 0) for element in ANIONS[word].split()]
    if (split := _BEFORE.fullmatch(word)) and (rest := _half(split[2])) and len(rest) == 1:
        return [(rest[0][0], PREFIXES[split[1]])]
    return None


def _charged(name: str, said: Sequence[str]) -> Counts | None:
    """Read a binary compound whose metal has a stated charge: copper(I) oxide, ferric oxide; None if it is not one."""
    roman = _ROMAN.search(name)
    charge = ROMAN.get(roman[2].lower(), 0) if roman else CHARGES.get(said[0], 0)
    metal = SYMBOLS.get(roman[1].casefold() if roman else said[0])
    anion = ANIONS.get(said[-1], "")
    if not charge or not metal or anion not in VALENCES:
        return None
    return counts(f"{metal}{VALENCES[anion]}{anion}{charge}")


def _nominal(family: Substance, one: Substance) -> bool:
    """Whether a name lists three or more elements without numbers, and the other is a compound of these: `NdFeB`."""
    listed = re.fullmatch(r"(?:[A-Z][a-z]?-?){3,6}", family.name)
    return bool(listed and family.counts and one.counts) and family.elements == one.elements


_SHORT = re.compile(r"[A-Z][A-Za-z]{0,2}[A-Z][A-Za-z]{0,3}")


def _stands_for(short: Substance, whole: Substance) -> bool:
    """Whether an unknown abbreviation has the first letters of another name: `SRO` of SrRuO3, `GO` of graphene oxide.

    For a formula, each letter stands for an element, in the order in which it is written; oxygen may be left out.
    """
    if not _SHORT.fullmatch(short.name) or short.molecule or len(short.name) > 6:
        return False
    if short.counts and not (short.name.isupper() and len(short.name) > 2):  # a formula: CuO is not Cu2O
        return False
    letters = [one for one in short.name if one.isupper()]
    if whole.counts and any(sign.isupper() for sign in whole.name):
        order = list(dict.fromkeys(re.findall(r"[A-Z][a-z]?", whole.name)))
        initials = [one[0] for one in order if one in NAMES]
        called = [NAMES[one][0].upper() for one in order if one in NAMES]
        without = [one for one, symbol in zip(initials, order, strict=False) if symbol != "O"]
        return len(letters) > 1 and letters in (initials, without, called)
    initials = [word[0].upper() for word in re.findall(r"[A-Za-z]+", whole.name)]
    return len(letters) == len(initials) > 1 and letters == initials and short.name.isupper()


def same_substance(one: Iterable[Substance], two: Iterable[Substance]) -> bool:
    """Whether any two names mean the same material: by composition if both sides state it, else by elements or words.

    Molecules with the same formula and different known names differ.
    """
    pairs = [(a, b) for a in one for b in two]
    if any(a.molecule and a.molecule == b.molecule for a, b in pairs):
        return True
    exact = [(a, b) for a, b in pairs if a.counts and b.counts]
    if exact and any(same_ratio(a.counts or (), b.counts or ()) and not _apart(a, b) for a, b in exact):
        return True
    if any(_stands_for(a, b) or _stands_for(b, a) or _nominal(a, b) or _nominal(b, a) for a, b in pairs):
        return True
    if exact:
        return False
    return any(_same_words(a, b) or (a.elements and a.elements == b.elements) for a, b in pairs)


# Nouns for a class of materials or a use that a name may have or not.
_CLASSES = frozenset(
    [
        "resin",
        "alloy",
        "composite",
        "hybrid",
        "rubber",
        "steel",
        "catalyst",
        "photocatalyst",
        "electrolyte",
        "electrocatalyst",
        "photoanode",
        "photocathode",
        "membrane",
        "salt",
        "polymer",
        "copolymer",
        "glass",
        "ceramic",
        "semiconductor",
        "superconductor",
        "magnet",
        "dye",
        "complex",
        "framework",
        "mof",
        "zeolite",
        "clay",
        "mineral",
        "adhesive",
        "elastomer",
        "hydrogel",
        "fluid",
        "oil",
        "ink",
        "paste",
        "superlattice",
        "multilayer",
        "compound",
        "mxene",
        "phosphor",
        "scintillator",
    ]
)


def _same_words(one: Substance, two: Substance) -> bool:
    """Whether two names have the same words, but for words of a class and abbreviations of several words.

    `epoxy` is `epoxy resin`, and `NiFe LDH` is `NiFe layered double hydroxide`.
    """
    if not one.words or not two.words:
        return False
    if one.words == two.words:
        return True
    if (one.counts and two.counts) or (one.molecule and two.molecule):
        return False
    sides = [[word for word in words(each.name) if word not in _CLASSES] for each in (one, two)]
    shared = set(sides[0]) & set(sides[1])
    if "".join(sides[0]) == "".join(sides[1]) != "":
        return True
    left = [[word for word in side if word not in shared] for side in sides]
    if not shared or not any(left):
        return bool(shared)
    return any(
        len(short) == 1 and 1 < len(long) <= 6 and short[0] == "".join(word[0] for word in long)
        for short, long in (left, left[::-1])
    )


def _apart(one: Substance, two: Substance) -> bool:
    return bool(one.molecule and two.molecule and one.molecule != two.molecule)


# Gases, liquids, ions and electrolytes that properties and conditions name: formulas, and the words for them.
_AGENTS = frozenset(
    [
        "Ar",
        "He",
        "N2",
        "O2",
        "H2",
        "CO",
        "CO2",
        "NO",
        "NO2",
        "NH3",
        "SO2",
        "H2S",
        "CH4",
        "C2H2",
        "C2H4",
        "H2O",
        "HCl",
        "KOH",
        "NaOH",
        "H2SO4",
        "HNO3",
        "HClO4",
        "LiPF6",
        "NaCl",
        "KCl",
        "Na2SO4",
        "LiOH",
    ]
)
_CALLED_AGENTS = {
    "argon": "Ar",
    "helium": "He",
    "nitrogen": "N2",
    "oxygen": "O2",
    "hydrogen": "H2",
    "methane": "CH4",
    "ammonia": "NH3",
    "water": "H2O",
    "carbon dioxide": "CO2",
    "carbon monoxide": "CO",
    "sulfur dioxide": "SO2",
    "nitrogen dioxide": "NO2",
    "nitric oxide": "NO",
    "hydrogen sulfide": "H2S",
    "sulfuric acid": "H2SO4",
    "nitric acid": "HNO3",
    "hydrochloric acid": "HCl",
    "perchloric acid": "HClO4",
    "potassium hydroxide": "KOH",
    "sodium hydroxide": "NaOH",
    "sodium sulfate": "Na2SO4",
    "lithium": "Li",
    "sodium": "Na",
    "air": "air",
    "vacuum": "vacuum",
}
_IONS = re.compile(r"(?<![A-Za-z])(Li|Na|K|Mg|Zn|Ca|Al|H|O)(?:[\d]?\+|[- ]ions?\b)")
AGENT_WORDS = frozenset(word for name in _CALLED_AGENTS for word in name.split()) | {
    *(one.casefold() for one in _AGENTS),
    *("li", "na", "k", "mg", "zn", "ion", "gas", "vapor"),
}


@lru_cache(4096)
def agents(text: str) -> frozenset[str]:
    """Return the gases, liquids, ions and electrolytes that a plain text names, by formula or by the table's name."""
    said = re.findall(r"[A-Za-z][A-Za-z\d]{0,30}", text[:1000])
    found = {at[1] for at in _IONS.finditer(text[:1000])}
    skip = False
    for place, word in enumerate(said):
        pair = f"{word} {said[place + 1]}".casefold() if place + 1 < len(said) else ""
        if skip:
            skip = False
        elif pair in _CALLED_AGENTS:
            found.add(_CALLED_AGENTS[pair])
            skip = True
        elif word in _AGENTS:
            found.add(word)
        elif word.casefold() in _CALLED_AGENTS and word.islower():
            found.add(_CALLED_AGENTS[word])
        elif len(word) > 3 and (one := substance(word)).molecule and one.counts:
            found.add(one.molecule)
    return frozenset(found)
