"""Names of the methods of a DFT calculation: programs, functionals, basis sets, corrections, in any spelling (OURS).

Does not compare whole calculations. Independent of structures.
"""

# ruff: noqa: RUF001 - typographic signs that look like Latin letters are intended

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from harness.studies.curie.judging.elements import NAMES, SYMBOLS

_READ = 400  # letters of a field that are read
# Programs by a part of their squeezed names; the first part that is found in a text counts, in this order.
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
    "yambo": "yambo",
    "berkeleygw": "berkeleygw",
    "terachem": "terachem",
    "dftk": "dftk",
    "sparc": "sparc",
    "octopus": "octopus",
    "ase": "ase",
    "amsband": "band",
    "pyscf": "pyscf",
}
_SHORT = {"qe": "qe", "g03": "gaussian", "g09": "gaussian", "g16": "gaussian", "g98": "gaussian", "adf": "adf"}
# Name and family of functionals by parts of squeezed text; a part that contains another comes before it.
_FUNCTIONALS: Mapping[str, tuple[str, str]] = {
    "camb3lyp": ("cam-b3lyp", "hybrid"),
    "coulombattenuatedb3lyp": ("cam-b3lyp", "hybrid"),
    "coulombattenuatingmethodb3lyp": ("cam-b3lyp", "hybrid"),
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
    "pberevisedforsolid": ("pbesol", "gga"),
    "pbeforsolid": ("pbesol", "gga"),
    "revisedpbe": ("revpbe", "gga"),
    "beckeleeyangparr": ("blyp", "gga"),
    "beckeperdew": ("bp86", "gga"),
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
    "modifiedbeckejohnson": ("mbj", "meta-gga"),
    "tranblaha": ("mbj", "meta-gga"),
    "tbmbj": ("mbj", "meta-gga"),
    "mbj": ("mbj", "meta-gga"),
    "becke3leeyangparr": ("b3lyp", "hybrid"),
    "beckethreeparameterleeyangparr": ("b3lyp", "hybrid"),
    "heydscuseria": ("hse06", "hybrid"),
    "perdewwang1991": ("pw91", "gga"),
    "stronglyconstrainedandappropriatelynormed": ("scan", "meta-gga"),
    "minnesota06": ("m06", "hybrid"),
    "beef": ("beef-vdw", "gga"),
    "g0w0": ("g0w0", "gw"),
    "gw0": ("gw0", "gw"),
    "scgw": ("scgw", "gw"),
    "partiallyselfconsistentgw": ("gw0", "gw"),
    "oneshotgw": ("g0w0", "gw"),
    "fullyselfconsistentgw": ("scgw", "gw"),
    "eigenvalueselfconsistentgw": ("evgw", "gw"),
    "selfconsistentgw": ("scgw", "gw"),
    "singleshotgw": ("g0w0", "gw"),
    "randomphase": ("rpa", "rpa"),
    "bethesalpeter": ("bse", "bse"),
    "xpbe": ("xpbe", "gga"),
    "wc06": ("wc", "gga"),
    "wucohen": ("wc", "gga"),
    "n12": ("n12", "gga"),
    "mn15": ("mn15", "hybrid"),
    "pw6b95": ("pw6b95", "hybrid"),
    "b2plyp": ("b2plyp", "double-hybrid"),
    "blypd3": ("blyp", "gga"),
    "becke88perdew86": ("bp86", "gga"),
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
    "d3bj": "d3bj",
    "d3beckejohnson": "d3bj",
    "d3withbeckejohnson": "d3bj",
    "gd3bj": "d3bj",
    "d3zero": "d3zero",
    "d3withzerodamping": "d3zero",
    "d3zerodamping": "d3zero",
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
    "mbd": "mbd",
    "rvv10": "rvv10",
    "vv10": "vv10",
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
    r"(?:numerical(?:atomic)?orbitals?|numericatom(?:ic)?(?:cent(?:er|re)edorbitals?|orbitals?))(?:of)?|quality|level"
    r"|settings?|defaults?|species|molopt(?:sr)?|shortrange|gth|sto$"
    r"|slater(?:type)?(?:orbitals?)?|gaussiantype(?:orbitals?)?": "",
    r"doublezetavalence(?:plus)?polari[sz](?:ation|ed)": "dzvp",
    r"triplezetavalence(?:plus)?polari[sz](?:ation|ed)": "tzvp",
    r"(?:fp-?)?(?:linearized)?(?:l?apw|augmentedplanewaves?)(?:\+?(?:lo|localorbitals?))?"
    r"(?:method|basis|functions?)?": "lapw",
    r"(?:planewaves?|pw)(?:mode|basis|expansion)?": "pw",
    r"singlezeta": "sz",
    r"doublezeta(?:plus)?(?:single)?polari[sz](?:ation|ed)": "dzp",
    r"triplezeta(?:plus)?(?:double)?polari[sz](?:ation|ed)": "tzp",
    r"doublezeta": "dz",
    r"triplezeta": "tz",
    r"doublenumericalpluspolari[sz]ation|doublenumericpolari[sz]ed": "dnp",
}


@dataclass(frozen=True, slots=True)
class Functional:
    """The functionals that a text names, their families or the families named instead, and additions to them."""

    names: frozenset[str]
    families: frozenset[str]
    plus_u: bool
    dispersion: str


def squeezed(text: str) -> str:
    """Return only the letters and digits of a text, in lower case."""
    return re.sub(r"[\W_]+", "", text[:_READ].casefold())


@lru_cache(1024)
def program(text: str) -> str:
    """Return the program that a text names; if it is in no table, its letters."""
    whole = squeezed(text)
    named = next((name for piece, name in _PROGRAMS.items() if piece in whole), "")
    if not named and re.match(r"G(?:98|03|09|16)\b", text):
        named = "gaussian"
    return named or _SHORT.get(whole, "") or re.sub(r"(?:version|v)?\d+$", "", whole)


def program_among(text: str) -> str:
    """Return the program that a sentence names; empty if it names none or several."""
    runs = _runs(text)
    named = {name for piece, name in _PROGRAMS.items() if piece not in _WORDS_TOO and piece in runs}
    if re.search(r"\bGaussian[- ]?(?:\d\d|suite|program|package|software)", text[: 2 * _READ]):
        named.add("gaussian")
    return named.pop() if len(named) == 1 else ""


_WORDS_TOO = frozenset(
    ["gaussian", "crystal", "exciting", "elk", "conquest", "spartan", "ase", "wien", "aims", "sparc"]
)
_TOGETHER = 6  # words that stand side by side and are one name


@lru_cache(256)
def _runs(text: str) -> frozenset[str]:
    """Return the words of a sentence and all runs of up to six words, without what separates them."""
    said = re.findall(r"[^\W_]+", text[: 2 * _READ].casefold())
    return frozenset(
        "".join(said[start : start + size]) for size in range(1, _TOGETHER + 1) for start in range(len(said) - size + 1)
    )


def muffin_tin_cutoff(text: str) -> tuple[float, ...]:
    """Return the product of smallest radius and largest wave vector in a text: `RKmax = 7`; empty without one."""
    found = re.search(
        r"\brg?[\s_]?(?:mt)?\s?(?:min)?[\s·×*x_]{0,3}k[\s_]?max(?:imum)?\s?(?:=|:|of|is|was|set to|equal to)?\s?"
        r"(\d{1,2}(?:\.\d{1,2})?)",
        text[:_READ],
        re.IGNORECASE,
    )
    return (float(found[1]),) if found else ()


def functional_among(text: str) -> Functional:
    """Return the functionals that a sentence names, by whole words: `with separate` does not name HSE."""
    runs = _runs(text)
    found = [_FUNCTIONALS[piece] for piece in _FUNCTIONALS if piece in runs]
    families = {family for _, family in found} or {_FAMILIES[one] for one in _FAMILIES if _family(one, runs)}
    return Functional(frozenset(name for name, _ in found), frozenset(families), False, dispersion(text))


def _family(piece: str, runs: frozenset[str]) -> bool:
    ends = ("", "approximation", "dentapproximation", "functional", "densityapproximation")
    return any(piece + end in runs for end in ends)


@lru_cache(1024)
def functional(text: str) -> Functional:
    """Return the functionals in a text: `GGA-PBE`, `PBE+U`, `Perdew-Burke-Ernzerhof`, `PBE-D3(BJ)`."""
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
    if re.search(r"\bGW\b", text[:_READ]) and "gw" not in families:
        names.add("gw")
        families.add("gw")
    if not names and re.fullmatch(r"hf|uhf|rhf", rest):
        names.add("hf")
    plus_u = bool(re.search(r"\+\s?U\b|Hubbard", text))
    return Functional(frozenset(names), frozenset(families), plus_u, dispersion(text))


_GW = frozenset(["g0w0", "gw0", "scgw", "evgw", "gw"])
_ON_TOP = frozenset(["g0w0", "gw0", "scgw", "evgw", "gw", "mp2", "ccsd", "rpa", "bse", "dmft", "dlpno"])


def same_functional(one: Functional, two: Functional) -> bool | None:
    """Whether two texts name the same functional, or one names the other's family; None if either names neither.

    What is done on top of a functional, such as G0W0 on PBE, must be the same, and the functional too if both name it.
    """
    tops = [frozenset(name for name in each.names if name in _ON_TOP) for each in (one, two)]
    if tops[0] or tops[1]:
        if frozenset(["gw"]) in tops:  # GW of any kind
            tops = [frozenset(name if name not in _GW else "gw" for name in top) for top in tops]
        below = [each.names - top for each, top in zip((one, two), tops, strict=True)]
        return bool(tops[0] & tops[1]) and not (below[0] and below[1] and not below[0] & below[1])
    if one.names and two.names:
        return bool(one.names & two.names)
    if one.families and two.families:
        return bool(one.families & two.families)
    return None


def dispersion(text: str) -> str:
    """Return the dispersion correction that a text names: d2, d3, d4, ts, mbd; empty if there is none."""
    pieces = re.split(r"[^a-z0-9]+", text[:_READ].casefold())
    whole = squeezed(text)
    for piece, name in _DISPERSION.items():
        if piece in pieces or (len(piece) > 3 and piece in whole):
            if name == "d3" and re.search(r"becke|\bbj\b|\(bj\)", text[:_READ], re.IGNORECASE):
                return "d3bj"
            return "d3zero" if name == "d3" and re.search(r"zero[- ]?damp|\(?\bzero\b\)?", text[:_READ], re.I) else name
    return "ts" if re.search(r"\bTS\b (?:dispersion|correction|scheme)|[+-]TS\b", text[:_READ]) else ""


def solvent(text: str) -> str:
    """Return the solvation model that a text names; empty if there is none."""
    pieces = re.split(r"[^a-z0-9]+", text[:_READ].casefold())
    named = next((name for piece, name in _SOLVENTS.items() if piece in pieces), "")
    if not named and re.search(
        r"\bimplicit (?:solv|water)|\bcontinuum solv|\bsolv(?:ent|ation)( model)?: (?!none|no\b|vacuum|gas)",
        text[:_READ].casefold(),
    ):
        return "implicit"
    return named or ("none" if re.search(r"\bgas[- ]phase\b|\bin vacuo\b", text[:_READ].casefold()) else "")


def pseudopotential(text: str) -> str:
    """Return the kind of pseudopotential that a text names; empty if it names none of the table."""
    whole = squeezed(text)
    return next((kind for piece, kind in _PSEUDO.items() if (piece in whole if len(piece) > 2 else piece == whole)), "")


@lru_cache(1024)
def basis(text: str) -> frozenset[str]:
    """Return the basis sets in a text, each in one spelling: `6-311++G**` is `6-311++G(d,p)`, `(DZP)` is DZP."""
    folded = text[:_READ].casefold()
    inside = re.findall(r"\s\((?!\d?[spdf]\s?[,)]|\d?[spdf]{1,2}\))([a-z\d+*-]{2,16})\)", folded)
    for name in inside:
        folded = folded.replace(f"({name})", " ")
    parts = re.split(r"\s?/\s?|\sand\s|;|\swith\s|,(?![^(]*\))", folded)
    known = [(at[0] if (at := _GAUSSIAN.search(part)) else part) for part in (*parts, *inside)]
    return frozenset(found for part in known if (found := _basis(part)))


_GAUSSIAN = re.compile(
    r"\b(?:lanl2[dt]z(?:\(?[dfp,]{1,3}\)?)?(?![a-z])|sdd(?![a-z])|dgdzvp2?|sto-\dg|(?:ma-)?def2-[a-z]{2,6}"
    r"|\d-\d{1,3}\s?\+{0,2}\s?g(?:\*{1,2}|\s?\([a-z\d,\s]{1,8}\))?|def2-?[a-z]{2,6}|(?:aug-)?cc-p[cw]?v[dtq56]z)",
    re.IGNORECASE,
)


def _basis(text: str) -> str:
    if setting := re.search(r"\b(really[- ]tight|tight|light|intermediate|less[- ]tight)\b", text):
        return setting[1].replace("-", " ")
    text = re.sub(
        r"basis(?:set)?s?$",
        "",
        re.sub(r"[-\s]", "", text.replace("ζ", "zeta").replace("**", "(d,p)").replace("*", "(d)")),
    )
    for pattern, name in _BASES.items():
        text = re.sub(pattern, name, text)
    return text


_ROLES: Mapping[str, str] = {
    "relaxation": r"relax\w{0,8}|optimi[sz]\w{0,8}|geometr\w{0,6}",
    "density": r"(?:charge[- ]|electron[- ])?density(?! of states| functional)|ecutrho|augmentation",
    "wave": r"wave ?-?functions?|ecutwfc|orbitals?\b",
    "dos": r"\bdos\b|densit(?:y|ies) of states",
    "bands": r"\bbands?\b|electronic structure",
    "single": r"single[- ]point|final energ|energ(?:y|ies) calculation|total energ",
    "static": r"\bscf\b|self[- ]consist|static",
    "bulk": r"\bbulk\b",
    "slab": r"\bslabs?\b|\bsurfaces?\b",
    "phonon": r"\bphonons?\b",
    "molecule": r"\bmolecul",
    "preliminary": r"\bpre-?",
}
_ROLE = re.compile("|".join(rf"(?P<{name}>{pattern})" for name, pattern in _ROLES.items()), re.IGNORECASE)
_LINKS = re.compile(
    r"\b(?:for|the|of|in|at|on|was|were|used|calculations?|runs?|cutoff|cut-off|mesh|grid)\b", re.IGNORECASE
)
_OPEN, _CLOSE = "([{", ")]}"


def segments(text: str) -> list[str]:
    """Split a text at semicolons, line feeds, `and`, and the commas that stand in no bracket."""
    found, depth, start = list[str](), 0, 0
    text = re.sub(r"\sand\s|\swhile\s|\n", ";", text[:_READ])
    for place, sign in enumerate(text):
        depth += (sign in _OPEN) - (sign in _CLOSE)
        if sign == ";" or (sign == "," and depth <= 0):
            found.append(text[start:place])
            start = place + 1
    return [one.strip() for one in (*found, text[start:]) if one.strip()]


@lru_cache(1024)
def by_role(text: str) -> tuple[tuple[str, str], ...]:
    """Return the parts of a field that say what each is for: `4x4x4 for relaxation, 8x8x8 for DOS`; empty if under two.

    The text of a part is without the words of its role.
    """
    found: dict[str, str] = {}
    for one in segments(text):
        if (role := _ROLE.search(one)) and any(sign.isdigit() for sign in one):
            found.setdefault(str(role.lastgroup), _LINKS.sub(" ", _ROLE.sub(" ", one)).strip(" :=,"))
    if len(found) > 1 or (listed := _in_order(text)):
        return tuple(found.items()) if len(found) > 1 else listed
    # The other cutoff of two is that of the wave functions.
    rest = [one for one in segments(text) if not _ROLE.search(one) and re.match(r"[\d.]+", one)]
    return (("wave", rest[0]), *found.items()) if list(found) == ["density"] and len(rest) == 1 else ()


def _in_order(text: str) -> tuple[tuple[str, str], ...]:
    """Return values by role if a text lists as many roles after its values: `45 and 360 Ry (orbitals, density)`."""
    said = segments(re.sub(r"[()\[\]:]", ";", text[:_READ]))
    numbers = [one for one in said if re.match(r"[\d.]+", one)]
    spoken = [[str(at.lastgroup) for at in islice(_ROLE.finditer(one), 2)] for one in said if one not in numbers]
    roles = [names[0] for names in spoken if len(names) == 1]
    if (
        len(numbers) < 2
        or len(roles) != len(numbers)
        or len(set(roles)) != len(roles)
        or len(said) > 2 * len(roles) + 1
    ):
        return ()
    unit = re.sub(r"[\d.\s]+", "", numbers[-1])
    return tuple(
        (role, one if re.search(r"[A-Za-z]", one) else f"{one} {unit}".strip())
        for role, one in zip(roles, numbers, strict=True)
    )


_NUMBER = re.compile(r"(?<![\w.])-?\d{1,6}(?:\.\d{1,6})?(?![\d.]|[spdf]\b)\s?(?P<unit>meV|eV|Ry|Ha|hartree|rydberg)?")
_SYMBOL = re.compile(r"(?<![A-Za-z])(?:[A-Z][a-z]?|[a-z]{3,12})(?![a-z])")
_TO_EV = {"meV": 1e-3, "Ry": 13.605693, "rydberg": 13.605693, "Ha": 27.211386, "hartree": 27.211386}


@lru_cache(1024)
def hubbard(text: str) -> tuple[tuple[str, float], ...]:
    """Return the Hubbard parameters of a text in eV, each with its element: `U(Co)=3.3 eV, Mn 3.9`, `4.2 eV (V)`.

    An element is empty if none is named. J is left out.
    """
    found: dict[str, float] = {}
    if listed := _listed(text[:_READ]):
        return listed
    shared = re.search(r"\((meV|Ry)\)", text[:_READ])
    for one in segments(re.sub(r"[{}'\"]", " ", text[:_READ])):
        if re.match(r"\s*(?:and )?J\b", one):
            continue
        number = _NUMBER.search(re.sub(r"(?<![-\w])J\s?=?\s?\d[\d.]*", " ", one))
        if number is None:
            continue
        value = float(re.match(r"-?[\d.]+", number[0])[0])  # type: ignore[index]
        value *= _TO_EV.get(number["unit"] or (shared[1] if shared else ""), 1.0)
        words = (at[0] for at in _SYMBOL.finditer(one) if at[0] not in ("U", "J", "eV", "Ry", "Ha"))
        named = [word if word in NAMES else SYMBOLS.get(word, "") for word in words]
        found.setdefault(next(filter(None, named), ""), value)
    return tuple(found.items())


def _listed(text: str) -> tuple[tuple[str, float], ...]:
    """Return the parameters of as many elements listed before or after them: `Ni, Mn, Co: 6.0, 3.9, 3.3 eV`."""
    words = [(at.start(), at[0] if at[0] in NAMES else SYMBOLS.get(at[0], "")) for at in _SYMBOL.finditer(text)]
    named = [(place, element) for place, element in words if element and element != "U"]
    numbers = [(at.start(), at) for at in _NUMBER.finditer(text)]
    if len(named) < 2 or len(named) != len(numbers):
        return ()
    if not (named[-1][0] < numbers[0][0] or numbers[-1][0] < named[0][0]):
        return ()
    last = numbers[-1][1]["unit"]
    values = (float(re.match(r"-?[\d.]+", at[0])[0]) * _TO_EV.get(at["unit"] or last or "", 1.0) for _, at in numbers)  # type: ignore[index]
    return tuple(zip((element for _, element in named), values, strict=True))


def same_hubbard(one: tuple[tuple[str, float], ...], two: tuple[tuple[str, float], ...]) -> bool:
    """Whether two sets of Hubbard parameters agree: element by element, or in any value if one names no element."""
    mine, theirs = dict(one), dict(two)
    if "" in mine or "" in theirs:
        return any(abs(a - b) < 0.011 for a in mine.values() for b in theirs.values())
    shared = mine.keys() & theirs.keys()
    nested = mine.keys() <= theirs.keys() or theirs.keys() <= mine.keys()
    return bool(shared) and nested and all(abs(mine[element] - theirs[element]) < 0.011 for element in shared)


_SMEARINGS: Mapping[str, str] = {
    "methfessel": "methfessel-paxton",
    "gaussian smear": "gaussian",
    "gaussian broad": "gaussian",
    "fermi-dirac": "fermi",
    "fermidirac": "fermi",
    "fermi smear": "fermi",
    "marzari": "cold",
    "cold smear": "cold",
    "tetrahedron": "tetrahedron",
}


def smearing(text: str) -> str:
    """Return the kind of smearing that a text names; empty if there is none."""
    folded = text[: 2 * _READ].casefold()
    return next((kind for piece, kind in _SMEARINGS.items() if piece in folded), "")


def relativity(text: str) -> str:
    """Return whether a text includes spin-orbit coupling, or is only scalar relativistic; empty if it says neither."""
    folded = text[: 2 * _READ].casefold()
    if re.search(r"(?:without|no|neglect\w*|not includ\w*) (?:spin[- ]orbit|soc\b)|scalar[- ]relativistic", folded):
        return "scalar"
    return "soc" if re.search(r"spin[- ]?orbit|\bsoc\b|fully[- ]relativistic|lsorbit", folded) else ""


def basis_named(text: str) -> frozenset[str]:
    """Return the basis sets that a sentence names: `orbitals of double-zeta plus polarisation quality` is DZP."""
    folded = text[: 2 * _READ].casefold()
    found = re.search(
        r"\b(single|double|triple|quadruple)[- ]zeta"
        r"(?P<more>(?:[\s-]+(?:plus|with|and|single|double|valence|polari[sz]\w*)){0,4})",
        folded,
    )
    if found:
        size = {"single": "sz", "double": "dz", "triple": "tz", "quadruple": "qz"}[found[1]]
        valence = "v" if "valence" in found["more"] else ""
        return frozenset([size + valence + ("p" if "polari" in found["more"] else "")])
    return frozenset()


def tier(text: str) -> str:
    """Return the tier of a basis of numeric atomic orbitals: `tier 2`, `second-tier`; empty if none is named."""
    found = re.search(
        r"\btier[- ]?(\d)\b|\b(first|second|third|fourth|1st|2nd|3rd|4th)[- ]tier", text[:_READ].casefold()
    )
    if not found:
        return ""
    return found[1] or str(
        ["first", "second", "third", "fourth"].index(found[2]) + 1
        if found[2][0] in "fst" and found[2].isalpha()
        else found[2][0]
    )


_CUTOFF = re.compile(
    r"(?:cut-?off|plane[- ]waves?)[^.;\d\n]{0,40}(?P<a>\d{1,4}(?:\.\d{1,3})?\s?(?:eV|Ry|Ha)\b)"
    r"|(?P<b>\d{1,4}(?:\.\d{1,3})?\s?(?:eV|Ry|Ha)) (?:plane[- ]wave |kinetic[- ]energy |energy )?cut-?off",
    re.IGNORECASE,
)
_MESH = re.compile(r"\d{1,3}\s?[x×]\s?\d{1,3}\s?[x×]\s?\d{1,3}")


def cutoff_among(text: str) -> str:
    """Return the cutoff that a sentence states; empty if it states none, or several."""
    found = {str(at["a"] or at["b"]) for at in _CUTOFF.finditer(text[: 3 * _READ])}
    return found.pop() if len(found) == 1 else ""


def grid_among(text: str) -> str:
    """Return the grid of k-points that a sentence states; empty if it states none, or several."""
    if not re.search(r"k-?[ -]?points?|k-?mesh|k-?grid|monkhorst|brillouin", text[: 3 * _READ], re.IGNORECASE):
        return ""
    found = {re.sub(r"\s", "", at[0]) for at in _MESH.finditer(text[: 3 * _READ])}
    return found.pop() if len(found) == 1 else ""


def pseudopotential_among(text: str) -> str:
    """Return the kind of pseudopotential that a sentence names by whole words; empty if it names none, or several."""
    runs = _runs(text)
    named = {
        kind
        for piece, kind in _PSEUDO.items()
        if len(piece) > 2 and ({piece, piece + "wave", piece + "waves", piece + "ing"} & runs)
    }
    return named.pop() if len(named) == 1 else ""
