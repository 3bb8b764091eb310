"""What the names of a structure state: substances, their parts, words and labels (OURS).

Does not read cells, grids or defects. Does not compare whole structures.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.studies.curie.judging.elements import NAMES, SYMBOLS
from harness.studies.curie.judging.forms import without_states
from harness.studies.curie.judging.formulas import counts
from harness.studies.curie.judging.normal import words
from harness.studies.curie.judging.samples import dopants, without_dopants
from harness.studies.curie.judging.structure_changes import modifications
from harness.studies.curie.judging.substances import Substance, formulas_in, same_substance, substance, with_one_code

ALIKE = 0.6  # share of words that two names must have in common if no composition decides
_BRACKETS = re.compile(r"[\[({]\s?(?:-?\d\s?,?\s?){3,4}[\])}]")
_ON = re.compile(
    r"\s(?:(?:covered|coated|loaded|decorated|functionali[sz]ed) (?:by|with)|atop on|on|@|over|atop|in|inside"
    r"|within|with|under|carrying|plus|\+)\s|(?<=[A-Za-z\d)\]])/(?=[A-Za-z\[(])|\s?@\s?"
)
_ALTERED = re.compile(
    r"\b\w{1,20}-(?:terminated|passivated|covered|functionali[sz]ed|decorated|intercalated|deficient)\b"
    r"|\b(?:hydrogenated|fluorinated|hydroxylated|oxidi[sz]ed|reduced|strained|relaxed|unrelaxed|stepped"
    r"|reconstructed|pristine"
    r"|clean|stoichiometric|defective)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:bound|adsorbed on|adsorbed at|attached|located|sitting|coordinated|anchored|supported|at|to|by)\b"
)
_BESIDE = re.compile(
    r"\b(?:(?:co-?)?adsorbed|adsorption of|physisorbed|chemisorbed|one|two|three|four|single|an?|the|molecules?"
    r"|atoms?|clusters?"
    r"|surfaces?|slabs?|adlayers?|framework|solvated|guest|host|dissolved|encapsulated|inserted)\b",
    re.IGNORECASE,
)
_NUMBERS = {name: str(place) for place, name in enumerate(["", "two", "three", "four", "five", "six"], 1)}
_GENERIC = frozenset(
    [
        "dye",
        "compound",
        "complex",
        "model",
        "cation",
        "anion",
        "radical",
        "solvated",
        "water",
        "in",
        "with",
        "and",
        "on",
        "for",
        "cell",
        "unit",
        "supercell",
        "nanoparticle",
        "nanotube",
        "atom",
        "molecule",
        "nanoribbon",
        "nanorod",
        "nanowire",
        "monolayer",
        "bilayer",
        "bulk",
        "2d",
        "1d",
        "3d",
        "sheet",
        "film",
        "layer",
        "crystalline",
        "interface",
        "surface",
        "slab",
        "crystal",
        "structure",
        "isolated",
        "face",
        "facet",
        "framework",
        "superlattice",
        "clean",
    ]
)


@dataclass(frozen=True, slots=True)
class StructureNames:
    """The names of one structure in the form in which they are compared."""

    substances: tuple[Substance, ...]
    words: tuple[frozenset[str], ...]  # of each name, without generic words
    labels: tuple[frozenset[str], ...]  # of each name: words with digits, and single letters
    parts: tuple[tuple[Substance, ...], ...]  # of each name that has the form "something on something"
    inside: tuple[Substance, ...]  # formulas that stand among the words of the names
    dopants: frozenset[str]
    modified: frozenset[str]
    upon: tuple[tuple[Substance, ...], ...] = ()  # of each name "A on B": A and B

    @property
    def mentioned(self) -> frozenset[str]:
        """The elements that occur in the names."""
        said = frozenset[str]().union(*self.words)
        return frozenset(symbol for symbol, name in NAMES.items() if name in said)


def structure_names(names: Sequence[str]) -> StructureNames:
    """Read the names of a structure, given as plain texts; Miller indices in brackets are left out."""
    bare = [_BRACKETS.sub(" ", _spelt_out(name)).strip() for name in names]
    bare = [_counted_atoms(name) or _without_defects(name) for name in bare]
    cleaned = [(whole, without_states(_ALTERED.sub(" ", without_dopants(whole)))) for whole in bare]
    said = [_words(without_dopants(whole)) for whole in bare]
    return StructureNames(
        tuple(substance(text) for _, text in _each(cleaned) if text),
        tuple(one for one in said if one),
        tuple(frozenset(word for word in one if _label(word)) for one in said if one),
        tuple(parts for whole in bare if len(parts := tuple(_layers(without_dopants(whole)))) > 1),
        tuple(one for whole in bare for one in formulas_in(whole)),
        frozenset[str]().union(*(dopants(name) for name in names)),
        modifications("\n".join(names)),
        tuple(parts for whole in bare if len(_UPON.findall(whole)) == 1 and len(parts := tuple(_layers(whole))) == 2),
    )


_TENS = dict(
    zip(
        ["ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(10, 100, 10),
        strict=True,
    )
)
_ONES = dict(
    zip(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ],
        range(1, 20),
        strict=True,
    )
)
_MANY_ATOMS = re.compile(
    r"(?<![\w-])(?P<many>\d{1,3}|[a-z]{3,9}(?:-[a-z]{3,5})?)[- ]atoms? (?P<of>[A-Za-z]{1,12})(?= (?:cluster"
    r"|nanocluster|nano|particle))",
    re.IGNORECASE,
)


def _counted_atoms(name: str) -> str:
    """Return the formula of a cluster whose number of atoms is spelled: `thirteen-atom palladium cluster` is Pd13."""
    found = _MANY_ATOMS.search(name)
    if not found:
        return ""
    tens, _, ones = found["many"].casefold().partition("-")
    spelt = _TENS.get(tens, 0) + _ONES.get(ones, 0) if ones else _ONES.get(tens) or _TENS.get(tens, 0)
    many = int(found["many"]) if found["many"].isdigit() else spelt
    element = found["of"] if found["of"] in NAMES else SYMBOLS.get(found["of"].casefold(), "")
    return f"{element}{many}" if element and many else ""


_ABBREVIATIONS = {
    "AGNR": "armchair graphene nanoribbon",
    "ZGNR": "zigzag graphene nanoribbon",
    "GNR": "graphene nanoribbon",
    "SWCNT": "carbon nanotube",
    "SWNT": "carbon nanotube",
    "CNT": "carbon nanotube",
    "BNNT": "boron nitride nanotube",
    "GO": "graphene oxide",
    "TBG": "twisted bilayer graphene",
    "BLG": "bilayer graphene",
}
_SHORT = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(_ABBREVIATIONS)})s?(?![A-Za-z])")
_EL = r"(?:[A-Z][a-z]?|[a-z]{3,12})"
_DEFECT = re.compile(
    rf"(?:\b(?:an?|one|two|single|isolated|neutral|the) )?(?<![A-Za-z])(?:{_EL}[- ])?(?:mono|di)?(?:vacanc(?:y"
    rf"|ies)|interstitials?)(?: defects?)?\b"
    rf"|(?<![A-Za-z])V[_ ]\{{?[A-Z][a-z]?\}}?(?![a-z])|\bV(?:Si|C|N|O|Ga|Zn|S|Se|Te|As|B|Ti|Al|In|Cd|Pb|Mo|W)"
    rf"(?![A-Za-z\d])"
)


_SUPPORTED = re.compile(r"^(?P<host>[\w()]{2,20})-supported (?P<guest>.{1,60})$")
_OVERLAYER = re.compile(
    r"^(?P<host>[A-Z][A-Za-z\d]{0,9}(?:\s?\(\d{3,4}\))?)[ -]?(?P<cell>[pc]?\(?√?\d{1,2}\s?[x×]\s?√?\d{1,2}\)?"
    r"(?:R\d{2}°?)?)[- ](?P<guest>[A-Z][A-Za-z\d]{0,6})$"
)
_CELL = re.compile(r"(?<![\w(])[pc]?\(?√?\d{1,2}\s?[x×]\s?√?\d{1,2}\)?(?:R\d{2}°?)?[- ]?(?=[A-Z(]|$|\s)")


def _spelt_out(name: str) -> str:
    """Return a name with abbreviations of nanostructures spelt out: `9-AGNR`, and a stack `A-B` as `A/B`.

    An overlayer with its cell, `Rh(111) p(2x2)-NO`, is spelt as `NO on Rh(111)`.
    """
    if at := _SUPPORTED.match(name):
        name = f"{at['guest']} on {at['host']}"
    if at := _OVERLAYER.match(name):
        name = f"{at['guest']} on {at['host']}"
    elif re.search(r"\b(?:on|with)\b", name):
        name = _CELL.sub("", name)
    name = _SHORT.sub(lambda at: _ABBREVIATIONS[at[0].rstrip("s")], name)
    if re.search(r"hetero|interface|stack|junction", name):
        name = re.sub(r"(?<=[\w)])-(?=[A-Z][A-Za-z]{0,12}\d)", "/", name)
    return name


def _without_defects(name: str) -> str:
    """Return the name of the host of point defects: `Si vacancy in SiC` and `SiC with V_Si` are SiC."""
    head, _, rest = name.partition(" with ")
    if (
        rest
        and (_DEFECT.search(rest) or re.search(r"\bon (?:an? |one )?[A-Z][a-z]? site", rest))
        and substance(without_states(head)).elements
    ):
        return head
    bare = _DEFECT.sub(" ", name)
    if bare == name:
        return name
    bare = re.sub(r"^\s*(?:in|of|at|on)\s(?:the |an? )?|\s(?:with|containing|having|and|plus|with an?)\s*$", " ", bare)
    return bare.strip() or name


def _each(cleaned: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield every name, and its parts before and in brackets: `silver bromide (AgBr)`."""
    for whole, text in cleaned:
        yield whole, text
        head, _, tail = text.partition(" (")
        if tail.endswith(")") and head:
            yield whole, head
            yield whole, tail[:-1]


_UPON = re.compile(r"\s(?:on|over|atop|in|inside|within)\s|\s?@\s?")


def in_reverse(one: StructureNames, two: StructureNames) -> bool:
    """Whether one name says that A is on or in B, and the other that B is on or in A."""
    return any(
        same_substance([a[0]], [b[1]]) and same_substance([a[1]], [b[0]]) and not same_substance([a[0]], [b[0]])
        for a in one.upon
        for b in two.upon
    )


_AT_SITE = re.compile(
    r"\b(?:in|at|on) (?:the |an? )?(?:[a-z-]{2,12} ){0,2}(?:sites?|hollows?|bridges?|positions?)(?= (?:on|of"
    r"|in)\b|$)|\batop(?= (?:on|of)\b)",
    re.IGNORECASE,
)


def _layers(name: str) -> Iterator[Substance]:
    """Yield the substances of the parts of a name such as `CO on Pt(111)`; a part that names none is left out."""
    for part in _ON.split(_AT_SITE.sub(" ", name)):
        bare = _BESIDE.sub(" ", _BOUND.split(part)[0])
        one = substance(without_states(without_dopants(bare)).strip())
        if not (one.counts or one.elements or one.molecule) and (words_of := bare.split()):
            one = substance(words_of[0])
        if one.counts or one.elements or one.molecule:
            yield one


def _words(name: str) -> frozenset[str]:
    """Return the words of a name, with elements by name: `2Ni-CNT` is 2, nickel, carbon, nanotube."""
    found = set[str]()
    for said in words(name):
        counted, word = re.fullmatch(r"(\d+)([a-z]{1,2})", said), _NUMBERS.get(said, said)
        if counted and (symbol := counted[2].capitalize()) in NAMES and counted[2] not in ("c", "n", "h", "f", "i"):
            found |= {counted[1], NAMES[symbol]}
        elif word in ("cnt", "swcnt", "mwcnt"):
            found.add("carbon")
        else:
            symbol = word.capitalize() if len(word) == 2 and word.capitalize() in NAMES else ""
            known = symbol and symbol in name
            found.add(NAMES[symbol] if known else NAMES.get(SYMBOLS.get(word, ""), word))
    return frozenset(found - _GENERIC)


def _label(word: str) -> bool:
    return len(word) == 1 or (any(sign.isdigit() for sign in word) and not (word[0].isalpha() and counts(word)))


def named_alike(one: StructureNames, two: StructureNames) -> bool:
    """Whether two structures share a name: one substance, all of several, or most words and every label."""
    if one.parts and two.parts and any(_same_parts(a, b) for a in one.parts for b in two.parts):
        return True
    if (
        not (one.parts and two.parts)
        and (same_substance(one.substances, two.substances) or _same_inside(one, two))
        and bool(one.parts) == bool(two.parts)
    ):
        return not labels_differ(one, two)
    if any(
        with_one_code(sorted(a), sorted(b)) or with_one_code(sorted(b), sorted(a)) for a in one.words for b in two.words
    ):
        return True
    return any(
        not (_elemental(a - b) and _elemental(b - a)) and len(a & b) >= ALIKE * len(a | b) and mine == theirs
        for a, mine in zip(one.words, one.labels, strict=True)
        for b, theirs in zip(two.words, two.labels, strict=True)
    )


def _elemental(said: frozenset[str]) -> bool:
    """Whether some words name an element or a compound."""
    return any(word in SYMBOLS or word.capitalize() in NAMES or bool(substance(word).molecule) for word in said)


def _same_inside(one: StructureNames, two: StructureNames) -> bool:
    """Whether the only formula among the words of one name is the substance of the other."""
    for mine, theirs in ((one, two), (two, one)):
        formulas = {each.counts for each in mine.inside}
        others = (*theirs.substances, *theirs.inside)
        if len(formulas) == 1 and same_substance(
            mine.inside, [each for each in others if each.counts or each.elements]
        ):
            return True
    return False


def _same_parts(one: Sequence[Substance], two: Sequence[Substance]) -> bool:
    """Whether two layered names have the same substances, in any order."""
    return all(any(same_substance([a], [b]) for b in theirs) for mine, theirs in ((one, two), (two, one)) for a in mine)


def labels_differ(one: StructureNames, two: StructureNames) -> bool:
    """Whether two structures with otherwise similar names have different labels, such as 5a and 5b, or R and S."""
    mine, theirs = (frozenset[str]().union(*side.labels) for side in (one, two))
    alike = any((a - mine) & (b - theirs) for a in one.words for b in two.words)
    only = [
        side
        for side in (one, two)
        if all(names <= labels for names, labels in zip(side.words, side.labels, strict=True))
    ]
    return bool(mine and theirs and not mine & theirs and (alike or only))


def names_apart(one: StructureNames, two: StructureNames) -> bool:
    """Whether two molecules of one formula are isomers: their names are not formulas and share no word."""
    known = {a.molecule for a in one.substances} - {""}, {a.molecule for a in two.substances} - {""}
    if known[0] and known[1]:
        return not known[0] & known[1]
    if any(
        (a.counts or a.elements) and not a.molecule for side in (one, two) for a in (*side.substances, *side.inside)
    ):
        return False
    spoken = [frozenset[str]().union(*side.words) for side in (one, two)]
    return bool(spoken[0] and spoken[1] and not spoken[0] & spoken[1])
