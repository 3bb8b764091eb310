"""What a material is made of according to its name or formula (OURS): composition, elements, or only words.

Independent of properties and of the form of a material.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from harness.studies.curie.judging.asserted import alterations
from harness.studies.curie.judging.elements import ANIONS, CHARGES, NAMES, PREFIXES, ROMAN, SYMBOLS, VALENCES
from harness.studies.curie.judging.formulas import Counts, counts, elements, same_ratio
from harness.studies.curie.judging.material_names import CALLED, FORMULAS, MOLECULES, SOLUTIONS
from harness.studies.curie.judging.normal import words

_ROMAN = re.compile(r"\b(\w{1,30})\s?\(([ivx]{1,4})\)", re.IGNORECASE)
_LIGANDS = {"fluoro": "F", "chloro": "Cl", "bromo": "Br", "iodo": "I", "hydrido": "H", "hydro": "H"}
_COORDINATED = re.compile(rf"(?:di|tri|tetra|penta|hexa|hepta)?(?P<with>{'|'.join(_LIGANDS)})(?P<of>[a-z]{{4,12}}ate)")
_MIXED = re.compile(r"([A-Za-z]{3,12})\s?\((?:II|2\+?)[,/]\s?(?:III|3\+?)\)[- ]oxide", re.IGNORECASE)
_BEFORE = re.compile(r"(mono|di|tri|tetra?|penta?|hexa?|hepta|octa|nona|deca|sesqui|hemi)(\w+)")
# Symbols that stand for a name among words, without those that are words themselves.
_BY_SYMBOL = {
    symbol.casefold(): name
    for symbol, name in NAMES.items()
    if len(symbol) > 1 and symbol not in ("As", "At", "In", "No", "He", "Am", "Be")
}


_SOLUTION = re.compile(
    rf"(?:^|(?<=[\s,(]))({'|'.join(SOLUTIONS)})[\s-]?\(?(\d{{3,4}}(?![\d./:-])|\d{{1,3}}(?:\.\d{{1,3}})?"
    rf"(?:\s?[/:-]\s?\d{{1,3}}(?:\.\d{{1,3}})?){{1,3}})"
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
    if said[:1] == ("poly",) and len(said) > 1 and joined not in CALLED:  # poly(ethylene oxide)
        joined = "poly" + " ".join(said[1:])
    tokens = frozenset(_BY_SYMBOL.get(word, word) for word in said)
    if joined in CALLED and not (len(name) <= 3 and name not in (name.upper(), name.lower()) and counts(name)):
        called = CALLED[joined]
        return Substance(counts(MOLECULES.get(called, "")), frozenset(), tokens, called)
    if formula := FORMULAS.get(joined):
        exact = None if formula.startswith("~") else counts(formula)
        found = counts(formula.lstrip("~"))
        return Substance(exact, frozenset(element for element, _ in found or ()), tokens)
    bare = re.sub(r"\s+", "", name)
    if apart := _stacked(name) or _weighed(name):
        return Substance(None, frozenset(), apart)
    if exact := counts(_solved(name)) or counts(bare):
        return Substance(exact, frozenset(element for element, _ in exact), tokens)
    if open_ := elements(bare):
        return Substance(None, open_, tokens)
    exact, some = _named(name, said)
    parts = [part for part in _PARTS.split(re.sub(r"[\[\]](?:n|N|\d{1,3})?(?![A-Za-z])", " ", name)) if part.strip()]
    if not some and len(parts) in (2, 3):
        tokens = frozenset(key(part) for part in parts)
    return Substance(exact, some, tokens)


def _stacked(name: str) -> frozenset[str]:
    """Return keys of the compounds of a stack or blend such as `GaAs/AlGaAs`, in any order; empty if it is none."""
    bare = " ".join(word for word in name.split() if word.casefold() not in _CLASSES)
    sign = "/" if "/" in bare else "-"
    parts = [part.strip() for part in bare.split(sign)] if sign in bare else []
    if not 1 < len(parts) < 7:
        return frozenset()
    read = [_part_of(part) for part in parts]
    if not all(one and (one.counts or one.elements or one.molecule) for one in read):
        return frozenset()
    whole = [bool(one and (one.molecule or len(one.elements) > 1 or len(one.counts or ()) > 1)) for one in read]
    return frozenset(key(part) for part in parts) if (any(whole) if sign == "/" else all(whole)) else frozenset()


def _part_of(text: str) -> Substance | None:
    """Return the substance of one part of a stack: a formula, or a name of a single word."""
    known = counts(text) or elements(text) or text.casefold() in FORMULAS or text.casefold() in CALLED
    return substance(text) if known and text else None


_WEIGHED = re.compile(r"(?P<many>\d{1,2}(?:\.\d{1,2})?)?(?P<what>[A-Z][A-Za-z\d]{0,8})")


def _weighed(name: str) -> frozenset[str]:
    """Return the parts of an alloy or cermet with shares by weight, in any order: `WC-12Co`; empty if it is none."""
    bare = re.sub(r"(?<=\d)\s?(?:wt\.?\s?%|%)\s?(?=[A-Z])", "", name)
    bare = " ".join(word for word in bare.split() if word.casefold() not in _CLASSES)
    parts = [_WEIGHED.fullmatch(part) for part in bare.split("-")] if "-" in bare else []
    if not 1 < len(parts) < 8 or not all(part and counts(part["what"]) for part in parts):
        return frozenset()
    shares = [part["many"] for part in parts if part]
    return (
        frozenset(part[0] for part in parts if part) | {"by weight"} if any(shares) and not all(shares) else frozenset()
    )


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


def acronym(text: str) -> bool:
    """Whether a word in a text is an acronym, such as CVD and SPS, though all its letters are symbols of elements."""
    return (
        len(text) > 2
        and text.isupper()
        and text.isalpha()
        and not ({text, text.casefold()} & (_AGENTS | FORMULAS.keys() | CALLED.keys()))
    )


def known_within(name: str) -> tuple[Substance, ...]:
    """Return the only known substance among the words of a longer name: of `YBCO coated conductor`; else nothing."""
    parts = name.split()
    if not 1 < len(parts) < 7:
        return ()
    for size in range(len(parts) - 1, 0, -1):
        for start in range(len(parts) - size + 1):
            one = substance(" ".join(parts[start : start + size]))
            rest = [*parts[:start], *parts[start + size :]]
            if (one.counts or one.elements or one.molecule) and len(one.name) > 1:
                plain = all(word.islower() and (word in _CLASSES or word in _USES) for word in rest)
                return (one,) if plain and not any(_is_known(word) for word in rest) else ()
    return ()


# Words for a use or form of a material that a longer name adds.
_USES = frozenset(
    [
        "coated",
        "conductor",
        "tape",
        "electrode",
        "cathode",
        "anode",
        "electrolyte",
        "separator",
        "pigment",
        "support",
        "carrier",
        "brick",
        "tile",
        "fiber",
        "textile",
        "scaffold",
        "implant",
        "sensor",
        "absorber",
        "emitter",
        "matrix",
        "binder",
        "derived",
        "supported",
        "commercial",
        "pristine",
    ]
)


def _is_known(word: str) -> bool:
    one = substance(word)
    return bool(one.counts or one.elements or one.molecule)


def formulas_in(text: str) -> tuple[Substance, ...]:
    """Return the substances whose formulas of two or more elements stand among the words of a text: the first ten."""
    found = (at[0].rstrip(".,;)") for at in islice(_FORMULA.finditer(text), 60))
    read = [substance(one) for one in found if (any(map(str.isdigit, one)) or len(one) < 12) and not acronym(one)]
    return tuple(one for one in read if one.counts and len(one.counts) > 1 and not one.molecule)[:10]


def _named(name: str, said: Sequence[str]) -> tuple[Counts | None, frozenset[str]]:
    """Read a systematic name: `gallium nitride`, `titanium dioxide`, `iron(III) oxide`, `cobalt ferrite`."""
    if not 0 < len(said) <= 6:
        return None, frozenset()
    if (mixed := _MIXED.fullmatch(name.strip())) and (metal := SYMBOLS.get(mixed[1].casefold())):
        return counts(f"{metal}3O4"), frozenset({metal, "O"})
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
    if len(found) == 2 and any(word.startswith("sesqui") for word in said):
        found = [(found[0][0], 2), (found[1][0], 3)]
    if len(found) == 2 and found[1] in (("O", 5), ("O", 7)) and not found[0][1]:  # vanadium pentoxide is V2O5
        found[0] = (found[0][0], 2)
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
    if joined := _joined(word):
        return [(element, 0) for element in joined]
    if (split := _BEFORE.fullmatch(word)) and (rest := _half(split[2])) and len(rest) == 1:
        return [(rest[0][0], PREFIXES[split[1]])]
    return None


def _joined(word: str) -> tuple[str, ...]:
    """Return the elements of a word of several roots: a hydrate, an oxyselenide, tetrafluoronickelate; else nothing."""
    if word.endswith("hydrate") and (_BEFORE.fullmatch(word) or word == "hydrate"):
        return ("H", "O")
    if at := _COORDINATED.fullmatch(word):
        metal = [element for element in ANIONS.get(at["of"], "").split() if element != "O"]
        return (_LIGANDS[at["with"]], *metal) if metal else ()
    return ("O", *ANIONS[word[3:]].split()) if word.startswith("oxy") and word[3:] in ANIONS else ()


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


def _shortened(short: Substance, whole: Substance) -> bool:
    """Whether one grade has a short and a long name: `IN625` and `Inconel 625` have one number and letters in order."""
    sides = [
        (frozenset(re.findall(r"\d+(?:\.\d+)?", one.name)), "".join(re.findall(r"[A-Za-z]+", one.name)).casefold())
        for one in (short, whole)
    ]
    (mine, few), (theirs, many) = sides
    if not mine or mine != theirs or not 1 < len(few) < len(many) or few[0] != many[0]:
        return False
    if short.molecule or ((short.counts or short.elements) and max(map(float, mine)) < 100):
        return False
    first = "".join(re.findall(r"[A-Za-z]+", whole.name)[:1]).casefold()
    return first.startswith(few) or _in_order(few, many)


def _in_order(few: str, many: str) -> bool:
    """Whether all letters of a short text stand in a longer one in the same order."""
    place = 0
    for letter in few:
        place = many.find(letter, place) + 1
        if not place:
            return False
    return len(few) > 2


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
    if any(_shortened(a, b) or _shortened(b, a) for a, b in pairs):
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
        "cermet",
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


_LINKS = frozenset(["from", "of", "derived", "based", "the", "and", "with", "in", "on", "a", "an", "by", "for"])


def _tells(word: str) -> bool:
    """Whether a word makes another material of a name: a number, an element, a known substance, an alteration."""
    digits = any(sign.isdigit() for sign in word)
    if len(word) < 3 and word.capitalize() in NAMES and word not in ("as", "at", "in", "no", "he", "be", "am"):
        return True
    return digits or word in SYMBOLS or bool(alterations(word)) or _is_known(word) or word.startswith(("un", "non"))


_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "kappa": "κ"}


def _greek(text: str) -> str:
    for name, letter in _GREEK.items():
        text = text.replace(name, letter)
    return text


def with_one_code(short: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether one name is a code with a number, and the other the same code among words: `ZIF-8`."""
    rest = [word for word in whole if word not in short]
    coded = any(sign.isdigit() for word in short for sign in word) and any(
        sign.isalpha() for word in short for sign in word
    )
    plain = all(word.isalpha() and len(word) > 3 and word not in SYMBOLS and not word.endswith("ed") for word in rest)
    return coded and set(short) < set(whole) and plain


def without_class(name: str) -> tuple[Substance, ...]:
    """Return the known substance of a name without words for its class: `PVA hydrogel`; empty if there is none."""
    kept = " ".join(word for word in name.split() if word.casefold() not in _CLASSES)
    found = substance(kept) if kept and kept != name.strip() else None
    return (found,) if found and found.molecule else ()


def _same_words(one: Substance, two: Substance) -> bool:
    """Whether two names have the same words, but for words of a class and abbreviations of several words.

    `epoxy` is `epoxy resin`, and `NiFe LDH` is `NiFe layered double hydroxide`.
    """
    if one.words == two.words or not one.words or not two.words:
        return bool(one.words and two.words)
    if (one.counts and two.counts) or (one.molecule and two.molecule):
        return False
    sides = [[word for word in words(each.name) if word not in _CLASSES] for each in (one, two)]
    shared = set(sides[0]) & set(sides[1])
    if (
        _greek("".join(sides[0])) == _greek("".join(sides[1])) != ""
        or with_one_code(*sides)
        or with_one_code(*sides[::-1])
    ):
        return True
    left = [[word for word in side if word not in shared] for side in sides]
    more = [word for word in (*left[0], *left[1]) if word not in _LINKS]
    made = all(word.endswith("ed") for word in more)
    if (
        len(set(shared) - _LINKS) > (0 if made else 1)
        and not (set(left[0]) - _LINKS and set(left[1]) - _LINKS)
        and not any(map(_tells, more))
    ):
        return True
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
    "methylene blue": "methylene blue",
    "rhodamine b": "rhodamine B",
    "rhodamine 6g": "rhodamine 6G",
    "methyl orange": "methyl orange",
    "congo red": "congo red",
    "crystal violet": "crystal violet",
    "malachite green": "malachite green",
    "lithium": "Li",
    "sodium": "Na",
    "sbf": "SBF",
    "simulated body": "SBF",
    "hank": "SBF",
    "hanks": "SBF",
    "ringer": "ringer",
    "dmem": "DMEM",
    "artificial saliva": "saliva",
    "diiodomethane": "diiodomethane",
    "hexadecane": "hexadecane",
    "saline": "saline",
    "pbs": "saline",
    "brine": "saline",
    "seawater": "seawater",
    "air": "air",
    "vacuum": "vacuum",
}
_SALTS = {found: one for one in sorted(_AGENTS) if (found := counts(one)) and len(found) > 1}
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
        elif word.casefold() in SYMBOLS and (salt := _SALTS.get(substance(pair).counts or ())):
            found.add(salt)
            skip = True
        elif word in _AGENTS:
            found.add(word)
        elif word.casefold() in _CALLED_AGENTS and (word.islower() or (word.isupper() and len(word) > 2)):
            found.add(_CALLED_AGENTS[word.casefold()])
        elif len(word) > 3 and (one := substance(word)).molecule and one.counts:
            found.add(one.molecule)
    return frozenset(found)
