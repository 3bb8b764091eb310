"""Ground truth of the demo's DFT papers, in the archive's layout: a program with the items, and its graph.

The program is never run. Independent of the wording of a paper and of scoring.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.studies.curie.demo.dft_settings import Calculation, DftPaper
from harness.studies.curie.demo.dft_structures import MOLECULE, SHEET, SLAB, Structure
from harness.studies.curie.reading.aliases import PARAMETER_FIELDS, STRUCTURE_FIELDS

# The beginning of every record's program, which is not specific to the paper.
_HEADER = """import json

from ase import Atoms
from ase.calculators.calculator import Calculator
from ase.optimize import BFGS

RENAMED = {
    "vasp": {"functional": "xc", "k-points": "kpts", "energy_cutoff": "encut", "energy_convergence": "ediff"},
    "castep": {"functional": "xc_functional", "k-points": "kpoint_mp_grid", "energy_cutoff": "cut_off_energy"},
    "gpaw": {"functional": "xc", "k-points": "kpts", "energy_cutoff": "mode"},
    "gaussian": {"functional": "method", "basis_set": "basis"},
}


def calculator_for(params) -> Calculator:
    raise NotImplementedError("the archive's own library picks the code by params.software")


def dft_general(atoms: Atoms, params) -> Atoms:
    atoms.calc = calculator_for(params)
    if params.relaxed_nuclei:
        BFGS(atoms).run(fmax=params.force_convergence)
    return atoms


"""
_FUNCTIONS = """from ase import Atoms
from pydantic import BaseModel


def structure_from_metadata(metadata) -> Atoms:
    pass


def get_total_energy(atoms: Atoms) -> float:
    return atoms.get_potential_energy()


def add_adsorbate(surface_atoms: Atoms, adsorbate_atoms: Atoms) -> Atoms:
    top = max(atom.z for atom in surface_atoms)
    adsorbate_atoms.positions += [0.0, 0.0, top + 2.0]
    return surface_atoms + adsorbate_atoms


def get_adsorption_energy(whole: Atoms, surface: Atoms, adsorbate: Atoms) -> float:
    return whole.get_potential_energy() - surface.get_potential_energy() - adsorbate.get_potential_energy()


"""


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One statement of an ASE program: the name it assigns, the function it calls, and the arguments."""

    output: str
    function: str
    inputs: tuple[str, ...]
    kind: str
    about: str

    @property
    def line(self) -> str:
        """The source text of the statement."""
        return f"{self.output} = {self.function}({', '.join(self.inputs)})"


def structure_item(structure: Structure) -> dict[str, Any]:
    """Return a structure as a ground-truth item with every key; NaN for what the paper does not state."""
    said = {**structure.fields, "type": structure.type}
    return {key: said.get(key, math.nan) for key in STRUCTURE_FIELDS}


def parameter_item(calculation: Calculation) -> dict[str, Any]:
    """Return a calculation as a ground-truth item with every key; NaN for what the paper does not state."""
    return {key: calculation.fields.get(key, math.nan) for key in PARAMETER_FIELDS}


def calls(project: DftPaper) -> list[ProgramCall]:
    """Return the statements of an ASE program that runs a paper's computations, in order."""
    found = [
        ProgramCall(
            f"atoms_{one.key}",
            "structure_from_metadata",
            (f"structure_metadata_{one.key}",),
            "structure_generation",
            "builds atoms from what is known of a structure",
        )
        for one in project.structures
    ]
    for calculation in project.calculations:
        for key in calculation.on:
            made = f"{calculation.key}_{key}"
            found.append(
                ProgramCall(
                    made,
                    "dft_general",
                    (f"atoms_{key}", f"dft_params_{calculation.key}"),
                    "dft",
                    "runs a calculation with general parameters",
                )
            )
            found.append(
                ProgramCall(f"energy_{made}", "get_total_energy", (made,), "analysis", "reads the total energy")
            )
    return found + _adsorption(project)


def _adsorption(project: DftPaper) -> list[ProgramCall]:
    """Return the statements that join a molecule to a surface, if the paper has both."""
    below = [one.key for one in project.structures if one.type in (SLAB, SHEET)]
    above = [one.key for one in project.structures if one.type == MOLECULE]
    if not below or not above:
        return []
    surface, molecule, joined = f"geometry_{below[0]}", f"geometry_{above[0]}", "puts a molecule on a surface"
    return [
        ProgramCall("adsorbed", "add_adsorbate", (surface, molecule), "structure_generation", joined),
        ProgramCall("whole", "dft_general", ("adsorbed", "dft_params_geometry"), "dft", "relaxes the two together"),
        ProgramCall(
            "adsorption_energy",
            "get_adsorption_energy",
            ("whole", surface, molecule),
            "analysis",
            "subtracts the energies of the parts from that of the whole",
        ),
    ]


def _classes() -> str:
    """Return the source of the two classes whose `parse_raw` reads the items."""
    parts = [("StructureMetadataGeneral", STRUCTURE_FIELDS), ("DFTParametersGeneral", PARAMETER_FIELDS)]
    return "\n".join(
        f"class {name}(BaseModel):\n" + "".join(f"    {key.replace('-', '')}: str | float | None\n" for key in keys)
        for name, keys in parts
    )


def _statement(name: str, kind: str, item: Mapping[str, Any]) -> str:
    return f"{name} = {kind}.parse_raw('{json.dumps(item, ensure_ascii=False)}')"


def specific_code(project: DftPaper) -> str:
    """Return the part of the program that is specific to the paper: functions, items, statements."""
    items = [
        _statement(f"structure_metadata_{one.key}", "StructureMetadataGeneral", structure_item(one))
        for one in project.structures
    ]
    items += [
        _statement(f"dft_params_{one.key}", "DFTParametersGeneral", parameter_item(one)) for one in project.calculations
    ]
    lines = [call.line for call in calls(project)]
    return f"{_FUNCTIONS}{_classes()}\n" + "\n\n".join(items) + "\n\n" + "\n".join(lines) + "\n"


def _graph(project: DftPaper) -> list[dict[str, Any]]:
    return [
        {
            "description": call.about,
            "function_id": f"process_{number}",
            "function_name": call.function,
            "input_types": ["object"] * len(call.inputs),
            "inputs": list(call.inputs),
            "output_types": ["float" if call.kind == "analysis" else "Atoms"],
            "outputs": [call.output],
            "process_type": call.kind,
        }
        for number, call in enumerate(calls(project), 1)
    ]


def truth(record: str, project: DftPaper) -> str:
    """Return the text of an invented paper's ground-truth file, as in the archive the same for all three tasks."""
    specific = specific_code(project)
    file = {
        "record_id": record,
        "code": _HEADER + specific,
        "no_header_code": specific,
        "graph_as_text": json.dumps(_graph(project)),
    }
    return json.dumps(file, ensure_ascii=False)
