"""What input tags and remarks say of a calculation (OURS): spin, relaxation, exchange, Hubbard terms, charge, dynamics.

A tag is a name and a value as a program reads them, `ISPIN=2`. Does not read the names of methods. Does not compare
whole calculations.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from harness.studies.curie.judging.asserted import asserted
from harness.studies.curie.judging.quantities import Quantity, among, same_quantity

_READ = 800  # letters of the remarks
_MOST = 30  # tags, and quantities
_TAG = re.compile(
    r"(?<![A-Za-z])(?P<name>ISPIN|NSPIN|ISIF|NSW|IBRION|LHFCALC|AEXX|GGA|METAGGA|IVDW|LSORBIT|lspinorb|noncolin|LDAU"
    r"|lda_plus_u|lda plus u|vdw_corr|vdw corr|ISMEAR|calculation|input_dft|input dft|tot_charge|tot charge)"
    r"\s?[=:]\s?['\"]?(?P<value>[-+.]?\w[\w.+-]{0,20})",
    re.IGNORECASE,
)
_TRUE, _FALSE = frozenset([".true.", "true", "t", "yes", "1"]), frozenset([".false.", "false", "f", "no", "0"])
_ASIDE = re.compile(
    r"\b(?:test(?:ed|s|ing)?|tried|try|checked|earlier|previous(?:ly)?|preliminar\w+|for comparison|another|other"
    r"|at first"
    r"|initially|first|instead of|benchmark\w*|pre-?\w+|elsewhere|also (?:done|run|tried)|separate(?:ly)?|later)\b",
    re.IGNORECASE,
)
_UNPOLARIZED = re.compile(
    r"\bnon[- ]?spin[- ]?polari[sz]\w*|\bspin[- ]?(?:un|non-?)polari[sz]\w*|\b(?:un|non-?)polari[sz]\w*"
    r"|\bnon[- ]?magnetic\w*|\bclosed[- ]shells?|\bspin[- ](?:restricted|compensated|degenerate|averaged)"
    r"|\b(?:no|not|without|neglecting) (?:any )?(?:spin|magnet|collinear)\w*(?:[- ]polari[sz]\w*)?"
    r"|\b[IN]SPIN\s?[=:]\s?1\b|(?<!un)\brestricted\b|\brks\b|\bdiamagnetic\b",
    re.IGNORECASE,
)
_POLARIZED = re.compile(
    r"\bspin[- ]?polari[sz]\w*|\b(?:anti|ferri?)?-?(?:ferro)?magnetic\w*|\b(?:A?FM|AFM-?I{0,3})\b|\bunrestricted\b"
    r"|\bopen[- ]shells?|\bnon-?collinear|\bcollinear|\b[IN]SPIN\s?[=:]\s?2\b|\bLS?DA\+?U? with spin|\buks\b"
    r"|\b(?:initial|starting|local|magnetic) (?:magnetic )?moments?|\bspin[- ]resolved|\b(?:high|low)[- ]spin\b"
    r"|\btwo spin channels|\bspin: ?(?:yes|true|on)",
    re.IGNORECASE,
)


@lru_cache(1024)
def tags(text: str) -> tuple[tuple[str, str], ...]:
    """Return the input tags of a text with their values, both in lower case; of a repeated tag the last value."""
    found = {
        at["name"].casefold(): at["value"].casefold().strip(".") for at in islice(_TAG.finditer(text[:_READ]), _MOST)
    }
    return tuple(found.items())


def main_clauses(text: str) -> str:
    """Return the clauses of remarks that are of this calculation: not of a test, of an earlier run or of another."""
    parts = re.split(r";|\.(?!\d)|\n|, (?=but\b|while\b|all\b|final)", text[:_READ])
    return "; ".join(part for part in parts if not _ASIDE.search(part))


@lru_cache(1024)
def spin(text: str) -> str:
    """Return `yes` or `no` if a text says that spins are polarised or are not; empty if it says neither, or both."""
    rest = _UNPOLARIZED.sub("|", text[:_READ])
    yes = bool(_POLARIZED.search(rest))
    if yes == (rest != text[:_READ]):
        return ""
    return "yes" if yes else "no"


_BOTH = re.compile(
    r"\bvc-?relax|\bfull(?:y)?\b|\bboth\b|\beverything\b|\bvariable[- ]cell|\bISIF\s?[=:]\s?3\b"
    r"|\b(?:ion|atom|nucle|position|coordinate)\w{0,6}(?: positions?)?(?:,| and| &| \+| plus| as well as)[^.;\n]{0,40}"
    r"\b(?:cell|lattice|volume)|\b(?:cell|lattice|volume)\b[^.;\n]{0,40}\b(?:and|plus|&)\b[^.;\n]{0,20}"
    r"\b(?:ion|atom|nucle|position|coordinate)",
    re.IGNORECASE,
)
_IONS = re.compile(
    r"\bISIF\s?[=:]\s?[012]\b|\b(?:ion|atom|nucle|position|coordinate)\w{0,6}(?: positions?)?(?: were| are)?"
    r"(?: relaxed)? only"
    r"|\bonly (?:the )?(?:internal |ionic |atomic )?(?:ion|atom|nucle|position|coordinate)|\b(?:fixed|frozen"
    r"|constant|rigid)"
    r"(?: experimental)? (?:cell|lattice|volume)|\b(?:cell|lattice|volume)(?: \w+)? (?:fixed|frozen|kept|held|constant)"
    r"|\binternal (?:coordinates|positions)\b|\bcell (?:not|un)\W?relaxed",
    re.IGNORECASE,
)
_STATIC = re.compile(
    r"\b(?:none|no|false|static|single[- ]point|unrelaxed|not relaxed|frozen|fixed|rigid)\b|\bNSW\s?[=:]\s?0\b",
    re.IGNORECASE,
)


def relaxation(text: str) -> dict[str, str]:
    """Return whether the nuclei and the cell are relaxed according to a text on it; what it leaves open is absent."""
    if not text:
        return {}
    if _IONS.search(text):
        return {"relaxed_nuclei": "yes", "relaxed_unit_cell": "no"}
    if _BOTH.search(text):
        return {"relaxed_nuclei": "yes", "relaxed_unit_cell": "yes"}
    if _STATIC.search(text):
        return {"relaxed_nuclei": "no", "relaxed_unit_cell": "no"}
    return {"relaxed_nuclei": "yes"} if re.search(r"ion|atom|nucle|yes|true|on\b|position", text, re.IGNORECASE) else {}


_SHARE = re.compile(
    r"(?:\b(?:alpha|AEXX|mixing(?: parameter)?|exact[- ]exchange(?: fraction| share)?|fraction of exact exchange"
    r"|(?:HF|Hartree-?Fock|Fock) (?:exchange|mixing|fraction))|α)\s?(?:of|was|is|[=:])?\s?(?P<after>0?\.\d{1,4}"
    r"|\d{1,2}(?:\.\d)? ?%)"
    r"|(?P<before>\d{1,2}(?:\.\d{1,2})? ?%|0\.\d{1,4}) (?:of )?(?:exact|HF|Hartree-?Fock|Fock|non-?local)",
    re.IGNORECASE,
)


@lru_cache(1024)
def exact_exchange(text: str) -> float | None:
    """Return the share of exact exchange that a text states, such as `alpha = 0.31` or `25 % exact exchange`."""
    found = _SHARE.search(text[:_READ])
    if not found:
        return None
    said = str(found["after"] or found["before"])
    return float(said.rstrip(" %")) / (100 if "%" in said else 1)


@dataclass(frozen=True, slots=True)
class Repulsion:
    """A Hubbard term: U, and the effective U - J if it is known."""

    u: float | None
    effective: float | None


_U = re.compile(r"(?<![A-Za-z])U(?! ?_?eff)\s?(?:=|:|of|is)?\s?(\d{1,2}(?:\.\d{1,3})?)(?![\w.]*\d)")
_J = re.compile(r"(?<![A-Za-z])J\s?(?:=|:|of|is)?\s?(\d{1,2}(?:\.\d{1,3})?)(?![\w.]*\d)")
_EFFECTIVE = re.compile(r"U ?_?eff|effective|U ?[-\u2212] ?J", re.IGNORECASE)


def repulsion(value: float, text: str, effective: bool) -> Repulsion:
    """Return the Hubbard term of which a text states a value and perhaps U and J: `3 eV (U 4, J 1)` has all three."""
    us, js = _U.findall(text[:_READ]), _J.findall(text[:_READ])
    if len(js) == 1 and float(js[0]):
        u = float(us[0]) if len(us) == 1 else value
        told = value if abs(u - value) > 1e-6 else u - float(js[0])
        return Repulsion(u, value if effective or _EFFECTIVE.search(text) else told)
    if effective or _EFFECTIVE.search(text[:_READ]):
        return Repulsion(None, value)
    return Repulsion(value, None)


def same_repulsion(one: Repulsion, two: Repulsion) -> bool:
    """Whether two Hubbard terms agree: by the effective values if both have one, else by any values."""
    if one.effective is not None and two.effective is not None:
        return abs(one.effective - two.effective) < 0.011
    ours, theirs = ({value for value in (each.u, each.effective) if value is not None} for each in (one, two))
    return any(abs(a - b) < 0.011 for a in ours for b in theirs)


_NOUNS: Mapping[str, str] = {
    "time step": r"time[- ]?steps?|\bdt\b",
    "smearing width": r"smear|sigma|broaden|σ",
    "spacing": r"(?:grid|mesh|real[- ]space) ?spacing|\bspacing",
    "pressure": r"pressure",
    "field": r"electric field|\bfield",
    "duration": r"(?:run|simulat|trajector|sampl|equilibrat|production)\w* (?:of|for|over|time|length)",
}
_NOUN = re.compile("|".join(f"(?P<n{at}>{pattern})" for at, pattern in enumerate(_NOUNS.values())), re.IGNORECASE)
_KELVIN = (("K", 1.0),)


@lru_cache(1024)
def dynamics(text: str) -> tuple[tuple[str, Quantity], ...]:
    """Return quantities in remarks that have a noun: a time step, a width of smearing, a pressure, a temperature."""
    found: list[tuple[str, Quantity]] = []
    for line in re.split(r"[\n;]", asserted(text[:_READ])):
        for quantity, before, after in islice(among(line), _MOST - len(found)):
            nouns = [at.lastgroup for at in _NOUN.finditer(before)][-1:] or [
                at.lastgroup for at in _NOUN.finditer(after)
            ][:1]
            if quantity.powers == _KELVIN:
                found.append(("temperature", quantity))
            elif quantity.powers == (("s", 1.0),) and quantity.high.value < 2e-14:
                found.append(("time step", quantity))
            elif nouns:
                found.append((list(_NOUNS)[int(str(nouns[0])[1:])], quantity))
    return tuple(found)


def other_dynamics(one: str, two: str) -> str:
    """Return the noun of the first quantity that both remarks state and that differs; empty if there is none."""
    for noun, kind in dict.fromkeys((noun, each.powers) for noun, each in dynamics(one)):
        mine, theirs = ([q for name, q in dynamics(text) if (name, q.powers) == (noun, kind)] for text in (one, two))
        if theirs and not any(same_quantity(a, b) for a in mine for b in theirs):
            return noun
    return ""


_CHARGE = re.compile(
    r"\b(?:net |total |tot |system |overall )?charge(?: state)?(?: of)?\s?[:=]?\s?(?P<sign>[-+\u2212]?)"
    r"(?P<size>\d)(?P<after>[-+]?)(?![\d.])",
    re.IGNORECASE,
)


def charge(text: str) -> int | None:
    """Return the charge of the system that a text states; None if it states none."""
    found = _CHARGE.search(text[:_READ])
    if not found:
        return None
    negative = found["sign"] in ("-", "\u2212") or found["after"] == "-"
    return -int(found["size"]) if negative else int(found["size"])


_MULTIPLICITIES = {"singlet": 1, "doublet": 2, "triplet": 3, "quartet": 4, "quintet": 5, "sextet": 6, "septet": 7}
_MULTIPLICITY = re.compile(
    rf"\bmultiplicity(?: of)?\s?[:=]?\s?(?P<many>\d)|\b(?P<name>{'|'.join(_MULTIPLICITIES)})\b", re.IGNORECASE
)


def multiplicity(text: str) -> int | None:
    """Return the multiplicity of the spin that a text states; None if it states none, or several."""
    found = {
        int(at["many"]) if at["many"] else _MULTIPLICITIES[at["name"].casefold()]
        for at in islice(_MULTIPLICITY.finditer(text[:_READ]), _MOST)
    }
    return found.pop() if len(found) == 1 else None


_SMEARINGS = {
    "-5": "tetrahedron",
    "-4": "tetrahedron",
    "-1": "fermi",
    "0": "gaussian",
    "1": "methfessel-paxton",
    "2": "methfessel-paxton",
}
_VDW = {
    "1": "d2",
    "10": "d2",
    "11": "d3zero",
    "12": "d3bj",
    "13": "d4",
    "2": "ts",
    "20": "ts",
    "202": "mbd",
    "263": "mbd",
}
_XC = {
    "pe": "PBE",
    "ps": "PBEsol",
    "rp": "RPBE",
    "91": "PW91",
    "re": "revPBE",
    "am": "AM05",
    "ca": "LDA",
    "bf": "BEEF-vdW",
}
_CALCULATIONS = {"relax": "ions only", "vc-relax": "vc-relax", "scf": "static", "nscf": "static"}


def from_tags(text: str) -> dict[str, str]:
    """Return fields with their values as words according to the input tags in a text."""
    said = dict(tags(text))
    found: dict[str, str] = {}
    if (channels := said.get("ispin") or said.get("nspin")) in ("1", "2"):
        found["spin"] = "yes" if channels == "2" else "no"
    if (isif := said.get("isif", "")) in ("0", "1", "2", "3"):
        found |= relaxation(f"ISIF={isif}")
    if said.get("nsw") == "0" or said.get("ibrion") == "-1":
        found["relaxed_nuclei"] = "no"
    if kind := _CALCULATIONS.get(said.get("calculation", "")):
        found |= relaxation(kind)
    if any(said.get(name) in _TRUE for name in ("lsorbit", "lspinorb")):
        found["relativity"] = "soc"
    if smearing := _SMEARINGS.get(said.get("ismear", "")):
        found["smearing"] = smearing
    if dispersion := _VDW.get(said.get("ivdw", "")):
        found["dispersion"] = dispersion
    if said.get("lhfcalc") in _FALSE:
        found["hybrid"] = "no"
    if (
        name := _XC.get(said.get("gga", ""), "")
        or said.get("metagga", "")
        or said.get("input_dft", "")
        or said.get("input dft", "")
    ):
        found["functional"] = name
    return found


_FORCE = re.compile(
    r"\bforces?\b[^.;\d\n]{0,40}?(?P<of>\d{1,3}(?:\.\d{1,5})?(?:e-?\d)? ?(?:m?eV ?/ ?(?:Å|A(?:ng\w*)?)|Ry ?/ ?"
    r"(?:bohr|au|a\.u\.)|Ha ?/ ?(?:bohr|au)))",
    re.IGNORECASE,
)


def force(text: str) -> str:
    """Return the criterion of forces that a text states; empty if it states none."""
    found = _FORCE.search(text[:_READ])
    return found["of"] if found else ""
