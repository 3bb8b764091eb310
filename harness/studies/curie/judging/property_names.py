"""The table of properties: their names, the symbols they go by, and the words that tell two of a kind apart (OURS).

It must never know how a name is found in a text.
"""

# ruff: noqa: RUF001 - Greek letters that look like ours are the point

from __future__ import annotations

from collections.abc import Mapping

# One property a line, or more where they are indented: what it is called here, other names (in the singular, without
# hyphens), then the symbols it goes by.
_TABLE = """
band gap, bandgap, gap energy, energy gap, band gap energy, bandgap energy, optical gap, tauc gap, forbidden gap,
  energy band gap, optical band gap energy, energy bandgap, band gap width, homo lumo gap: Eg, E g, Egap, Eopt
refractive index, index of refraction, n value, linear refractive index, refraction index: n, η0, n0
nonlinear refractive index, non linear refractive index: n2
extinction coefficient: k, κ
absorption coefficient, optical absorption coefficient, attenuation coefficient: α
absorption edge, optical absorption edge
transmittance, transmission, transmissivity, optical transmittance: T
reflectance, reflectivity: R
lattice constant, lattice parameter, cell parameter, unit cell parameter, cell constant, unit cell length,
  axis lattice constant, lattice spacing, unit cell dimension: a0
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
carrier concentration, carrier density, free carrier concentration, free carrier density,
  charge carrier density: n, p
sheet carrier density, sheet carrier concentration, sheet density, two dimensional carrier density: ns
saturation magnetization, saturation magnetisation, saturated magnetization, specific saturation magnetization: Ms
remanent magnetization, remnant magnetization, remanence, remanence magnetization, remanent magnetism,
  residual magnetization, remanent magnetisation, retentivity: Mr
coercivity, coercive field, coercive force, magnetic coercivity, coercitivity: Hc
remanent polarization, remnant polarization, residual polarization: Pr
electric coercive field, ferroelectric coercive field: Ec
curie temperature, curie point: Tc
superconducting transition temperature, critical temperature, transition temperature: Tc
neel temperature, néel temperature: TN
magnetic moment: m, μ
density, mass density, bulk density: ρ
dislocation density
dielectric constant, relative permittivity, permittivity, relative dielectric constant, dielectric permittivity: ε,
  εr, k
dielectric loss, loss tangent, dissipation factor, dielectric loss tangent: tanδ
young modulus, youngs modulus, young s modulus, elastic modulus, modulus of elasticity, tensile modulus: E
bulk modulus: B, K
shear modulus: G
hardness, vickers hardness, microhardness: H, HV
poisson ratio, poisson s ratio, poissons ratio: ν
tensile strength, ultimate tensile strength: UTS
yield strength, yield stress
exciton binding energy: Eb
photoluminescence peak, pl peak, emission peak, emission wavelength, luminescence peak, pl emission peak,
  photoluminescence peak position, peak emission: λ
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
moire fringe spacing, moire fringe period, moiré fringe period, moiré fringe spacing, moire spacing,
  moiré spacing: Dm
"""
# Words that tell two properties of a kind apart: of each row, two that both say something must share it.
TELLING = (
    ("direct", "indirect"),
    ("electron", "hole"),
    ("maximum", "minimum"),
    ("ordinary", "extraordinary"),
    ("longitudinal", "transverse"),
    ("real", "imaginary"),
    ("static", "dynamic"),
    ("compressive", "tensile"),
    ("initial", "final"),
    ("heavy", "light"),
    ("internal", "external"),
)
EXTRA = frozenset(
    [
        "the",
        "of",
        "value",
        "average",
        "mean",
        "typical",
        "measured",
        "estimated",
        "calculated",
        "experimental",
        "theoretical",
        "optical",
        "electronic",
        "fundamental",
        "apparent",
        "total",
        "direct",
        "indirect",
        "approximate",
        "about",
        "maximum",
        "minimum",
        "peak",
        "energy",
        "room",
        "temperature",
        "at",
        "for",
        "obtained",
        "reported",
        "nominal",
        "corresponding",
        "effective",
        "absolute",
        "overall",
        "a",
    ]
)


def _table() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    named: dict[str, str] = {}
    symbols: dict[str, set[str]] = {}
    for row in _TABLE.strip().replace("\n  ", " ").splitlines():
        names, _, signs = row.partition(": ")
        first, *others = names.split(", ")
        named |= dict.fromkeys((first, *others), first)
        for sign in filter(None, signs.split(", ")):
            symbols.setdefault(sign.replace(" ", ""), set()).add(first)
    return named, {sign: frozenset(means) for sign, means in symbols.items()}


_BOTH = _table()
NAMED: Mapping[str, str] = _BOTH[0]  # every name, with the one that is used here
SYMBOLS: Mapping[str, frozenset[str]] = _BOTH[1]  # what each may stand for
