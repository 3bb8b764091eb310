"""Answers of the cheap strategies that put everything found in a document into the form that a task asks for.

Sees no gold answers, models or scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from harness.studies.curie.strategy_finds import Finds

STRUCTURES, PARAMETERS = ("dft-s",), ("dft-p",)
PROPERTIES = ("mpv", "mpv-non-trivial", "mpv-specific")
LISTED = (*STRUCTURES, *PARAMETERS, *PROPERTIES)  # tasks whose answer is a list of items
DUMMY: Mapping[str, str] = {"name": "none"}
_CODES = ("VASP", "Quantum ESPRESSO", "GPAW", "CASTEP", "SIESTA", "ABINIT", "CP2K", "Gaussian", "FHI-aims", "CRYSTAL")
_FUNCTIONALS = ("LDA", "PBE", "PBEsol", "RPBE", "PW91", "SCAN", "HSE06", "B3LYP", "PBE0", "PBE+U", "BEEF-vdW", "TPSS")
_PROPERTY_NAMES = (
    "band gap",
    "refractive index",
    "lattice constant",
    "density",
    "melting point",
    "thermal conductivity",
    "Young's modulus",
    "hardness",
    "dielectric constant",
    "resistivity",
    "thickness",
)


def catch_all(task: str, found: Finds) -> Any:
    """Return one answer item of a task whose every field lists all that was found in the document."""
    formulas, numbers = ", ".join(found.formulas), ", ".join(each.number for each in found.quantities)
    units = ", ".join(dict.fromkeys(each.unit for each in found.quantities))
    quantities = ", ".join(f"{each.number} {each.unit}" for each in found.quantities)
    if task in PROPERTIES:
        return {
            "material": formulas,
            "material_descriptor": "bulk, film, powder, single crystal",
            "property_name": ", ".join(_PROPERTY_NAMES),
            "property_descriptor": quantities,
            "low_value": numbers,
            "high_value": numbers,
            "value_units": units,
        }
    if task in STRUCTURES:
        return {
            "common_name": formulas,
            "composition": formulas,
            "type": "bulk, slab, molecule, surface, monolayer",
            "lattice_parameters": quantities,
            "cell_size": quantities,
            "vacuum": quantities,
            "miller_indices": "(001), (100), (110), (111)",
            "space_group": ", ".join(found.names),
        }
    if task in PARAMETERS:
        return {
            "software": ", ".join(_CODES),
            "functional": ", ".join(_FUNCTIONALS),
            "k-points": quantities,
            "energy_cutoff": quantities,
            "energy_convergence": quantities,
            "force_convergence": quantities,
            "spin": "yes, no",
            "relaxed_nuclei": "yes, no",
        }
    names = ", ".join(found.names)
    series = {
        "variable_name": names,
        "description": quantities,
        "spatial_range": names,
        "time_range": [{"start_date": day, "end_date": other} for day, other in pairwise(found.days)],
    }
    return {"datasets": [_data_set(names, found.addresses, [series])]}


def listed(task: str, found: Finds) -> list[Any]:
    """Return a list of answer items, one for each quantity or formula found in a document."""
    if task in PROPERTIES:
        return [
            {
                "material": each.formula or ", ".join(found.formulas[:3]),
                "property_name": each.before,
                "low_value": each.number,
                "high_value": each.number,
                "value_units": each.unit,
            }
            for each in found.quantities
        ]
    if task in STRUCTURES:
        return [{"common_name": each, "composition": each} for each in found.formulas]
    functionals = [each for each in _FUNCTIONALS if each in found.names or each in found.formulas] or ["PBE"]
    codes = [each for each in _CODES if each in found.names] or ["VASP"]
    return [
        {"software": code, "functional": functional, "energy_cutoff": f"{each.number} {each.unit}"}
        for each in found.quantities
        for code in codes[:2]
        for functional in functionals[:2]
    ]


def everything(task: str, found: Finds) -> str:
    """Return an answer that lists everything found in a document, in the form that the task asks for."""
    if task == "geo":
        days, names = found.days, list(found.names)
        span = {"start_date": days[0], "end_date": days[-1]} if days else {}
        series = [
            {
                "variable_name": each.before,
                "description": f"{each.number} {each.unit}",
                "time_range": span,
                "spatial_range": names,
            }
            for each in found.quantities
        ]
        return _json({"datasets": [_data_set(name, found.addresses, series[:1]) for name in names[:20]]})
    if task == "qecc":
        shares = [f"{each.number}{each.unit}" for each in found.quantities if each.unit == "%"]
        said = {
            "Code_parameter": ", ".join(found.parameters),
            "notes": [*found.parameters, *shares],
            "introduced": "".join(rf"\cite{{{each}}}" for each in found.citations),
        }
        return _json(said)  # JSON is YAML, too
    if task == "hfe":
        return "\n".join(found.equations)
    if task == "hfd":
        answer = "\n".join(found.equations)
        return _json([{"Step": step, "task": "", "answer": answer} for step in range(1, 6)])
    return _json(listed(task, found))


def one_item(task: str, found: Finds, *before: Any) -> str:
    """Return an answer with one item that lists everything found in the document, after the items in `before`."""
    item = catch_all(task, found)
    return _json(item if task == "geo" else [*before, item])


def _data_set(name: str, addresses: tuple[str, ...], series: list[Any]) -> dict[str, Any]:
    return {"dataset_name": name, "dataset_website_or_source": list(addresses), "variables": series}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
