"""What texts say of how a structure is altered or arranged (OURS): defects, terminations, sites, charge, stacking.

Does not read what the structure is made of. Does not compare whole structures.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from harness.studies.curie.judging.elements import NAMES, SYMBOLS

_MOST = 30  # findings of one kind in a text
_MODIFIED = {
    "vacancy": r"vacanc|\bNV[- ](?:cent|defect)|\bF[- ]?cent|\bV_[A-Z]",
    "antisite": r"anti-?site",
    "interstitial": r"interstitial",
    "adsorbed": r"adsor|adatom",
    "intercalated": r"intercalat",
    "strained": r"strain",
    "hydrogenated": r"hydrogenat",
    "fluorinated": r"fluorinat",
    "substituted": r"substitut",
    "passivated": r"passivat|terminat",
    "twisted": r"twist",
    "oxidized": r"oxidi[sz]ed",
    "dislocation": r"dislocation",
    "fault": r"stacking fault",
    "boundary": r"grain boundar",
    "functionalized": r"functionali[sz]ed|grafted",
    "hydroxylated": r"hydroxyl",
    "dimer": r"\bdimer\b(?!s)",
    "trimer": r"\btrimer\b(?!s)",
    "defect": r"(?<!point )\bdefect(?!s?[- ]free)\w{0,3}\b|stone[- ](?:wales|thrower)|frenkel|schottky|divacanc",
}
_MODIFIES = re.compile("|".join(rf"(?P<{name}>{pattern})" for name, pattern in _MODIFIED.items()), re.IGNORECASE)
_STACK = re.compile(r"(?m)^stacking: ?(A[AB]'?)(?![\w'])|\b([ABC]{3,6})\b|\b(A[AB]'?)(?=[- ]?(?:stack|order|bilayer))")
_DIRECTION = re.compile(r"\b([xyz])[- ](?:direction|axis|oriented)|\b(armchair|zigzag)\b", re.IGNORECASE)
_EL = r"([A-Z][a-z]?|[a-z]{3,12})"
_SITE = re.compile(
    rf"(?<![A-Za-z]){_EL}(?: atoms?)? (?:on|at|in) (?:an? |the )?{_EL}(?: lattice)? (?:sub)?(?:site|lattice)"
)
_FOR = re.compile(
    rf"(?<![A-Za-z]){_EL}(?: atoms?)?(?:[- ](?:substitut\w{{1,5}}|replac\w{{1,4}}))[- ]"
    rf"(?:for|at|on|in)? ?(?:an? |one |the )?{_EL}(?![a-z])"
)
_BY = re.compile(
    rf"(?<![A-Za-z]){_EL}(?: atoms?)? (?:is |are |was |were )?(?:replaced|substituted)"
    rf" (?:by|with) (?:an? |one )?{_EL}(?![a-z])"
)
_NOTED = re.compile(r"(?<![A-Za-z])(?P<what>[A-Z][a-z]?)_\{?(?P<where>[A-Z][a-z]?|i)\}?(?![a-z])")
_VACANT = re.compile(
    rf"(?<![A-Za-z]){_EL}[- ](?:mono)?vacanc"
    rf"|vacanc\w{{1,4}} (?:of|on|at) (?:an? |the )?{_EL}(?![a-z])|missing {_EL}(?![a-z])"
)
_BETWEEN = re.compile(rf"(?<![A-Za-z]){_EL}(?:[- ]self)?[- ]interstitial|interstitial {_EL}(?![a-z])")
_ENDS = re.compile(rf"(?<![A-Za-z]){_EL}[- ]terminat|terminated (?:by|with) {_EL}(?![a-z])")
_ENDED = re.compile(rf"\bterminat(?:ion|ing (?:layer|atoms?))(?: of| by| is)?:? ?(?:the |an? )?{_EL}(?![a-z])")
_PLACE = re.compile(
    r"\b(on-?top|atop|top|(?:short |long )?bridge|bridging|fcc hollow|hcp hollow|fcc|hcp|hollow|tetrahedral|octahedral"
    r"|bond[- ]cent(?:er|re)d?)(?:(?: interstitial| adsorption| binding)?[- ](?:sites?|positions?|interstitial"
    r"|void)\b|(?<=hollow)\b)"
    r"|\b(atop)\b|\bsites?: ?(top|bridge|hollow|fcc|hcp)\b",
    re.IGNORECASE,
)
_CHARGE = re.compile(
    r"\b(?P<neutral>neutral|uncharged)\b|\b(?P<sign>negativ|positiv)ely charged\b"
    r"|\bcharge(?: state)?(?: of)?\s?[:=]?\s?(?P<before>[+-]?\d)(?P<after>[+-]?)(?![\d.])"
    r"|\bq\s?=\s?(?P<q>[+-]?\d)(?![\d.])",
    re.IGNORECASE,
)
_CELL = re.compile(
    r"(?<![\w.])(?P<prefix>[pc]?)\(?\s?(?P<a>√?\d{1,2})\s?[x×]\s?(?P<b>√?\d{1,2})(?:\s?[x×]\s?\d{1,2})?\s?\)?"
    r"(?:\s?R\s?\d{2}°?)?"
    r"(?P<what>[- ]?(?:reconstruct|surface (?:unit )?cell|supercell|cell|periodic))?"
)
_COVERAGE = re.compile(
    r"(?P<over>\d{1,3}(?:\.\d{1,4})?)(?:\s?/\s?(?P<under>\d{1,3}))?\s?(?:ML\b|of a monolayer|monolayers?\b(?! of))"
)
_LAYERS = re.compile(
    r"(?<![\w.])(?P<place>(?:bottom|top|upper|lower|outer|inner|middle|central|surface|fixed|frozen|free|relaxed"
    r"|first|last"
    r"|lowest|uppermost|topmost|outermost|deepest|remaining|other|bottommost|undermost|next)(?: most)?[- ])?"
    r"(?P<number>\d{1,2}|single|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[- ]"
    r"(?:stacked[- ]|separate |coupled |consecutive |identical |twisted |aligned |atomic[- ]|atom(?:ic)? "
    r"|quintuple[- ]|[A-Z][a-z]?(?:[A-Z\d][a-z\d]{0,3}){0,3}[- ])?layers?\b"
    r"(?! (?:(?:are|were|is|was|being|kept|held) )?"
    r"(?:fixed|frozen|kept|held|relaxed|free|allowed|constrained|move|clamped)\b)",
    re.IGNORECASE,
)
_NUMBERS = {
    name: place
    for place, name in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 2
    )
} | {"single": 1, "one": 1}


@dataclass(frozen=True, slots=True)
class Defects:
    """Point defects: elements that are missing, interstitial, or stand on another's site (with that element)."""

    missing: frozenset[str]
    between: frozenset[str]
    placed: frozenset[tuple[str, str]]

    def contradict(self, other: Defects) -> bool:
        """Whether both state defects of one kind and have none of them in common."""
        pairs = ((self.missing, other.missing), (self.between, other.between), (self.placed, other.placed))
        return any(mine and theirs and not mine & theirs for mine, theirs in pairs)

    @property
    def names(self) -> frozenset[str]:
        """The words for these kinds of defects, as `modifications` gives them."""
        kinds = (("vacancy", self.missing), ("interstitial", self.between), ("substituted", self.placed))
        return frozenset(name for name, found in kinds if found)


def _element(word: str | None) -> str:
    return "" if not word else word if word in NAMES else SYMBOLS.get(word.casefold(), "")


def _elements(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for at in islice(pattern.finditer(text), _MOST):
        if symbol := next(filter(None, map(_element, at.groups())), ""):
            yield symbol


def defects(text: str) -> Defects:
    """Return the point defects in a text as it was written: `As_Ga`, `arsenic on a gallium site`, `V_O`."""
    placed = {
        (what, where)
        for pattern, order in ((_SITE, 1), (_FOR, 1), (_BY, -1))
        for at in islice(pattern.finditer(text), _MOST)
        if (pair := tuple(map(_element, at.groups()))[::order]) and all(pair)
        for what, where in [pair]
    }
    noted = [(at["what"], at["where"]) for at in islice(_NOTED.finditer(text), _MOST)]
    placed |= {(what, where) for what, where in noted if what in NAMES and what != "V" and where in NAMES}
    missing = {where for what, where in noted if what == "V" and where in NAMES} | set(_elements(_VACANT, text))
    between = {what for what, where in noted if where == "i" and what in NAMES} | set(_elements(_BETWEEN, text))
    return Defects(frozenset(missing), frozenset(between), frozenset(placed))


def terminations(text: str) -> frozenset[str]:
    """Return the elements that end a surface according to a text: `O-terminated`, `terminated by hydrogen`."""
    return frozenset((*_elements(_ENDS, text), *_elements(_ENDED, text)))


_PLACE_ALONE = re.compile(
    r"(?:(?:adsorption |binding )?sites?: ?)?(?:short |long |four-?fold |three-?fold |4-fold |3-fold )?"
    r"(?P<of>hollow|bridge|top|atop|on-?top|fcc|hcp)(?: hollow)?(?: site)?",
    re.IGNORECASE,
)


def sites(text: str) -> frozenset[str]:
    """Return the sites of adsorption that a text names."""
    found = [next(filter(None, at.groups())).casefold() for at in islice(_PLACE.finditer(text), _MOST)]
    for part in re.split(r"[,;\n]", text[:800]):
        if at := _PLACE_ALONE.fullmatch(part.strip()):
            found.append(at["of"].casefold())
    return frozenset("top" if "top" in one else one.replace(" hollow", "") for one in found)


def strains(text: str) -> frozenset[str]:
    """Return whether a text names a tensile or a compressive strain."""
    return frozenset(word for word in ("tensile", "compressive") if word in text.casefold())


_PER_CENT = re.compile(
    r"(?<![\w.])(?P<low>[-+\u2212]?\d{1,2}(?:\.\d{1,2})?)\s?%?(?:\s?(?:to|-|\.\.\.?|and|through)\s?"
    r"(?P<high>[-+\u2212]?\d{1,2}(?:\.\d{1,2})?))?\s?%"
)


def stretches(text: str) -> frozenset[tuple[float, float]]:
    """Return the range of strains in per cent of the clauses of a text that name a strain: `-4 % to +4 %`, `+4 %`."""
    found: list[float] = []
    for clause in re.split(r";|\.(?!\d)|\n", text):
        if "strain" in clause.casefold():
            said = re.split(r"\bsteps?\b", re.sub(r"[\[\]]", "", clause))[0]
            many = re.search(r"(?<![\w.])[-+\u2212]?\d[\d.]*(?:\s?,\s?[-+\u2212]?\d[\d.]*){1,20}\s?%", said)
            if many:
                found += [float(one) for one in re.findall(r"[-+]?\d+(?:\.\d+)?", many[0].replace("\u2212", "-"))]
            for at in islice(_PER_CENT.finditer(said), _MOST):
                found += [float(one.replace("\u2212", "-")) for one in at.groups() if one]
    return frozenset([(min(found), max(found))]) if found else frozenset()


_SHEETS = re.compile(
    r"\b(?P<many>two|three|four|five|[2-9]) (?:stacked |coupled |identical |twisted |vdW |van der Waals[- ]"
    r"(?:bonded )?)?"
    r"(?:layers|sheets|monolayers)(?: of| stacked|\b[^.;,\n]{0,30}stack)",
    re.IGNORECASE,
)


def sheets(text: str) -> frozenset[str]:
    """Return of how many stacked sheets a structure consists according to a text: `two layers of MoS2`."""
    found = (at["many"].casefold() for at in islice(_SHEETS.finditer(text), _MOST))
    return frozenset(one if one.isdigit() else str(_NUMBERS[one]) for one in found)


def chirality(text: str) -> frozenset[tuple[int, int]]:
    """Return the indices of nanotubes that a text names: `(6,6) carbon nanotube`."""
    if not re.search(r"nano ?tube|CNT", text):
        return frozenset()
    found = re.findall(r"\(\s?(\d{1,2})\s?,\s?(\d{1,2})\s?\)", text)
    return frozenset((int(a), int(b)) for a, b in found[:_MOST])


def charges(text: str) -> frozenset[int]:
    """Return the charges that a text gives a structure: `neutral`, `charge: +1`, `q = 2`."""
    found = set[int]()
    for at in islice(_CHARGE.finditer(text), _MOST):
        value = (
            "0"
            if at["neutral"]
            else {"n": "-1", "p": "1"}[at["sign"][0].casefold()]
            if at["sign"]
            else at["q"] or at["before"]
        )
        found.add(-int(value) if at["after"] == "-" else int(value))
    return frozenset(found)


def surface_cells(text: str) -> frozenset[str]:
    """Return the surface cells and reconstructions of a text: `p(2x2)`, `2x1 reconstruction`, `√3x√3`."""
    return frozenset(
        f"{'c' if at['prefix'] == 'c' else ''}{at['a']}x{at['b']}"
        for at in islice(_CELL.finditer(text), _MOST)
        if at["prefix"] or at["what"] or "√" in at[0] or re.fullmatch(r"\(\s?\d\s?[x×]\s?\d\s?\)", at[0].strip())
    )


def coverages(text: str) -> frozenset[float]:
    """Return the coverages of a text in monolayers, to two digits."""
    found = ((float(at["over"]), float(at["under"] or 1)) for at in islice(_COVERAGE.finditer(text), _MOST))
    return frozenset(round(over / under, 2) for over, under in found if under)


_LAYERS_FIELD = re.compile(r"(?m)^(?:number of |n |num )?(?:atomic )?layers: ?(\d{1,2})\b")


def layers(text: str) -> frozenset[int]:
    """Return the numbers of layers that a text gives a whole structure: not `the two upper layers`."""
    found = (at["number"].casefold() for at in islice(_LAYERS.finditer(text), _MOST) if not at["place"])
    told = (int(one) for one in islice(_LAYERS_FIELD.findall(text), _MOST))
    return frozenset((*(int(one) if one.isdigit() else _NUMBERS[one] for one in found), *told))


def modifications(text: str) -> frozenset[str]:
    """Return how a structure is altered according to a plain text: a vacancy, an adsorbate, a strain."""
    return frozenset(str(at.lastgroup) for at in _MODIFIES.finditer(text))


def stacking(text: str) -> frozenset[str]:
    """Return the stackings of layers that a plain text names, such as ABAB."""
    return frozenset(next(filter(None, at.groups())) for at in _STACK.finditer(text))


def direction(text: str) -> frozenset[str]:
    """Return the directions that a plain text names: x, y, z, armchair, zigzag."""
    return frozenset((at[1] or at[2]).casefold() for at in _DIRECTION.finditer(text))
