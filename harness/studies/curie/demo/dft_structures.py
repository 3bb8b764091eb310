"""Structures of the demo's DFT papers (OURS): real substances with handbook cells, and themes that group them.

Independent of the settings of calculations and of the text of a paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CRYSTAL, SLAB, SHEET, MOLECULE = "bulk crystal", "surface slab", "monolayer", "molecule"


@dataclass(frozen=True, slots=True)
class Structure:
    """One input structure of a calculation: those fields of the archive that a paper states."""

    key: str
    type: str
    fields: Mapping[str, str]
    named: str = field(default="")  # its name in the text of a paper


def _crystal(key: str, common: str, scientific: str, formula: str, kind: str, group: str, cell: str) -> Structure:
    """Return a crystal; `cell` holds a, or a and c, in angstroms."""
    lengths = ", ".join(f"{name} = {value} Å" for name, value in zip("ac", cell.split(), strict=False))
    fields = {
        "common_name": common,
        "scientific_name": scientific,
        "composition": formula,
        "crystal_or_isolated": "crystal",
        "lattice_parameters": lengths,
        "space_group": group,
        "crystal_structure": kind,
    }
    return Structure(key, CRYSTAL, fields, f"bulk {common}")


def _slab(key: str, common: str, formula: str, plane: str, repeated: str, layers: int, vacuum: int) -> Structure:
    fields = {
        "common_name": f"{common} ({plane}) surface",
        "composition": formula,
        "crystal_or_isolated": "crystal",
        "vacuum": f"{vacuum} Å",
        "supercell": repeated,
        "miller_indices": f"({plane})",
        "additional_information": f"{layers} atomic layers",
    }
    return Structure(key, SLAB, fields, f"the {common} ({plane}) slab")


def _sheet(key: str, common: str, formula: str, cell: str, repeated: str, vacuum: int) -> Structure:
    fields = {
        "common_name": common,
        "composition": formula,
        "crystal_or_isolated": "crystal",
        "vacuum": f"{vacuum} Å",
        "supercell": repeated,
        "lattice_parameters": f"a = {cell} Å",
    }
    return Structure(key, SHEET, fields, f"the {common} sheet")


def _molecule(key: str, common: str, formula: str, box: int) -> Structure:
    fields = {
        "common_name": common,
        "composition": formula,
        "crystal_or_isolated": "isolated",
        "cell_size": f"{box} Å x {box} Å x {box} Å",
    }
    return Structure(key, MOLECULE, fields, f"the {common} molecule")


_ALL = (
    _crystal("rutile", "rutile", "titanium dioxide", "TiO2", "rutile", "P4_2/mnm", "4.594 2.959"),
    _crystal("anatase", "anatase", "titanium dioxide", "TiO2", "anatase", "I4_1/amd", "3.785 9.514"),
    _crystal("magnesia", "periclase", "magnesium oxide", "MgO", "rock-salt", "Fm-3m", "4.212"),
    _crystal("nickel_oxide", "bunsenite", "nickel(II) oxide", "NiO", "rock-salt", "Fm-3m", "4.177"),
    _crystal("ceria", "ceria", "cerium(IV) oxide", "CeO2", "fluorite", "Fm-3m", "5.411"),
    _crystal("strontium_titanate", "STO", "strontium titanate", "SrTiO3", "cubic perovskite", "Pm-3m", "3.905"),
    _crystal("potassium_tantalate", "KTO", "potassium tantalate", "KTaO3", "cubic perovskite", "Pm-3m", "3.989"),
    _crystal("lithium_cobaltate", "LCO", "lithium cobalt oxide", "LiCoO2", "layered", "R-3m", "2.816 14.05"),
    _crystal("lithia", "lithia", "lithium oxide", "Li2O", "antifluorite", "Fm-3m", "4.619"),
    _crystal("gallium_nitride", "GaN", "gallium nitride", "GaN", "wurtzite", "P6_3mc", "3.189 5.185"),
    _crystal("zinc_oxide", "zincite", "zinc oxide", "ZnO", "wurtzite", "P6_3mc", "3.250 5.207"),
    _crystal("silicon", "silicon", "silicon", "Si", "diamond", "Fd-3m", "5.431"),
    _crystal("silicon_carbide", "3C-SiC", "silicon carbide", "SiC", "zinc-blende", "F-43m", "4.360"),
    _crystal("platinum", "platinum", "platinum", "Pt", "face-centred cubic", "Fm-3m", "3.924"),
    _crystal("palladium", "palladium", "palladium", "Pd", "face-centred cubic", "Fm-3m", "3.891"),
    _crystal("copper", "copper", "copper", "Cu", "face-centred cubic", "Fm-3m", "3.615"),
    _crystal("gold", "gold", "gold", "Au", "face-centred cubic", "Fm-3m", "4.078"),
    _crystal("nickel", "nickel", "nickel", "Ni", "face-centred cubic", "Fm-3m", "3.524"),
    _crystal("molybdenite", "molybdenite", "molybdenum disulfide", "MoS2", "layered", "P6_3/mmc", "3.160 12.294"),
    _crystal("graphite", "graphite", "carbon", "C", "layered", "P6_3/mmc", "2.461 6.708"),
    _slab("platinum_slab", "platinum", "Pt", "111", "3x3x1", 4, 15),
    _slab("palladium_slab", "palladium", "Pd", "111", "2x2x1", 5, 14),
    _slab("copper_slab", "copper", "Cu", "111", "4x4x1", 4, 18),
    _slab("gold_slab", "gold", "Au", "111", "5x5x1", 3, 20),
    _slab("nickel_slab", "nickel", "Ni", "111", "3x3x1", 5, 16),
    _slab("rutile_slab", "rutile", "TiO2", "110", "2x1x1", 9, 17),
    _slab("magnesia_slab", "periclase", "MgO", "001", "2x2x1", 6, 13),
    _slab("ceria_slab", "ceria", "CeO2", "111", "3x3x1", 9, 19),
    _sheet("molybdenum_disulfide_sheet", "monolayer molybdenum disulfide", "MoS2", "3.160", "4x4x1", 22),
    _sheet("boron_nitride_sheet", "monolayer hexagonal boron nitride", "BN", "2.504", "5x5x1", 21),
    _sheet("graphene", "graphene", "C", "2.461", "6x6x1", 24),
    _molecule("carbon_monoxide", "carbon monoxide", "CO", 12),
    _molecule("water", "water", "H2O", 11),
    _molecule("methanol", "methanol", "CH3OH", 13),
    _molecule("nitric_oxide", "nitric oxide", "NO", 12),
    _molecule("ammonia", "ammonia", "NH3", 14),
    _molecule("ethylene", "ethylene", "C2H4", 16),
    _molecule("carbon_dioxide", "carbon dioxide", "CO2", 15),
    _molecule("benzene", "benzene", "C6H6", 20),
    _molecule("hydrogen", "dihydrogen", "H2", 10),
)
STRUCTURES: Mapping[str, Structure] = {each.key: each for each in _ALL}


@dataclass(frozen=True, slots=True)
class Theme:
    """The theme of a paper: a title, structures that belong together, and the shell that takes a Hubbard term."""

    title: str
    keys: tuple[str, ...]
    hubbard: str = ""  # element and shell; empty if no correction is usual

    @property
    def structures(self) -> tuple[Structure, ...]:
        """The structures, crystals first."""
        return tuple(STRUCTURES[key] for key in self.keys)


THEMES = (
    Theme("Binding of carbon monoxide to platinum", ("platinum", "platinum_slab", "carbon_monoxide")),
    Theme("Water at the surface of rutile", ("rutile", "rutile_slab", "water"), "Ti 3d"),
    Theme("Methanol on magnesium oxide", ("magnesia", "magnesia_slab", "methanol")),
    Theme("Nitric oxide at ceria surfaces", ("ceria", "ceria_slab", "nitric_oxide"), "Ce 4f"),
    Theme("Ammonia above layered crystals", ("graphite", "graphene", "ammonia")),
    Theme("Ethylene on palladium", ("palladium", "palladium_slab", "ethylene")),
    Theme("Carbon dioxide on copper", ("copper", "copper_slab", "carbon_dioxide")),
    Theme("A flat aromatic molecule on gold", ("gold", "gold_slab", "benzene")),
    Theme("Hydrogen uptake of a nickel surface", ("nickel", "nickel_slab", "hydrogen")),
    Theme("Two polymorphs of titania and what water does to them", ("rutile", "anatase", "water"), "Ti 3d"),
    Theme("Electrode oxides of lithium", ("lithium_cobaltate", "lithia", "carbon_dioxide"), "Co 3d"),
    Theme("Rock-salt oxides compared", ("magnesia", "nickel_oxide", "carbon_monoxide"), "Ni 3d"),
    Theme("Perovskites with a cubic cell", ("strontium_titanate", "potassium_tantalate", "water"), "Ti 3d"),
    Theme("Polar semiconductors", ("gallium_nitride", "zinc_oxide", "ammonia")),
    Theme("From silicon to its carbide", ("silicon", "silicon_carbide", "ethylene")),
    Theme("Sheets from layered crystals", ("molybdenite", "molybdenum_disulfide_sheet", "boron_nitride_sheet")),
)
