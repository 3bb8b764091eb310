"""Whether two items of a paper state the same set of DFT parameters (OURS).

It must never know of which task or record the items are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.studies.curie.judging import cells, methods
from harness.studies.curie.judging.normal import fields
from harness.studies.curie.judging.quantities import Number, Quantity, quantity, same_number
from harness.studies.curie.judging.units import Powers
from harness.studies.curie.reading.aliases import PARAMETERS

MOST = 0.5  # more than this share of what the gold item states must be what the other states
_OTHER_NAMES: Mapping[str, str] = {
    "code": "software",
    "program": "software",
    "package": "software",
    "exchange_correlation": "functional",
    "exchange-correlation": "functional",
    "xc_functional": "functional",
    "k-points-grid": "k-points",
    "kpoints": "k-points",
    "k_points": "k-points",
    "k-point": "k-points",
    "k-point_grid": "k-points",
    "k_point_grid": "k-points",
    "cutoff": "energy_cutoff",
    "cutoff_energy": "energy_cutoff",
    "plane_wave_cutoff": "energy_cutoff",
    "pseudopotential": "pseudopotentials",
    "basis set": "basis_set",
    "u": "hubbard_U",
    "U": "hubbard_U",
    "hubbard_u": "hubbard_U",
    "spin_polarized": "spin",
}
_NAMES: Mapping[str, str] = {**_OTHER_NAMES, **PARAMETERS}
_EV, _ANGSTROM = 1.602176634e-19, 1e-10
_ENERGY: Powers = (("kg", 1.0), ("m", 2.0), ("s", -2.0))
_FORCE: Powers = (("kg", 1.0), ("m", 1.0), ("s", -2.0))
_YES = re.compile(
    r"1(?:\.0*)?|true|yes|on|y|spin[- ]?polari[sz]ed(?: calculations?)?|polari[sz]ed|relaxed|fully relaxed|considered"
    r"|included|collinear|unrestricted|(?:atoms|nuclei|ions|cell) relaxed"
)
_NO = re.compile(
    r"0(?:\.0*)?|false|no|off|n|non[- ]?spin[- ]?polari[sz]ed|unpolari[sz]ed|fixed|not relaxed|restricted|frozen"
)
# What a field counts for where most of them must agree; the others count 1.
_WEIGHTS: Mapping[str, float] = dict.fromkeys(
    (
        "relaxed_nuclei",
        "relaxed_unit_cell",
        "spin",
        "force_convergence",
        "energy_convergence",
        "dispersion",
        "solvent",
        "pseudopotentials",
    ),
    0.5,
)
_IN_RYDBERG = ("ecutwfc", "mesh_cutoff")  # fields whose numbers, in their programs, are Ry where no unit stands


class ParameterItem:
    """One set of parameters as it is read, field by field, under the ground truth's names."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        said = fields(item, _NAMES)
        if any(name in item for name in _IN_RYDBERG) and cells.is_bare(said.get("energy_cutoff", "")):
            said["energy_cutoff"] += " Ry"
        free = "\n".join(said.get(name, "") for name in ("other_information", "notes", "ase_otherkeys", "extra"))
        self.fields: dict[str, Any] = {field: read(said[field]) for field, read in _READERS.items() if said.get(field)}
        self.fields = {field: value for field, value in self.fields.items() if value not in ("", (), frozenset(), None)}
        self.also = methods.functional(free).names
        used = self.fields.get("functional")
        if isinstance(used, methods.Functional) and not used.names and not used.families:
            del self.fields["functional"]
            self.fields["other functional"] = methods.squeezed(said["functional"])
        if "basis_set" not in self.fields and (simple := _basis_among(free)):
            self.fields["basis_set"] = simple
        if kind := (used.dispersion if isinstance(used, methods.Functional) else "") or methods.dispersion(free):
            self.fields["dispersion"] = kind
        if kind := methods.solvent(free):
            self.fields["solvent"] = kind


def _basis_among(text: str) -> frozenset[str]:
    """Find a basis set among the keywords of an input line, as in `B3LYP DEF2-TZVP`."""
    found = re.search(
        r"\b(?:\d-\d{1,3}\+{0,2}G(?:\*{1,2}|\([a-z\d,]{1,6}\))?|def2-?[A-Z]+|(?:aug-)?cc-pV[DTQ5]Z)",
        text,
        re.IGNORECASE,
    )
    return methods.basis(found[0]) if found else frozenset()


def _amount(unit: float, powers: Powers) -> Callable[[str], Number | None]:
    """Make the reader of a number that stands for so much of SI where it names no unit."""

    def read(text: str) -> Number | None:
        found: Quantity | None = quantity(text, "", "")
        if found is None:
            return None
        if found.powers == powers:
            return Number(found.low.value / unit, found.low.step / unit)
        return found.low if not found.powers or isinstance(found.powers, str) else None

    return read


def _switch(text: str) -> str:
    """Read what is on or off; another word stands for itself."""
    folded = text.strip().casefold()
    if _YES.fullmatch(folded):
        return "yes"
    if _NO.fullmatch(folded):
        return "no"
    number = cells.plain_number(folded) if folded[:1].isdigit() else None
    return "yes" if number and number.value > 0 else methods.squeezed(folded)


def _hubbard(text: str) -> Number | None:
    return cells.plain_number(text.partition("=")[2] or text)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "software": methods.program,
    "functional": methods.functional,
    "k-points": cells.grid,
    "pseudopotentials": methods.pseudopotential,
    "basis_set": methods.basis,
    "energy_cutoff": _amount(_EV, _ENERGY),
    "force_convergence": _amount(_EV / _ANGSTROM, _FORCE),
    "energy_convergence": _amount(_EV, _ENERGY),
    "relaxed_nuclei": _switch,
    "relaxed_unit_cell": _switch,
    "spin": _switch,
    "hubbard_U": _hubbard,
}


def why_parameters_differ(gold: ParameterItem, other: ParameterItem) -> str:
    """Say the first field in which two sets of parameters differ, or that too little agrees; else nothing.

    What only one states is no difference; but most of what the gold item states must be stated by the other, too.
    """
    agreed = total = 0.0
    for field, value in gold.fields.items():
        weight = _WEIGHTS.get(field, 1.0)
        total += weight
        same = _same(value, other.fields[field]) if field in other.fields else None
        if same is False and not (field == "functional" and _noted(gold, other)):
            return f"{field} differs"
        agreed += weight if same else 0.0
    if not total:
        return "" if gold.fields == other.fields else "the gold item states nothing"
    if _u_differs(gold, other):
        return "hubbard_U differs"
    return "" if agreed > MOST * total else "too little of it is stated"


def _noted(gold: ParameterItem, other: ParameterItem) -> bool:
    """Whether one side's functional stands in the notes of the other."""
    return bool(gold.also & other.fields["functional"].names or other.also & gold.fields["functional"].names)


def _same(one: Any, two: Any) -> bool | None:
    """Compare two values of a field; None where they cannot be compared."""
    if isinstance(one, methods.Functional) and isinstance(two, methods.Functional):
        return methods.same_functional(one, two)
    if isinstance(one, Number) and isinstance(two, Number):
        return same_number(one, two)
    if isinstance(one, frozenset) and isinstance(two, frozenset):
        return bool(one & two)
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) != len(two):
        return None
    return bool(one == two)


def _u_differs(gold: ParameterItem, other: ParameterItem) -> bool:
    """Whether one functional has a Hubbard term, by its name, and the other knows of none."""
    sides = [(item.fields.get("functional"), item.fields) for item in (gold, other)]
    plus = [isinstance(used, methods.Functional) and used.plus_u for used, _ in sides]
    knows = [plus[at] or bool((u := sides[at][1].get("hubbard_U")) and u.value) for at in (0, 1)]
    return (plus[0] and not knows[1]) or (plus[1] and not knows[0])
