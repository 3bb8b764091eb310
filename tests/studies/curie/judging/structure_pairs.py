"""Pairs of structures and of DFT parameters of our own, with what a materials scientist says of each, and why.

None is of the published gold. Gold is written with its field names, predictions with the prompt's.
"""

# ruff: noqa: E501, RUF001 - a pair a line; signs of print are the point

from __future__ import annotations

from studies.curie.judging.property_pairs import ItemsPair

NAN = float("nan")
S, D = True, False
SLAB = {
    "common_name": "copper slab", "scientific_name": NAN, "type": "surface", "composition": "Cu", "supercell": "[3,3,1]",
    "crystal_or_isolated": "surface", "vacuum": "[0,0,12]", "miller_indices": "[1,1,1]", "lattice_parameters": "[3.61,,]",
}  # fmt: skip
BULK = {"common_name": "strontium titanate", "type": "bulk", "composition": "SrTiO3", "space_group": "Pm-3m"}
MOLECULE = {"common_name": "acetone", "type": "isolated molecule", "composition": "C3H6O"}
SHEET = {"common_name": "graphene", "type": "surface", "composition": "C", "additional_information": "ABAB stacking"}
STRUCTURES = [ItemsPair(*row) for row in (
    (SLAB, {"common_name": "Cu(111)", "type": "slab", "composition": "Cu", "vacuum_z": "12 Å", "lattice_a": "3.61 Å", "supercell": "3x3"}, S, "other fields, one slab"),
    (SLAB, {"common_name": "Cu(100)", "type": "slab", "composition": "Cu", "vacuum_z": "12 Å"}, D, "another plane"),
    (SLAB, {"common_name": "copper", "type": "bulk", "composition": "Cu"}, D, "a slab is no bulk"),
    (SLAB, {"common_name": "Cu(111)", "type": "surface", "composition": "Cu", "supercell": "4x4x1"}, D, "another supercell"),
    (SLAB, {"common_name": "Cu(111)", "type": "surface", "composition": "Cu", "lattice_a": "0.361 nm"}, S, "a lattice constant in nanometres"),
    (SLAB, {"common_name": "Cu(111)", "type": "surface", "composition": "Cu", "lattice_a": "3.81 Å"}, D, "another lattice constant"),
    (SLAB, {"common_name": "Cu(111)", "type": "surface", "composition": "Cu", "vacuum_z": "20 Å"}, D, "another vacuum"),
    (SLAB, {"common_name": "Ag(111)", "type": "surface", "composition": "Ag"}, D, "another metal"),
    (SLAB, {"common_name": "Cu surface", "composition": None, "orientation": "(111)"}, S, "a name and a plane"),
    (BULK, {"common_name": "STO", "scientific_name": "Strontium titanate", "type": "crystal", "composition": "SrTiO3"}, S, "an abbreviation"),
    (BULK, {"name": "SrTiO3", "description": "cubic perovskite crystal", "space group": "221"}, S, "a space group by number"),
    (BULK, {"name": "SrTiO3", "space group": "I4/mcm"}, D, "another phase"),
    (BULK, {"common_name": "STO", "composition": "UNKNOWN"}, S, "the name alone"),
    (BULK, {"common_name": "barium titanate", "composition": "BaTiO3"}, D, "another titanate"),
    (BULK, {"common_name": "Nb-doped SrTiO3", "composition": "UNKNOWN"}, D, "a doped crystal"),
    (BULK, {"common_name": "SrTiO3 with an oxygen vacancy", "composition": "SrTiO3"}, D, "a vacancy"),
    (BULK | {"supercell": "[2,2,2]"}, {"name": "SrTiO3", "supercell": "2×2×2 (40 atoms)"}, S, "a supercell with a remark"),
    (BULK | {"composition": "Sr8Ti8O24"}, {"name": "STO", "composition": "SrTiO3"}, S, "a supercell's sum"),
    (MOLECULE, {"common_name": "propanone", "type": "molecule", "composition": "CH3COCH3"}, S, "a molecule's other name and formula"),
    (MOLECULE, {"common_name": "propanal", "type": "molecule", "composition": "C3H6O"}, D, "an isomer"),
    (MOLECULE, {"common_name": "acetone", "type": "molecule"}, S, "no formula"),
    (MOLECULE, {"common_name": "acetone on MgO(100)", "type": "surface"}, D, "adsorbed"),
    ({"common_name": "oxygen atom", "type": "isolated atom", "composition": "O"}, {"common_name": "oxygen molecule", "type": "molecule", "composition": "O2"}, D, "an atom is no molecule"),
    ({"common_name": "lithium atom", "type": "isolated atom", "composition": "Li"}, {"common_name": "Li", "type": "atom", "composition": "Li"}, S, "an atom"),
    ({"common_name": "Dye 5a", "type": "isolated molecule"}, {"common_name": "compound 5a", "type": "molecule"}, S, "a label"),
    ({"common_name": "Dye 5a", "type": "isolated molecule"}, {"common_name": "Dye 5b", "type": "molecule"}, D, "another label"),
    ({"common_name": "R,R-diamine", "composition": "C6H14N2", "isomer": "R,R"}, {"common_name": "S,S-diamine", "composition": "C6H14N2", "isomer_name": "S,S"}, D, "the other enantiomer"),
    (SHEET, {"common_name": "graphene", "type": "2D sheet", "composition": "C", "description": "four layers, ABCB stacked"}, D, "another stacking"),
    (SHEET, {"common_name": "graphene", "type": "2D sheet", "composition": "C2", "description": "ABAB-stacked"}, S, "one stacking"),
    (SHEET, {"common_name": "diamond", "type": "bulk crystal", "composition": "C"}, D, "another allotrope"),
    ({"common_name": "MoS2 monolayer", "type": "surface", "composition": "MoS2"}, {"common_name": "molybdenum disulfide monolayer", "type": "2D", "composition": "MoS₂"}, S, "a sheet by its name"),
    ({"common_name": "MoS2 monolayer", "type": "surface", "composition": "MoS2"}, {"common_name": "MoS2 bilayer", "type": "2D", "composition": "MoS2"}, D, "two layers"),
    ({"common_name": "armchair nanoribbon of silicene", "type": "1d", "composition": "Si"}, {"common_name": "zigzag silicene nanoribbon", "type": "1d", "composition": "Si"}, D, "another edge"),
    ({"common_name": "MAPbI3", "composition": "CH3NH3PbI3", "type": "bulk"}, {"scientific_name": "methylammonium lead iodide", "composition": "CH6NPbI3", "type": "crystal"}, S, "a perovskite"),
    ({"composition": "NiO", "mp_id": "mp-19009"}, {"composition": "NiO", "mp_id": "mp-19009", "type": "bulk"}, S, "one entry of a database"),
    ({"composition": "NiO", "mp_id": "mp-19009"}, {"composition": "NiO", "mp_id": "mp-715434"}, D, "another entry"),
    ({"common_name": "TiO2", "composition": "TiO2", "crystal_structure": "rutile"}, {"name": "anatase", "composition": "TiO2"}, D, "another polymorph"),
    ({"common_name": {"x": "magnesium atom"}, "composition": {"x": "Mg"}, "type": {"x": "isolated atom"}}, {"name": "Mg", "composition": "Mg", "type": "atom"}, S, "fields that are objects"),
)]  # fmt: skip

SET = {
    "software": "vasp", "functional": "PBE", "k-points": "[6,6,1]", "energy_cutoff": 450.0, "force_convergence": 0.02,
    "energy_convergence": NAN, "relaxed_nuclei": 1.0, "spin": 1.0, "hubbard_U": NAN,
}  # fmt: skip
MOLECULAR = {"software": "gaussian", "functional": "B3LYP", "basis_set": "6-31G(d,p)", "relaxed_nuclei": 1.0}
FULL = {
    "software": "Vienna Ab initio Simulation Package (VASP)",
    "functional": "GGA-PBE",
    "k-points": "6 × 6 × 1 Monkhorst-Pack",
    "energy_cutoff": "450 eV",
    "force_convergence": "0.02 eV/Å",
}
PARAMETERS = [ItemsPair(*row) for row in (
    (SET, FULL, S, "everything spelt otherwise"),
    (SET, FULL | {"functional": "Perdew–Burke–Ernzerhof"}, S, "a functional in full"),
    (SET, FULL | {"functional": "HSE06"}, D, "another functional"),
    (SET, FULL | {"functional": "LDA"}, D, "another family"),
    (SET, FULL | {"functional": "generalized gradient approximation"}, S, "the family of the functional"),
    (SET, FULL | {"functional": "PBEsol"}, D, "a functional whose name begins so"),
    (SET, FULL | {"functional": "PBE+U"}, D, "a Hubbard term by name"),
    (SET | {"hubbard_U": 4.0}, FULL | {"functional": "PBE+U", "hubbard_U": "U = 4 eV (Ti 3d)"}, S, "one Hubbard term"),
    (SET | {"hubbard_U": 4.0}, FULL | {"hubbard_U": "3.0 eV"}, D, "another Hubbard term"),
    (SET, FULL | {"k-points": "8x8x1"}, D, "another grid"),
    (SET, FULL | {"energy_cutoff": "33.07 Ry"}, S, "rydbergs"),
    (SET, FULL | {"energy_cutoff": "16.54 Hartree"}, S, "hartrees"),
    (SET, FULL | {"energy_cutoff": "500 eV"}, D, "another cutoff"),
    (SET, FULL | {"software": "Quantum ESPRESSO"}, D, "another program"),
    (SET, FULL | {"spin": "spin-polarized"}, S, "spin in words"),
    (SET, FULL | {"spin": 0.0}, D, "no spin"),
    (SET, FULL | {"relaxed_nuclei": 0.0}, D, "nothing relaxed"),
    (SET, FULL | {"relaxed_nuclei": True}, S, "true for one"),
    (SET, FULL | {"force_convergence": "0.001 eV/Å"}, D, "another bound on forces"),
    (SET, {"xc": "PBE", "kpts": "(6,6,1)", "encut": 450, "code": "VASP"}, S, "a program's own names"),
    (SET, {"functional": "PBE"}, D, "too little of it"),
    (SET, {"software": "VASP", "functional": "NaN"}, D, "a program alone"),
    (SET | {"notes": "DFT-D3 was used"}, FULL | {"other_information": "Grimme DFT-D2 correction"}, D, "another correction"),
    (SET | {"notes": "DFT-D3 was used"}, FULL | {"functional": "PBE-D3(BJ)"}, S, "one correction"),
    ({"software": "qe", "xc": "PBE", "ecutwfc": 40}, {"software": "PWSCF", "functional": "PBE", "energy_cutoff": "544 eV"}, S, "40 Ry of a program that takes Ry"),
    (MOLECULAR, {"software": "Gaussian 09", "functional": "B3LYP", "basis_set": "6-31G**"}, S, "stars of a basis set"),
    (MOLECULAR, {"software": "Gaussian 09", "functional": "B3LYP", "basis_set": "6-311G(d,p)"}, D, "another basis set"),
    (MOLECULAR, {"software": "Gaussian16", "functional": "CAM-B3LYP", "basis_set": "6-31G(d,p)"}, D, "a range-separated functional"),
    (MOLECULAR, {"software": "G09", "functional": "B3LYP", "basis_set": "6–31 G (d, p)"}, S, "dashes and blanks"),
    (MOLECULAR, {"software": "ORCA", "functional": "B3LYP", "basis_set": "def2-TZVP"}, D, "another program and basis"),
    (MOLECULAR | {"functional": "M062X"}, {"software": "gaussian", "functional": "M06-2X", "basis_set": "6-31G(d,p)"}, S, "a hyphen in a functional"),
    (MOLECULAR | {"notes": "Used PCM"}, {"software": "gaussian", "functional": "B3LYP", "basis_set": "6-31G(d,p)", "notes": "SMD"}, D, "another solvent model"),
    ({"software": "siesta", "functional": "GGA", "basis_set": "DZP"}, {"software": "SIESTA", "functional": "PBE", "basis_set": "double-zeta polarized"}, S, "a basis set in words"),
    ({"software": "vasp", "functional": "PBE", "k-points": "[1,1,1]"}, {"software": "VASP", "functional": "PBE", "k-points": "Γ point only"}, S, "the point Gamma"),
)]  # fmt: skip
