"""Which property a name means, whatever it is called: synonyms, symbols, and the words that tell two of a kind apart (OURS).

It must never know a material or a value.
"""

# ruff: noqa: RUF001 - signs of print and Greek letters that look like ours are the point

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from harness.studies.curie.judging.normal import lines, words

# One property a line: what it is called here, other names (singular, without hyphens), then the symbols it goes by.
_TABLE = """
band gap, bandgap, gap energy, energy gap, band gap energy, bandgap energy, optical gap, tauc gap, forbidden gap, energy band gap, optical band gap energy, energy bandgap, band gap width, homo lumo gap: Eg, E g, Egap, Eopt
refractive index, index of refraction, n value, linear refractive index, refraction index: n, η0, n0
nonlinear refractive index, non linear refractive index: n2
extinction coefficient: k, κ
absorption coefficient, optical absorption coefficient, attenuation coefficient: α
absorption edge, optical absorption edge
transmittance, transmission, transmissivity, optical transmittance: T
reflectance, reflectivity: R
lattice constant, lattice parameter, cell parameter, unit cell parameter, cell constant, unit cell length, axis lattice constant, lattice spacing, unit cell dimension: a0
unit cell volume, cell volume, lattice volume: V
interplanar spacing, d spacing, plane spacing, inter planar spacing, lattice plane spacing, interlayer spacing: d
thickness, film thickness, layer thickness: t, d
grain size, crystallite size, average grain size, grain diameter, crystal size, crystalline size: D
particle size, particle diameter, nanoparticle size, average particle size: D
resistivity, electrical resistivity, specific resistance: ρ
sheet resistance, square resistance: Rs, Rsh, Rsheet
conductivity, electrical conductivity, electric conductivity: σ
thermal conductivity, heat conductivity: κ, k, λ
mobility, hall mobility, carrier mobility, field effect mobility: μ, μH
carrier concentration, carrier density, free carrier concentration, free carrier density, charge carrier density: n, p
sheet carrier density, sheet carrier concentration, sheet density, two dimensional carrier density: ns
saturation magnetization, saturation magnetisation, saturated magnetization, specific saturation magnetization: Ms
remanent magnetization, remnant magnetization, remanence, residual magnetization, remanent magnetisation, retentivity: Mr
coercivity, coercive field, coercive force, magnetic coercivity, coercitivity: Hc
remanent polarization, remnant polarization, residual polarization: Pr
electric coercive field, ferroelectric coercive field: Ec
curie temperature, curie point: Tc
superconducting transition temperature, critical temperature, transition temperature: Tc
neel temperature, néel temperature: TN
magnetic moment: m, μ
density, mass density, bulk density: ρ
dislocation density
dielectric constant, relative permittivity, permittivity, relative dielectric constant, dielectric permittivity: ε, εr, k
dielectric loss, loss tangent, dissipation factor, dielectric loss tangent: tanδ
young modulus, youngs modulus, young s modulus, elastic modulus, modulus of elasticity, tensile modulus: E
bulk modulus: B, K
shear modulus: G
hardness, vickers hardness, microhardness: H, HV
poisson ratio, poisson s ratio, poissons ratio: ν
tensile strength, ultimate tensile strength: UTS
yield strength, yield stress
exciton binding energy: Eb
photoluminescence peak, pl peak, emission peak, emission wavelength, luminescence peak, pl emission peak, photoluminescence peak position, peak emission: λ
full width at half maximum, fwhm, linewidth, line width, peak width
raman shift, raman peak, raman mode, raman frequency, raman peak position, phonon frequency, phonon mode
melting point, melting temperature: Tm
glass transition temperature: Tg
seebeck coefficient, thermopower, thermoelectric power: S
figure of merit, thermoelectric figure of merit, zt value: ZT
work function: φ
electron affinity: χ
effective mass
ionization energy, activation energy: Ea
surface roughness, rms roughness, roughness, root mean square roughness: Rq, Rms
specific surface area, bet surface area, surface area
power conversion efficiency, conversion efficiency, efficiency, cell efficiency: PCE, η
open circuit voltage: Voc
short circuit current density, short circuit current: Jsc, Isc
fill factor: FF
specific capacity, discharge capacity
specific capacitance, capacitance: C
quantum efficiency, external quantum efficiency: EQE
quantum yield, photoluminescence quantum yield: PLQY
responsivity: R
urbach energy, urbach tail: Eu
thermal expansion coefficient, coefficient of thermal expansion: CTE, α
specific heat, heat capacity, specific heat capacity: Cp
piezoelectric coefficient, piezoelectric constant: d33
stress, residual stress: σ
strain, lattice strain, microstrain: ε
degree of relaxation, degree of plastic relaxation, relaxation degree: δ
moire fringe spacing, moiré fringe spacing, moire spacing, moiré spacing: Dm
"""  # noqa: E501 - a table, a property a line
# Words that tell two properties of a kind apart: of each row, two that both say something must share it.
_TELLING = (
    ("direct", "indirect"), ("electron", "hole"), ("maximum", "minimum"), ("ordinary", "extraordinary"),
    ("longitudinal", "transverse"), ("real", "imaginary"), ("static", "dynamic"), ("compressive", "tensile"),
    ("initial", "final"), ("heavy", "light"), ("internal", "external"),
)  # fmt: skip
_EXTRA = frozenset(
    ["the", "of", "value", "average", "mean", "typical", "measured", "estimated", "calculated", "experimental", "theoretical", "optical", "electronic", "fundamental", "apparent", "total", "direct", "indirect", "approximate", "about", "maximum", "minimum", "peak", "energy", "room", "temperature", "at", "for", "obtained", "reported", "nominal", "corresponding", "effective", "absolute", "overall", "a"]
)
_AXIS = re.compile(
    r"(?:(?<![\w'])(?P<before>[abc])(?:[ -]?axis|[ -]direction|[ -](?=lattice|parameter|constant|cell))"
    r"|(?:lattice|cell) (?:constants?|parameters?|spacing|length)s?,?\s?\(?(?P<after>[abc])(?![\w'])|along (?:the )?(?P<along>[abc])\b)"
)
_PLANE = re.compile(r"\b(?P<out>out[ -]of[ -]plane)\b|\b(?P<in>in[ -]plane)\b", re.IGNORECASE)
_READ = 300  # letters of a property's name


def _table() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    named: dict[str, str] = {}
    symbols: dict[str, set[str]] = {}
    for row in _TABLE.strip().splitlines():
        names, _, signs = row.partition(": ")
        first, *others = names.split(", ")
        named |= dict.fromkeys((first, *others), first)
        for sign in filter(None, signs.split(", ")):
            symbols.setdefault(sign.replace(" ", ""), set()).add(first)
    return named, {sign: frozenset(means) for sign, means in symbols.items()}


_BOTH = _table()
_NAMED: Mapping[str, str] = _BOTH[0]
_SYMBOLS: Mapping[str, frozenset[str]] = _BOTH[1]
# By a name's words in any order, with and without those that add little, where two are left.
_BY_WORDS: Mapping[frozenset[str], str] = {
    **{less: means for name, means in reversed(_NAMED.items()) if len(less := frozenset(words(name)) - _EXTRA) > 1},
    **{frozenset(words(name)): means for name, means in _NAMED.items()},
}
_TOLD = frozenset({word for row in _TELLING for word in row} | set(["a", "b", "c", "axis", "plane", "in", "out", "along", "direction"]))


@dataclass(frozen=True, slots=True)
class Property:
    """What the names of one property say: known properties, other names as words, symbols, and what tells it apart."""

    known: frozenset[str]
    others: tuple[tuple[str, ...], ...]  # of names that are in no table: their words in order
    symbols: frozenset[str]
    telling: tuple[frozenset[str], ...]
    axes: frozenset[str]


@lru_cache(4096)
def property_of(text: str) -> Property:
    """Read a property from its names, one a line of plain text: `band gap energy`, `Eg`, `direct band gap`."""
    text = text[:_READ]
    known, others, symbols = set[str](), list[tuple[str, ...]](), set[str]()
    for line in lines(text):
        for name in _names(line):
            if len(name) <= 3 and not re.fullmatch(r"[a-z]{3}", name):
                symbols.add(name.replace(" ", ""))
            elif found := _known(words(name)):
                known.add(found)
            elif rest := tuple(word for word in words(name) if word not in _EXTRA):
                others.append(rest)
    said = frozenset(words(text))
    telling = tuple(said.intersection(row) for row in _TELLING)
    axes = {str(at["before"] or at["after"] or at["along"]) for at in _AXIS.finditer(text)}
    if "lattice constant" in known:
        axes |= symbols & {"a", "b", "c"}
    axes |= {"out" if at["out"] else "in" for at in _PLANE.finditer(text)}
    return Property(frozenset(known), tuple(others), frozenset(symbols), telling, frozenset(axes))


def _names(line: str) -> list[str]:
    """Split a line into names: `band gap (Eg)`, `n, refractive index` and `coercive field Hc` have two."""
    inside = re.findall(r"\(([^()]{1,40})\)", line)
    outside = re.sub(r"\([^()]{1,40}\)", " ", line)
    parts = [part.strip(" ,;:.") for part in re.split(r", | or |; ?| = ?", outside)]
    parts = [piece for part in parts for piece in _without_symbol(part)]
    return [part for part in (*parts, *(one.strip() for one in inside)) if part]


def _without_symbol(name: str) -> list[str]:
    """Split the symbol off that ends a name."""
    head, _, last = name.rpartition(" ")
    return [head, last] if head and last in _SYMBOLS else [name]


def _known(said: tuple[str, ...]) -> str:
    """Know a property by its name's words; empty where no table has them, with or without the words that add little."""
    for chosen in (said, tuple(word for word in said if word not in _EXTRA), _less(said)):
        if found := _NAMED.get(" ".join(chosen)) or _BY_WORDS.get(frozenset(chosen)):
            return found
    return ""


def _less(said: tuple[str, ...]) -> tuple[str, ...]:
    """Leave off axes and what tells two of a kind apart."""
    return tuple(word for word in said if word not in _EXTRA and word not in _TOLD)


def same_property(one: Property, two: Property) -> str:
    """Say why two properties differ; nothing where they are one.

    A name that no table knows is another's if it has the same words, or one has all of the other's and both end alike.
    """
    for mine, other in zip(one.telling, two.telling, strict=True):
        if mine and other and not mine & other:
            return f"{'/'.join(sorted(mine))} against {'/'.join(sorted(other))}"
    if one.axes and two.axes and not one.axes & two.axes:
        return f"axis {'/'.join(sorted(one.axes))} against {'/'.join(sorted(two.axes))}"
    if one.known & two.known or _alike(one, two):
        return ""
    if one == two:
        return ""  # neither says which
    if not (one.known or one.others) or not (two.known or two.others):  # one side is a symbol alone
        if one.symbols & two.symbols or _meant(one) & _meant(two):
            return ""
    return "the properties differ"


def _meant(one: Property) -> frozenset[str]:
    """Give what a property may be: what its names say, else what its symbols stand for."""
    return one.known or frozenset[str]().union(*(_SYMBOLS.get(sign, frozenset()) for sign in one.symbols))


def _alike(one: Property, two: Property) -> bool:
    """Compare names of which at least one is in no table by their words."""
    mine = [*one.others, *(tuple(name.split()) for name in one.known)]
    theirs = [*two.others, *(tuple(name.split()) for name in two.known)]
    pairs = ((a, b) for a in mine for b in theirs if a in one.others or b in two.others)
    return any(set(a) == set(b) or (a[-1] == b[-1] and (set(a) < set(b) or set(b) < set(a))) for a, b in pairs)
