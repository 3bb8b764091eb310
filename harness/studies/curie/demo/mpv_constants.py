"""Constants of real materials for the demo's MPV papers (OURS): handbook values that several handbooks agree on.

Values are those printed by the CRC Handbook of Chemistry and Physics, the semiconductor pages of the Ioffe Institute
and makers of optical crystals, rounded to the digits they share; near 300 K unless stated otherwise. Independent of the
wording of a paper and of scoring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

GAP, INDEX = "band gap", "refractive index"
ALIASES: Mapping[str, str] = {GAP: "gap energy", INDEX: "index of refraction"}  # other names in hard papers
# Letters in the table below: the property each stands for, and its unit.
_PROPERTIES: Mapping[str, tuple[str, str]] = {
    "G": (GAP, "eV"),
    "N": (INDEX, ""),
    "A": ("lattice constant", "Å"),
    "D": ("density", "g/cm3"),
    "M": ("melting point", "°C"),
    "L": ("thermal conductivity", "W/(m K)"),
    "E": ("static dielectric constant", ""),
    "U": ("electron mobility", "cm2/(V s)"),
    "Y": ("Young's modulus", "GPa"),
    "C": ("Curie temperature", "K"),
    "R": ("electrical resistivity", "µΩ cm"),
    "S": ("superconducting transition temperature", "K"),
}
_D, _ORDINARY, _EXTRAORDINARY = "589 nm", "ordinary ray, 589 nm", "extraordinary ray, 589 nm"
_CONDITIONS: Mapping[str, str] = {
    "d": _D,
    "o": _ORDINARY,
    "e": _EXTRAORDINARY,
    "t": "10 µm",
    "u": "10.6 µm",
    "r": "300 K",
    "": "",
}

# Name | formula | properties, each a letter with its value, and after @ a letter for the condition; a-b is a range.
_TABLE = """
silicon|Si|G1.12@r A5.431 D2.33 M1414 L148@r E11.7 N3.42@t
germanium|Ge|G0.66@r A5.658 D5.32 M938 L60@r E16.2 N4.00@u
gallium arsenide|GaAs|G1.42@r A5.653 D5.32 M1238 E12.9 U8500@r
gallium phosphide|GaP|G2.26@r A5.451 D4.14 E11.1
indium phosphide|InP|G1.34@r A5.869 D4.81 E12.5 U5400@r
indium arsenide|InAs|G0.35@r A6.058 M942
indium antimonide|InSb|G0.17@r A6.479 D5.77 E16.8
zinc selenide|ZnSe|G2.70@r A5.668 D5.27 N2.40@u
cadmium telluride|CdTe|G1.5@r A6.48 N2.67@t
cadmium sulfide|CdS|G2.42@r D4.83
wurtzite gallium nitride|GaN|G3.4@r D6.15
wurtzite aluminium nitride|AlN|G6.2@r D3.26
wurtzite zinc oxide|ZnO|G3.37@r D5.61
cubic silicon carbide|SiC|G2.36@r A4.360
beta gallium oxide|Ga2O3|G4.7-4.9@r
diamond|C|G5.47@r A3.567 D3.51 N2.417@d
rutile titania|TiO2|G3.0@r D4.23 N2.61@o
magnesium oxide|MgO|G7.8 A4.212 D3.58 N1.74@d
fused silica|SiO2|N1.458@d D2.20 L1.38@r
calcium fluoride|CaF2|N1.434@d A5.463 D3.18 M1418
barium fluoride|BaF2|N1.474@d A6.200 D4.89
magnesium fluoride|MgF2|N1.378@o N1.390@e
sodium chloride|NaCl|N1.544@d A5.640 D2.17 M801
potassium bromide|KBr|N1.56@d A6.600 M734
lithium fluoride|LiF|N1.392@d A4.026 D2.64
sapphire|Al2O3|N1.768@o N1.760@e D3.98
calcite|CaCO3|N1.658@o N1.486@e D2.71
alpha quartz|SiO2|N1.544@o N1.553@e D2.65
cubic zirconia|ZrO2|N2.15-2.18@d
copper|Cu|D8.96 M1085 L401@r A3.615 R1.68
aluminium|Al|D2.70 M660 L237@r A4.050 R2.65 Y70 S1.18
silver|Ag|D10.5 M962 L429@r A4.086 R1.59 Y83
gold|Au|D19.3 M1064 A4.078
iron|Fe|D7.87 M1538 L80@r A2.866 Y211 C1043
nickel|Ni|M1455 L91@r A3.524 Y200 C627
tungsten|W|D19.3 M3422 A3.165 Y411
titanium|Ti|D4.51 M1668 Y116
platinum|Pt|D21.45 M1768 A3.924 Y168
niobium|Nb|D8.57 M2477 A3.301 S9.25
lead|Pb|D11.3 M327.5 A4.950 S7.2
tin|Sn|M231.9 S3.72
magnesium diboride|MgB2|S39
"""


@dataclass(frozen=True, slots=True)
class Constant:
    """One property of one material: its lowest and highest printed value, unit and condition."""

    material: str
    formula: str
    name: str  # name of the property
    low: str
    high: str
    unit: str
    condition: str

    @property
    def printed(self) -> str:
        """The value with its unit as text; a range as `low to high`."""
        value = self.low if self.low == self.high else f"{self.low} to {self.high}"
        return f"{value} {self.unit}".rstrip()

    @property
    def optical(self) -> bool:
        """Whether the task mpv-specific asks for the property: a band gap or a refractive index."""
        return self.name in (GAP, INDEX)


def _read(line: str) -> tuple[Constant, ...]:
    name, formula, said = line.split("|")
    found = []
    for word in said.split():
        value, _, condition = word[1:].partition("@")
        low, _, high = value.partition("-")
        label, unit = _PROPERTIES[word[0]]
        found.append(Constant(name, formula, label, low, high or low, unit, _CONDITIONS[condition]))
    return tuple(found)


CONSTANTS: Mapping[str, tuple[Constant, ...]] = {
    line.partition("|")[0]: _read(line) for line in _TABLE.strip().splitlines()
}

# Themes of papers: a title, and the materials that the paper draws from.
THEMES: Mapping[str, tuple[str, ...]] = {
    "Constants of semiconductors for infrared detectors": (
        "silicon",
        "germanium",
        "indium arsenide",
        "indium antimonide",
        "cadmium telluride",
        "gallium arsenide",
    ),
    "Compound semiconductors for fast electronics": (
        "gallium arsenide",
        "gallium phosphide",
        "indium phosphide",
        "silicon",
        "indium arsenide",
        "copper",
    ),
    "Wide gaps: a comparison of hard crystals": (
        "wurtzite gallium nitride",
        "wurtzite aluminium nitride",
        "wurtzite zinc oxide",
        "cubic silicon carbide",
        "diamond",
        "beta gallium oxide",
    ),
    "Window materials from the ultraviolet to the infrared": (
        "fused silica",
        "calcium fluoride",
        "barium fluoride",
        "magnesium fluoride",
        "zinc selenide",
        "sapphire",
    ),
    "Birefringent and isotropic crystals side by side": (
        "calcite",
        "alpha quartz",
        "sapphire",
        "rutile titania",
        "diamond",
        "cubic zirconia",
    ),
    "Alkali halides as reference crystals": (
        "sodium chloride",
        "potassium bromide",
        "lithium fluoride",
        "calcium fluoride",
        "magnesium oxide",
        "silver",
    ),
    "Mirrors on glass: metals and their supports": (
        "silver",
        "aluminium",
        "gold",
        "fused silica",
        "sapphire",
        "copper",
    ),
    "Superconducting films and the crystals they grow on": (
        "niobium",
        "lead",
        "tin",
        "magnesium diboride",
        "magnesium oxide",
        "sapphire",
    ),
    "Refractory metals and the oxides that protect them": (
        "tungsten",
        "titanium",
        "platinum",
        "rutile titania",
        "magnesium oxide",
        "niobium",
    ),
    "Magnetic metals on transparent substrates": (
        "iron",
        "nickel",
        "magnesium oxide",
        "sapphire",
        "fused silica",
        "gallium arsenide",
    ),
    "Pigments and absorbers": (
        "cadmium sulfide",
        "rutile titania",
        "wurtzite zinc oxide",
        "zinc selenide",
        "cadmium telluride",
        "titanium",
    ),
}
