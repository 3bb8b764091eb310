"""The sample that a text describes: conditions with numbers, dopants, substrates and labels (OURS).

Independent of the property. Does not compare whole items.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from harness.answers.units import Powers
from harness.studies.curie.judging.asserted import asserted
from harness.studies.curie.judging.elements import NAMES, SYMBOLS
from harness.studies.curie.judging.forms import without_states
from harness.studies.curie.judging.normal import words
from harness.studies.curie.judging.quantities import Number, Quantity, among, same_quantity
from harness.studies.curie.judging.substances import agents, same_substance, substance

_KELVIN: Powers = (("K", 1.0),)
_METER: Powers = (("m", 1.0),)
_ROOM = Quantity(Number(298.15, 20.0), Number(298.15, 20.0), _KELVIN)  # from 292 to 304 K counts as room temperature
_AT_ROOM = re.compile(r"\b(?:room|ambient)[- ]temp|\bRT\b")
_TESLA: Powers = (("A", -1.0), ("kg", 1.0), ("s", -2.0))
_SELF_FIELD = re.compile(r"\b(?:self|zero)[- ](?:magnetic )?field\b", re.IGNORECASE)
_CRYOGEN = re.compile(r"\bliquid[- ](?P<what>nitrogen|N2|helium|He)\b(?:[- ]temperature)?", re.IGNORECASE)
_MOST = 20  # conditions that are read in a text
_NOUNS = {
    "thickness": r"thick|thin\b|film|layer",
    "annealing": r"anneal|calcin|sinter|fired|firing|heat.?treat|baked",
    "growth": r"substrate temp|grow|deposit|synthes|hydrothermal|prepar",
    "diameter": r"diameter|radius",
    "size": r"size|grain|crystallite",
    "height": r"height|tall",
    "length": r"(?<!wave)length|long",
    "width": r"width|wide",
    "depth": r"depth|deep",
    "wavelength": r"wavelength|λ|emission|excitation",
    "energy": r"photon|energy|implant",
    "frequency": r"frequen",
    "field": r"field",
    "pressure": r"pressure|vacuum",
    "time": r"time|duration|for\b",
    "doping": r"dop|concentration|content|fraction|mol",
    "spacing": r"spacing",
    "dose": r"dose|fluence",
    "current": r"current",
    "rate": r"\brate\b",
    "load": r"\bload\b|\bforce\b",
    "voltage": r"voltage|\bbias",
    "at": r"measur|\bat\b|\btemperature\b",
}
_RATE: Powers = (("C-rate", 1.0),)
_C_RATE = re.compile(r"(?<![\w.°])(?:C\s?/\s?(?P<under>\d{1,3})|(?P<times>\d{1,2}(?:\.\d{1,3})?)\s?C)(?![\w°/])")
_CYCLES = re.compile(r"\b(?:capacit|C[- ]rate|cycl|charge|batter|cathode|anode|electrode)", re.IGNORECASE)
_D_LINE = re.compile(r"\b(?:sodium|Na)[ -]D(?:[ -]line)?\b", re.IGNORECASE)
_HE_NE = re.compile(r"\bHe-?Ne\b", re.IGNORECASE)
_GIVEN = re.compile(
    r"(?<![\w/])(?P<name>GGI|CGI|[A-Z][a-z]?\s?/\s?(?:[A-Z][a-z]?|\([A-Z][a-z]?\s?\+\s?[A-Z][a-z]?\))|[a-zA-Zδφ])"
    r"(?: ratio)?\s?(?:=|≈|~| of )\s?(?P<value>-?\d{1,4}(?:\.\d{1,6})?)(?![\d.]*\s?[A-Za-z°%^/])"
)
_RATIO_NAMES = {"ggi": "ga/(ga+in)", "cgi": "cu/(ga+in)", "ga/(in+ga)": "ga/(ga+in)", "cu/(in+ga)": "cu/(ga+in)"}
_PLANE = re.compile(r"[\[({<⟨]\s?(-?\d)\s?,?\s?(-?\d)\s?,?\s?(?:(-?\d)\s?,?\s?)?(-?\d)\s?[\])}>⟩]")
_NEAR_ROOM = 8.0  # kelvin around room temperature that need not be stated
_ANY_LENGTH = frozenset(["thickness", "size", "diameter", "width", "height", "length", "depth", ""])
_NOUN = re.compile("|".join(rf"(?P<{name}>{pattern})" for name, pattern in _NOUNS.items()), re.IGNORECASE)
_SHARE = re.compile(r"(?<![A-Za-z])x\s?=\s?(0?\.\d{1,4}|[01])(?!\d)")
_ELEMENT = r"(?:[A-Z][a-z]?|[A-Za-z]{3,12})(?![A-Za-z])"
_DOPED = re.compile(
    rf"(?:\((?=[^()\n]{{1,40}}\)[- ]))?(?<![^\W_])(?P<list>{_ELEMENT}(?:(?:,\s?|\s?(?:and|&)\s"
    rf"|/){_ELEMENT}){{0,3}})\)?[- ]{{1,2}}"
    r"(?:co-?)?(?:hyper-?)?(?:doped|doping)\b(?! with)"
    rf"|\b(?:co-?)?(?:hyper-?)?doped with (?:\d[\d.]*\s?(?:%|at\.?%|mol\s?%|wt\.?\s?%)\s)?"
    rf"(?P<with>{_ELEMENT}(?:(?:,\s?|\s(?:and|&)\s){_ELEMENT}){{0,3}})"
    r"|(?<=[A-Za-z\d)]):(?P<after>(?-i:[A-Z][a-z]?(?:\d?\+)?(?:(?:,\s?|/)[A-Z][a-z]?(?:\d?\+)?){0,3}))(?![A-Za-z\d])"
    r"|(?<![\w:/)])(?P<before>[A-Z][a-z]?\d?\+?):(?=(?-i:[A-Z][a-z]?\d?[A-Z(]|[a-z]{4,12} (?:ox|nit|sul|tel|sel|ars)))",
    re.IGNORECASE,
)
_DONORS = re.compile(r"(?<![\w-])([A-Z][a-z]?) (?:donor|acceptor|dopant)s?\b")
_SAYS_SO = re.compile(r"[Dd]op|:[A-Z]")
SUPPORT = re.compile(
    r"(?:\b(?:grown|deposited|supported|prepared|formed|coated|lying)\s)?\b(?:on|onto)\s(?:an?\s|the\s)?"
    r"(?P<of>[^,;\n]{1,60}?)"
    r"(?:\s?-?(?:substrates?|templates?|wafers?)\b|(?=[,;\n]|$))"
)
_LABEL = re.compile(
    r"\b(?:[Ss]amples?|[Ss]pecimens?|[Cc]ompounds?|[Cc]omplex|[Dd]yes?|[Dd]evices?|[Ss]tructures?|[Mm]odels?"
    r"|[Nn]o\.?)\s?#?\s?"
    r"(\d{1,3}[a-z]?|[A-Z]\d{0,2}|[ivx]{1,4})\b"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """What distinguishes a sample from others of its material."""

    conditions: tuple[tuple[str, Quantity], ...] = ()
    dopants: frozenset[str] = frozenset()
    undoped: bool = False
    doped: bool = False  # with whatever, of which the text need not name the elements
    substrates: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    share: float | None = None  # the `x` of a formula
    ratios: tuple[tuple[str, float], ...] = ()  # named numbers, such as Ga/(Ga+In) = 0.3
    planes: frozenset[tuple[int, ...]] = frozenset()
    repeats: frozenset[tuple[str, int]] = frozenset()  # after how many cycles, or in which


def conditions(text: str) -> tuple[tuple[str, Quantity], ...]:
    """Return the quantities in a plain text, each with the noun beside it that says what it measures: at most 20."""
    found: list[tuple[str, Quantity]] = []
    text = asserted(text)
    if _CYCLES.search(text):
        rates = (float(at["times"] or 0) or 1 / float(at["under"] or 1) for at in _C_RATE.finditer(text) if _real(at))
        found += [("rate", Quantity(Number(one, one / 50), Number(one, one / 50), _RATE)) for one in islice(rates, 4)]
        text = _C_RATE.sub(" ", text)
    for line in text.split("\n"):
        near = islice(among(line), _MOST - len(found))
        found += [(_noun(before, after, quantity), quantity) for quantity, before, after in near]
        if _AT_ROOM.search(line):
            found.append(("at", _ROOM))
        if _SELF_FIELD.search(line):
            found.append(("field", Quantity(Number(0.0, 0.001), Number(0.0, 0.001), _TESLA)))
        if at := _CRYOGEN.search(line):
            cold = Number(77.0, 2.0) if at["what"].casefold() in ("nitrogen", "n2", "n") else Number(4.2, 0.2)
            found.append(("at", Quantity(cold, cold, _KELVIN)))
        if _D_LINE.search(line):
            found.append(("wavelength", Quantity(Number(589.3e-9, 1e-9), Number(589.3e-9, 1e-9), _METER)))
        elif _HE_NE.search(line) and not any(noun == "wavelength" for noun, _ in found):
            found.append(("wavelength", Quantity(Number(632.8e-9, 1e-9), Number(632.8e-9, 1e-9), _METER)))
        if len(found) >= _MOST:
            break
    return tuple(dict.fromkeys(found[:_MOST]))


def _real(at: re.Match[str]) -> bool:
    return bool(at["times"] and float(at["times"])) or bool(at["under"] and int(at["under"]))


def given(text: str) -> tuple[tuple[str, float], ...]:
    """Return the numbers that a plain text gives names, such as `x = 0.3` and `Ga/(Ga+In) = 0.3`: at most 20."""
    found: dict[str, float] = {}
    for at in islice(
        re.finditer(r"\b(w/c|w/b|l/s)(?: ratio)?(?: of| =|=)? ?(\d\.\d{1,3})", text, re.IGNORECASE), _MOST
    ):
        found[at[1].casefold()] = float(at[2])
    for at in islice(_GIVEN.finditer(asserted(text)), _MOST):
        name = at["name"] if len(at["name"]) == 1 else re.sub(r"\s", "", at["name"]).casefold()
        found[_RATIO_NAMES.get(name, name)] = float(at["value"])
    for at in islice(_RATIO_OF.finditer(asserted(text)), _MOST):
        found.setdefault(f"{at['one']}/{at['two']}".casefold(), float(at["value"]))
    return tuple(found.items())


_RATIO_OF = re.compile(
    r"\[?(?<![\w])(?P<one>[A-Z]\w{0,5})\]?\s?[:/]\s?\[?(?P<two>[A-Z]\w{0,5})\]?(?: (?:molar |atomic "
    r"|weight )?ratio)?\s?(?:=|of|:)\s?"
    r"(?P<value>\d{1,4}(?:\.\d{1,4})?)(?:\s?:\s?1)?(?![\w.:])"
)
_MEANS = re.compile(
    r"(?<![\w])(?P<sign>[a-zδ])\s?(?:=|is|:|\u2261)\s?(?:the )?(?:ratio )?"
    r"(?P<ratio>GGI|CGI|[A-Z][a-z]?\s?/\s?(?:[A-Z][a-z]?|\([A-Z][a-z]?\s?\+\s?[A-Z][a-z]?\)))"
)


def _with_one_name(text: str, every: str) -> str:
    """Return a text in which a letter that the texts define, as in `x = Ga/(Ga+In)`, is written as what it means."""
    found = _MEANS.search(every)
    if not found:
        return text
    return re.sub(rf"(?<!\w){found['sign']}(?=\s?=\s?\d)", lambda _: found["ratio"], text)


_ORDINALS = {
    name: place
    for place, names in enumerate(
        (
            *("first initial one once single", "second two twice", "third three thrice", "fourth four", "fifth five"),
            *("sixth six", "seventh seven", "eighth eight", "ninth nine", "tenth ten"),
        ),
        1,
    )
    for name in names.split()
}
_EVENT = "cycle|(?:dis)?charge|bend|pulse|shot|pass|use|reuse|recycle|run|sweep|wash|scan|fold|heating|cooling"
_KIND = (
    "charge|discharge|charge[-/]discharge|galvanostatic|bending|thermal|full|complete|consecutive|successive"
    "|heating|redox"
    "|potential|cv|formation|switching|laser|catalytic|hydrogenation|sorption|electrochemical|freeze-thaw|load|loading"
)
_REPEATED = re.compile(
    rf"(?<![\w.])(?:(?P<number>\d{{1,3}}(?:,\d{{3}})+|\d{{1,9}})(?:st|nd|rd|th)?|(?P<word>{'|'.join(_ORDINALS)}))[- ]"
    rf"(?:(?:{_KIND})[- ]){{0,2}}(?P<event>{_EVENT})(?:s|es|ing)?\b"
    r"|\b(?P<named>cycle|pulse|run|scan|sweep)(?: number| no\.?| #)? (?P<after>\d{1,9})(?![\w.])(?! ?[°%])",
    re.IGNORECASE,
)


def repeats(text: str) -> frozenset[tuple[str, int]]:
    """Return which or how many repetitions a plain text names: `first cycle`, `after 50 cycles`, `3rd discharge`."""
    found = set[tuple[str, int]]()
    for at in islice(_REPEATED.finditer(text), _MOST):
        count = at["number"] or at["after"]
        event = (at["event"] or at["named"]).casefold()
        number = int(count.replace(",", "")) if count else _ORDINALS[at["word"].casefold()]
        found.add(("cycle" if event in _CYCLED else event.removeprefix("re"), number))
    return frozenset(found)


_CYCLED = frozenset(["charge", "discharge", "recycle", "run", "use", "reuse"])


def _repeated_apart(one: frozenset[tuple[str, int]], two: frozenset[tuple[str, int]]) -> bool:
    """Whether two texts name repetitions of the same event and none in common."""
    mine, theirs = ({event for event, _ in side} for side in (one, two))
    return any(
        not {pair for pair in one if pair[0] == event} & {pair for pair in two if pair[0] == event}
        for event in mine & theirs
    )


def planes(text: str) -> frozenset[tuple[int, ...]]:
    """Return the planes and directions in brackets in a text, without signs and order: (001) and [100] are one."""
    found = (
        tuple(int(each) for each in at.groups() if each is not None) for at in islice(_PLANE.finditer(text), _MOST)
    )
    return frozenset(tuple(sorted(map(abs, one))) if len(one) == 3 else one for one in found)


# What is done to a sample at a temperature: a verb other than those of measuring.
_PROCESS = re.compile(
    r"\b(?!(?:measur|record|test|tak|determin|operat|obtain|found|evaluat|characteri|prob|observ|report|cool)\w*\b)"
    r"\w{3,20}(?:ed|ing|sis|tion)(?: in \w{2,12}| for \w{1,4} \w{1,8}| to \w{4,12})?(?: \([^()]{1,30}\))? (?:at"
    r"|to)\s?(?:about |around |~|≈)?\s?$",
    re.IGNORECASE,
)


def _noun(before: str, after: str, quantity: Quantity) -> str:
    """Return what a quantity measures: the last noun before it or the first after it; lengths `at` are wavelengths."""
    nouns = [str(at.lastgroup) for at in _NOUN.finditer(before)][-1:] or [
        str(at.lastgroup) for at in _NOUN.finditer(after)
    ][:1]
    if not nouns:
        return ""
    if nouns[0] in ("at", "") and quantity.powers == _KELVIN and _PROCESS.search(before):
        return "process"
    return "wavelength" if nouns == ["at"] and quantity.powers == _METER else nouns[0]


# Doped oxides by their abbreviations and names, each as its dopant and host.
_DOPED_OXIDES = {
    "AZO": "Al-doped ZnO",
    "GZO": "Ga-doped ZnO",
    "BZO": "B-doped ZnO",
    "ITO": "Sn-doped In2O3",
    "FTO": "F-doped SnO2",
    "ATO": "Sb-doped SnO2",
    "NTO": "Nb-doped TiO2",
    "rGO": "reduced graphene oxide",
    "indium tin oxide": "Sn-doped In2O3",
    "fluorine tin oxide": "F-doped SnO2",
    "aluminum zinc oxide": "Al-doped ZnO",
    "aluminium zinc oxide": "Al-doped ZnO",
    "gallium zinc oxide": "Ga-doped ZnO",
    "antimony tin oxide": "Sb-doped SnO2",
}
_OXIDE = re.compile(rf"(?<![\w-])(?<!\w )(?:{'|'.join(_DOPED_OXIDES)})(?![\w-])", re.IGNORECASE)


_STABILIZED = re.compile(
    r"(?<![\w.])(?:(?P<a>\d{1,2}(?:\.\d)?)(?:Y-?(?:TZP|SZ|PSZ|ZrO2|FSZ)|YSZ)|Y(?P<b>\d{1,2})Z)(?![\w])"
)


_SHORT_STABILIZED = re.compile(r"(?<![\w])(Y|Sc|Ca|Mg)SZ(?![\w])")
_STABILIZERS = {"yttria": "Y", "calcia": "Ca", "magnesia": "Mg", "scandia": "Sc", "ceria": "Ce", "yttrium": "Y"}
_STABILIZER = re.compile(
    rf"\b(?:fully |partially )?(?P<what>{'|'.join(_STABILIZERS)})[- ](?:fully |partially )?stabili[sz]ed zirconia\b",
    re.IGNORECASE,
)


def with_dopants_named(text: str) -> str:
    """Return a text in which abbreviations of doped oxides are spelt as dopant and host: `AZO` is `Al-doped ZnO`."""
    known = {name.casefold(): spelt for name, spelt in _DOPED_OXIDES.items()}
    text = _STABILIZED.sub(lambda at: f"{at['a'] or at['b']} mol% Y-doped ZrO2", text)
    text = _SHORT_STABILIZED.sub(lambda at: f"{at[1]}-doped ZrO2", text)
    text = _STABILIZER.sub(lambda at: f"{_STABILIZERS[at['what'].casefold()]}-doped ZrO2", text)
    return _OXIDE.sub(
        lambda at: known[at[0].casefold()] if at[0].isupper() or " " in at[0] or at[0] == "rGO" else at[0], text
    )


def dopants(text: str) -> frozenset[str]:
    """Return the elements with which a material is doped according to a plain text."""
    found = {"H"} if re.search(r"\b[Hh]ydrogenated\b", text) else set[str]()
    for said in _DOPED.finditer(text) if _SAYS_SO.search(text) else ():
        found |= _elements(said["list"] or said["with"] or said["after"] or said["before"].rstrip("+0123456789"))
    return frozenset(found | {at[1] for at in _DONORS.finditer(text) if at[1] in NAMES})


def without_dopants(text: str) -> str:
    """Return a material's name without its dopants: `Al-doped ZnO` and `ZnO:Al` become `ZnO`."""
    text = re.sub(r"\b[Hh]ydrogenated\b", " ", text)
    if not _SAYS_SO.search(text):
        return text
    return _DOPED.sub(
        lambda at: (
            " " if _elements(at["list"] or at["with"] or at["after"] or at["before"].rstrip("+0123456789")) else at[0]
        ),
        text,
    )


def _elements(text: str) -> set[str]:
    parts = re.split(r",\s?|/|\s(?:and|&)\s", re.sub(r"\d?\+", "", text))
    return {symbol for part in parts if (symbol := part if part in NAMES else SYMBOLS.get(part.strip().casefold(), ""))}


def without_substrate(text: str) -> str:
    """Return a text without the substrate: `GaN on sapphire substrate` becomes `GaN`."""
    return SUPPORT.sub(" ", text)


def sample(name: str, about: str, more: str = "") -> Sample:
    """Read a sample from the material's name, from the text about it, and from the text about its measurement."""
    name, about, more = with_dopants_named(name), with_dopants_named(about), _with_one_name(more, f"{about}\n{more}")
    about = _with_one_name(about, f"{about}\n{more}")
    both = f"{name}\n{about}"
    both, more = asserted(both), asserted(more)
    bare = without_substrate(both)
    on = frozenset(at["of"].strip() for at in SUPPORT.finditer(both) if not at["of"].strip().isdigit())
    share = _SHARE.search(f"{both}\n{more}")
    return Sample(
        conditions(f"{bare}\n{more}"),
        dopants(bare),
        bool(re.search(r"\b[Uu]n-?doped\b|\bintrinsic\b", both)),
        bool(re.search(r"(?<!un)(?<!un-)(?<!\w)doped\b", both)),
        frozenset(filter(None, on)),
        frozenset(at[1] for at in _LABEL.finditer(both)),
        float(share[1]) if share else None,
        given(f"{both}\n{more}"),
        planes(f"{bare}\n{more}"),
        repeats(f"{bare}\n{more}"),
    )


def contradicted(one: Sequence[tuple[str, Quantity]], two: Sequence[tuple[str, Quantity]]) -> str:
    """Return the first condition that both texts state without any equal values; empty if there is none.

    A quantity of which a text does not say what it measures stands against the only one of its kind in the other text.
    """
    for noun, kind in dict.fromkeys((noun, quantity.powers) for noun, quantity in one):
        mine, theirs = ([each for name, each in side if (name, each.powers) == (noun, kind)] for side in (one, two))
        if theirs and not any(same_quantity(a, b) for a in mine for b in theirs):
            return noun or "a condition"
    for kind in dict.fromkeys(quantity.powers for _, quantity in one):
        ours, others = ([pair for pair in side if pair[1].powers == kind] for side in (one, two))
        if len(ours) == len(others) == 1 and not same_quantity(ours[0][1], others[0][1]):
            nouns = {ours[0][0], others[0][0]}
            if nouns & {"", "at"} or (kind == _METER and nouns <= _ANY_LENGTH):
                return "a condition"
    return ""


def lacks(gold: Sequence[tuple[str, Quantity]], other: Sequence[tuple[str, Quantity]]) -> bool:
    """Whether the gold item is measured at a temperature far from a room's, and the other states no temperature."""
    if any(quantity.powers == _KELVIN for _, quantity in other):
        return False
    told = [one for noun, one in gold if noun in ("", "at") and one.powers == _KELVIN]
    return bool(told) and all(abs(one.low.value - 298.15) > _NEAR_ROOM + _ROOM.low.step for one in told)


def other_sample(one: Sample, two: Sample, named: tuple[frozenset[str], frozenset[str]]) -> str:
    """Return the reason why two descriptions are of different samples; empty if there is none.

    `named` holds the dopants in the names of the two materials. A fact that only one side states is no difference,
    except for a dopant in a name if the other side has no dopant.
    """
    by_name = (named[0] and not two.dopants) or (named[1] and not one.dopants)
    differing = contradicted(one.conditions, two.conditions)
    said = {
        "dopants differ": one.dopants and two.dopants and one.dopants != two.dopants,
        "one is doped": by_name
        or (one.undoped and (two.dopants or two.doped) and not two.undoped)
        or (two.undoped and (one.dopants or one.doped) and not one.undoped),
        "labels of samples differ": one.labels and two.labels and not one.labels & two.labels,
        "substrates differ": one.substrates and two.substrates and not _share_words(one.substrates, two.substrates),
        "a named number differs": _apart(one.ratios, two.ratios),
        "planes differ": one.planes and two.planes and not one.planes & two.planes,
        "numbers of repetitions differ": _repeated_apart(one.repeats, two.repeats),
        "x differs": one.share is not None and two.share is not None and abs(one.share - two.share) > 1e-9,
        f"{differing} differs": differing,
    }
    return next((why for why, holds in said.items() if holds), "")


def _share_words(one: frozenset[str], two: frozenset[str]) -> bool:
    if any(set(words(a)) & set(words(b)) - _ORIENTED for a in one for b in two):
        return True
    read = [
        [substance(word) for text in side for word in (text, without_states(text), *re.split(r"[\s-]+|\((?=\d)", text))]
        for side in (one, two)
    ]
    ours, theirs = ([each for each in side if each.counts or each.elements or each.molecule] for side in read)
    return any(same_substance([a], [b]) for a in ours for b in theirs)


_ORIENTED = frozenset(
    ["001", "100", "110", "111", "0001", "oriented", "substrate", "crystal", "single", "wafer", "plane"]
)


def other_agents(one: str, two: str) -> bool:
    """Whether two descriptors of a measurement name gases, liquids or electrolytes, and none in common."""
    mine, theirs = agents(asserted(one)), agents(asserted(two))
    return bool(mine and theirs and not mine & theirs)


_ELECTROLYTES = frozenset(["KOH", "NaOH", "LiOH", "H2SO4", "HNO3", "HClO4", "HCl", "KCl", "NaCl", "Na2SO4", "LiPF6"])


_REFERENCE = re.compile(
    r"(?:\bvs\.?|\bversus|\bagainst|\brelative to|\()\s?(?:the |an? )?(?P<of>SCE|Ag ?/ ?AgCl|RHE|SHE|NHE"
    r"|Hg ?/ ?HgO|Hg ?/ ?Hg2SO4|MSE|CSE"
    r"|Li ?/ ?Li\+|Na ?/ ?Na\+|Fc ?/ ?Fc\+|vacuum|saturated calomel|reversible hydrogen|standard hydrogen"
    r"|normal hydrogen|silver[/ -]silver)"
)
_ELECTRODES = {
    "saturated calomel": "SCE", "reversible hydrogen": "RHE", "standard hydrogen": "SHE", "normal hydrogen": "SHE",
    "NHE": "SHE", "silver/silver": "Ag/AgCl", "silver-silver": "Ag/AgCl", "silver silver": "Ag/AgCl",
}  # fmt: skip


def other_electrodes(one: str, two: str) -> bool:
    """Whether two texts give a potential against electrodes, and against none in common."""
    mine, theirs = (
        {_ELECTRODES.get(at["of"], at["of"].replace(" ", "")) for at in islice(_REFERENCE.finditer(text), _MOST)}
        for text in (one, two)
    )
    return bool(mine and theirs and not mine & theirs)


def other_electrolytes(one: str, two: str) -> bool:
    """Whether two texts name electrolytes, and none in common."""
    mine, theirs = (agents(asserted(text)) & _ELECTROLYTES for text in (one, two))
    return bool(mine and theirs and not mine & theirs)


_WHEN = re.compile(
    r"\b(?P<when>before|prior to|after|following|upon|post|corrected for|correcting for|without|uncorrected for"
    r"|including)[ -]"
    r"(?P<what>[^,;.()\n]{1,60})"
    r"|(?P<done>[^,;.()\n]{1,60}?)(?: was| were| is| has been)?(?: already)? (?:subtracted|removed|corrected)\b",
    re.IGNORECASE,
)
_BEFORE = frozenset(["before", "prior to", "uncorrected for", "including"])


def _moments(text: str) -> dict[bool, frozenset[str]]:
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for at in islice(_WHEN.finditer(text), _MOST):
        if at["done"]:
            found[False] |= {word for word in words(at["done"]) if len(word) > 2}
        elif at["when"].casefold() == "without":
            continue
        else:
            found[at["when"].casefold() in _BEFORE] |= {word for word in words(at["what"]) if len(word) > 2}
    return {
        when: frozenset(said - {"the", "and", "for", "treatment", "with", "process", "step"})
        for when, said in found.items()
    }


def other_moments(one: str, two: str) -> bool:
    """Whether one text is of the time before, and the other of the time after, the same event."""
    mine, theirs = _moments(one), _moments(two)
    return any(mine[when] & theirs[not when] and not mine[when] & theirs[when] for when in (True, False))


def _apart(one: Sequence[tuple[str, float]], two: Sequence[tuple[str, float]]) -> bool:
    theirs = dict(two)
    return any(
        name in theirs and abs(value - theirs[name]) > 0.011 * max(abs(value), abs(theirs[name])) for name, value in one
    )


# For what is found in several ways: the ways, each by its words. Two texts contradict each other if each names a way
# of a row and they name none in common.
_TECHNIQUES = r"""
notch|sevnb|senb|sepb|chevron|precrack|compact tension; indent|crack[- ]length
hall; field[- ]effect|transistor|\bo?fet\b|\btft\b; space[- ]charge|sclc; time[- ]of[- ]flight|\btof\b; celiv; terahertz
tauc|absor|uv-?vis|transmi|reflect|ellipsom; photolumin|\bpl\b; cyclic voltam|electrochem; \bsts\b|tunnel+ing spec
laser[- ]flash|\blfa\b; thermoreflect|\bf?tdtr\b; 3[- ]?(?:ω|omega); raman; hot[- ]disk|plane source; steady[- ]state
scherrer|x-?ray diff|\bxrd\b|rietveld; \b(?:hr)?tem\b|\b(?:fe)?sem\b|microscop|micrograph; light scatt|\bdls\b; \bbet\b
indent; tensile|stress-strain; ultraso|pulse-?echo|brillouin|resonan; \bdma\b|dynamic mechan; -point bend
\bdsc\b|calorimet; \bdma\b|dynamic mechanical; \btma\b|dilatom|thermomechan; \btga\b|thermogravi
\bdsc\b|calorimet; \bxrd\b|x-?ray|diffract|\bwaxs\b; raman; density grad
\bmip\b|mercury; archimed; micro-?ct|tomogra; \bbet\b|sorption; image analys|\bsem\b
\bed[sx]\b|\bedax\b|energy[- ]dispers; \bxps\b|photoelectron; \bicp\b|inductively; \brbs\b|rutherford; \bxrf\b
\bgpc\b|\bsec\b|permeation|size[- ]exclusion; maldi; light scatt; \bnmr\b; viscom
kelvin probe|\bkpfm\b; \bups\b|photoemiss|photoelectron; thermionic; cyclic voltam
\bgitt\b; \bpitt\b; impedance|\beis\b; \bpfg|\bnmr\b; tracer|\bsims\b
"""
_WAYS = tuple(
    tuple(re.compile(f"(?:{way})", re.IGNORECASE) for way in row.split("; "))
    for row in _TECHNIQUES.strip().splitlines()
)


def other_techniques(one: str, two: str) -> bool:
    """Whether two descriptors of a measurement name techniques for the same, and none in common."""
    sides = [asserted(text) for text in (one, two)]
    for row in _WAYS:
        mine, theirs = ({place for place, way in enumerate(row) if way.search(text)} for text in sides)
        if mine and theirs and not mine & theirs:
            return True
    return False
