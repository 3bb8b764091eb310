"""Which property a name means (OURS): synonyms, symbols, and the words that tell two of a kind apart.

It must never know a material or a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.normal import lines, words
from harness.studies.curie.judging.property_names import EXTRA, NAMED, SYMBOLS, TELLING

_AXIS = re.compile(
    r"(?:(?<![\w'])(?P<before>[abc])(?:[ -]?axis|[ -]direction|[ -](?=lattice|parameter|constant|cell))"
    r"|(?:lattice|cell) (?:constants?|parameters?|spacing|length)s?,?\s?\(?(?P<after>[abc])(?![\w'])"
    r"|along (?:the )?(?P<along>[abc])\b)"
)
_PLANE = re.compile(r"\b(?P<out>out[ -]of[ -]plane)\b|\b(?P<in>in[ -]plane)\b", re.IGNORECASE)
_READ = 300  # letters of a property's name


# By a name's words in any order, with and without those that add little, where two are left.
_NAMES = [(frozenset(words(name)), means) for name, means in NAMED.items()]
_BY_WORDS: Mapping[frozenset[str], str] = {
    **{said - EXTRA: means for said, means in _NAMES[::-1] if len(said - EXTRA) > 1},
    **dict(_NAMES[::-1]),
}
_TOLD = frozenset(
    [*(word for row in TELLING for word in row), "a", "b", "c", "axis", "plane", "in", "out", "along", "direction"]
)


@dataclass(frozen=True, slots=True)
class Property:
    """What the names of one property say: known properties, words, symbols, and what tells it apart."""

    known: frozenset[str]
    spoken: tuple[tuple[str, ...], ...]  # of each name: its words in order, without those that add little
    symbols: frozenset[str]
    telling: tuple[frozenset[str], ...]
    axes: frozenset[str]


@lru_cache(4096)
def property_of(text: str) -> Property:
    """Read a property from its names, one a line of plain text: `band gap energy`, `Eg`, `direct band gap`."""
    text = text[:_READ]
    known, spoken, symbols = set[str](), list[tuple[str, ...]](), set[str]()
    for line in lines(text):
        for name in _names(line):
            if len(name) <= 3 and not re.fullmatch(r"[a-z]{3}", name):
                symbols.add(name.replace(" ", ""))
            else:
                known |= {_known(words(name))} - {""}
                if rest := tuple(word for word in words(name) if word not in EXTRA):
                    spoken.append(rest)
    said = frozenset(words(text))
    telling = tuple(said.intersection(row) for row in TELLING)
    axes = {str(at["before"] or at["after"] or at["along"]) for at in _AXIS.finditer(text)}
    if "lattice constant" in known:
        axes |= symbols & {"a", "b", "c"}
    axes |= {"out" if at["out"] else "in" for at in _PLANE.finditer(text)}
    return Property(frozenset(known), tuple(spoken), frozenset(symbols), telling, frozenset(axes))


def _names(line: str) -> list[str]:
    """Split a line into names: `band gap (Eg)`, `n, refractive index` and `coercive field Hc` have two."""
    inside = re.findall(r"\(([^()]{1,40})\)", line)
    outside = re.sub(r"\([^()]{1,40}\)", " ", line)
    parts = [part.strip(" ,;:.") for part in re.split(r", | or |; ?| = ?", outside)]
    parts = [piece for part in parts for piece in _without_symbol(part)]
    return [part for part in (*parts, *(one.strip() for one in inside)) if part]


def _without_symbol(name: str) -> list[str]:
    """Split the symbol off that ends a name."""
    head, _, last = name.rpartition(" ")
    return [head, last] if head and last in SYMBOLS else [name]


def _known(said: tuple[str, ...]) -> str:
    """Know a property by its name's words; empty where no table has them, with or without the words that add little."""
    for chosen in (said, tuple(word for word in said if word not in EXTRA), _less(said)):
        if found := NAMED.get(" ".join(chosen)) or _BY_WORDS.get(frozenset(chosen)):
            return found
    return ""


def _less(said: tuple[str, ...]) -> tuple[str, ...]:
    """Leave off axes and what tells two of a kind apart."""
    return tuple(word for word in said if word not in EXTRA and word not in _TOLD)


def same_property(one: Property, two: Property) -> str:
    """Say why two properties differ; nothing where they are one.

    A name that no table knows is another's if it has the same words, or one has all of the other's and both end alike.
    """
    for mine, other in zip(one.telling, two.telling, strict=True):
        if mine and other and not mine & other:
            return f"{'/'.join(sorted(mine))} against {'/'.join(sorted(other))}"
    if one.axes and two.axes and not one.axes & two.axes:
        return f"axis {'/'.join(sorted(one.axes))} against {'/'.join(sorted(two.axes))}"
    if one.known & two.known or one == two:
        return ""
    in_tables = one.known and two.known
    if not in_tables and (_alike(one, two) or one.symbols & two.symbols):
        return ""
    alone = not one.spoken or not two.spoken  # one side is a symbol alone
    return "" if alone and _meant(one) & _meant(two) else "the properties differ"


def _meant(one: Property) -> frozenset[str]:
    """Give what a property may be: what its names say, else what its symbols stand for."""
    return one.known or frozenset[str]().union(*(SYMBOLS.get(sign, frozenset()) for sign in one.symbols))


def _alike(one: Property, two: Property) -> bool:
    """Compare names by their words: the same ones, or all of one name's in the other, which ends alike."""
    pairs = ((a, b) for a in one.spoken for b in two.spoken)
    return any(set(a) == set(b) or (a[-1] == b[-1] and (set(a) < set(b) or set(b) < set(a))) for a, b in pairs)
