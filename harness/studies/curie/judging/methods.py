"""Names of what a DFT calculation is made with: programs, functionals, basis sets, corrections, however spelt (OURS).

It must never know a structure, nor how two calculations are compared as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_READ = 400  # letters of a field
# Programs by a piece of their squeezed names: the first that stands in a text, in this order.
_PROGRAMS: Mapping[str, str] = {
    "viennaabinitio": "vasp",
    "vasp": "vasp",
    "quantumespresso": "qe",
    "pwscf": "qe",
    "pwx": "qe",
    "espresso": "qe",
    "gaussian": "gaussian",
    "castep": "castep",
    "wien2k": "wien2k",
    "wein2k": "wien2k",
    "wien": "wien2k",
    "siesta": "siesta",
    "gpaw": "gpaw",
    "dmol": "dmol",
    "orca": "orca",
    "nwchem": "nwchem",
    "gamess": "gamess",
    "spartan": "spartan",
    "mopac": "mopac",
    "abinit": "abinit",
    "cp2k": "cp2k",
    "quickstep": "cp2k",
    "fhiaims": "fhi-aims",
    "aims": "fhi-aims",
    "amsterdamdensity": "adf",
    "turbomole": "turbomole",
    "qchem": "q-chem",
    "openmx": "openmx",
    "onetep": "onetep",
    "molpro": "molpro",
    "molcas": "molcas",
    "psi4": "psi4",
    "quantumatk": "quantumatk",
    "atomistixtoolkit": "quantumatk",
    "atk": "quantumatk",
    "elk": "elk",
    "fleur": "fleur",
    "crystal": "crystal",
    "dacapo": "dacapo",
    "jaguar": "jaguar",
    "lammps": "lammps",
    "conquest": "conquest",
    "fplo": "fplo",
    "bigdft": "bigdft",
    "dftb": "dftb+",
    "exciting": "exciting",
    "jdftx": "jdftx",
    "pyscf": "pyscf",
}
_SHORT = {"qe": "qe", "g03": "gaussian", "g09": "gaussian", "g16": "gaussian", "g98": "gaussian", "adf": "adf"}
# Functionals by pieces of squeezed text, those that hold another before it; then the family of each.
_FUNCTIONALS: Mapping[str, tuple[str, str]] = {
    "camb3lyp": ("cam-b3lyp", "hybrid"),
    "b3lyp": ("b3lyp", "hybrid"),
    "b3pw91": ("b3pw91", "hybrid"),
    "x3lyp": ("x3lyp", "hybrid"),
    "bhandhlyp": ("bhandhlyp", "hybrid"),
    "blyp": ("blyp", "gga"),
    "lcωpbe": ("lc-wpbe", "hybrid"),
    "lcwpbe": ("lc-wpbe", "hybrid"),
    "ωb97xd": ("wb97x-d", "hybrid"),
    "wb97xd": ("wb97x-d", "hybrid"),
    "ωb97xv": ("wb97x-v", "hybrid"),
    "wb97xv": ("wb97x-v", "hybrid"),
    "wb97x": ("wb97x", "hybrid"),
    "ωb97x": ("wb97x", "hybrid"),
    "b97d": ("b97-d", "gga"),
    "pbesol": ("pbesol", "gga"),
    "revpbe": ("revpbe", "gga"),
    "rpbe": ("rpbe", "gga"),
    "pbe0": ("pbe0", "hybrid"),
    "perdewburkeernzerhof": ("pbe", "gga"),
    "perdewburkeandernzerhof": ("pbe", "gga"),
    "hse06": ("hse06", "hybrid"),
    "hse03": ("hse03", "hybrid"),
    "hse": ("hse06", "hybrid"),
    "heydscuseriaernzerhof": ("hse06", "hybrid"),
    "m062x": ("m06-2x", "hybrid"),
    "m06l": ("m06-l", "meta-gga"),
    "m06": ("m06", "hybrid"),
    "m052x": ("m05-2x", "hybrid"),
    "r2scan": ("r2scan", "meta-gga"),
    "scan": ("scan", "meta-gga"),
    "tpssh": ("tpssh", "hybrid"),
    "revtpss": ("revtpss", "meta-gga"),
    "tpss": ("tpss", "meta-gga"),
    "pw91": ("pw91", "gga"),
    "perdewwang91": ("pw91", "gga"),
    "am05": ("am05", "gga"),
    "bp86": ("bp86", "gga"),
    "optb88vdw": ("optb88-vdw", "gga"),
    "optb86bvdw": ("optb86b-vdw", "gga"),
    "optpbevdw": ("optpbe-vdw", "gga"),
    "optb88": ("optb88-vdw", "gga"),
    "vdwdf2": ("vdw-df2", "gga"),
    "vdwdf1": ("vdw-df", "gga"),
    "vdwdf": ("vdw-df", "gga"),
    "gllbsc": ("gllb-sc", "gga"),
    "mbj": ("mbj", "meta-gga"),
    "beckejohnson": ("mbj", "meta-gga"),
    "svwn": ("svwn", "lda"),
    "ceperleyalder": ("lda", "lda"),
    "perdewzunger": ("lda", "lda"),
    "capz": ("lda", "lda"),
    "mp2": ("mp2", "post-hf"),
    "mollerplesset": ("mp2", "post-hf"),
    "ccsd": ("ccsd", "post-hf"),
    "hartreefock": ("hf", "hf"),
    "pm6": ("pm6", "semi-empirical"),
    "pm7": ("pm7", "semi-empirical"),
    "pbe": ("pbe", "gga"),
    "lsda": ("lda", "lda"),
}
_FAMILIES: Mapping[str, str] = {
    "metagga": "meta-gga",
    "metageneralizedgradient": "meta-gga",
    "generalizedgradient": "gga",
    "generalisedgradient": "gga",
    "gga": "gga",
    "localdensity": "lda",
    "localspindensity": "lda",
    "lda": "lda",
    "hybrid": "hybrid",
}
_DISPERSION: Mapping[str, str] = {
    "d3bj": "d3",
    "dftd3": "d3",
    "d3": "d3",
    "dftd2": "d2",
    "d2": "d2",
    "grimmed4": "d4",
    "d4": "d4",
    "gd3": "d3",
    "gd2": "d2",
    "tkatchenkoscheffler": "ts",
    "manybodydispersion": "mbd",
    "vdwts": "ts",
}
_SOLVENTS: Mapping[str, str] = {"cpcm": "cpcm", "pcm": "pcm", "smd": "smd", "cosmo": "cosmo", "vaspsol": "vaspsol"}
_PSEUDO: Mapping[str, str] = {
    "projectoraugmented": "paw",
    "paw": "paw",
    "ultrasoft": "ultrasoft",
    "uspp": "ultrasoft",
    "normconserv": "norm",
    "troulliermartins": "norm",
    "oncv": "norm",
    "gth": "norm",
    "hgh": "norm",
    "nc": "norm",
    "allelectron": "none",
}


_BASES: Mapping[str, str] = {  # words for basis sets, without blanks and hyphens
    r"planewaves?": "pw",
    r"doublezeta(?:plus)?(?:single)?polari[sz](?:ation|ed)": "dzp",
    r"triplezeta(?:plus)?(?:double)?polari[sz](?:ation|ed)": "tzp",
    r"doublezeta": "dz",
    r"triplezeta": "tz",
    r"doublenumericalpluspolari[sz]ation|doublenumericpolari[sz]ed": "dnp",
}


@dataclass(frozen=True, slots=True)
class Functional:
    """Which functionals a text names, their families or the families it names instead, and what is added to them."""

    names: frozenset[str]
    families: frozenset[str]
    plus_u: bool
    dispersion: str


def squeezed(text: str) -> str:
    """Give the letters and digits of a text alone, in lower case."""
    return re.sub(r"[\W_]+", "", text[:_READ].casefold())


@lru_cache(1024)
def program(text: str) -> str:
    """Give the program that a text names; one that is in no table by its letters."""
    whole = squeezed(text)
    named = next((name for piece, name in _PROGRAMS.items() if piece in whole), "")
    return named or _SHORT.get(whole, "") or re.sub(r"(?:version|v)?\d+$", "", whole)


@lru_cache(1024)
def functional(text: str) -> Functional:
    """Read the functionals of a text: `GGA-PBE`, `PBE+U`, `Perdew-Burke-Ernzerhof`, `PBE-D3(BJ)`."""
    rest, names, families = squeezed(text), set[str](), set[str]()
    for piece, (name, family) in _FUNCTIONALS.items():
        if piece in rest:
            names.add(name)
            families.add(family)
            rest = rest.replace(piece, "|")
    for piece, family in _FAMILIES.items():
        if piece in rest:
            rest = rest.replace(piece, "|")
            if not names:
                families.add(family)
    if not names and re.fullmatch(r"hf|uhf|rhf", rest):
        names.add("hf")
    plus_u = bool(re.search(r"\+\s?U\b|Hubbard", text))
    return Functional(frozenset(names), frozenset(families), plus_u, dispersion(text))


def same_functional(one: Functional, two: Functional) -> bool | None:
    """Whether two texts name one functional, or one the family of the other's; None where either names none."""
    if one.names and two.names:
        return bool(one.names & two.names)
    if one.families and two.families:
        return bool(one.families & two.families)
    return None


def dispersion(text: str) -> str:
    """Give the correction for dispersion that a text names: d2, d3, d4, ts, mbd; empty where it names none."""
    pieces = re.split(r"[^a-z0-9]+", text[:_READ].casefold())
    whole = squeezed(text)
    for piece, name in _DISPERSION.items():
        if piece in pieces or (len(piece) > 3 and piece in whole):
            return name
    return "ts" if re.search(r"\bTS\b (?:dispersion|correction|scheme)", text[:_READ]) else ""


def solvent(text: str) -> str:
    """Give the solvation model that a text names; empty where it names none."""
    pieces = re.split(r"[^a-z0-9]+", text[:_READ].casefold())
    return next((name for piece, name in _SOLVENTS.items() if piece in pieces), "")


def pseudopotential(text: str) -> str:
    """Give the kind of pseudopotential that a text names; empty where it names none of the table."""
    whole = squeezed(text)
    return next((kind for piece, kind in _PSEUDO.items() if (piece in whole if len(piece) > 2 else piece == whole)), "")


@lru_cache(1024)
def basis(text: str) -> frozenset[str]:
    """Give the basis sets that a text names, each in one spelling: `6-311++G**` is `6-311++G(d,p)`, `(DZP)` is DZP."""
    folded = text[:_READ].casefold()
    inside = re.findall(r"\s\((?!\d?[spdf]\s?[,)]|\d?[spdf]{1,2}\))([a-z\d+*-]{2,16})\)", folded)
    for name in inside:
        folded = folded.replace(f"({name})", " ")
    parts = re.split(r"\s?/\s?|\sand\s|;|\swith\s|,(?![^(]*\))", folded)
    return frozenset(found for part in (*parts, *inside) if (found := _basis(part)))


def _basis(text: str) -> str:
    text = re.sub(r"basis(?:set)?s?$", "", re.sub(r"[-\s]", "", text.replace("**", "(d,p)").replace("*", "(d)")))
    for pattern, name in _BASES.items():
        text = re.sub(pattern, name, text)
    return text
