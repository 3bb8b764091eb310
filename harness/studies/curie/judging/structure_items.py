"""Whether two items of a paper describe the same structure of its DFT calculations (OURS).

It must never know of which task or record the items are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.studies.curie.judging import cells
from harness.studies.curie.judging.forms import contradiction, states
from harness.studies.curie.judging.formulas import Counts, counts, elements, same_counts, same_ratio
from harness.studies.curie.judging.normal import fields, stated, words, written
from harness.studies.curie.judging.quantities import Number, same_number
from harness.studies.curie.judging.samples import dopants
from harness.studies.curie.judging.structure_names import (
    direction,
    labels_differ,
    modifications,
    named_alike,
    names_apart,
    stacking,
    structure_names,
)
from harness.studies.curie.reading.aliases import STRUCTURES

_READ = 800  # letters of a description
_NAME = 300
_ISOLATED, _SURFACE, _BULK, _LINE, _SOLUTION = "isolated", "surface", "bulk", "1d", "solution"
_ANY = (_SURFACE, _BULK, _LINE)
# What a structure's type says of its extent; a crystal may be a slab or a wire, too.
_KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("molecule", "molecular", "atom", "ion", "protein", "gas", "isolated", "dimer"), (_ISOLATED,)),
    **dict.fromkeys(("nanoparticle", "cluster", "complex", "nanocrystal"), (_ISOLATED, "particle")),
    **dict.fromkeys(("surface", "slab", "2d", "monolayer", "sheet", "interface", "film", "layer"), (_SURFACE,)),
    **dict.fromkeys(("bilayer", "heterostructure", "multilayer"), (_SURFACE,)),
    **dict.fromkeys(("bulk", "3d"), (_BULK,)),
    **dict.fromkeys(("1d", "nanotube", "nanowire", "nanorod", "nanoribbon", "ribbon", "wire", "chain"), (_LINE,)),
    **dict.fromkeys(("crystal", "lattice", "crystalline", "solid", "periodic"), _ANY),
    **dict.fromkeys(("solution", "liquid", "solvated"), (_SOLUTION, _BULK)),
}
_OTHER_NAMES: Mapping[str, str] = {
    "formula": "composition",
    "chemical_formula": "composition",
    "chemical formula": "composition",
    "material": "common_name",
    "lattice_constants": "lattice_parameters",
    "spacegroup": "space_group",
    "crystal_system": "crystal_structure",
    "phase": "crystal_structure",
    "miller_index": "miller_indices",
}
_NAMES: Mapping[str, str] = {**_OTHER_NAMES, **STRUCTURES}
_ANGLES = 400.0  # a lattice constant is no longer, in ångström


class StructureItem:
    """One structure as it is read, field by field, under the ground truth's names."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        self._said = fields(item, _NAMES)
        self.names = structure_names([one for one in (self._text("common_name"), self._text("scientific_name")) if one])
        spoken = "\n".join(self._text(field) for field in ("common_name", "scientific_name", "crystal_structure"))
        about = self._text("additional_information")[:_READ]
        self.spoken, self.all = spoken, f"{spoken}\n{about}\n{self._text('isomer')}"
        self.formula = re.sub(r"\s+", "", self._text("composition"))
        self.counts: Counts | None = counts(self.formula)
        self.elements = frozenset(one for one, _ in self.counts) if self.counts else elements(self.formula)
        self.states = {
            group: says for group, says in states(spoken).items() if group not in ("shape", "carriers", "treatment")
        }
        self.isomer = frozenset() if states(self._text("isomer")) else frozenset(words(self._text("isomer")))
        orientation = self._text("miller_indices")
        self.miller = cells.miller(orientation, bare=True) or cells.miller(spoken)
        if orientation and not cells.miller(orientation, bare=True):
            self.isomer |= frozenset(words(orientation))
        self.group = cells.group(self._text("space_group"))
        self.supercell = cells.grid(self._text("supercell"))
        self.lattice = _vector(item, "lattice_", self._text("lattice_parameters"))
        self.kinds = self._kinds(about)
        self.vacuum = max((each.value for each in cells.vector(self._text("vacuum")) if each), default=0.0)
        self.codes = {name: re.sub(r"\W", "", self._text(name)).casefold() for name in ("mp_id", "cas_number")}
        self.stacking, self.direction = stacking(self.all), direction(self.all)
        self.dopants = self.names.dopants | dopants(about)
        self.modified = self.names.modified | modifications(about)

    def _text(self, field: str) -> str:
        return self._said.get(field, "")[: _READ if field == "additional_information" else _NAME]

    def _kinds(self, about: str) -> frozenset[str]:
        """Give what is said of its extent; what has a cell is no molecule, and a crystal may be anything but one."""
        told = f"{self._text('type')} {self._text('crystal_or_isolated')} {about if len(about) < 24 else ''}"
        found = [_KINDS[word] for word in words(told) if word in _KINDS]
        strong = frozenset().union(*(kinds for kinds in found if kinds is not _ANY))
        if self.supercell not in ((), (1, 1, 1)) or self.group or self.lattice:
            strong -= {_ISOLATED}
        return strong if strong & set(_ANY) else strong.union(*(kinds for kinds in found if kinds is _ANY))


def _vector(item: Mapping[str, Any], stem: str, text: str) -> cells.Vector:
    """Read a vector from three fields of its own, such as lattice_a, or from one."""
    own = [item.get(f"{stem}{axis}") for axis in "abc"]
    if any(stated(each) for each in own):
        return tuple(next(iter(cells.vector(written(each))), None) if stated(each) else None for each in own)
    return cells.vector(text)


def why_structures_differ(gold: StructureItem, other: StructureItem) -> str:
    """Say the first thing in which two structures differ, or that nothing says they are one; else nothing.

    What only one states is no difference, save an alteration or a dopant that its very name says.
    """
    return _substances(gold, other) or _details(gold, other)


def _substances(gold: StructureItem, other: StructureItem) -> str:
    same_code = any(code and code == other.codes[name] for name, code in gold.codes.items())
    composed = _composed(gold, other)
    if composed is False:
        return "the compositions differ"
    if composed is None and not same_code and not named_alike(gold.names, other.names):
        return "nothing says that they are one material"
    if composed and _organic(gold.counts) and names_apart(gold.names, other.names):
        return "molecules of one formula and other names"
    if labels_differ(gold.names, other.names):
        return "labels differ"
    for one, two in ((gold, other), (other, gold)):
        known = two.dopants | two.names.mentioned | two.elements
        if one.names.modified - two.modified or not one.names.dopants <= known:
            return "one is altered"
    return ""


def _composed(gold: StructureItem, other: StructureItem) -> bool | None:
    """Whether two compositions are one; None where one of them says nothing that can be compared."""
    if gold.counts and other.counts:
        if _but_hydrogen(gold, other):
            return None
        isolated = gold.kinds and other.kinds and gold.kinds | other.kinds <= {_ISOLATED}
        return same_counts(gold.counts, other.counts) if isolated else same_ratio(gold.counts, other.counts)
    if gold.elements and other.elements:
        return gold.elements == other.elements
    if gold.formula and other.formula:
        return (_letters(gold.formula) == _letters(other.formula) != "") or None
    if gold.counts or other.counts:
        return _by_name(gold, other) or _by_name(other, gold)
    return None


def _but_hydrogen(gold: StructureItem, other: StructureItem) -> bool:
    """Whether a passivated surface's hydrogen stands in one composition only."""
    passivated = {"passivated", "hydrogenated"}
    return bool(gold.modified & passivated and other.modified & passivated and gold.elements ^ other.elements == {"H"})


def _letters(formula: str) -> str:
    return re.sub(r"\W+", "", formula).casefold()


def _by_name(gold: StructureItem, other: StructureItem) -> bool | None:
    """Whether a name says the composition that only the other side states."""
    said = [each for each in other.names.substances if each.counts or each.elements]
    if not gold.counts or other.counts or not said:
        return None
    found = any(
        same_ratio(gold.counts, each.counts) if each.counts else each.elements == gold.elements for each in said
    )
    return True if found else None


def _organic(found: Counts | None) -> bool:
    return bool(found) and {"C", "H"} <= {element for element, _ in found or ()}


def _details(gold: StructureItem, other: StructureItem) -> str:
    """Compare what else both state: kind, phase, space group, plane, cell, isomer, stacking."""
    apart = contradiction(gold.states, other.states)
    pairs = {
        "kinds": bool(gold.kinds and other.kinds and not gold.kinds & other.kinds),
        "space groups": bool(gold.group and other.group and not gold.group & other.group),
        "Miller indices": bool(gold.miller and other.miller and gold.miller != other.miller),
        "isomers": bool(gold.isomer and other.isomer and not gold.isomer & other.isomer),
        "supercells": any(a != b for a, b in zip(gold.supercell, other.supercell, strict=False)),
        "lattice parameters": not _agree(gold.lattice, other.lattice),
        "vacuums": bool(gold.vacuum and other.vacuum and not _near(gold.vacuum, other.vacuum)),
        "mp_id": bool(gold.codes["mp_id"] and other.codes["mp_id"] and gold.codes["mp_id"] != other.codes["mp_id"]),
        "stackings": bool(gold.stacking and other.stacking and not gold.stacking & other.stacking),
        "directions": bool(gold.direction and other.direction and not gold.direction & other.direction),
        apart.group if apart else "": apart is not None,
    }
    return next((f"{name} differ" for name, differ in pairs.items() if differ), "")


def _agree(one: cells.Vector, two: cells.Vector) -> bool:
    """Whether lattice constants agree wherever both state one; angles and what is no length are left out."""
    pairs = [(a, b) for a, b in zip(one[:3], two[:3], strict=False) if a and b]
    return all(same_number(a, b) for a, b in pairs if max(abs(a.value), abs(b.value)) < _ANGLES)


def _near(one: float, two: float) -> bool:
    return same_number(Number(one, 0.0), Number(two, 0.1))
