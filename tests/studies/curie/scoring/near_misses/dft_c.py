"""Near misses of DFT-C: one structure and one set of parameters, nine facts in all."""

from __future__ import annotations

import json
from fractions import Fraction

from studies.curie.scoring.near_misses.near_miss import NearMiss

_STRUCTURE = '{"common_name": NaN, "composition": "SrTiO3", "type": "surface", "supercell": "[2,2,1]", "vacuum": NaN}'
_PARAMETERS = (
    '{"software": "vasp", "functional": "PBE", "k-points": "[4,4,1]", "energy_cutoff": 500.0, '
    '"force_convergence": 0.01, "relaxed_nuclei": 1.0, "spin": NaN}'
)
GOLD = f"""from ase import Atoms


def build(metadata) -> Atoms:
    pass


structure_metadata_STO = StructureMetadataGeneral.parse_raw('{_STRUCTURE}')

dft_params_1 = DFTParametersGeneral.parse_raw('{_PARAMETERS}')

atoms_STO = build(structure_metadata_STO)
"""
HEADER = "import json\n\nKNOWN = {'name': 'a default of the archive'}\n\n\n"
TRUTH = json.dumps({"record_id": "near-1", "code": HEADER + GOLD, "no_header_code": GOLD, "graph_as_text": "[]"})
PROGRAM = """from ase.calculators.vasp import Vasp
from ase.optimize import BFGS

software = "vasp"
structure = {"composition": "SrTiO3", "type": "surface", "supercell": [2, 2, 1]}


def relax(atoms, relaxed_nuclei=True):
    atoms.calc = Vasp(xc="PBE", kpts=(4, 4, 1), encut=500)
    BFGS(atoms).run(fmax=0.01)
    return atoms


relax(read("POSCAR"), relaxed_nuclei=True)
"""


def _with(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


_PARTS = PROGRAM.partition("\n\ndef relax")
_TURNED = '''"""Relax a surface."""
def run(cell, steps):
    BFGS(cell).run(steps, fmax=1e-2)

def make():
    parameters = dict(encut=500.0, kpts=[4, 4, 1], xc="pbe", relaxed_nuclei=True)
    return {"software": "VASP"}, parameters, {"supercell": "[2,2,1]", "type": "Surface"}, Atoms("SrTiO3")
'''
ROWS = [
    NearMiss("a program of ASE", PROGRAM, Fraction(1), "all nine are stated, under the names of ASE"),
    NearMiss("the gold's own program", GOLD, Fraction(1), "items as the gold writes them are read too"),
    NearMiss("a fence around, prose before", f"The code:\n```python\n{PROGRAM}```\nRun it.", Fraction(1),
             "only the code is read"),
    NearMiss("another order, other functions", _TURNED, Fraction(1), "neither is compared"),
    NearMiss("two blocks of code", f"```python\n{_PARTS[0]}\n```\nthen\n```python\ndef relax{_PARTS[2]}```",
             Fraction(1), "both are read"),
    NearMiss("a cutoff of 520", _with(("encut=500", "encut=520")), Fraction(8, 9), "one number is wrong"),
    NearMiss("a number within a millionth", _with(("fmax=0.01", "fmax=0.010000000001")), Fraction(1), "the same"),
    NearMiss("forces ten times as exact", _with(("fmax=0.01", "fmax=0.001")), Fraction(8, 9), "one number is wrong"),
    NearMiss("PBEsol for PBE", _with(('"PBE"', '"PBEsol"')), Fraction(8, 9), "another functional"),
    NearMiss("a grid as 4x4x1", _with(("(4, 4, 1)", '"4x4x1"')), Fraction(1), "the same grid"),
    NearMiss("a grid turned", _with(("(4, 4, 1)", "(1, 4, 4)")), Fraction(8, 9), "another grid"),
    NearMiss("the formula of another oxide", _with(("SrTiO3", "BaTiO3")), Fraction(8, 9), "another material"),
    NearMiss("nuclei held fixed", _with(("relaxed_nuclei=True)\n", "relaxed_nuclei=False)\n")), Fraction(8, 9),
             "the opposite"),
    NearMiss("settings left out", _with((", kpts=(4, 4, 1), encut=500", "")), Fraction(14, 16), "7, all right, of 9"),
    NearMiss("settings read from elsewhere", _with(("encut=500", "encut=cutoff")), Fraction(16, 17),
             "what the value is cannot be read"),
    NearMiss("arguments of other functions", PROGRAM + "plot(color='k', width=3, alpha=0.5)\n", Fraction(1),
             "they are no fields of a calculation"),
    NearMiss("no Python", PROGRAM.replace("def relax", "define relax"), Fraction(0), "it cannot run", "invalid"),
]  # fmt: skip
