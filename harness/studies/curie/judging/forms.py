"""In which form, phase and state a material is said to be, and which two cannot be said of one sample (OURS).

It must never know what the material is made of.
"""

# ruff: noqa: RUF001 - signs of print and Greek letters that look like ours are the point

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.normal import singular

# Group, state or states, and the words that say so, in the singular and with blanks for hyphens. Two texts that both
# say something of a group, and share no state of it, contradict each other.
_TABLE = """
shape particle: quantum dot, qd, qds, nanodot, nano dot, nanoparticle, nano particle, np, nps, nanocrystal
shape particle: nanocrystallite
shape particle: nanosphere, nanocluster, colloid, colloidal, microsphere, nanocube, nanocrystalline powder, nanograin
shape powder particle: powder, nanopowder, nano powder, nanocrystalline powder, micropowder
shape wire: nanowire, nano wire, nanorod, nano rod, nanofiber, nanobelt, whisker, nanoneedle, nanowire bundle
shape ribbon: nanoribbon, ribbon
shape tube: nanotube, nano tube
shape film: film, thin film, thick film, ultrathin film, layer, buffer layer, epilayer, epi layer, coating, multilayer
shape film: membrane, quantum well, heterostructure, superlattice, thin layer
shape sheet film: monolayer, bilayer, trilayer, single layer, few layer
shape sheet: nanosheet, nanoflake, flake, sheet, nanoplatelet, nanoplate
shape bulk: bulk, wafer, ingot, single crystal, pellet, boule
shape bulk powder: ceramic
shape solution: solution, suspension, electrolyte
shape liquid: melt, liquid, molten
shape gas: vapor, vapour, gas, gaseous
order amorphous: amorphous, glassy
order single: single crystal, single crystalline, monocrystalline, mono crystalline, single crystalline film
order poly: polycrystalline, nanocrystalline, poly crystalline, microcrystalline
order single poly: crystalline
system cubic: cubic
system tetragonal: tetragonal
system orthorhombic: orthorhombic
system hexagonal: hexagonal
system monoclinic: monoclinic
system triclinic: triclinic
system trigonal hexagonal: trigonal, rhombohedral
polymorph wurtzite: wurtzite, wurzite, wurtzitic
polymorph zincblende: zinc blende, zincblende, sphalerite
polymorph rocksalt: rock salt, rocksalt, halite
polymorph rutile: rutile
polymorph anatase: anatase
polymorph brookite: brookite
polymorph perovskite: perovskite
polymorph spinel: spinel, inverse spinel
polymorph fcc: fcc, face centered cubic, face centred cubic
polymorph bcc: bcc, body centered cubic, body centred cubic
polymorph hcp: hcp, hexagonal close packed
polymorph chalcopyrite: chalcopyrite
allotrope graphene: graphene
allotrope graphite: graphite, hopg
allotrope diamond: diamond
allotrope fullerene: fullerene, c60
allotrope tube: carbon nanotube, cnt, swcnt, mwcnt
allotrope amorphous: amorphous carbon, dlc
allotrope black: black phosphorus, phosphorene
allotrope red: red phosphorus
walls single: single walled, swcnt
walls multi: multi walled, mwcnt
layers 1: monolayer, single layer, 1l
layers 2: bilayer, double layer, 2l
layers 3: trilayer, 3l
layers 2 3: few layer
layers bulk: bulk
carriers n: n type
carriers p: p type
carriers i: intrinsic
treatment untreated: as deposited, as grown, as prepared, as synthesized, as received, as cast, as quenched, unannealed
treatment treated: annealed, calcined, sintered, heat treated
"""
_FILLER = frozenset(
    [
        "pure",
        "pristine",
        "sample",
        "specimen",
        "material",
        "compound",
        "undoped",
        "nanostructured",
        "nanostructure",
        "epitaxial",
        "porous",
        "synthesized",
        "prepared",
        "thick",
        "thin",
        "ultrathin",
        "lightly",
        "heavily",
        "highly",
        "doped",
        "hyperdoped",
        "the",
        "a",
        "an",
        "of",
        "crystal",
        "lattice",
        "structure",
        "phase",
        "oriented",
        "system",
        "based",
        "semiconductor",
        "stacked",
        "stacking",
        "substrate",
        "buffer",
        "surface",
        "slab",
        "isolated",
        "molecule",
        "atom",
        "alloy",
        "freestanding",
        "free",
        "standing",
        "high",
        "quality",
        "type",
    ]
)
_LETTERED = re.compile(
    r"(?<![\w-])(?:(?P<greek>[αβγδεκθη]|alpha|beta|gamma|delta|epsilon|kappa)-(?=[A-Zp])"
    r"|(?P<stack>1T'?|2H|3R)(?=[ -][A-Z(]|[ -]phase))"
)
_LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "kappa": "κ"}
_WORD = re.compile(r"[^\W_]+")
_READ = 1000  # letters of a description that are read for states
States = Mapping[str, frozenset[str]]  # by group


def _table() -> dict[str, list[tuple[str, frozenset[str]]]]:
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for row in _TABLE.strip().splitlines():
        head, _, phrases = row.partition(": ")
        group, *says = head.split(" ")
        for phrase in phrases.split(", "):
            found.setdefault(phrase, []).append((group, frozenset(says)))
    return found


_PHRASES = _table()
_LONGEST = max(len(phrase.split()) for phrase in _PHRASES)
_STARTS = frozenset(phrase.split()[0] for phrase in _PHRASES)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A group of states in which two texts have none in common, and what each says."""

    group: str
    one: str
    two: str


@lru_cache(4096)
def states(text: str) -> States:
    """Give the states a plain text says a material is in, by group: its shape, order, phase, carriers, treatment."""
    text = text[:_READ]
    found: dict[str, frozenset[str]] = {}
    for _, _, phrase in _phrases(text):
        for group, says in _PHRASES[phrase]:
            found[group] = found.get(group, frozenset()) | says
    for said in _LETTERED.finditer(text):
        letter = str(said["greek"] or said["stack"])
        found["letter"] = found.get("letter", frozenset()) | {_LETTERS.get(letter, letter)}
    return found


@lru_cache(4096)
def without_states(text: str) -> str:
    """Leave the words of a material's name that do not say its form: `wurtzite GaN thin film` is GaN."""
    text = _LETTERED.sub(" ", text[:_READ])
    kept, place = [], 0
    for start, end, phrase in _phrases(text):
        if not any(group == "allotrope" for group, _ in _PHRASES[phrase]):
            kept.append(text[place:start])
            place = end
    text = "".join([*kept, text[place:]])
    text = _WORD.sub(lambda at: "" if singular(at[0].casefold()) in _FILLER and at[0] != "A" else at[0], text)
    text = re.sub(r"\(\s*[-/]?\s*\)", " ", text)
    return re.sub(r"\s+", " ", re.sub(r"(?<!\S)[-/,&+]+(?!\S)", " ", text)).strip(" -,;:/")


def _phrases(text: str) -> Iterator[tuple[int, int, str]]:
    """Give where the phrases of the table stand in a text, the longest at each place."""
    found = [(at.start(), at.end(), singular(at[0].casefold())) for at in _WORD.finditer(text)]
    place = 0
    while place < len(found):
        length = _length(found, place) if found[place][2] in _STARTS else 0
        if length:
            run = found[place : place + length]
            yield run[0][0], run[-1][1], " ".join(word for _, _, word in run)
        place += length or 1


def _length(found: Sequence[tuple[int, int, str]], place: int) -> int:
    for length in range(min(_LONGEST, len(found) - place), 0, -1):
        if " ".join(word for _, _, word in found[place : place + length]) in _PHRASES:
            return length
    return 0


def contradiction(one: States, two: States) -> Contradiction | None:
    """Give the first group in which two texts state nothing in common; silence contradicts nothing."""
    for group in sorted(one.keys() & two.keys()):
        if not one[group] & two[group]:
            return Contradiction(group, *("/".join(sorted(side[group])) for side in (one, two)))
    return None
