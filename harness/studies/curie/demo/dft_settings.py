"""Calculations of the demo's DFT papers (OURS): the settings of each, and the structures it is run on.

Independent of the wording of a paper and of the form of its ground truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.studies.curie.demo.dft_structures import CRYSTAL, MOLECULE, STRUCTURES, Structure, Theme
from harness.studies.curie.demo.documents import Draw, one

CODES: Mapping[str, str] = {"vasp": "VASP", "castep": "CASTEP", "gpaw": "GPAW", "gaussian": "Gaussian 16"}
POTENTIALS: Mapping[str, str] = {"vasp": "PAW", "castep": "ultrasoft", "gpaw": "PAW"}
CUTOFFS = (400, 420, 450, 480, 500, 520, 550)  # eV; distractors in a paper never use one of these
FUNCTIONALS = ("PBE", "PBEsol", "RPBE")
FORCES, ENERGIES = (0.01, 0.02, 0.03, 0.05), (1e-4, 1e-5, 1e-6)
HYBRIDS, BASES = ("B3LYP", "PBE0", "M06-2X"), ("6-311+G(d,p)", "def2-TZVP", "aug-cc-pVTZ")
REFERENCE = "silicon"  # what hard papers compute in addition, to check the numerics


@dataclass(frozen=True, slots=True)
class Calculation:
    """One DFT calculation of a paper: its key, label, parameters as in the archive, and structures."""

    key: str
    label: str
    fields: Mapping[str, Any]
    on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DftPaper:
    """What one invented paper computes: its theme, its structures and its calculations."""

    theme: Theme
    structures: tuple[Structure, ...]
    calculations: tuple[Calculation, ...]


def _mesh(*counts: int) -> str:
    return f"[{','.join(map(str, counts))}]"


def _shared(source: seeds.Stream, theme: Theme) -> dict[str, Any]:
    """Return what all plane-wave calculations of a paper have in common."""
    code = one(source, ("vasp", "castep", "gpaw"))
    shared: dict[str, Any] = {
        "software": code,
        "functional": one(source, FUNCTIONALS),
        "pseudopotentials": POTENTIALS[code],
        "energy_cutoff": float(one(source, CUTOFFS)),
        "energy_convergence": one(source, ENERGIES),
    }
    if theme.hubbard:
        shared |= {"spin": 1.0, "hubbard_U": f"{one(source, (3.0, 3.5, 4.0, 4.5, 5.0))} eV on {theme.hubbard}"}
    return shared


def _cell(source: seeds.Stream, shared: Mapping[str, Any], on: tuple[str, ...]) -> Calculation:
    count = one(source, (7, 8, 10, 12))
    fields = {**shared, "k-points": _mesh(count, count, count), "force_convergence": one(source, FORCES)}
    return Calculation("cell", "cell optimisations", {**fields, "relaxed_nuclei": 1.0, "relaxed_unit_cell": 1.0}, on)


def _surface(source: seeds.Stream, shared: Mapping[str, Any], on: tuple[str, ...]) -> Calculation:
    count = one(source, (3, 4, 5, 6))
    fields = {**shared, "k-points": _mesh(count, count, 1), "force_convergence": one(source, FORCES)}
    fields |= {"relaxed_nuclei": 1.0, "relaxed_unit_cell": 0.0}
    return Calculation("geometry", "geometry optimisations", fields, on)


def _electronic(source: seeds.Stream, shared: Mapping[str, Any], on: tuple[str, ...]) -> Calculation:
    count = one(source, (14, 15, 16, 18))
    kept = {name: value for name, value in shared.items() if name != "hubbard_U"}
    fields = {**kept, "functional": "HSE06", "k-points": _mesh(count, count, count), "relaxed_nuclei": 0.0}
    return Calculation("electronic", "electronic-structure runs", fields, on)


def _molecular(source: seeds.Stream, on: tuple[str, ...]) -> Calculation:
    fields = {
        "software": "gaussian",
        "functional": one(source, HYBRIDS),
        "basis_set": one(source, BASES),
        "relaxed_nuclei": 1.0,
    }
    return Calculation("molecular", "molecular runs", fields, on)


def project(draw: Draw, theme: Theme) -> DftPaper:
    """Draw what an invented paper on a theme computes: one calculation if easy, two if medium, three if hard."""
    every = theme.structures
    surfaces = any(each.type not in (CRYSTAL, MOLECULE) for each in every)
    if draw.rank == 0:
        chosen = every[1:] if surfaces else every[:2]
    else:
        chosen = every if surfaces or draw.rank == 2 else every[:2]
    if draw.rank == 2 and REFERENCE not in theme.keys:
        chosen = (*chosen, STRUCTURES[REFERENCE])
    return DftPaper(theme, chosen, _calculations(draw, theme, chosen, surfaces))


def _calculations(draw: Draw, theme: Theme, chosen: tuple[Structure, ...], surfaces: bool) -> tuple[Calculation, ...]:
    source, shared = draw.source, _shared(draw.source, theme)
    crystals = tuple(each.key for each in chosen if each.type == CRYSTAL)
    molecules = tuple(each.key for each in chosen if each.type == MOLECULE)
    others = tuple(each.key for each in chosen if each.type != CRYSTAL)
    found = []
    if crystals:
        found.append(_cell(source, shared, crystals))
    if surfaces:
        found.append(_surface(source, shared, others))
    elif draw.rank:
        found.append(_electronic(source, shared, crystals))
    if draw.rank == 2:
        found.append(_molecular(source, molecules) if molecules else _electronic(source, shared, crystals))
    return tuple(found)
