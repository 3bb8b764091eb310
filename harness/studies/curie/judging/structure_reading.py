"""One structure of the DFT calculations of a paper, read field by field (OURS).

Independent of the task and the record of the item. Does not compare structures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from harness.studies.curie.judging import cells, series
from harness.studies.curie.judging.asserted import asserted, settled, unhedged
from harness.studies.curie.judging.forms import states
from harness.studies.curie.judging.formulas import Counts, counts, elements, same_ratio
from harness.studies.curie.judging.normal import FIELDS, fields, stated, words, written
from harness.studies.curie.judging.quantities import Number, same_number
from harness.studies.curie.judging.samples import conditions, dopants
from harness.studies.curie.judging.structure_changes import (
    charges,
    chirality,
    coverages,
    defects,
    direction,
    layers,
    modifications,
    sheets,
    sites,
    stacking,
    strains,
    stretches,
    surface_cells,
    terminations,
)
from harness.studies.curie.judging.structure_names import (
    structure_names,
)
from harness.studies.curie.judging.substances import formulas_in, same_substance

READ = 800  # letters of a description
_NAME = 300
ISOLATED, _SURFACE, BULK, _LINE, _SOLUTION = "isolated", "surface", "bulk", "1d", "solution"
_ANY = (_SURFACE, BULK, _LINE)
# The extent that a structure's type stands for; a crystal may also be a slab or a wire.
_KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("molecule", "molecular", "atom", "ion", "protein", "gas", "isolated", "dimer"), (ISOLATED,)),
    **dict.fromkeys(("nanoparticle", "cluster", "complex", "nanocrystal"), (ISOLATED, "particle")),
    **dict.fromkeys(("surface", "slab", "2d", "monolayer", "sheet", "interface", "film", "layer"), (_SURFACE,)),
    **dict.fromkeys(("bilayer", "heterostructure", "multilayer"), (_SURFACE,)),
    **dict.fromkeys(("bulk", "3d"), (BULK,)),
    **dict.fromkeys(("1d", "nanotube", "nanowire", "nanorod", "nanoribbon", "ribbon", "wire", "chain"), (_LINE,)),
    **dict.fromkeys(("crystal", "lattice", "crystalline", "solid", "periodic"), _ANY),
    **dict.fromkeys(("solution", "liquid", "solvated"), (_SOLUTION, BULK)),
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
adsorbate: adsorbates, adsorbedspecies, adsorbedmolecule
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
ADDED = frozenset(
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
WITH_HYDROGEN = frozenset(["hydroxylated", "hydrogenated"])
_AS_WRITTEN = frozenset(["additional_information", "composition", "common_name", "scientific_name", "type"])
_PRESSURE = (("kg", 1.0), ("m", -1.0), ("s", -2.0))
ANGLES = 400.0  # ångström; no lattice constant is that long


# Fields of their own that say how a structure is altered.
_ADDITIONS = {
    "dopant": re.compile(r"dopant|doping|doped|impurit|substitu", re.IGNORECASE),
    "other": re.compile(r"defect|vacanc|intercal|interstit|guest|solvent|ligand|functional_?group", re.IGNORECASE),
}
_NONE = re.compile(
    r"(?:none|no|not? \w+|false|0|clean|pristine|bare|undoped|perfect|ideal|neutral)\b.{0,20}", re.IGNORECASE
)
_GUEST = re.compile(r"\s(?:in|at|on|adsorbed|molecules?|bound)\b|,|\(")
# Kinds that a name states, too.
_NAMED_KINDS = frozenset(["surface", "slab", "bulk", "nanowire", "nanotube", "nanoribbon", "molecule"])
_ISOLATION = {
    **dict.fromkeys(("true", "yes", "1"), "isolated"),
    **dict.fromkeys(("false", "no", "0"), "crystal"),
}


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
        self._choose_own()
        if (guest := self.field_text("adsorbate")) and not re.search(r"\son\s|/|@", self.field_text("common_name")):
            self._said["common_name"] = f"{_GUEST.split(guest)[0].strip()} on {self.field_text('common_name')}"
        self.names = structure_names(
            [one for one in (self.field_text("common_name"), self.field_text("scientific_name")) if one]
        )
        phase = self.field_text("crystal_structure")
        if phase and len(phase.split()) < 3 and not re.search(r"structure|type|phase", phase):
            phase = f"{phase} structure"
        spoken = "\n".join((self.field_text("common_name"), self.field_text("scientific_name"), phase))
        if not self.names.words and _is_molecule(self.field_text("isomer")):
            self.names = structure_names([self.field_text("isomer")])
        more = (f"{name.replace('_', ' ')}: {text}" for name, text in self._said.items() if name not in _PLAIN_FIELDS)
        about = asserted("\n".join((self.field_text("additional_information")[:READ], *more))[: 2 * READ])
        self.lead = _head(about)
        if not self.names.substances and self.lead and not self.field_text("composition"):
            self.names = structure_names([self.lead])
        self.spoken, self.all = spoken, f"{spoken}\n{about}\n{self.field_text('isomer')}"
        self.formula = _formula(self.field_text("composition"), item)
        if not self.formula and re.fullmatch(r"[A-Z][\w.()]{2,30}", about.strip()) and re.search(r"\d", about):
            self.formula = about.strip() if counts(about.strip()) else ""
        self.counts: Counts | None = counts(self.formula)
        self.elements = frozenset(one for one, _ in self.counts) if self.counts else elements(self.formula)
        # As a structure of other elements, diamond is no allotrope of carbon.
        cubic = "\ndiamond cubic" if re.search(r"\bdiamond\b", self.field_text("crystal_structure"), re.I) else ""
        self.states = {
            group: says
            for group, says in states(f"{spoken}\n{self.lead}{cubic}").items()
            if group not in ("shape", "carriers", "treatment", "made", "electrode", "aging", "light")
        }
        if magnetism := states(self.all).get("magnetism"):
            self.states.setdefault("magnetism", magnetism)
        self.isomer = frozenset() if states(self.field_text("isomer")) else _isomer(self.field_text("isomer"))
        orientation = self.field_text("miller_indices")
        self.chirality = chirality(self.all)
        self.miller = cells.miller(orientation, bare=True) or (() if self.chirality else cells.miller(spoken))
        if orientation and not cells.miller(orientation, bare=True):
            self.isomer |= frozenset(words(orientation))
        self.group = cells.group(self.field_text("space_group"))
        self.supercell = cells.grid(self.field_text("supercell"))
        self.lattice = _vector(item, "lattice_", self.field_text("lattice_parameters"))
        self.kinds = self._kinds()
        self.vacuum = max((each.value for each in cells.vector(self.field_text("vacuum")) if each), default=0.0)
        self.box = self._box()
        self.codes = {name: re.sub(r"\W", "", self.field_text(name)).casefold() for name in ("mp_id", "cas_number")}
        self.stacking, self.direction = stacking(self.all), direction(self.all)
        self.dopants = self.names.dopants | dopants(about)
        self.modified = self.names.modified | modifications(about)
        self.altered = modifications(_first(about).replace("antisite", "substituted")) & _DEFECTS
        self.mixed_in = dopants(_first(about))
        self._changes(item)

    def _choose_own(self) -> None:
        """Of values that are told apart by compounds, `15 (Sc2CO2), 22 (Ti2CO2)`, keep the one of this structure."""
        own = formulas_in(
            " ".join(
                (self.field_text("composition"), self.field_text("common_name"), self.field_text("scientific_name"))
            )
        )
        for field in ("vacuum", "cell_size", "lattice_parameters", "supercell"):
            told = [(one, formulas_in(one.label)) for one in series.values(self.field_text(field)) if one.label]
            mine = [one.text for one, of in told if of and same_substance(of, own)]
            if own and mine and len(mine) < len(told):
                self._said[field] = mine[0]

    def _changes(self, item: Mapping[str, Any]) -> None:
        """Read alterations; defects are read from the texts as they were written, where `As_Ga` is one word."""
        written_so = "\n".join(value[:READ] for value in islice(item.values(), FIELDS) if isinstance(value, str))
        self.defects = defects(asserted(written_so[: 3 * READ]))
        self.ends, self.sites, self.charges = terminations(self.all), sites(self.all), charges(self.all)
        self.surface_cells, self.coverages, self.layers = (
            surface_cells(self.all),
            coverages(self.all),
            layers(self.all),
        )
        self.strains = strains(self.all)
        self.stretched = stretches(self.all)
        if (many := sheets(self.all)) and "layers" not in self.states:
            self.states = {**self.states, "layers": many}
        self.added = {
            kind: text
            for name, text in self._said.items()
            for kind, pattern in _ADDITIONS.items()
            if pattern.search(str(name)) and not _NONE.fullmatch(text.strip())
        }
        self.sizes = tuple(one for one in conditions(self.all) if one[0] in ("diameter", "width", "thickness"))
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
        if self.kinds and ISOLATED not in self.kinds:
            return 0.0
        edges = [each.value for each in cells.vector(self.field_text("cell_size")) if each and each.value >= 3]
        edges = edges or [each.value for each in self.lattice[:3] if each]
        return max(edges, default=0.0)

    def field_text(self, field: str) -> str:
        """Return the plain text of a field under the name of the ground truth; empty if it states nothing."""
        return self._said.get(field, "")[: READ if field == "additional_information" else _NAME]

    def _kinds(self) -> frozenset[str]:
        """Return the kinds of extent that are stated: a structure with a cell is not a molecule, nor is a crystal."""
        isolated = self.field_text("crystal_or_isolated")
        isolated = _ISOLATION.get(isolated.casefold(), isolated)
        told = f"{self.field_text('type')} {isolated} {_without_likeness(self.lead)}"
        if not any(word in _KINDS for word in words(told)) and not self.names.parts:
            told = " ".join(word for word in words(self.spoken) if word in _NAMED_KINDS)
        found = [_KINDS[word] for word in words(told) if word in _KINDS]
        strong = frozenset().union(*(kinds for kinds in found if kinds is not _ANY))
        if isolated == "crystal":
            strong -= {ISOLATED, "particle"}
        if self.supercell not in ((), (1, 1, 1)) or self.group or (self.lattice and isolated != "isolated"):
            strong -= {ISOLATED}
        return strong if strong & set(_ANY) else strong.union(*(kinds for kinds in found if kinds is _ANY))


_COUNTED = re.compile(r"['\"]?([A-Z][a-z]?)['\"]?\s?[:=]\s?(\d{1,5}(?:\.\d{1,4})?)\s?[,;]?\s?")


def _formula(text: str, item: Mapping[str, Any]) -> str:
    """Return a formula without blanks; numbers by element, as in `{Ce: 30, O: 64}`, are a formula too."""
    for name, value in islice(item.items(), FIELDS):
        if isinstance(value, Mapping) and _NAMES.get(re.sub(r"[\W_]", "", str(name)[:60].casefold())) == "composition":
            text = ", ".join(f"{str(key)[:3]}: {str(many)[:9]}" for key, many in islice(value.items(), 20))
    bare = text.strip().strip("{}[]() ")
    if bare and not _COUNTED.sub("", bare):
        return "".join(f"{element}{many}" for element, many in _COUNTED.findall(bare))
    return re.sub(r"\s+", "", text)


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
        r"\b\w{1,20}[- ]like\b|\bmolecular(?= (?:crystal|solid))|\bmonolayers?(?= coverage)|\d\s?(?:ML"
        r"|monolayers?)\b|\b\w{1,20}[- ]layers?\b(?= slab)"
        r"|\b(?:\d{1,4}|\w{1,20})[- ]atoms?\b(?= (?:unit |primitive |conventional )?(?:super)?(?:cell|slab|box))"
        r"|\b\d{1,4} (?:[A-Z][a-z]? )?(?:atoms?|ions?|molecules?)\b|\b(?:of|per|each|all|the) (?:atoms?|ions?)\b",
        " ",
        text,
    )


def _vector(item: Mapping[str, Any], stem: str, text: str) -> cells.Vector:
    """Read a vector from three separate fields, such as lattice_a, or from one text."""
    own = [item.get(f"{stem}{axis}") for axis in "abc"]
    if any(stated(each) for each in own):
        found = tuple(next(iter(cells.vector(written(each))), None) if stated(each) else None for each in own)
    else:
        found = cells.vector(text)
    angles = [cells.plain_number(written(item.get(name))) for name in ("alpha", "beta", "gamma")]
    told = [angle.value for angle in angles if angle] or [float(at[1]) for at in islice(_ANGLE.finditer(text), 3)]
    return _conventional(found, told)


_ANGLE = re.compile(r"(?:alpha|beta|gamma|[αβγ])\s?(?:=|:)?\s?(\d{2,3}(?:\.\d{1,4})?)")
_PRIMITIVE = (
    (60.0, 2**0.5),
    (109.47, 2 / 3**0.5),
)  # angles of primitive cells, and by how much the cube's edge is longer


def _conventional(found: cells.Vector, angles: Sequence[float]) -> cells.Vector:
    """Return the edges of the cube for the primitive cell of a face- or body-centered lattice; others as they are."""
    lengths = [each for each in found[:3] if each]
    if len(set(angles)) != 1 or not lengths or any(not same_number(lengths[0], each) for each in lengths):
        return found
    times = next((factor for angle, factor in _PRIMITIVE if abs(angles[0] - angle) < 0.05), 1.0)
    return tuple(each and Number(each.value * times, each.step * times) for each in found)


_DEFECTS = frozenset(["vacancy", "antisite", "interstitial", "substituted", "adsorbed", "intercalated", "fluorinated"])


_ASIDE = re.compile(
    r"\b(?:used|reference|study|studies|compar\w+|as in|later|before|for the|model of|taken|also|energ\w+"
    r"|calculat\w+)\b",
    re.I,
)


def _first(about: str) -> str:
    """Return the clauses of a description that say what the structure has, without what it is used for."""
    parts = re.split(r"[;\n,]|\.(?!\d)", about[:READ])
    return "\n".join(part for part in parts[:4] if not _ASIDE.search(part))
