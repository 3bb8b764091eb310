"""Whether two items of a paper describe the same structure of its DFT calculations (OURS).

Independent of the task and the record of the items.
"""

from __future__ import annotations

import re
from typing import Any

from harness.studies.curie.judging import cells
from harness.studies.curie.judging.elements import NAMES, SYMBOLS
from harness.studies.curie.judging.forms import contradiction
from harness.studies.curie.judging.formulas import Counts, same_counts, same_ratio
from harness.studies.curie.judging.normal import words
from harness.studies.curie.judging.opposites import opposed
from harness.studies.curie.judging.quantities import Number, same_number
from harness.studies.curie.judging.samples import contradicted
from harness.studies.curie.judging.structure_names import (
    in_reverse,
    labels_differ,
    named_alike,
    names_apart,
)
from harness.studies.curie.judging.structure_reading import (
    ADDED,
    ANGLES,
    BULK,
    ISOLATED,
    READ,
    WITH_HYDROGEN,
    StructureItem,
)


def why_structures_differ(gold: StructureItem, other: StructureItem) -> str:
    """Return the first difference of two structures, or that nothing says they are the same; empty if neither.

    A fact that only one item states is no difference, except for an alteration or a dopant in a name.
    """
    return _substances(gold, other) or _details(gold, other)


def _substances(gold: StructureItem, other: StructureItem) -> str:
    same_code = any(code and code == other.codes[name] for name, code in gold.codes.items())
    composed = _composed(gold, other)
    if composed is False:
        return "the compositions differ"
    if composed is None and not same_code and not named_alike(gold.names, other.names):
        return "nothing says that they are one material"
    # What adds atoms shows in a composition that both state.
    whole = _spelt_alike(gold, other) or bool(composed and len(gold.counts or other.counts or ()) > 1)
    shown = ADDED | (WITH_HYDROGEN if "H" in gold.elements else frozenset()) if whole else frozenset[str]()
    isomers = composed and _organic(gold.counts) and names_apart(gold.names, other.names)
    found = {
        "molecules of one formula and other names": bool(isomers),
        "what is on the other differs": in_reverse(gold.names, other.names),
        "labels differ": labels_differ(gold.names, other.names),
        "one is altered": _is_altered(gold, other, shown) or _is_altered(other, gold, shown),
        "the defects differ": gold.defects.contradict(other.defects),
    }
    return next((why for why, holds in found.items() if holds), "")


def _spelt_alike(gold: StructureItem, other: StructureItem) -> bool:
    """Whether the names of both structures have one formula of three or more elements."""
    mine, theirs = ({each.counts for each in (*one.names.inside, *one.names.substances)} for one in (gold, other))
    return any(found and len(found) > 2 for found in mine & theirs)


def _is_altered(one: StructureItem, two: StructureItem, shown: frozenset[str]) -> bool:
    """Whether one structure has an alteration or a dopant of which the other says nothing; `shown` ones aside."""
    known = two.dopants | two.names.mentioned | two.elements | _elements_in(two.all)
    named = one.names.modified - {"antisite"} | ({"substituted"} if "antisite" in one.names.modified else set())
    named -= {"defect"} if two.modified else set()
    there = two.modified | ({"adsorbed"} if two.names.parts else set())
    spoken = {"interstitial", "substituted"} if two.dopants or two.names.dopants else set[str]()
    told = one.altered - there - shown - spoken and not two.names.modified
    return bool(named - there - shown or not one.names.dopants <= known or told or one.mixed_in - known) or _is_added(
        one, two, bool(shown)
    )


def _elements_in(text: str) -> frozenset[str]:
    """Return the elements that a text calls by name: `one hydrogen at a tetrahedral site`."""
    return frozenset(SYMBOLS[word] for word in words(text) if word in SYMBOLS)


def _is_added(one: StructureItem, two: StructureItem, shown: bool) -> bool:
    """Whether a field of one structure adds a dopant, an adsorbate or a defect of which the other says nothing."""
    known = (
        two.dopants
        | two.names.mentioned
        | two.elements
        | frozenset(element for each in (*two.names.substances, *two.names.inside) for element in each.elements)
    )
    if text := re.split(r"\b(?:on|at|in|for|replacing)\b", one.added.get("dopant", ""))[0]:
        told = {word for word in re.findall(r"[A-Z][a-z]?", text) if word in NAMES} | {
            SYMBOLS[word] for word in words(text) if word in SYMBOLS
        }
        if not (told & known if told else two.modified):
            return True
    return "other" in one.added and not (shown or two.modified or two.names.parts or "other" in two.added)


def _composed(gold: StructureItem, other: StructureItem) -> bool | None:
    """Whether two compositions are the same; None if one of them states nothing that can be compared."""
    if gold.counts and other.counts:
        if _but_hydrogen(gold, other):
            return None
        kinds = gold.kinds | other.kinds
        isolated = kinds and kinds <= {ISOLATED, "particle"} and not (gold.names.parts or other.names.parts)
        return same_counts(gold.counts, other.counts) if isolated else _same_cell(gold.counts, other.counts)
    if gold.elements and other.elements:
        return gold.elements == other.elements
    if gold.formula and other.formula:
        return (_letters(gold.formula) == _letters(other.formula) != "") or None
    if gold.counts or other.counts:
        return _by_name(gold, other) or _by_name(other, gold)
    return None


def _same_cell(one: Counts, two: Counts) -> bool:
    """Whether two compositions have the same ratio; exactly, if both are whole numbers: Mg108O107 is not MgO."""
    if not same_ratio(one, two):
        return False
    if any(many != int(many) for _, many in (*one, *two)):
        return True
    return all(a * two[0][1] == b * one[0][1] for (_, a), (_, b) in zip(one, two, strict=True))


def _but_hydrogen(gold: StructureItem, other: StructureItem) -> bool:
    """Whether both structures are passivated and only one composition includes the hydrogen."""
    passivated = {"passivated", "hydrogenated"}
    return bool(gold.modified & passivated and other.modified & passivated and gold.elements ^ other.elements == {"H"})


def _letters(formula: str) -> str:
    return re.sub(r"\W+", "", formula).casefold()


def _by_name(gold: StructureItem, other: StructureItem) -> bool | None:
    """Return True if a name of `other` states the composition of `gold`, else None."""
    said = [each for each in (*other.names.substances, *other.names.inside) if each.counts or each.elements]
    layered = other.names.parts and not gold.names.parts
    if not gold.counts or other.counts or not said or layered:
        return None
    mixed = other.names.dopants | other.dopants
    found = any(
        same_ratio(gold.counts, each.counts) if each.counts else each.elements == gold.elements for each in said
    ) or bool(mixed and any(each.elements | mixed == gold.elements and not mixed <= each.elements for each in said))
    return True if found else None


def _organic(found: Counts | None) -> bool:
    return bool(found) and {"C", "H"} <= {element for element, _ in found or ()}


def _details(gold: StructureItem, other: StructureItem) -> str:
    """Compare what else both items state: kind, phase, space group, plane, cell, isomer, stacking."""
    apart = contradiction(gold.states, other.states)
    pairs = {
        "kinds": bool(gold.kinds and other.kinds and not gold.kinds & other.kinds),
        "extents": _sheet_of_bulk(gold, other) or _sheet_of_bulk(other, gold),
        "minerals": _disjoint(_minerals(gold), _minerals(other)),
        "shapes": _disjoint(_shapes(gold), _shapes(other)),
        "descriptions": bool(opposed(gold.all, other.all)),
        "statements": _negated(gold, other) or _negated(other, gold),
        "space groups": bool(gold.group and other.group and not gold.group & other.group),
        "Miller indices": bool(gold.miller and other.miller and not _same_plane(gold, other)),
        "chiralities": _disjoint(gold.chirality, other.chirality),
        "isomers": bool(gold.isomer and other.isomer and not gold.isomer & other.isomer),
        "supercells": any(a != b for a, b in zip(gold.supercell, other.supercell, strict=False)),
        "lattice parameters": not _agree(*_lattices(gold, other)),
        "vacuums": bool(gold.vacuum and other.vacuum and not _near(gold.vacuum, other.vacuum)),
        "boxes": bool(gold.box and other.box and not _near(gold.box, other.box)),
        "strains": _disjoint(gold.strains, other.strains) or _disjoint(gold.stretched, other.stretched),
        "terminations": _disjoint(gold.ends, other.ends),
        "sites": _disjoint(gold.sites, other.sites),
        "charges": _disjoint(gold.charges, other.charges),
        "surface cells": _disjoint(gold.surface_cells, other.surface_cells),
        "coverages": _disjoint(gold.coverages, other.coverages),
        "numbers of layers": _disjoint(gold.layers, other.layers),
        "sizes": bool(contradicted(gold.sizes, other.sizes)),
        "pressures": bool(contradicted(gold.pressures, other.pressures)),
        "mp_id": bool(gold.codes["mp_id"] and other.codes["mp_id"] and gold.codes["mp_id"] != other.codes["mp_id"]),
        "stackings": bool(gold.stacking and other.stacking and not gold.stacking & other.stacking),
        "directions": bool(gold.direction and other.direction and not gold.direction & other.direction),
        apart.group if apart else "": apart is not None,
    }
    return next((f"{name} differ" for name, differ in pairs.items() if differ), "")


def _lattices(gold: StructureItem, other: StructureItem) -> tuple[cells.Vector, cells.Vector]:
    """Return the lattice constants of two structures; in order of size if one tells its axes apart by direction."""
    found = (gold.lattice, other.lattice)
    if not any(_EDGES.search(item.field_text("lattice_parameters")) for item in (gold, other)):
        return found
    ordered = [tuple(sorted((each for each in side if each), key=lambda each: each.value)) for side in found]
    return (ordered[0], ordered[1]) if len(ordered[0]) == len(ordered[1]) else found


_EDGES = re.compile(r"armchair|zigzag", re.IGNORECASE)


def _agree(one: cells.Vector, two: cells.Vector) -> bool:
    """Whether lattice constants agree if both state one; angles and other values that are not lengths are skipped."""
    pairs = [(a, b) for a, b in zip(one[:3], two[:3], strict=False) if a and b]
    return all(same_number(a, b) for a, b in pairs if max(abs(a.value), abs(b.value)) < ANGLES)


def _near(one: float, two: float) -> bool:
    return same_number(Number(one, 0.0), Number(two, 0.1))


_SHAPES = {
    **dict.fromkeys(("nanowire", "nanorod", "wire"), "wire"),
    **dict.fromkeys(("nanotube", "nanoribbon"), "tube or ribbon"),
    **dict.fromkeys(("nanoparticle", "nanocluster", "cluster", "nanocrystal"), "particle"),
}


def _shapes(item: StructureItem) -> frozenset[str]:
    """Return the shapes of nanostructures in the names of a structure that is not something on something."""
    if item.names.parts:
        return frozenset()
    return frozenset(_SHAPES[word] for word in words(item.spoken) if word in _SHAPES)


_NO_MINERALS = frozenset(
    ["perovskite", "composite", "crystallite", "finite", "infinite", "ferrite", "bronzite", "austenite"]
)


def _minerals(item: StructureItem) -> frozenset[str]:
    """Return the names of minerals by which a structure is called: `kaolinite` is not `dickite`."""
    return frozenset(
        word for word in words(item.spoken) if len(word) > 6 and word.endswith("ite") and word not in _NO_MINERALS
    )


def _sheet_of_bulk(bulk: StructureItem, sheet: StructureItem) -> bool:
    """Whether one structure is of the type bulk, and the other a sheet of a few layers."""
    layers_of = sheet.states.get("layers", frozenset())
    return bulk.kinds == {BULK} and bool(layers_of & {"1", "2", "3"}) and "bulk" not in layers_of | words_of(sheet)


def words_of(item: StructureItem) -> frozenset[str]:
    """Return the words of all texts of a structure."""
    return frozenset(words(item.all[:READ]))


def _negated(one: StructureItem, two: StructureItem) -> bool:
    """Whether one text has a word and the other only its denial: `reconstructed` and `unreconstructed`."""
    mine, theirs = words_of(one), words_of(two)
    return any(
        word[start:] in mine and word not in mine and word[start:] not in theirs
        for word in theirs
        for start in (2, 3)
        if word[:start] in ("un", "non") and len(word) > start + 4
    )


def _disjoint(one: frozenset[Any], two: frozenset[Any]) -> bool:
    return bool(one and two and not one & two)


def _same_plane(gold: StructureItem, other: StructureItem) -> bool:
    """Whether two planes are one, up to the order and signs of their indices if the crystal is cubic."""
    if gold.miller == other.miller:
        return True
    sides = [tuple(sorted(map(abs, one.miller))) for one in (gold, other)]
    return sides[0] == sides[1] and len(gold.miller) == len(other.miller) == 3 and gold.cubic and other.cubic
