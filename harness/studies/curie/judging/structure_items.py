"""Whether two items of a paper describe the same structure of its DFT calculations (OURS).

Independent of the task and the record of the items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from harness.studies.curie.judging import cells
from harness.studies.curie.judging.asserted import asserted, settled, unhedged
from harness.studies.curie.judging.forms import contradiction, states
from harness.studies.curie.judging.formulas import Counts, counts, elements, same_counts, same_ratio
from harness.studies.curie.judging.normal import FIELDS, fields, stated, words, written
from harness.studies.curie.judging.quantities import Number, same_number
from harness.studies.curie.judging.samples import conditions, contradicted, dopants
from harness.studies.curie.judging.structure_changes import (
    charges,
    coverages,
    defects,
    direction,
    layers,
    modifications,
    sites,
    stacking,
    strains,
    surface_cells,
    terminations,
)
from harness.studies.curie.judging.structure_names import (
    labels_differ,
    named_alike,
    names_apart,
    structure_names,
)

_READ = 800  # letters of a description
_NAME = 300
_ISOLATED, _SURFACE, _BULK, _LINE, _SOLUTION = "isolated", "surface", "bulk", "1d", "solution"
_ANY = (_SURFACE, _BULK, _LINE)
# The extent that a structure's type stands for; a crystal may also be a slab or a wire.
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
# Other names of fields, without signs and in lower case.
_FIELDS = """
common_name: commonname, name, material, system, structurename, title, compound
scientific_name: scientificname, iupacname, chemicalname
type: kind, structuretype, systemtype, dimensionality, category
composition: formula, chemicalformula, stoichiometry, chemicalcomposition
crystal_or_isolated: crystalorisolated, isolated, periodicity
vacuum: vacuumx, vacuumy, vacuumz, vacuumthickness, vacuumlayer
supercell: supercellsize, cellmultiple
cell_size: cellsize, box, boxsize, cell, simulationbox, simulationcell
cas_number: casnumber, cas
lattice_parameters: latticea, latticeb, latticec, latticeconstants, latticeparameters, latticeconstant
space_group: spacegroup, symmetry
mp_id: mpid, materialsprojectid
isomer: isomername
miller_indices: orientation, millerindex, miller, millerindices, facet, plane, surfaceorientation
crystal_structure: crystalstructure, crystalsystem, phase, structure, polymorph, prototype, strukturbericht
additional_information: description, additionalinformation, additionalinfo, notes, comment, details, info
"""
_NAMES: Mapping[str, str] = {
    other.strip(): field
    for row in _FIELDS.strip().splitlines()
    for field, _, others in [row.partition(": ")]
    for other in (re.sub(r"[\W_]", "", field), *others.split(","))
}
_PLAIN_FIELDS = frozenset(_NAMES.values()) | {"id", "index", "record_id", "paper_id"}
# Cubic crystals of which a name or formula need not say so; elements are separate from compounds.
_CUBIC_ELEMENTS = frozenset(
    [
        "Al",
        "Cu",
        "Ag",
        "Au",
        "Ni",
        "Pd",
        "Pt",
        "Rh",
        "Ir",
        "Pb",
        "Ca",
        "Sr",
        "Ce",
        "Th",
        "Li",
        "Na",
        "K",
        "Rb",
        "Cs",
        "Ba",
        "V",
        "Nb",
        "Ta",
        "Cr",
        "Mo",
        "W",
        "Fe",
        "Eu",
        "Si",
        "Ge",
        "Po",
    ]
)
_CUBIC = frozenset(
    filter(
        None,
        map(
            counts,
            [
                "NaCl",
                "KCl",
                "LiF",
                "NaF",
                "KBr",
                "MgO",
                "CaO",
                "SrO",
                "BaO",
                "NiO",
                "MnO",
                "CoO",
                "GaAs",
                "InAs",
                "AlAs",
                "GaP",
                "InP",
                "AlP",
                "GaSb",
                "InSb",
                "AlSb",
                "ZnSe",
                "ZnTe",
                "CdTe",
                "PbS",
                "PbSe",
                "PbTe",
                "SnTe",
                "CeO2",
                "ThO2",
                "UO2",
                "CaF2",
                "BaF2",
                "SrTiO3",
                "KTaO3",
                "BaZrO3",
                "TiN",
                "TiC",
                "VN",
                "VC",
                "NbN",
                "NbC",
                "ZrN",
                "ZrC",
                "HfN",
                "HfC",
                "Cu2O",
                "Fe3O4",
                "MgAl2O4",
                "Co3O4",
                "Cu3Au",
                "Ni3Al",
                "NiAl",
                "FeAl",
                "CoAl",
                "CsPbBr3",
                "CsCl",
                "AgCl",
                "AgBr",
                "Mg2Si",
                "Fe2VAl",
                "Cu2MnAl",
            ],
        ),
    )
)
_CUBIC_STATES = frozenset(
    [
        "cubic",
        "fcc",
        "bcc",
        "rocksalt",
        "zincblende",
        "cscl",
        "l12",
        "l21",
        "c1b",
        "d03",
        "a15",
        "fluorite",
        "spinel",
        "pyrite",
        "diamond",
    ]
)
_LEAD = re.compile(r"[^,;.()\n]{1,90}")
_AFTER_HEAD = re.compile(
    r"\b(?:which|that|where|with|in which|used|whose|containing|taken|made|obtained|for|after|of the)\b"
)
_ADDED = frozenset(
    [
        "adsorbed",
        "intercalated",
        "fluorinated",
        "substituted",
        "passivated",
        "oxidized",
        "functionalized",
        "interstitial",
        "dimer",
        "trimer",
    ]
)
_WITH_HYDROGEN = frozenset(["hydroxylated", "hydrogenated"])
_AS_WRITTEN = frozenset(["additional_information", "composition", "common_name", "scientific_name", "type"])
_PRESSURE = (("kg", 1.0), ("m", -1.0), ("s", -2.0))
_ANGLES = 400.0  # ångström; no lattice constant is that long


class StructureItem:
    """One structure, read field by field under the names of the ground truth."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        own = {
            name: _NAMES.get(re.sub(r"[\W_]", "", str(name)[:60].casefold()), str(name))
            for name in islice(item, FIELDS)
        }
        self._said = {
            field: text if field in _AS_WRITTEN else unhedged(settled(text) or text)
            for field, text in fields(item, own).items()
        }
        self.names = structure_names([one for one in (self._text("common_name"), self._text("scientific_name")) if one])
        spoken = "\n".join(self._text(field) for field in ("common_name", "scientific_name", "crystal_structure"))
        if not self.names.words and _is_molecule(self._text("isomer")):
            self.names = structure_names([self._text("isomer")])
        more = (f"{name.replace('_', ' ')}: {text}" for name, text in self._said.items() if name not in _PLAIN_FIELDS)
        about = asserted("\n".join((self._text("additional_information")[:_READ], *more))[: 2 * _READ])
        self.lead = _head(about)
        if not self.names.substances and self.lead and not self._text("composition"):
            self.names = structure_names([self.lead])
        self.spoken, self.all = spoken, f"{spoken}\n{about}\n{self._text('isomer')}"
        self.formula = re.sub(r"\s+", "", self._text("composition"))
        self.counts: Counts | None = counts(self.formula)
        self.elements = frozenset(one for one, _ in self.counts) if self.counts else elements(self.formula)
        # As a structure of other elements, diamond is no allotrope of carbon.
        cubic = "\ndiamond cubic" if re.search(r"\bdiamond\b", self._text("crystal_structure"), re.I) else ""
        self.states = {
            group: says
            for group, says in states(f"{spoken}\n{self.lead}{cubic}").items()
            if group not in ("shape", "carriers", "treatment", "made", "electrode", "aging", "light")
        }
        self.isomer = frozenset() if states(self._text("isomer")) else _isomer(self._text("isomer"))
        orientation = self._text("miller_indices")
        self.miller = cells.miller(orientation, bare=True) or cells.miller(spoken)
        if orientation and not cells.miller(orientation, bare=True):
            self.isomer |= frozenset(words(orientation))
        self.group = cells.group(self._text("space_group"))
        self.supercell = cells.grid(self._text("supercell"))
        self.lattice = _vector(item, "lattice_", self._text("lattice_parameters"))
        self.kinds = self._kinds()
        self.vacuum = max((each.value for each in cells.vector(self._text("vacuum")) if each), default=0.0)
        self.box = self._box()
        self.codes = {name: re.sub(r"\W", "", self._text(name)).casefold() for name in ("mp_id", "cas_number")}
        self.stacking, self.direction = stacking(self.all), direction(self.all)
        self.dopants = self.names.dopants | dopants(about)
        self.modified = self.names.modified | modifications(about)
        self._changes(item)

    def _changes(self, item: Mapping[str, Any]) -> None:
        """Read alterations; defects are read from the texts as they were written, where `As_Ga` is one word."""
        written_so = "\n".join(value[:_READ] for value in islice(item.values(), FIELDS) if isinstance(value, str))
        self.defects = defects(asserted(written_so[: 3 * _READ]))
        self.ends, self.sites, self.charges = terminations(self.all), sites(self.all), charges(self.all)
        self.surface_cells, self.coverages, self.layers = (
            surface_cells(self.all),
            coverages(self.all),
            layers(self.all),
        )
        self.strains = strains(self.all)
        self.pressures = tuple(one for one in conditions(self.all) if one[1].powers == _PRESSURE)
        self.modified |= self.defects.names
        self.dopants |= {what for what, _ in self.defects.placed}
        if self.modified & {"antisite", "substituted"}:
            self.modified = self.modified - {"antisite"} | {"substituted"}

    @property
    def cubic(self) -> bool:
        """Whether the crystal is certainly cubic: by its space group, its phase, or as the only common phase."""
        if self.group:
            return any(one.isdigit() and int(one) >= 195 for one in self.group)
        told = frozenset[str]().union(*(self.states.get(group, frozenset()) for group in ("system", "polymorph")))
        if told:
            return bool(told & _CUBIC_STATES)
        found = [
            self.counts,
            *(one.counts for one in self.names.substances),
            *(one.counts for one in self.names.inside),
        ]
        first = next(filter(None, found), None)
        if first is None:
            return False
        if len(first) == 1:
            return first[0][0] in _CUBIC_ELEMENTS
        return any(same_ratio(first, one) for one in _CUBIC)

    def _box(self) -> float:
        """Return the longest edge of the box of an isolated structure in ångström; 0 if none is stated."""
        if _ISOLATED not in self.kinds:
            return 0.0
        edges = [each.value for each in cells.vector(self._text("cell_size")) if each and each.value >= 3]
        edges = edges or [each.value for each in self.lattice[:3] if each]
        return max(edges, default=0.0)

    def _text(self, field: str) -> str:
        return self._said.get(field, "")[: _READ if field == "additional_information" else _NAME]

    def _kinds(self) -> frozenset[str]:
        """Return the kinds of extent that are stated: a structure with a cell is not a molecule, nor is a crystal."""
        isolated = self._text("crystal_or_isolated")
        isolated = "isolated" if isolated.casefold() in ("true", "yes") else isolated
        told = f"{self._text('type')} {isolated} {_without_likeness(self.lead)}"
        found = [_KINDS[word] for word in words(told) if word in _KINDS]
        strong = frozenset().union(*(kinds for kinds in found if kinds is not _ANY))
        if self.supercell not in ((), (1, 1, 1)) or self.group or (self.lattice and isolated != "isolated"):
            strong -= {_ISOLATED}
        return strong if strong & set(_ANY) else strong.union(*(kinds for kinds in found if kinds is _ANY))


_LOCANTS = {"o": "ortho", "m": "meta", "p": "para", "z": "cis", "e": "trans", "n": "normal", "i": "iso", "t": "tert"}
_PLACES = {("1", "2"): "ortho", ("1", "3"): "meta", ("1", "4"): "para"}


def _isomer(text: str) -> frozenset[str]:
    """Return the words that tell an isomer from others: `p-` and `1,4` are `para`."""
    said = words(text)
    if said in _PLACES:
        return frozenset([_PLACES[said]])
    return frozenset(_LOCANTS.get(word, word) for word in said)


def _is_molecule(text: str) -> bool:
    """Whether the name of an isomer names a whole molecule: `methylcyclopentane`, not `trans` or `para`."""
    return any(_MOLECULE.fullmatch(word) for word in words(text))


_MOLECULE = re.compile(r"[a-z]{3,40}(?:ane|ene|yne|anol|enol|al|one|ine|amine|amide|oate|acid|ether|ide)")


def _head(about: str) -> str:
    """Return the head of a description: the words of its first clause up to a relative or other clause."""
    found = _LEAD.match(about.strip())
    return _AFTER_HEAD.split(found[0])[0].strip() if found else ""


def _without_likeness(text: str) -> str:
    return re.sub(
        r"\b\w{1,20}[- ]like\b|\bmonolayers?(?= coverage)|\d\s?(?:ML|monolayers?)\b|\b\w+[- ]layers?\b(?= slab)",
        " ",
        text,
    )


def _vector(item: Mapping[str, Any], stem: str, text: str) -> cells.Vector:
    """Read a vector from three separate fields, such as lattice_a, or from one text."""
    own = [item.get(f"{stem}{axis}") for axis in "abc"]
    if any(stated(each) for each in own):
        return tuple(next(iter(cells.vector(written(each))), None) if stated(each) else None for each in own)
    return cells.vector(text)


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
    if composed and _organic(gold.counts) and names_apart(gold.names, other.names):
        return "molecules of one formula and other names"
    if labels_differ(gold.names, other.names):
        return "labels differ"
    # What adds atoms shows in a composition that both state.
    whole = bool(composed and gold.counts and other.counts and len(gold.counts) > 1)
    shown = _ADDED | (_WITH_HYDROGEN if "H" in gold.elements else frozenset()) if whole else frozenset[str]()
    for one, two in ((gold, other), (other, gold)):
        known = two.dopants | two.names.mentioned | two.elements
        mine = one.names.modified - {"antisite"} | ({"substituted"} if "antisite" in one.names.modified else set())
        if mine - two.modified - shown or not one.names.dopants <= known:
            return "one is altered"
    return "the defects differ" if gold.defects.contradict(other.defects) else ""


def _composed(gold: StructureItem, other: StructureItem) -> bool | None:
    """Whether two compositions are the same; None if one of them states nothing that can be compared."""
    if gold.counts and other.counts:
        if _but_hydrogen(gold, other):
            return None
        kinds = gold.kinds | other.kinds
        isolated = kinds and kinds <= {_ISOLATED, "particle"} and not (gold.names.parts or other.names.parts)
        return same_counts(gold.counts, other.counts) if isolated else same_ratio(gold.counts, other.counts)
    if gold.elements and other.elements:
        return gold.elements == other.elements
    if gold.formula and other.formula:
        return (_letters(gold.formula) == _letters(other.formula) != "") or None
    if gold.counts or other.counts:
        return _by_name(gold, other) or _by_name(other, gold)
    return None


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
    found = any(
        same_ratio(gold.counts, each.counts) if each.counts else each.elements == gold.elements for each in said
    )
    return True if found else None


def _organic(found: Counts | None) -> bool:
    return bool(found) and {"C", "H"} <= {element for element, _ in found or ()}


def _details(gold: StructureItem, other: StructureItem) -> str:
    """Compare what else both items state: kind, phase, space group, plane, cell, isomer, stacking."""
    apart = contradiction(gold.states, other.states)
    pairs = {
        "kinds": bool(gold.kinds and other.kinds and not gold.kinds & other.kinds),
        "space groups": bool(gold.group and other.group and not gold.group & other.group),
        "Miller indices": bool(gold.miller and other.miller and not _same_plane(gold, other)),
        "isomers": bool(gold.isomer and other.isomer and not gold.isomer & other.isomer),
        "supercells": any(a != b for a, b in zip(gold.supercell, other.supercell, strict=False)),
        "lattice parameters": not _agree(gold.lattice, other.lattice),
        "vacuums": bool(gold.vacuum and other.vacuum and not _near(gold.vacuum, other.vacuum)),
        "boxes": bool(gold.box and other.box and not _near(gold.box, other.box)),
        "strains": _disjoint(gold.strains, other.strains),
        "terminations": _disjoint(gold.ends, other.ends),
        "sites": _disjoint(gold.sites, other.sites),
        "charges": _disjoint(gold.charges, other.charges),
        "surface cells": _disjoint(gold.surface_cells, other.surface_cells),
        "coverages": _disjoint(gold.coverages, other.coverages),
        "numbers of layers": _disjoint(gold.layers, other.layers),
        "pressures": bool(contradicted(gold.pressures, other.pressures)),
        "mp_id": bool(gold.codes["mp_id"] and other.codes["mp_id"] and gold.codes["mp_id"] != other.codes["mp_id"]),
        "stackings": bool(gold.stacking and other.stacking and not gold.stacking & other.stacking),
        "directions": bool(gold.direction and other.direction and not gold.direction & other.direction),
        apart.group if apart else "": apart is not None,
    }
    return next((f"{name} differ" for name, differ in pairs.items() if differ), "")


def _agree(one: cells.Vector, two: cells.Vector) -> bool:
    """Whether lattice constants agree if both state one; angles and other values that are not lengths are skipped."""
    pairs = [(a, b) for a, b in zip(one[:3], two[:3], strict=False) if a and b]
    return all(same_number(a, b) for a, b in pairs if max(abs(a.value), abs(b.value)) < _ANGLES)


def _near(one: float, two: float) -> bool:
    return same_number(Number(one, 0.0), Number(two, 0.1))


def _disjoint(one: frozenset[Any], two: frozenset[Any]) -> bool:
    return bool(one and two and not one & two)


def _same_plane(gold: StructureItem, other: StructureItem) -> bool:
    """Whether two planes are one, up to the order and signs of their indices if the crystal is cubic."""
    if gold.miller == other.miller:
        return True
    sides = [tuple(sorted(map(abs, one.miller))) for one in (gold, other)]
    return sides[0] == sides[1] and len(gold.miller) == len(other.miller) == 3 and gold.cubic and other.cubic
