"""Field names of DFT items: which names in prompts and programs mean which field of the ground truth.

OURS, fixed as rule L7; structures and parameters are separate. Independent of values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

STRUCTURES: Mapping[str, str] = {
    "name": "common_name",
    "description": "additional_information",
    "vacuum_x": "vacuum",
    "vacuum_y": "vacuum",
    "vacuum_z": "vacuum",
    "lattice_a": "lattice_parameters",
    "lattice_b": "lattice_parameters",
    "lattice_c": "lattice_parameters",
    "space group": "space_group",
    "orientation": "miller_indices",
    "isomer_name": "isomer",
}
PARAMETERS: Mapping[str, str] = {
    "xc": "functional",
    "kpts": "k-points",
    "basis": "basis_set",
    "encut": "energy_cutoff",
    "ecutwfc": "energy_cutoff",
    "mesh_cutoff": "energy_cutoff",
    "ediff": "energy_convergence",
    "fmax": "force_convergence",
    "pp": "pseudopotentials",
    "setups": "pseudopotentials",
    "spinpol": "spin",
}
STRUCTURE_FIELDS = (
    "common_name",
    "scientific_name",
    "type",
    "composition",
    "crystal_or_isolated",
    "vacuum",
    "supercell",
    "cell_size",
    "cas_number",
    "lattice_parameters",
    "space_group",
    "mp_id",
    "isomer",
    "miller_indices",
    "crystal_structure",
    "additional_information",
)
PARAMETER_FIELDS = (
    "software",
    "functional",
    "k-points",
    "pseudopotentials",
    "basis_set",
    "energy_cutoff",
    "force_convergence",
    "energy_convergence",
    "relaxed_nuclei",
    "relaxed_unit_cell",
    "spin",
    "hubbard_U",
    "ase_otherkeys",
    "other_information",
    "notes",
)
NAMES: Mapping[str, str] = {  # every known name of either kind, with the field it means
    **{field: field for field in (*STRUCTURE_FIELDS, *PARAMETER_FIELDS)},
    **STRUCTURES,
    **PARAMETERS,
}


def renamed(item: Mapping[str, Any], table: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield an item's fields by the ground truth's names; several may share one (`vacuum_x`, `vacuum_y`)."""
    for name, value in item.items():
        yield table.get(name, name), value
