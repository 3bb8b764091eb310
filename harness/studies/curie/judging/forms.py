"""The form, phase and state that a text gives a material, and which of them contradict each other (OURS).

Independent of what the material is made of.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.normal import american, singular

# Group, state or states, and the words for them, in the singular and with blanks for hyphens. Two texts contradict each
# other if both name states of a group and have none of them in common.
_TABLE = """
shape particle: quantum dot, qd, qds, nanodot, nano dot, nanoparticle, nano particle, np, nps, nanocrystal
shape particle: nanocrystallite, nc, ncs, npl
shape particle: nanosphere, nanocluster, colloid, colloidal, microsphere, nanocube, nanocrystalline powder, nanograin
shape powder particle: powder, nanopowder, nano powder, nanocrystalline powder, micropowder
shape wire: nanowire, nano wire, nanorod, nano rod, nanofiber, nanobelt, whisker, nanoneedle
shape wire: nanowire bundle, nw, nws, nr, nrs
shape ribbon: nanoribbon, ribbon
shape tube: nanotube, nano tube, nt, nts
shape film: film, thin film, thick film, ultrathin film, layer, buffer layer, epilayer, epi layer, coating, multilayer
shape film: membrane, quantum well, qw, qws, mqw, heterostructure, superlattice, thin layer
shape sheet film: monolayer, bilayer, trilayer, single layer, few layer
shape sheet: nanosheet, nss, nanoflake, flake, sheet, nanoplatelet, nanoplate
shape fiber wire: fiber, filament
shape foam: foam, aerogel, sponge
shape bulk: bulk, wafer, ingot, single crystal, pellet, boule
shape bulk powder: ceramic
shape solution: solution, suspension, electrolyte
shape liquid: melt, liquid, molten
shape gas: vapor, vapour, gas, gaseous
order amorphous: fused silica, fused quartz, silica glass, quartz glass, metallic glass
order amorphous: amorphous, glassy, vitreous, glass, noncrystalline, non crystalline
order single: single crystal, single crystalline, monocrystalline, mono crystalline, single crystalline film
order poly: polycrystalline, nanocrystalline, poly crystalline, microcrystalline
order single poly: crystalline
grain fine: nanocrystalline, ultrafine grained, ultra fine grained, fine grained, nanograined, nano grained, ufg
grain coarse: coarse grained, large grained, coarse grain
system cubic: cubic
system tetragonal: tetragonal
system orthorhombic: orthorhombic
system hexagonal: hexagonal
system monoclinic: monoclinic
system triclinic: triclinic
system trigonal hexagonal: trigonal, rhombohedral
polymorph wurtzite: wurtzite, wurzite, wurtzitic
polymorph zincblende: zinc blende, zincblende, sphalerite
polymorph rocksalt: rock salt, rocksalt, halite
polymorph rutile: rutile
polymorph anatase: anatase
polymorph brookite: brookite
polymorph perovskite: perovskite
polymorph spinel: spinel, inverse spinel
polymorph fcc: fcc, face centered cubic, face centred cubic
polymorph bcc: bcc, body centered cubic, body centred cubic
polymorph hcp: hcp, hexagonal close packed
polymorph chalcopyrite: chalcopyrite, chalcopyrit
polymorph kesterite: kesterite
polymorph stannite: stannite
polymorph rocksalt: b1
polymorph cscl: b2, cscl, cesium chloride
polymorph zincblende: b3
polymorph wurtzite: b4
polymorph l12: l12
polymorph l10: l10
polymorph l21: l21, full heusler
polymorph c1b: c1b, half heusler
polymorph d03: d03
polymorph a15: a15
polymorph fluorite: fluorite
polymorph baddeleyite: baddeleyite
polymorph quartz: quartz
polymorph cristobalite: cristobalite
polymorph tridymite: tridymite
polymorph stishovite: stishovite
polymorph coesite: coesite
polymorph calcite: calcite
polymorph aragonite: aragonite
polymorph pyrite: pyrite
polymorph marcasite: marcasite
polymorph martensite b19p: martensite, martensitic
polymorph b19p martensite: b19 prime
polymorph austenite cscl fcc: austenite, austenitic
polymorph tin: β sn, beta sn, β tin, beta tin, white tin
polymorph diamond: α sn, alpha sn, gray tin
polymorph simple: simple cubic, simple hexagonal
polymorph nias: nias, nickel arsenide, nickeline
polymorph cdi2: cdi2, cadmium iodide
polymorph cdcl2: cdcl2
polymorph columbite: columbite, α pbo2, alpha pbo2
polymorph cotunnite: cotunnite
polymorph corundum: corundum
polymorph ilmenite: ilmenite
polymorph bixbyite: bixbyite
polymorph delafossite: delafossite
polymorph olivine: olivine
polymorph pyrochlore: pyrochlore
polymorph scheelite: scheelite
polymorph wolframite: wolframite
polymorph zircon: zircon type, zircon structure
polymorph monazite: monazite
polymorph antifluorite: antifluorite, anti fluorite
polymorph antiperovskite: antiperovskite, anti perovskite
polymorph ruddlesden: ruddlesden popper
polymorph d019: d019
polymorph d022: d022
polymorph laves: c14, c15, c36
polymorph fcc: a1
polymorph diamond: diamond cubic, cubic diamond, hexagonal diamond, diamond structure, diamond type, diamond lattice
magnetism fm: fm, ferromagnetic, ferromagnetically
magnetism afm: antiferromagnetic, antiferromagnetically, afm
magnetism nm: nonmagnetic, non magnetic
magnetism fim: ferrimagnetic
magnetism pm: paramagnetic
spin high: high spin
spin low: low spin
conformer chair: chair
conformer boat: boat
geometry cis: cis
geometry trans: trans
strain tensile: tensile strain, tensile strained, tensilely strained
strain compressive: compressive strain, compressive strained, compressively strained
bending eclipsed: eclipsed
bending staggered: staggered
allotrope graphene: graphene
allotrope penta: penta graphene, pentagonal graphene
allotrope graphyne: graphyne, γ graphyne
allotrope graphdiyne: graphdiyne
allotrope lonsdaleite: lonsdaleite, hexagonal diamond
allotrope graphite: graphite, hopg
allotrope diamond: diamond
allotrope fullerene: fullerene, c60
allotrope tube: carbon nanotube, cnt, swcnt, mwcnt
allotrope amorphous: amorphous carbon, dlc
allotrope black: black phosphorus, phosphorene
allotrope red: red phosphorus
allotrope blue: blue phosphorus, blue phosphorene
allotrope white: white phosphorus
walls single: single walled, swcnt
walls multi: multi walled, mwcnt
layers 1: monolayer, single layer, 1l, one layer, isolated layer
layers 2: bilayer, double layer, 2l
layers 3: trilayer, 3l
layers 2 3: few layer
layers bulk: bulk
carriers n: n type
carriers p: p type
carriers i: intrinsic
electrode cathode: cathode, positive electrode
electrode anode: anode, negative electrode
made cast: cast, as cast
made wrought: wrought, forged
made rolled: rolled, hot rolled, cold rolled
made printed: slm, lpbf, additively manufactured, 3d printed, selective laser melted
made ald: ald, atomic layer deposited, atomic layer deposition
made cvd: cvd, mocvd, pecvd, lpcvd, chemical vapor deposition, chemical vapor deposited, movpe
made mbe: mbe, molecular beam epitaxy
made pld: pld, pulsed laser deposition, pulsed laser deposited
made sputtered: sputtered, sputtering, magnetron sputtered, magnetron sputtering
made evaporated: evaporated, thermal evaporation, electron beam evaporation
made spun: spin coated, spin coating, spin cast
made sol: sol gel
made thermal: thermal oxide, thermally grown, thermally oxidized
made hydrothermal: hydrothermal, solvothermal
made sps: sps, spark plasma sintered, spark plasma sintering
made hot: hot pressed, hot pressing
made cold: cold pressed, cold pressing
made electrospun: electrospun, electrospinning
rolling hot: hot rolled, hot rolling
rolling cold: cold rolled, cold rolling
state charged: charged, delithiated
state discharged: discharged, lithiated
wetness dry: dry, dried, anhydrous
wetness wet: wet, hydrated, humid, humidified, moist
motif ico: icosahedral, icosahedron
motif cubo: cuboctahedral, cuboctahedron
motif deca: decahedral, decahedron
motif tetra: truncated tetrahedron
motif octa: truncated octahedron, truncated octahedral
motif sphere: spherical
architecture planar: planar
architecture meso: mesoporous, mesoscopic, mesostructured
architecture nip: n i p
architecture pin: p i n, inverted
electric ferro: ferroelectric phase, ferroelectric state, polar phase
electric para: paraelectric, paraelectric phase
electric anti: antiferroelectric
fibers glass: glass fiber, e glass fiber, e glass, s glass, gfrp, glass fabric
fibers carbon: carbon fiber, cfrp, carbon fabric
fibers aramid: aramid fiber, kevlar fiber, aramid
fibers natural: flax fiber, jute fiber, hemp fiber
filler neat: neat, unfilled, unreinforced
filler filled: filled, reinforced, filler
aging fresh: fresh, unaged, virgin
aging aged: aged, cycled
light dark: in the dark, in dark
light lit: illuminated, under illumination
treatment untreated: as deposited, as grown, as prepared, as synthesized, as received, as cast, as quenched, unannealed
treatment untreated: as rolled, as drawn, as printed, as built, as fabricated, as spun, as milled, as extruded
treatment untreated: as made, as sputtered, as pressed, as welded, as machined, as coated, as produced, before annealing
treatment treated: annealed, after annealing, post annealed, after calcination, after sintering, calcined, sintered
treatment treated: heat treated, t6, t5, t4, t7, t73, peak aged, solution treated, stress relieved, hiped, tempered
treatment treated: hot isostatically pressed, t6 heat treatment, t651
"""
_FILLER = frozenset(
    [
        "pure",
        "pristine",
        "sample",
        "specimen",
        "material",
        "compound",
        "undoped",
        "nanostructured",
        "nanostructure",
        "epitaxial",
        "porous",
        "synthesized",
        "prepared",
        "thick",
        "thin",
        "ultrathin",
        "lightly",
        "heavily",
        "highly",
        "doped",
        "hyperdoped",
        "the",
        "a",
        "an",
        "of",
        "crystal",
        "lattice",
        "structure",
        "phase",
        "oriented",
        "system",
        "based",
        "semiconductor",
        "stacked",
        "stacking",
        "substrate",
        "buffer",
        "surface",
        "slab",
        "isolated",
        "molecule",
        "atom",
        "alloy",
        "freestanding",
        "free",
        "standing",
        "high",
        "quality",
        "type",
        "network",
        "two",
        "three",
        "four",
        "five",
        "six",
        "eight",
        "ten",
        "photoanode",
        "photocathode",
        "commercially",
        "mesh",
        "array",
        "electrode",
        "device",
        "foil",
        "plate",
        "disc",
        "disk",
        "rod",
        "bar",
        "wire",
        "gel",
        "matrix",
        "mat",
        "fabric",
        "paper",
        "tape",
        "strip",
        "target",
        "dense",
        "bare",
        "clean",
        "commercial",
        "nominal",
        "stoichiometric",
        "fresh",
        "blend",
        "mixed",
        "compacted",
        "sheet",
        "phosphor",
        "perovskite",
        "facet",
        "single",
        "isotropic",
        "textured",
        "face",
        "basal",
        "facet",
        "heterojunction",
        "junction",
        "bilayer",
        "heterostructure",
        "cast",
        "melt",
    ]
)
_GREEK = r"[αβγδεκθη]|alpha|beta|gamma|delta|epsilon|kappa|theta|Alpha|Beta|Gamma|Delta"
_LETTERED = re.compile(
    rf"(?<![\w-])(?:(?P<greek>{_GREEK})(?:-(?!ray|partic|decay|dop|irradi|point|emi|func|helix|sheet)(?=[A-Za-z])"
    r"|\s(?=phase|polymorph|modification|form\b))"
    r"|(?<=phase\s)(?P<after>[αβγδεκθη])\b"
    r"|(?P<stack>1T['′]?|1T-prime|2H|3R|Td|4H|6H|3C)(?=[ -][A-Z(]|[ -]phase|[ -]polytype|[ -]structure|$|[,;)\n]))"
)
_LETTERS = {
    "theta": "θ",
    "1T-prime": "1T'",
    "1T′": "1T'",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "kappa": "κ",
}
States = Mapping[str, frozenset[str]]  # by group
_PREFIX = re.compile(r"(?<![\w-])(a|c|nc|mc|μc|pc|poly)-(?=[A-Z])")  # a-Si, c-Si, poly-Si
_ORDERS: States = {
    "a": frozenset(["amorphous"]),
    "c": frozenset(["single", "poly"]),
    **dict.fromkeys(("nc", "mc", "μc", "pc", "poly"), frozenset(["poly"])),
}
# Compounds whose name is that of a prototype only where a text says so: `B1` cesium chloride is not of the CsCl type.
_COMPOUNDS = frozenset(
    ["cscl", "cesium chloride", "nias", "nickel arsenide", "cdi2", "cadmium iodide", "cdcl2", "perovskite", "ilmenite"]
)
_OF_TYPE = re.compile(
    r"[\s-]{0,3}(?:\(B2\)\s)?(?:type|structures?|prototype|lattice|phase|polymorph|form)\b", re.IGNORECASE
)
_TYPE_OF = re.compile(r"\b(?:type|structures?|prototype|lattice|phase)(?: of(?: the)?|:)?\s$", re.IGNORECASE)
# Letters before a formula that stand for a crystal structure: h-BN, t-ZrO2.
_SYSTEMS = {
    "h": ("system", "hexagonal"),
    "t": ("system", "tetragonal"),
    "m": ("system", "monoclinic"),
    "o": ("system", "orthorhombic"),
    "r": ("system", "hexagonal"),
    "w": ("polymorph", "wurtzite"),
    "zb": ("polymorph", "zincblende"),
    "c": ("system", "cubic"),
}
_SYSTEMS_BEFORE = re.compile(
    r"(?<![\w-])(h|t|m|o|r|w|zb|c(?=-(?:BN|ZrO|HfO|GaN|AlN|LLZO|BaTiO)))-(?=[A-Z][A-Za-z]?[A-Z\d])"
)
_MELT = re.compile(
    r"\b(?:melt|liquid|vapou?r|gas|solution|flux|powder|foam)[- ](?=grow|spun|spin|blow|mix|quench|process"
    r"|infiltrat|extru|cast|phase|transport"
    r"|nitrogen|helium|atomi|metallurg|deriv|press|crystalli|temperature|depos|cool|exfoliat|synthes)",
    re.IGNORECASE,
)
_LIKE = re.compile(r"\b\w{1,20}[- ]like\b")
_WORD = re.compile(r"[^\W_]+")
_READ = 1000  # letters of a description that are searched for states


def _table() -> dict[str, list[tuple[str, frozenset[str]]]]:
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for row in _TABLE.strip().splitlines():
        head, _, phrases = row.partition(": ")
        group, *says = head.split(" ")
        for phrase in phrases.split(", "):
            found.setdefault(" ".join(map(singular, phrase.split())), []).append((group, frozenset(says)))
    return found


_PHRASES = _table()
_LONGEST = max(len(phrase.split()) for phrase in _PHRASES)
_STARTS = frozenset(phrase.split()[0] for phrase in _PHRASES)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A group in which two texts have no state in common, and the states that each gives."""

    group: str
    one: str
    two: str


@lru_cache(4096)
def states(text: str) -> States:
    """Return the states that a text gives a material, by group: its shape, order, phase, carriers, treatment."""
    text = _MELT.sub(" ", _LIKE.sub(" ", text[:_READ]))
    found: dict[str, frozenset[str]] = {}
    for start, end, phrase in _phrases(text):
        if phrase in _COMPOUNDS and not (
            _OF_TYPE.match(text, end) or _TYPE_OF.search(text[max(0, start - 24) : start])
        ):
            continue
        for group, says in _PHRASES[phrase]:
            found[group] = found.get(group, frozenset()) | says
    for prefix in _PREFIX.findall(text):
        found["order"] = found.get("order", frozenset()) | _ORDERS[prefix]
    for before in _SYSTEMS_BEFORE.findall(text):
        group, state = _SYSTEMS[before]
        found.setdefault(group, frozenset([state]))
    for said in _LETTERED.finditer(text):
        letter = str(said["greek"] or said["after"] or said["stack"])
        letter = _LETTERS.get(letter.casefold(), _LETTERS.get(letter, letter))
        found["letter"] = found.get("letter", frozenset()) | {letter}
    return found


@lru_cache(4096)
def without_states(text: str) -> str:
    """Remove the words of a material's name that state its form: `wurtzite GaN thin film` becomes `GaN`."""
    named = text[:_READ].strip()
    text = _PREFIX.sub(" ", _SYSTEMS_BEFORE.sub(" ", text[:_READ]))
    text = whole = _PREFIX.sub(" ", _LETTERED.sub(" ", text))
    kept, place = [], 0
    for start, end, phrase in _phrases(text):
        if not any(group == "allotrope" for group, _ in _PHRASES[phrase]):
            kept.append(text[place:start])
            place = end
    text = "".join([*kept, text[place:]])
    if whole.strip() != named and not re.search(r"\w", text) and len(whole.split()) == 1:  # `alpha-quartz` is quartz
        return whole.strip(" -,;:/")
    text = _WORD.sub(lambda at: "" if singular(at[0].casefold()) in _FILLER and at[0] != "A" else at[0], text)
    text = re.sub(r"\(\s*[-/]?\s*\)", " ", text)
    return re.sub(r"\s+", " ", re.sub(r"(?<!\S)[-/,&+]+(?!\S)", " ", text)).strip(" -,;:/")


def _phrases(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and words of the phrases of the table in a text, the longest at each place."""
    found = [(at.start(), at.end(), singular(american(at[0].casefold()))) for at in _WORD.finditer(text)]
    place = 0
    while place < len(found):
        length = _length(found, place) if found[place][2] in _STARTS else 0
        if length:
            run = found[place : place + length]
            yield run[0][0], run[-1][1], " ".join(word for _, _, word in run)
        place += length or 1


def _length(found: Sequence[tuple[int, int, str]], place: int) -> int:
    for length in range(min(_LONGEST, len(found) - place), 0, -1):
        if " ".join(word for _, _, word in found[place : place + length]) in _PHRASES:
            return length
    return 0


def contradiction(one: States, two: States) -> Contradiction | None:
    """Return the first group in which two texts have no state in common; a group that only one text has is skipped.

    What is amorphous has no crystal structure.
    """
    for group in sorted(one.keys() & two.keys()):
        if not one[group] & two[group]:
            return Contradiction(group, *("/".join(sorted(side[group])) for side in (one, two)))
    for mine, other in ((one, two), (two, one)):
        if mine.get("order") == frozenset(["amorphous"]) and not _CRYSTAL & mine.keys():
            for group in sorted(_CRYSTAL & other.keys()):
                return Contradiction("order", "amorphous", "/".join(sorted(other[group])))
    return None


_CRYSTAL = frozenset(["system", "polymorph", "letter"])
