"""What the names of a structure say: substances, words, labels, modifications, stacking and direction (OURS).

It must never know of cells or grids, nor how two structures are compared as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.studies.curie.judging.elements import NAMES, SYMBOLS
from harness.studies.curie.judging.forms import without_states
from harness.studies.curie.judging.normal import words
from harness.studies.curie.judging.samples import dopants, without_dopants
from harness.studies.curie.judging.substances import Substance, same_substance, substance

ALIKE = 0.6  # share of words that two names have in common where no composition tells
_BRACKETS = re.compile(r"[\[({]\s?(?:-?\d\s?,?\s?){3,4}[\])}]")
_MODIFIED = {
    "vacancy": r"vacanc",
    "antisite": r"anti-?site",
    "interstitial": r"interstitial",
    "adsorbed": r"adsor|adatom",
    "intercalated": r"intercalat",
    "strained": r"strain",
    "hydrogenated": r"hydrogenat",
    "fluorinated": r"fluorinat",
    "substituted": r"substitut",
    "passivated": r"passivat|terminat",
    "twisted": r"twist",
    "oxidized": r"oxidi[sz]ed",
}
_MODIFIES = re.compile("|".join(rf"(?P<{name}>{pattern})" for name, pattern in _MODIFIED.items()), re.IGNORECASE)
_STACK = re.compile(r"\b([ABC]{3,6})\b|\b(A[AB]'?)(?=[- ]?(?:stack|order|bilayer))")
_DIRECTION = re.compile(r"\b([xyz])[- ](?:direction|axis|oriented)|\b(armchair|zigzag)\b", re.IGNORECASE)
_ON = re.compile(r"\s(?:on|@|over|atop)\s|(?<=[A-Za-z\d)])/(?=[A-Z])|\s?@\s?")
_NUMBERS = {name: str(place) for place, name in enumerate(["one", "two", "three", "four", "five", "six"], 1)}
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
    ]
)


@dataclass(frozen=True, slots=True)
class StructureNames:
    """The names of one structure as they are compared."""

    substances: tuple[Substance, ...]
    words: tuple[frozenset[str], ...]  # of each name, without those that every name may have
    labels: tuple[frozenset[str], ...]  # of each name: its words with digits, and single letters
    parts: tuple[tuple[Substance, ...], ...]  # of each name of something on something
    dopants: frozenset[str]
    modified: frozenset[str]

    @property
    def mentioned(self) -> frozenset[str]:
        """Give the elements that the names name."""
        said = frozenset[str]().union(*self.words)
        return frozenset(symbol for symbol, name in NAMES.items() if name in said)


def structure_names(names: Sequence[str]) -> StructureNames:
    """Read the names of a structure, plain texts; Miller indices in brackets are left out."""
    bare = [_BRACKETS.sub(" ", name).strip() for name in names]
    cleaned = [(whole, without_states(without_dopants(whole))) for whole in bare]
    said = [_words(whole) for whole in bare]
    return StructureNames(
        tuple(substance(text) for _, text in _each(cleaned) if text),
        tuple(one for one in said if one),
        tuple(frozenset(word for word in one if _label(word)) for one in said if one),
        tuple(
            tuple(substance(without_states(part)) for part in parts)
            for whole in bare
            if len(parts := _parts(whole)) > 1
        ),
        frozenset[str]().union(*(dopants(name) for name in bare)),
        modifications("\n".join(bare)),
    )


def _each(cleaned: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Give every name, and what stands in and before its brackets: `silver bromide (AgBr)`."""
    for whole, text in cleaned:
        yield whole, text
        head, _, tail = text.partition(" (")
        if tail.endswith(")") and head:
            yield whole, head
            yield whole, tail[:-1]


def _parts(name: str) -> list[str]:
    return [part for part in _ON.split(name) if part.strip()]


def _layer(part: str) -> Substance:
    """Read one part of a layered name, by its first word where the whole is no name: `Pt tunnel junction`."""
    whole = substance(without_states(part))
    return whole if whole.counts or whole.elements else substance(part.split(maxsplit=1)[0])


def _words(name: str) -> frozenset[str]:
    """Give the words of a name with elements by their names: `2Ni-CNT` is 2, nickel, carbon, nanotube."""
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
    return len(word) == 1 or any(sign.isdigit() for sign in word)


def modifications(text: str) -> frozenset[str]:
    """Give how a plain text says a structure is altered: a vacancy, an adsorbate, a strain."""
    return frozenset(str(at.lastgroup) for at in _MODIFIES.finditer(text))


def stacking(text: str) -> frozenset[str]:
    """Give the stackings of layers that a plain text names, such as ABAB."""
    return frozenset(at[1] or at[2] for at in _STACK.finditer(text))


def direction(text: str) -> frozenset[str]:
    """Give the directions that a plain text names: x, y, z, armchair, zigzag."""
    return frozenset((at[1] or at[2]).casefold() for at in _DIRECTION.finditer(text))


def named_alike(one: StructureNames, two: StructureNames) -> bool:
    """Whether two structures have a name in common: one substance or all of several, or most words and every label."""
    if one.parts and two.parts and any(_same_parts(a, b) for a in one.parts for b in two.parts):
        return True
    if (
        not (one.parts and two.parts)
        and same_substance(one.substances, two.substances)
        and bool(one.parts) == bool(two.parts)
    ):
        return not labels_differ(one, two)
    return any(
        len(a & b) >= ALIKE * len(a | b) and mine == theirs
        for a, mine in zip(one.words, one.labels, strict=True)
        for b, theirs in zip(two.words, two.labels, strict=True)
    )


def _same_parts(one: Sequence[Substance], two: Sequence[Substance]) -> bool:
    """Whether two layered names are of the same two or more substances; parts that nobody can read are left out."""
    sides = [[part for part in side if part.counts or part.elements] for side in (one, two)]
    ways = (sides, sides[::-1])
    return min(map(len, sides)) > 1 and all(
        any(same_substance([a], [b]) for b in theirs) for mine, theirs in ways for a in mine
    )


def labels_differ(one: StructureNames, two: StructureNames) -> bool:
    """Whether all names of two structures that are otherwise alike carry other labels, as 5a and 5b, or R and S."""
    mine, theirs = (frozenset[str]().union(*side.labels) for side in (one, two))
    alike = any((a - mine) & (b - theirs) for a in one.words for b in two.words)
    only = [
        side
        for side in (one, two)
        if all(names <= labels for names, labels in zip(side.words, side.labels, strict=True))
    ]
    return bool(mine and theirs and not mine & theirs and (alike or only))


def names_apart(one: StructureNames, two: StructureNames) -> bool:
    """Whether two molecules of one formula go by names that have no word in common and are no formulas: isomers."""
    known = {a.molecule for a in one.substances} - {""}, {a.molecule for a in two.substances} - {""}
    if known[0] and known[1]:
        return not known[0] & known[1]
    if any((a.counts or a.elements) and not a.molecule for side in (one, two) for a in side.substances):
        return False
    spoken = [frozenset[str]().union(*side.words) for side in (one, two)]
    return bool(spoken[0] and spoken[1] and not spoken[0] & spoken[1])
