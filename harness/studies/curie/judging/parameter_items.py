"""Whether two items of a paper state the same set of DFT parameters (OURS).

Independent of the task and the record of the items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from harness.answers.units import Powers
from harness.studies.curie.judging import cells, methods, settings
from harness.studies.curie.judging.asserted import asserted, settled, unhedged
from harness.studies.curie.judging.normal import FIELDS, fields
from harness.studies.curie.judging.quantities import Number, Quantity, quantity, same_number
from harness.studies.curie.judging.substances import agents

MOST_WITHOUT = 2 / 3  # the same if the gold item has a functional and the other has none
MOST = 0.5  # more than this share of what the gold item states must be stated by the other item
# Other names of fields, without signs and in lower case.
_FIELDS = """
software: code, program, package, dftcode, dftsoftware, simulationcode
functional: xc, exchangecorrelation, xcfunctional, exchangecorrelationfunctional, dftfunctional, gga, leveloftheory,
  theory, method
k-points: kpts, kpointsgrid, kpoints, kpoint, kpointgrid, kmesh, kgrid, kpointmesh, ksampling, kpointsampling,
  brillouinzonesampling, bzsampling, kpointdensity, kspacing, monkhorstpack, ngridk, ngkpt, kgridsize, kpt,
  kpointsmesh, mpgrid
pseudopotentials: pp, setups, pseudopotential, psp, pseudo, potentials, potential, pawpotentials
basis_set: basis, basisset, basissets, orbitals
energy_cutoff: encut, ecutwfc, meshcutoff, cutoff, cutoffenergy, planewavecutoff, ecut, energycutoff, pwcutoff,
  kineticenergycutoff, wavefunctioncutoff, planewaveenergycutoff
density_cutoff: ecutrho, densitycutoff, chargedensitycutoff
energy_convergence: ediff, energyconvergence, energytolerance, scftolerance, scfconvergence, electronicconvergence,
  convthr, energythreshold
force_convergence: fmax, ediffg, forceconvergence, forcetolerance, forcethreshold, forcecriterion, forcconvthr
relaxed_nuclei: relaxednuclei, relaxions, ionsrelaxed, relaxedions
relaxed_unit_cell: relaxedunitcell, cellrelaxed, relaxcell, relaxedcell
relaxation: relax, relaxed, geometryoptimization, geometryoptimisation, optimization, optimisation, relaxationmode,
  geometry, relaxationtype
spin: spinpol, spinpolarized, spinpolarised, spinpolarization, spinpolarisation, magnetism, ispin, nspin, lsda
hubbard_U: u, hubbardu, ueff, hubbard, ldauu, dftu, uvalue, uvalues, hubbardparameters, hubbardcorrection
"""
_CODES = frozenset(["ispin", "nspin"])  # two spins are polarised, one is not
_NAMES: Mapping[str, str] = {
    other.strip(): field
    for row in _FIELDS.strip().replace("\n  ", " ").splitlines()
    for field, _, others in [row.partition(": ")]
    for other in (re.sub(r"[\W_]", "", field.casefold()), *others.split(","))
}
_EV, _ANGSTROM = 1.602176634e-19, 1e-10
_ENERGY: Powers = (("kg", 1.0), ("m", 2.0), ("s", -2.0))
_FORCE: Powers = (("kg", 1.0), ("m", 1.0), ("s", -2.0))
_YES = re.compile(
    r"1(?:\.0*)?|true|yes|on|y|\.true\.|spin[- ]?polari[sz]ed(?: \w+)?|polari[sz]ed|magnetic"
    r"|ferromagnetic|fm|afm|spin[- ]unrestricted|open[- ]shell|relaxed|fully relaxed|considered"
    r"|included|collinear|unrestricted|(?:atoms|nuclei|ions|cell) relaxed"
)
_NO = re.compile(
    r"0(?:\.0*)?|false|no|off|n|\.false\.|non[- ]?spin[- ]?polari[sz]ed|non[- ]?magnetic"
    r"|closed[- ]shell|spin[- ]restricted|unpolari[sz]ed|fixed|not relaxed|restricted|frozen"
)
# Weights of fields in the share that must agree; all other fields have weight 1.
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
        "smearing",
        "relativity",
        "tier",
        "density_cutoff",
        "exchange",
        "rkmax",
    ),
    0.5,
)
_IN_RYDBERG = frozenset(["ecutwfc", "meshcutoff", "ecutrho"])  # fields whose numbers are in Ry if no unit is given
_RYDBERG, _HARTREE = 13.605693, 27.211386
_PROGRAM_UNITS: Mapping[str, float] = {"qe": _RYDBERG, "siesta": _RYDBERG, "abinit": _HARTREE, "cp2k": _RYDBERG}
_GAMMA = re.compile(r"zone[- ]cent|gamma[- ]point|Γ[- ]?point|only (?:the )?(?:gamma|Γ)", re.IGNORECASE)


class ParameterItem:
    """One set of parameters, read field by field under the names of the ground truth."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        bare = {name: re.sub(r"[\W_]", "", str(name)[:60].casefold()) for name in islice(item, FIELDS)}
        said = {
            field: unhedged(settled(text) or text) if field in _READERS or field == "energy_cutoff" else text
            for field, text in fields(item, {name: _NAMES.get(bare[name], name) for name in bare}).items()
        }
        self.told = frozenset(said)
        if not said.get("force_convergence") and (limit := settings.force("\n".join(said.values()))):
            said["force_convergence"] = limit
        if not said.get("hubbard_U"):
            every = f"{said.get('functional', '')}\n" + "\n".join(
                one for name, one in said.items() if name not in _READERS
            )
            if at := _U_AMONG.search(every[:800]):
                said["hubbard_U"] = at["of"].strip(" ()")
        codes = {name for name in bare if bare[name] in _CODES}
        if said.get("spin") and codes and said["spin"].strip() in ("1", "2"):
            said["spin"] = "yes" if said["spin"].strip() == "2" else "no"
        rydberg = bool(_IN_RYDBERG & set(bare.values()))
        known = set(_NAMES.values())
        free = "\n".join(
            f"{name}: {text}" for name, text in said.items() if name not in known and name not in ("id", "index")
        )
        for field, told in settings.relaxation(said.get("relaxation", "")).items():
            said.setdefault(field, told)
        self.fields: dict[str, Any] = {field: read(said[field]) for field, read in _READERS.items() if said.get(field)}
        self.roles = {field: methods.by_role(said[field]) for field in _READERS if said.get(field)}
        for field in ("energy_cutoff", "density_cutoff"):
            if said.get(field):
                self._cutoff(field, said[field], rydberg)
        mode = re.search(r"\bPW\((\d{2,5})\)|\bPW\(ecut=(\d{2,5})\)", free)
        if mode and "energy_cutoff" not in self.fields:
            self.fields["energy_cutoff"] = (Number(float(mode[1] or mode[2]), 1.0),)
        if mode and "basis_set" not in self.fields:
            self.fields["basis_set"] = frozenset(["pw"])
        self.fields = {field: value for field, value in self.fields.items() if value not in ("", (), frozenset(), None)}
        raw, free = free, asserted(free)
        self.remarks = free
        self.also = methods.functional_among(free).names
        self._functional(said, free)
        self._from(free, said)
        # Only the functional's own text, not a remark, says that a Hubbard term is used.
        used = self.fields.get("functional")
        self.plus_u = (isinstance(used, methods.Functional) and used.plus_u) or bool(
            _PLUS_U.search(said.get("functional", ""))
        )
        fields_said = (f"{field}={text}" for field, text in said.items() if field in known)
        if "spin" not in self.fields and (spin := settings.spin(settings.main_clauses(raw))):
            self.fields["spin"] = spin
        self._override(settings.main_clauses(free), "\n".join(fields_said))
        self._terms(said, bare)
        self.remarks_u = bool(_PLUS_U.search(free) or "LDAU" in free)

    def _override(self, remarks: str, every: str) -> None:
        """Let remarks and input tags on this calculation count before its other fields, which they may contradict."""
        told = settings.from_tags(every) | settings.from_tags(remarks)
        if (spin := settings.spin(remarks)) and ("spin" in self.fields or spin == "yes"):
            told.setdefault("spin", spin)
        used = self.fields.get("functional")
        plain = _PLAIN_RUN.search(remarks)
        xc = methods.functional(told.pop("functional", "") or (plain[1] or plain[2] if plain else ""))
        no_hybrid = told.pop("hybrid", "") == "no"
        if isinstance(used, methods.Functional):
            hybrid = "hybrid" in used.families and "hybrid" not in xc.families and bool(used.names)
            if (no_hybrid and hybrid) or (plain and xc.names and not xc.names & used.names):
                self.fields["functional"] = replace(xc, dispersion=used.dispersion) if xc.names else _NO_HYBRID
        elif xc.names:
            self.fields["functional"] = xc
        self.fields |= told

    def _terms(self, said: Mapping[str, str], bare: Mapping[str, str]) -> None:
        """Read the terms that change the physics: exact exchange, charge, the kind of a Hubbard parameter."""
        every = "\n".join((said.get("functional", ""), self.remarks))
        if (share := settings.exact_exchange(every)) is not None:
            self.fields["exchange"] = Number(share, 0.001)
        self.charge = settings.charge(self.remarks)
        effective = any("eff" in name for name in bare.values() if _NAMES.get(name) == "hubbard_U")
        terms = self.fields.get("hubbard_U", ())
        text = f"{said.get('hubbard_U', '')}\n{self.remarks if len(terms) == 1 else ''}"
        self.terms = {element: settings.repulsion(value, text, effective) for element, value in terms}

    def _cutoff(self, field: str, text: str, rydberg: bool) -> None:
        """Read the cutoff of the wave functions and that of the density, which may stand in one field."""
        roles = dict(methods.by_role(text))
        if "density" in roles and len(roles) > 1:
            rest = next(value for role, value in roles.items() if role != "density")
            told = {field: rest, "density_cutoff": roles["density"]}
        else:
            told = {field: text}
        unit = _RYDBERG if rydberg else _PROGRAM_UNITS.get(str(self.fields.get("software", "")), 0.0)
        for name, value in told.items():
            read = _amount(_EV, _ENERGY)(value)
            if read is None:
                continue
            plain = not re.search(r"[A-Za-z]", re.sub(r"[eE][-+]?\d", "", value))
            in_unit = Number(read.value * unit, read.step * unit)
            self.fields[name] = ((in_unit,) if rydberg else (read, in_unit)) if plain and unit else (read,)

    def _functional(self, said: Mapping[str, str], free: str) -> None:
        """Keep a functional that is in no table by its letters; if the field is absent, read the remarks."""
        used = self.fields.get("functional")
        if isinstance(used, methods.Functional) and not used.names and not used.families:
            del self.fields["functional"]
            if said.get("functional"):
                self.fields["other functional"] = methods.squeezed(said["functional"])
        elif used is None and (found := methods.functional_among(free)) and len(found.names or found.families) == 1:
            self.fields["functional"] = found

    def _from(self, free: str, said: Mapping[str, str]) -> None:
        """Read what has no field of its own, and fields that are absent, from the other texts of the item."""
        used = self.fields.get("functional")
        found: dict[str, Any] = {
            "dispersion": (used.dispersion if isinstance(used, methods.Functional) else "") or methods.dispersion(free),
            "solvent": methods.solvent(free),
            "smearing": methods.smearing(free),
            "relativity": methods.relativity("\n".join((free, *said.values()))),
            "tier": methods.tier(said.get("basis_set", "") or free),
            "basis_set": _basis_among(free) or methods.basis_named(free),
            "k-points": cells.grid(methods.grid_among(free)) or ((1, 1, 1) if _GAMMA.search(free) else ()),
            "pseudopotentials": methods.pseudopotential_among(free),
            "energy_cutoff": (cutoff,) if (cutoff := _amount(_EV, _ENERGY)(methods.cutoff_among(free))) else (),
            "rkmax": methods.muffin_tin_cutoff(f"{said.get('basis_set', '')}\n{said.get('energy_cutoff', '')}\n{free}"),
            "k-spacing": _spacing(said.get("k-points", "")),
            "software": methods.program_among(free),
        }
        self.fields |= {field: value for field, value in found.items() if value and field not in self.fields}


_U_AMONG = re.compile(
    r"(?<![A-Za-z])U(?:_?eff|[ _]eff)?(?:\([A-Z][a-z]?\))?\s?(?:=|:|of)\s?(?P<of>\d{1,2}"
    r"(?:\.\d{1,3})?\s?eV[^;.)\n]{0,40})"
)
_PLAIN_RUN = re.compile(
    r"\b(?:plain|pure|simple|bare|only|just|actually|in fact) ([A-Za-z][\w-]{1,12}) (?:run|calculation|level"
    r"|functional|results?)"
    r"|\b(?:run|calculated|computed|obtained|done|performed) (?:here )?with (?:plain|pure|bare|only) "
    r"([A-Za-z][\w-]{1,12})\b",
    re.IGNORECASE,
)
_NO_HYBRID = methods.Functional(frozenset(["no hybrid"]), frozenset(["semilocal"]), False, "")
_PLUS_U = re.compile(r"\+\s?U(?:eff)?\b|Hubbard|\bU[- ]correct|\bDFT\+U|\bU\s?=")


def _spacing(text: str) -> tuple[Number, ...]:
    """Return the spacing of a grid in reciprocal space as it is written and multiplied by 2π if the text says so."""
    found = re.search(r"(?<![\d.])(0\.\d{1,4})(?!\d)", text[:200])
    if not found or not re.search(r"Å|\bA\^?-1|spacing|density|bohr|nm", text):
        return ()
    value = Number(float(found[1]), 10.0 ** -(len(found[1]) - 2))
    return (value,)


def _basis_among(text: str) -> frozenset[str]:
    """Return a basis set among the keywords of an input line, as in `B3LYP DEF2-TZVP`; empty if there is none."""
    found = re.search(
        r"\b(?:\d-\d{1,3}\+{0,2}G(?:\*{1,2}|\([a-z\d,]{1,6}\))?|def2-?[A-Z]+|(?:aug-)?cc-pV[DTQ5]Z)",
        text,
        re.IGNORECASE,
    )
    return methods.basis(found[0]) if found else frozenset()


def _amount(unit: float, powers: Powers) -> Callable[[str], Number | None]:
    """Return a function that reads a number in multiples of `unit`, which is assumed if the text has no known unit."""

    def read(text: str) -> Number | None:
        text = re.sub(r"(?<=V/)A(?:ng)?\b|(?<=V )A(?=\^?-1)", "Å", text)  # a force, not a current
        found: Quantity | None = quantity(text, "", "")
        if found is None and (at := re.search(r"(?<![\w.])\d", text[:200])):  # `forces below 0.05 eV/Å`
            found = quantity(text[at.start() :], "", "")
        if found is None:
            return None
        low = Number(abs(found.low.value), found.low.step)  # a negative EDIFFG is a force
        if found.powers == powers:
            return Number(low.value / unit, low.step / unit)
        return low if not found.powers or isinstance(found.powers, str) else None

    return read


def _spin(text: str) -> str:
    """Return yes or no for what a text says of the polarisation of spins; other words are returned as they are."""
    return settings.spin(text) or _switch(text)


def _switch(text: str) -> str:
    """Return yes or no for the words that mean them; another word is returned as it is."""
    folded = text.strip().casefold()
    if _YES.fullmatch(folded):
        return "yes"
    if _NO.fullmatch(folded):
        return "no"
    if first := re.match(r"(yes|true|no|false)\b", folded):
        return "yes" if first[1] in ("yes", "true") else "no"
    number = cells.plain_number(folded) if folded[:1].isdigit() else None
    return "yes" if number and number.value > 0 else methods.squeezed(folded)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "software": methods.program,
    "functional": methods.functional,
    "k-points": cells.grid,
    "pseudopotentials": methods.pseudopotential,
    "basis_set": methods.basis,
    "force_convergence": _amount(_EV / _ANGSTROM, _FORCE),
    "energy_convergence": _amount(_EV, _ENERGY),
    "relaxed_nuclei": _switch,
    "relaxed_unit_cell": _switch,
    "spin": _spin,
    "hubbard_U": methods.hubbard,
}


def why_parameters_differ(gold: ParameterItem, other: ParameterItem) -> str:
    """Return the first field in which two sets of parameters differ, or that too little agrees; empty if neither.

    A field that only one item states is no difference, but most of what the gold item states must be stated by the
    other.
    """
    agreed = total = 0.0
    for field in gold.fields:
        weight = _WEIGHTS.get(field, 1.0)
        total += weight
        same = _same_field(field, gold, other) if field in other.fields else None
        if same is False and not (field == "functional" and _noted(gold, other)):
            return f"{field} differs"
        agreed += weight if same else 0.0
    if not total:
        return "" if gold.fields == other.fields else "the gold item states nothing"
    return _physics_differs(gold, other) or _too_little(gold, other, agreed, total)


def _too_little(gold: ParameterItem, other: ParameterItem, agreed: float, total: float) -> str:
    """Return whether the other item states too little of the gold one: most fields, and of few one with a number."""
    silent = "functional" in gold.fields and not {"functional", "other functional"} & other.fields.keys()
    share = MOST_WITHOUT if silent else MOST
    if agreed <= share * total:
        return "too little of it is stated"
    numbers = _COUNTED & gold.fields.keys()
    if numbers and not numbers & (other.fields.keys() | other.told) and len(gold.fields) < 5:
        return "none of its numbers is stated"
    return ""


def _physics_differs(gold: ParameterItem, other: ParameterItem) -> str:
    """Return which term of the physics differs or stands in the other item alone, or a setting of its dynamics."""
    if _u_differs(gold, other):
        return "hubbard_U differs"
    if _dispersion_differs(gold, other):
        return "dispersion differs"
    for field in ("dispersion", "solvent", "relativity"):
        added = other.fields.get(field, "")
        if added and added not in _NOTHING and field not in gold.fields and not _part_of_name(field, gold):
            return f"{field} is added"
    many = {settings.multiplicity(item.remarks) for item in (gold, other)} - {None}
    media = [agents(_solvation(item.remarks)) for item in (gold, other)]
    shares = [item.fields.get("exchange") or _usual_share(item) for item in (gold, other)]
    noun = settings.other_dynamics(gold.remarks, other.remarks)
    found = {
        "multiplicities differ": len(many) > 1,
        "the solvents differ": bool(media[0] and media[1] and not media[0] & media[1]),
        "charges differ": (gold.charge or 0) != (other.charge or 0),
        "the shares of exact exchange differ": bool(
            shares[0] and shares[1] and abs(shares[0].value - shares[1].value) > 0.006
        ),
        f"{noun} differs": bool(noun),
    }
    return next((why for why, holds in found.items() if holds), "")


def _solvation(text: str) -> str:
    """Return the parts of remarks that are of a solvent."""
    parts = re.split(r"[\n;]|\.(?!\d)", text[:800])
    return "; ".join(
        part for part in parts if re.search(r"\b(?:SMD|C?-?PCM|COSMO|solv\w*|VASPsol|aqueous)\b", part, re.I)
    )


_NOTHING = frozenset(["none", "scalar", "no"])
_COUNTED = frozenset(
    ["k-points", "energy_cutoff", "density_cutoff", "force_convergence", "energy_convergence", "hubbard_U"]
)
_USUAL: Mapping[str, float] = {"hse06": 0.25, "pbe0": 0.25, "b3lyp": 0.2}  # shares of exact exchange by default


def _usual_share(item: ParameterItem) -> Number | None:
    used = item.fields.get("functional")
    found = {_USUAL.get(name, 0.0) for name in used.names} if isinstance(used, methods.Functional) else set()
    return Number(found.pop(), 0.001) if len(found) == 1 and any(found) else None


def _part_of_name(field: str, item: ParameterItem) -> bool:
    """Whether the functional itself has the correction, as vdW-DF and ωB97X-D have one for dispersion."""
    used = item.fields.get("functional")
    return (
        field == "dispersion"
        and isinstance(used, methods.Functional)
        and any("vdw" in name or name.endswith(("-d", "-v")) for name in used.names)
    )


def _noted(gold: ParameterItem, other: ParameterItem) -> bool:
    """Whether the notes of one item name the functional of the other."""
    return bool(gold.also & other.fields["functional"].names or other.also & gold.fields["functional"].names)


def _same_field(field: str, gold: ParameterItem, other: ParameterItem) -> bool | None:
    """Whether two items have the same value of a field; by role if both tell for what each of several values is."""
    mine, theirs = (dict(item.roles.get(field, ())) for item in (gold, other))
    if shared := mine.keys() & theirs.keys() if field in _READERS else set[str]():
        read = _READERS[field]
        return all(_same(read(mine[role]), read(theirs[role])) is not False for role in shared)
    if field in _READERS and bool(mine) != bool(theirs):  # one text has a single value and does not say for what
        named, plain = (mine, other.fields[field]) if mine else (theirs, gold.fields[field])
        return any(
            _same(_READERS[field](text), plain) is not False for role, text in named.items() if role != "preliminary"
        )
    if field == "hubbard_U":
        return _same_terms(gold, other)
    return _same(gold.fields[field], other.fields[field])


def _same_terms(gold: ParameterItem, other: ParameterItem) -> bool:
    """Whether the Hubbard terms of two items agree: element by element, or any term if one names no element."""
    mine, theirs = gold.terms, other.terms
    if "" in mine or "" in theirs:
        return any(settings.same_repulsion(a, b) for a in mine.values() for b in theirs.values())
    shared = mine.keys() & theirs.keys()
    return (
        bool(shared)
        and theirs.keys() <= mine.keys()
        and all(settings.same_repulsion(mine[one], theirs[one]) for one in shared)
    )


def _same(one: Any, two: Any) -> bool | None:
    """Whether two values of a field are the same; None if they cannot be compared."""
    if isinstance(one, methods.Functional) and isinstance(two, methods.Functional):
        return methods.same_functional(one, two)
    if isinstance(one, Number) and isinstance(two, Number):
        return same_number(one, two)
    if isinstance(one, frozenset) and isinstance(two, frozenset):
        return bool(one & two)
    if isinstance(one, tuple) and isinstance(two, tuple) and one and two:
        if isinstance(one[0], Number) and isinstance(two[0], Number):  # each may be in one of two units
            return any(same_number(a, b) for a in one for b in two)
        return bool(one == two) if len(one) == len(two) else None
    return bool(one == two) or {one, two} in _VAGUE


# A correction that one text leaves open.
_VAGUE = (frozenset(["d3", "d3bj"]), frozenset(["d3", "d3zero"]))


def _u_differs(gold: ParameterItem, other: ParameterItem) -> bool:
    """Whether one calculation has a Hubbard term, and the other names its functional and has none."""
    has = [item.plus_u or any(value for _, value in item.fields.get("hubbard_U", ())) for item in (gold, other)]
    silent = [
        "functional" in item.fields and not has[at] and not item.remarks_u for at, item in enumerate((gold, other))
    ]
    return (has[0] and silent[1]) or (has[1] and silent[0])


def _dispersion_differs(gold: ParameterItem, other: ParameterItem) -> bool:
    """Whether the name of one functional has a dispersion correction, and the other item's has none."""
    for one, two in ((gold, other), (other, gold)):
        used = one.fields.get("functional")
        corrected = isinstance(used, methods.Functional) and used.dispersion
        if corrected and "functional" in two.fields and "dispersion" not in two.fields:
            return True
    return False
