"""Pairs of property items of our own, with what a materials scientist says of each, and why.

None is of the published gold. `S` and `D`: the same, and different.
"""

# ruff: noqa: E501, RUF001 - a pair a line; signs of print are the point

from __future__ import annotations

from typing import Any, NamedTuple


class ItemsPair(NamedTuple):
    """Two items, whether they state the same, and what the pair is about."""

    gold: dict[str, Any]
    other: dict[str, Any]
    same: bool
    about: str


def p(material: str, name: str, value: Any, units: str = "", descriptor: str = " ", about: str = " ") -> dict[str, Any]:
    """Write an item as the prompt asks for it; a pair of values is a range."""
    low, high = value if isinstance(value, tuple) else (value, value)
    return {
        "material": material, "material_descriptor": descriptor, "property_name": name, "property_descriptor": about,
        "low_value": low, "high_value": high, "value_units": units,
    }  # fmt: skip


GAP = p("GaAs", "band gap", "1.42", "eV")
S, D = True, False
PAIRS = [ItemsPair(*row) for row in (
    # names and formulas of materials
    (GAP, p("gallium arsenide", "bandgap", "1.42", "eV"), S, "a compound by its name"),
    (GAP, p("AsGa", "Eg", "1.42", "eV"), S, "a formula in another order, a symbol for the property"),
    (GAP, p("InAs", "band gap", "1.42", "eV"), D, "another compound"),
    (p("TiO<sub>2</sub>", "band gap", "3.2", "eV"), p("TiO₂", "optical band gap", "3.2", "eV"), S, "subscripts by markup and by letters"),
    (p("TiO$_2$", "band gap", "3.2", "eV"), p("titanium dioxide", "band-gap energy", "3.2", "eV"), S, "LaTeX and a name"),
    (p("TiO2", "band gap", "3.2", "eV", "anatase"), p("anatase TiO2", "band gap", "3.2", "eV"), S, "the phase in name or descriptor"),
    (p("TiO2", "band gap", "3.0", "eV", "rutile"), p("TiO2", "band gap", "3.0", "eV", "anatase"), D, "another polymorph"),
    (p("Iron(III) oxide", "band gap", "2.1", "eV"), p("Fe2O3", "band gap", "2.1", "eV"), S, "a stated charge"),
    (p("Fe3O4", "saturation magnetization", "92", "emu/g"), p("Fe2O3", "saturation magnetization", "92", "emu/g"), D, "magnetite is no hematite"),
    (p("magnetite", "saturation magnetization", "92", "emu/g"), p("Fe3O4", "Ms", "92", "emu g<sup>-1</sup>"), S, "a mineral's name"),
    (p("Al2O3", "dielectric constant", "9.8"), p("sapphire", "relative permittivity", "9.8", "dimensionless"), S, "sapphire is alumina"),
    (p("aluminium oxide", "hardness", "20", "GPa"), p("Aluminum oxide (Al2O3)", "hardness", "20", "GPa"), S, "two spellings, and a formula in brackets"),
    (p("zinc sulphide", "refractive index", "2.35"), p("ZnS", "n", "2.35"), S, "British spelling, n"),
    (p("CH3NH3PbI3", "band gap", "1.55", "eV"), p("MAPbI3", "band gap", "1.55", "eV"), S, "an abbreviated cation"),
    (p("BaTiO3", "dielectric constant", "1700"), p("barium titanate", "dielectric constant", "1,700"), S, "a separator of thousands"),
    (p("ZnO", "resistivity", "4e-4", "Ω cm", "Al-doped"), p("ZnO:Al", "resistivity", "4x10^-4", "ohm cm"), S, "dopant in two notations"),
    (p("ZnO", "resistivity", "4e-4", "Ω cm"), p("Al-doped ZnO", "resistivity", "4e-4", "Ω cm"), D, "one is doped by name"),
    (p("Ga-doped ZnO", "resistivity", "4e-4", "Ω cm"), p("Al-doped ZnO", "resistivity", "4e-4", "Ω cm"), D, "another dopant"),
    (p("Al0.3Ga0.7N", "band gap", "4.0", "eV"), p("AlxGa1-xN", "band gap", "4.0", "eV", "x = 0.3"), S, "x said apart"),
    (p("Al0.3Ga0.7N", "band gap", "4.0", "eV"), p("Al0.5Ga0.5N", "band gap", "4.0", "eV"), D, "another alloy"),
    (p("PMMA", "refractive index", "1.49"), p("poly(methyl methacrylate)", "refractive index", "1.49"), S, "a polymer's abbreviation"),
    (p("graphene", "thermal conductivity", "3000", "W/mK"), p("graphite", "thermal conductivity", "3000", "W/(m·K)"), D, "other allotropes"),
    # properties
    (p("Si", "electron mobility", "1400", "cm2/Vs"), p("silicon", "hole mobility", "1400", "cm2/Vs"), D, "electrons are no holes"),
    (p("Si", "electron mobility", "1400", "cm2/Vs"), p("silicon", "mobility", "1400", "cm^2 V^-1 s^-1"), S, "one says less"),
    (p("Si", "indirect band gap", "1.12", "eV"), p("Si", "direct band gap", "1.12", "eV"), D, "indirect is not direct"),
    (p("Si", "lattice constant", "5.431", "Å"), p("silicon", "lattice parameter a", "0.5431", "nm"), S, "another unit, another word"),
    (p("GaN", "lattice constant a", "3.189", "Å"), p("GaN", "lattice constant c", "3.189", "Å"), D, "another axis"),
    (p("ZnO", "c-axis lattice constant", "5.207", "Å"), p("ZnO", "lattice parameter\nc", "5.207", "Å"), S, "one axis in two spellings"),
    (p("ZnO", "refractive index", "1.99"), p("ZnO", "extinction coefficient", "1.99"), D, "n is not k"),
    (p("ZnO", "refractive index\nn", "1.99"), p("ZnO", "index of refraction", "1.99"), S, "names a line each"),
    (p("Ni", "coercivity", "120", "Oe"), p("nickel", "coercive field Hc", "120", "Oe"), S, "synonyms of coercivity"),
    (p("Ni", "remanence", "22", "emu/g"), p("Ni", "saturation magnetization", "22", "emu/g"), D, "remanence is no saturation"),
    (p("Fe", "Young's modulus", "211", "GPa"), p("iron", "elastic modulus (E)", "211", "GPa"), S, "a modulus by two names"),
    (p("Fe", "Young's modulus", "170", "GPa"), p("iron", "bulk modulus", "170", "GPa"), D, "another modulus"),
    (p("InAs", "density", "2x10^10", "cm^-2", "quantum dots"), p("InAs quantum dots", "dot density", "2e10", "cm-2"), S, "density of dots"),
    (p("ITO", "sheet resistance", "15", "Ω/sq"), p("indium tin oxide", "sheet resistance", "15", "ohm/square"), S, "ohms per square"),
    (p("CdSe", "photoluminescence peak", "620", "nm"), p("CdSe", "emission wavelength", "620", "nm"), S, "where it shines"),
    (p("CdSe", "grain size", "12", "nm"), p("CdSe", "crystallite size", "12", "nm"), S, "grains that are crystallites"),
    (p("CdSe", "grain size", "12", "nm"), p("CdSe", "film thickness", "12", "nm"), D, "size is not thickness"),
    (p("PbTe", "Seebeck coefficient", "-170", "μV/K"), p("lead telluride", "thermopower", "−170", "uV K-1"), S, "a minus sign of print"),
    (p("PbTe", "Seebeck coefficient", "-170", "μV/K"), p("PbTe", "Seebeck coefficient", "170", "μV/K"), D, "another sign"),
    # values and units
    (GAP, p("GaAs", "band gap", "1.424", "eV"), S, "a rounding"),
    (GAP, p("GaAs", "band gap", "1.52", "eV"), D, "another value"),
    (GAP, p("GaAs", "band gap", "~1.42 eV", ""), S, "unit and tilde in the value"),
    (GAP, p("GaAs", "band gap", "1420", "meV"), S, "millielectronvolts"),
    (GAP, p("GaAs", "band gap", "1.42", "V"), D, "another unit"),
    (GAP, p("GaAs", "band gap", "1.42", ""), D, "no unit is not the same unit"),
    (GAP, p("GaAs", "band gap", "1.42 ± 0.02", "eV"), S, "an uncertainty beside it"),
    (GAP, p("GaAs", "band gap", "137", "kJ/mol"), S, "per mole"),
    (p("GaAs", "band gap", 1.42, "eV"), p("GaAs", "band gap", "1.42", "eV"), S, "a number and a text"),
    (p("CdS", "band gap", ("2.3", "2.5"), "eV"), p("CdS", "band gap", "2.3-2.5", "eV"), S, "a range in one field"),
    (p("CdS", "band gap", ("2.3", "2.5"), "eV"), p("CdS", "band gap", "2.4", "eV"), D, "the middle of a range"),
    (p("CdS", "band gap", ("2.3", "2.5"), "eV"), p("CdS", "band gap", "2.4 ± 0.1", "eV"), S, "a range by its middle"),
    (p("CdS", "band gap", ("2.42", " "), "eV"), p("CdS", "band gap", "2.42", "eV"), S, "the high value left out"),
    (p("Si", "carrier concentration", "3×10<sup>16</sup>", "cm<sup>−3</sup>"), p("Si", "carrier density", "3e22", "m^-3"), S, "powers of ten and of metres"),
    (p("Si", "carrier concentration", "3e16", "cm-3"), p("Si", "carrier concentration", "3e17", "cm-3"), D, "a power of ten away"),
    (p("Si", "resistivity", "10", "&#937; cm"), p("Si", "resistivity", "0.1", "ohm m"), S, "an entity, and ohm metres"),
    (p("Cu", "melting point", "1085", "°C"), p("copper", "melting temperature", "1358", "K"), S, "Celsius and kelvin"),
    (p("Cu", "melting point", "1085", "°C"), p("copper", "melting point", "1085", "K"), D, "degrees are not kelvins"),
    (p("Cu", "density", "8.96", "g/cm3"), p("Cu", "density", "8960", "kg m-3"), S, "grams and kilograms"),
    (p("Cu", "transmittance", "85", "%"), p("Cu", "transmission", "0.85", ""), S, "per cent and a share"),
    (p("NiO", "hardness", "1.2", "GPa"), p("NiO", "hardness", "1200", "MPa"), S, "giga and mega"),
    # forms, samples and conditions
    (p("CdS", "band gap", "2.6", "eV", "quantum dots"), p("CdS", "band gap", "2.6", "eV", "bulk"), D, "dots are no bulk"),
    (p("CdS", "band gap", "2.6", "eV", "nanoparticles"), p("CdS nanocrystals", "band gap", "2.6", "eV"), S, "one form by two names"),
    (p("CdS", "band gap", "2.6", "eV", "quantum dots"), p("CdS", "band gap", "2.6", "eV"), S, "one says less of the form"),
    (p("CdS", "band gap", "2.4", "eV", "film\nThickness 200 nm"), p("CdS", "band gap", "2.4", "eV", "200-nm-thick thin film"), S, "one thickness"),
    (p("CdS", "band gap", "2.4", "eV", "film\nThickness 200 nm"), p("CdS", "band gap", "2.4", "eV", "film, thickness 0.4 μm"), D, "another thickness"),
    (p("CdS", "band gap", "2.4", "eV", "sample A"), p("CdS", "band gap", "2.4", "eV", "sample B"), D, "another sample"),
    (p("CdS", "band gap", "2.4", "eV", "annealed at 400 °C"), p("CdS", "band gap", "2.4", "eV", "annealed at 673 K"), S, "one temperature"),
    (p("CdS", "band gap", "2.4", "eV", "annealed at 400 °C"), p("CdS", "band gap", "2.4", "eV", "annealed at 500 °C"), D, "another annealing"),
    (p("CdS", "band gap", "2.4", "eV", "films\nas-deposited"), p("CdS", "band gap", "2.4", "eV", "annealed films"), D, "before and after annealing"),
    (p("GaN", "dislocation density", "5e8", "cm-2", "grown on sapphire substrate"), p("GaN", "dislocation density", "5e8", "cm-2", "on Si substrates"), D, "another substrate"),
    (p("SiO2", "refractive index", "1.46", "", "film", "Wavelength 633 nm"), p("silica", "refractive index", "1.46", "", "film", "at 632.8 nm"), S, "one laser line"),
    (p("SiO2", "refractive index", "1.46", "", "film", "Wavelength 633 nm"), p("silica", "refractive index", "1.46", "", "film", "at 450 nm"), D, "another wavelength"),
    (p("Si", "mobility", "900", "cm2/Vs", " ", "room temperature"), p("Si", "mobility", "900", "cm2/Vs", " ", "at 300 K"), S, "room temperature is 300 K"),
    (p("Si", "mobility", "900", "cm2/Vs", " ", "room temperature"), p("Si", "mobility", "900", "cm2/Vs", " ", "at 77 K"), D, "a cold sample"),
    (p("Si", "resistivity", "5", "Ω cm", "n-type"), p("p-type Si wafer", "resistivity", "5", "Ω cm"), D, "n is not p"),
    (p("ZnSe", "band gap", "2.7", "eV", " ", "calculated with DFT"), p("ZnSe", "band gap", "2.7", "eV", " ", "measured by ellipsometry"), D, "computed and measured"),
)]  # fmt: skip
