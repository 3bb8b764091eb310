"""The property that a name means (OURS): synonyms, symbols, and the words that distinguish properties of one kind.

Independent of materials and values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.elements import NAMES
from harness.studies.curie.judging.normal import lines, words
from harness.studies.curie.judging.property_names import EXTRA, NAMED, SYMBOLS, TELLING
from harness.studies.curie.judging.substances import AGENT_WORDS, agents

_AXIS = re.compile(
    r"(?:(?<![\w'])(?P<before>[abc])(?:[ -]?axis|[ -]direction|[ -](?=lattice|parameter|constant|cell))"
    r"|(?:lattice|cell) (?:constants?|parameters?|spacing|length)s?,?\s?\(?(?P<after>[abc])(?![\w'])"
    r"|along (?:the )?(?P<along>[abc])\b)"
)
_PLANE = re.compile(
    r"\b(?P<out>(?:out[ -]of|through|cross)[ -]plane|perpendicular to the"
    r" (?:film|plane|layers?|surface|basal|sheets?))\b"
    r"|\b(?P<in>(?:in|basal)[ -]plane|parallel to the (?:film|plane|layers?|surface|basal|sheets?))\b",
    re.IGNORECASE,
)
_IN_WORDS = tuple(
    (
        re.compile(rf"\b(|ultimate |yield )(?:fracture |failure )?strength (?:in|under) {noun}\b", re.IGNORECASE),
        adjective,
    )
    for noun, adjective in (
        ("compression", "compressive"),
        ("tension", "tensile"),
        ("bending", "flexural"),
        ("shear", "shear"),
    )
)
_ION_CONDUCTION = re.compile(
    r"\b(?:Li|Na|K|Mg|Zn|Ca|Al|Ag|Cu|O|H|F)\d?(?:\+|[- ]ions?)?[ -](?:ionic )?conductivity\b(?<!Al conductivity)"
    r"(?<!Cu conductivity)"
    r"(?<!Ag conductivity)"
)
_RATIO_OF = re.compile(r"\b([A-Z][a-z]?) ?[/:] ?([A-Z][a-z]?)(?: atomic| molar)? ratio\b")
_READ = 300  # letters of a property's name


# Properties by the words of a name in any order: with all words, and without EXTRA ones if two or more remain.
_NAMES = [(frozenset(words(name)), means) for name, means in NAMED.items()]
_BY_WORDS: Mapping[frozenset[str], str] = {
    **{said - EXTRA: means for said, means in _NAMES[::-1] if len(said - EXTRA) > 1},
    **dict(_NAMES[::-1]),
}
_CALLED: dict[str, list[tuple[str, ...]]] = {}  # all names of a known property
for _name, _means in NAMED.items():
    _CALLED.setdefault(_means, []).append(words(_name))
_TOLD = frozenset(
    [
        *(word for row in TELLING for part in row for word in part),
        *("a", "b", "c", "axis", "plane", "in", "out", "along", "direction", "cycle"),
        # forms and phases that a name may repeat: `cubic lattice parameter`
        *(
            "cubic",
            "hexagonal",
            "tetragonal",
            "orthorhombic",
            "monoclinic",
            "film",
            "bulk",
            "crystal",
            "device",
            "cell",
        ),
    ]
)
_BY_WORD: dict[str, list[frozenset[str]]] = {}
for _said in _BY_WORDS:
    for _word in _said:
        _BY_WORD.setdefault(_word, []).append(_said)
_ENDINGS = re.compile(
    r"(?:ivity|ivities|ance|ility|ation|ition|sion|tion|ion|ing|ness|ity|ed|al|ic|ical|ive|or|er|e|y)$"
)


def _stem(word: str) -> str:
    """Return the beginning that words of one family share: `diffusivity` and `diffusion` have `diffus`."""
    found = _ENDINGS.sub("", word)
    return found if len(found) > 4 else word


_BY_STEMS: Mapping[frozenset[str], str] = {
    frozenset(map(_stem, said - EXTRA)): means for said, means in _NAMES[::-1] if len(said - EXTRA) > 1
}
_PART = re.compile(r"\b(\w{1,30}) (?:contribution|component|part|share) (?:to|of) (?:the |an? )?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Property:
    """What the names of one property state: known properties, words, symbols, and what distinguishes it."""

    known: frozenset[str]
    spoken: tuple[tuple[str, ...], ...]  # for each name, its words in order without EXTRA ones
    symbols: frozenset[str]
    telling: tuple[frozenset[int], ...]  # for each row of TELLING, the parts that the names have
    axes: frozenset[str]
    agents: frozenset[str]  # what is taken up, conducted, or sensed: `CO2 uptake`


# Words of a part of a name that says only along what a property is taken.
_WHERE = frozenset(
    ["a", "b", "c", "axis", "direction", "plane", "in", "out", "of", "along", "the", "parallel", "perpendicular", "to"]
)


@lru_cache(4096)
def property_of(text: str) -> Property:
    """Return the property of some names, one per line of plain text: `band gap energy`, `Eg`, `direct band gap`."""
    text = _ION_CONDUCTION.sub(lambda at: f"{at[0]} {'proton' if 'H' in at[0] else 'ionic'} conductivity", text[:_READ])
    text = _RATIO_OF.sub(lambda at: f"{NAMES.get(at[1], at[1])} {NAMES.get(at[2], at[2])} ratio", text)
    for pattern, adjective in _IN_WORDS:
        text = pattern.sub(rf"\1{adjective} strength", text)
    text = re.sub(r"(?<![\w.])\d[\d.]{0,8}\s?%\s", "", text[:_READ])
    known, spoken, symbols = set[str](), list[tuple[str, ...]](), set[str]()
    for line in lines(_PART.sub(r"\1 ", re.sub(r"(?m)^\s*[-|]\s?(?=Δ)", "", text))):
        whole = re.sub(r"[\s,_()]", "", line)
        for name in [whole] if whole in SYMBOLS else _names(_with_subscripts(line)):
            squeezed = re.sub(r"[\s,_()]", "", name)
            if squeezed not in SYMBOLS and len(words(name)) > 1 and set(words(name)) <= _WHERE:
                continue
            if squeezed in SYMBOLS or (len(name) <= 3 and not re.fullmatch(r"[a-z]{3}", name)):
                symbols.add(squeezed)
            else:
                known |= {_known(words(name))} - {""}
                if rest := tuple(word for word in words(name) if word not in EXTRA):
                    spoken.append(rest)
    said = frozenset(words(_with_subscripts(text)))
    telling = tuple(frozenset(place for place, part in enumerate(row) if said & part) for row in TELLING)
    if not known and not spoken and symbols and symbols <= {"a", "b", "c", "a0"}:
        known.add("lattice constant")
    axes = {str(at["before"] or at["after"] or at["along"]) for at in _AXIS.finditer(text)}
    if "lattice constant" in known:
        axes |= symbols & {"a", "b", "c"}
    axes |= {"out" if at["out"] else "in" for at in _PLANE.finditer(text)}
    return Property(frozenset(known), tuple(spoken), frozenset(symbols), telling, frozenset(axes), agents(text))


def _names(line: str) -> list[str]:
    """Split a line into names: `band gap (Eg)`, `n, refractive index` and `coercive field Hc` have two each."""
    inside = [
        one
        for one in re.findall(r"\(([^()]{1,40})\)", line)
        if _is_name(one) or not re.match(r"\s*\S", line.split("(", maxsplit=1)[0])
    ]
    outside = re.sub(r"\([^()]{1,40}\)", " ", line)
    parts = [part.strip(" ,;:.") for part in re.split(r", | or |; ?| = ?", outside)]
    parts = [piece for part in parts for piece in _without_symbol(part)]
    return [part for part in (*parts, *(one.strip() for one in inside)) if part]


def _is_name(text: str) -> bool:
    """Whether a text in brackets is another name of a property, and not how or on what it was measured."""
    bare = re.sub(r"[\s,_()]", "", text)
    return (
        bare in SYMBOLS or bool(_known(words(text))) or (len(text.split()) == 1 and (text.isupper() or len(text) <= 4))
    )


def _without_symbol(name: str) -> list[str]:
    """Split off the symbol at the end of a name."""
    first, _, rest = name.partition(" ")
    if first in SYMBOLS and rest.startswith(("of ", "for ")):  # `Eb of the exciton`
        return [first]
    if len(first) > 1 and first in SYMBOLS and rest in _KINDS:  # `TMR ratio`
        return [first]
    head, _, last = name.rpartition(" ")
    if not head or last not in SYMBOLS:
        return [name]
    said = words(head)
    alone = not _known(said) and (len(said) == 1 or set(said) <= _TOLD | EXTRA)  # `superconducting Tc`
    return [last] if alone else [head, last]


_SUBSCRIPTS = {
    **dict.fromkeys(("L", "l", "lat", "latt", "ph", "lattice"), "lattice"),
    **dict.fromkeys(("e", "el", "n"), "electron"),
    **dict.fromkeys(("h", "p"), "hole"),
    **dict.fromkeys(("tot", "total"), "total"),
}
_BASES = {
    "κ": "thermal conductivity",
    "k": "thermal conductivity",
    "λ": "thermal conductivity",
    "μ": "mobility",
    "µ": "mobility",
}
_SUBSCRIPTED = re.compile(r"(?<![\w])([κkλμµ])[ _]?(L|lat|latt|lattice|ph|e|el|n|h|p|tot|total)(?![\w])")


def _with_subscripts(line: str) -> str:
    """Return a name in which a symbol with a subscript is spelt: `κ_L` is `lattice thermal conductivity`."""
    if at := re.fullmatch(r"\s*n[ _]?([oe])\s*", line):
        return f"{'ordinary' if at[1] == 'o' else 'extraordinary'} refractive index"
    return _SUBSCRIPTED.sub(lambda at: f"{_SUBSCRIPTS[at[2]]} {_BASES[at[1]]}", line)


def _known(said: tuple[str, ...]) -> str:
    """Return the known property with the words of a name, with or without EXTRA ones; empty if it is in no table.

    A longer name is the property whose words it has, if nothing else is left over than words that distinguish
    properties of one kind: `initial specific capacity on discharge`.
    """
    for chosen in (said, tuple(word for word in said if word not in EXTRA), _less(said)):
        if found := NAMED.get(" ".join(chosen)) or _BY_WORDS.get(frozenset(chosen)):
            return found
    bag = frozenset(said)
    inside = {known for word in bag for known in _BY_WORD.get(word, ()) if known <= bag}
    fitting = [known for known in inside if bag - known <= EXTRA | _TOLD | AGENT_WORDS]
    longest = max(map(len, fitting), default=0)
    means = {_BY_WORDS[known] for known in fitting if len(known) == longest}
    if len(means) == 1:
        return means.pop()
    return _BY_STEMS.get(frozenset(map(_stem, bag - EXTRA)), "") if len(bag - EXTRA) > 1 else ""


def mentioned(text: str) -> frozenset[str]:
    """Return the known properties that a text names in two to four words side by side, as `remanent polarization`."""
    said = words(text[:_READ])
    runs = (said[start : start + size] for size in (2, 3, 4) for start in range(len(said) - size + 1))
    return frozenset(NAMED[name] for run in runs if (name := " ".join(run)) in NAMED)


def _less(said: tuple[str, ...]) -> tuple[str, ...]:
    """Remove EXTRA words, axes, and words that distinguish properties of one kind."""
    return tuple(word for word in said if word not in EXTRA and word not in _TOLD)


def same_property(one: Property, two: Property) -> str:
    """Return the reason why two properties differ; empty if they are the same.

    A name that is in no table matches another if both have the same words, or if one has all words of the other and
    both end with the same word.
    """
    for row, mine, other in zip(TELLING, one.telling, two.telling, strict=True):
        if mine and other and not mine & other:
            return f"{_spelt(row, mine)} against {_spelt(row, other)}"
    if one.agents and two.agents and not one.agents & two.agents:
        return f"{'/'.join(sorted(one.agents))} against {'/'.join(sorted(two.agents))}"
    if one.axes and two.axes and not one.axes & two.axes:
        return f"axis {'/'.join(sorted(one.axes))} against {'/'.join(sorted(two.axes))}"
    if one.known & two.known or (one == two and (one.spoken or one.symbols)):
        return ""
    in_tables = one.known and two.known and not (one.known | two.known) & _GENERAL
    alike = _alike(one, two) or one.symbols & two.symbols or _abbreviated(one, two) or _abbreviated(two, one)
    if not in_tables and alike:
        return ""
    alone = not one.spoken or not two.spoken  # one side has only symbols
    return "" if alone and _meant(one) & _meant(two) else "the properties differ"


# Properties that a longer name makes more precise: `metal-insulator transition temperature`.
_GENERAL = frozenset(
    [
        "transition temperature",
        "current density",
        "magnetization",
        "polarization",
        "electrical resistance",
        "conductivity",
    ]
)


def _spelt(row: tuple[frozenset[str], ...], places: frozenset[int]) -> str:
    return "/".join(min(row[place]) for place in sorted(places))


def _meant(one: Property) -> frozenset[str]:
    """Return the properties that are meant: those that the names state, else those that the symbols stand for."""
    return one.known or frozenset[str]().union(*(SYMBOLS.get(sign, frozenset()) for sign in one.symbols))


# Last words of names that mean the same behind the same words: `Fermi level` and `Fermi energy`.
_HEADS = {
    **dict.fromkeys(("level", "position"), "energy"),
    **dict.fromkeys(("point",), "temperature"),
    **dict.fromkeys(("parameter", "coefficient", "factor", "value", "number"), "constant"),
    **dict.fromkeys(("amount", "quantity", "uptake", "loading"), "content"),
    **dict.fromkeys(("speed",), "velocity"),
    **dict.fromkeys(("period", "duration"), "time"),
    **dict.fromkeys(("size",), "diameter"),
}


def _headed(said: tuple[str, ...]) -> tuple[str, ...]:
    return (*said[:-1], _HEADS.get(said[-1], said[-1]))


# Last words that say of what kind a property is, and not which.
_KINDS = frozenset(["coefficient", "constant", "factor", "ratio", "value", "parameter", "number", "index", "level"])


def _same_stems(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Whether one name has all families of words of the other, without words for the kind of a property."""
    mine, theirs = ({_stem(word) for word in side if word not in _KINDS and len(word) > 1} for side in (one, two))
    shared = mine & theirs
    return bool(shared - _QUANTITIES) and shared in (mine, theirs)


_QUANTITIES = frozenset(
    _stem(word)
    for word in [
        "time",
        "temperature",
        "energy",
        "density",
        "field",
        "strength",
        "power",
        "current",
        "voltage",
        "stress",
        "strain",
        "content",
        "size",
        "rate",
        "specific",
        "efficiency",
        "capacity",
        "loss",
        "moment",
        "frequency",
        "wavelength",
        "length",
        "width",
        "volume",
        "mass",
        "pressure",
        "resistance",
    ]
)


def _alike(one: Property, two: Property) -> bool:
    """Whether two names have the same words, or one has all words of the other and both end with the same word."""
    if any(_same_stems(a, b) for a in one.spoken for b in two.spoken):
        return True
    pairs = ((_headed(a), _headed(b)) for a in one.spoken for b in two.spoken)
    return any(set(a) == set(b) or (a[-1] == b[-1] and (set(a) < set(b) or set(b) < set(a))) for a, b in pairs)


def _abbreviated(one: Property, two: Property) -> bool:
    """Whether a short name of one property has the letters of the other's: `TDD`, threading dislocation density."""
    short = {sign.casefold() for sign in one.symbols} | {said[0] for said in one.spoken if len(said) == 1}
    names = (*two.spoken, *(said for known in two.known for said in _CALLED.get(known, ())))
    return any(_spells(letters, said) for letters in short if 3 <= len(letters) <= 6 for said in names)


def _spells(letters: str, said: tuple[str, ...]) -> bool:
    """Whether letters are the initials of words in order, of all but one, and else letters inside these words."""
    if len(said) < 2 or not letters.isalpha() or letters[0] != said[0][0]:
        return False
    place, initials = 0, 0
    for at, word in enumerate(said):
        if place < len(letters) and word[0] == letters[place]:
            place, initials = place + 1, initials + 1
            after = [other[0] for other in said[at + 1 :]]
            inside = 1
            while place < len(letters) and len(letters) - place > len(after):
                inside = word.find(letters[place], inside) + 1
                if not inside:
                    return False
                place += 1
        elif at == len(said) - 1:
            return False
    return place == len(letters) and initials >= max(2, len(said) - 1)
