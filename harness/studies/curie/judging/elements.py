"""The chemical elements by symbol and name, and what the second halves of inorganic names stand for.

It must never know a material by its common name.
"""

from __future__ import annotations

from collections.abc import Mapping

_NAMED = """
H hydrogen, He helium, Li lithium, Be beryllium, B boron, C carbon, N nitrogen, O oxygen, F fluorine, Ne neon,
Na sodium, Mg magnesium, Al aluminum, Si silicon, P phosphorus, S sulfur, Cl chlorine, Ar argon, K potassium,
Ca calcium, Sc scandium, Ti titanium, V vanadium, Cr chromium, Mn manganese, Fe iron, Co cobalt, Ni nickel, Cu copper,
Zn zinc, Ga gallium, Ge germanium, As arsenic, Se selenium, Br bromine, Kr krypton, Rb rubidium, Sr strontium,
Y yttrium, Zr zirconium, Nb niobium, Mo molybdenum, Tc technetium, Ru ruthenium, Rh rhodium, Pd palladium, Ag silver,
Cd cadmium, In indium, Sn tin, Sb antimony, Te tellurium, I iodine, Xe xenon, Cs cesium, Ba barium, La lanthanum,
Ce cerium, Pr praseodymium, Nd neodymium, Pm promethium, Sm samarium, Eu europium, Gd gadolinium, Tb terbium,
Dy dysprosium, Ho holmium, Er erbium, Tm thulium, Yb ytterbium, Lu lutetium, Hf hafnium, Ta tantalum, W tungsten,
Re rhenium, Os osmium, Ir iridium, Pt platinum, Au gold, Hg mercury, Tl thallium, Pb lead, Bi bismuth, Po polonium,
At astatine, Rn radon, Fr francium, Ra radium, Ac actinium, Th thorium, Pa protactinium, U uranium, Np neptunium,
Pu plutonium, Am americium, Cm curium, Bk berkelium, Cf californium, Es einsteinium, Fm fermium, D deuterium
"""
NAMES: Mapping[str, str] = dict(pair.split() for pair in _NAMED.replace("\n", " ").strip().split(", "))
SYMBOLS: Mapping[str, str] = {
    **{name: symbol for symbol, name in NAMES.items()},
    "ferric": "Fe", "ferrous": "Fe", "cupric": "Cu", "cuprous": "Cu", "stannic": "Sn", "stannous": "Sn",
    "plumbous": "Pb", "wolfram": "W", "natrium": "Na", "kalium": "K", "platinium": "Pt", "lanthanam": "La",
}  # fmt: skip
CHARGES: Mapping[str, int] = {"ferric": 3, "ferrous": 2, "cupric": 2, "cuprous": 1, "stannic": 4, "stannous": 2}
VALENCES: Mapping[str, int] = {"O": 2, "S": 2, "Se": 2, "Te": 2, "N": 3, "P": 3, "F": 1, "Cl": 1, "Br": 1, "I": 1}
# Second halves of names, as the elements that they say; how many of each, only where a prefix says so.
ANIONS: Mapping[str, str] = {
    "oxide": "O", "nitride": "N", "carbide": "C", "boride": "B", "silicide": "Si", "germanide": "Ge", "sulfide": "S",
    "selenide": "Se", "telluride": "Te", "phosphide": "P", "arsenide": "As", "antimonide": "Sb", "bismuthide": "Bi",
    "fluoride": "F", "chloride": "Cl", "bromide": "Br", "iodide": "I", "hydride": "H", "hydroxide": "O H",
    "oxyhydride": "O H", "oxynitride": "O N", "oxychloride": "O Cl", "peroxide": "O", "carbonitride": "C N",
    "oxysulfide": "O S", "oxyfluoride": "O F", "oxyhydroxide": "O H", "titanate": "Ti O", "zirconate": "Zr O",
    "niobate": "Nb O", "tantalate": "Ta O", "vanadate": "V O", "tungstate": "W O", "molybdate": "Mo O",
    "stannate": "Sn O", "manganite": "Mn O", "manganate": "Mn O", "cobaltite": "Co O", "cobaltate": "Co O",
    "nickelate": "Ni O", "cuprate": "Cu O", "ruthenate": "Ru O", "iridate": "Ir O", "chromite": "Cr O",
    "chromate": "Cr O", "aluminate": "Al O", "gallate": "Ga O", "silicate": "Si O", "germanate": "Ge O",
    "phosphate": "P O", "borate": "B O", "carbonate": "C O", "nitrate": "N O", "sulfate": "S O", "hafnate": "Hf O",
    "plumbate": "Pb O", "bismuthate": "Bi O", "thiophosphate": "P S", "trisulfide": "S", "rhodate": "Rh O",
    "ferrate": "Fe O", "indate": "In O", "zincate": "Zn O", "selenite": "Se O", "tellurite": "Te O", "water": "H O",
}  # fmt: skip
PREFIXES: Mapping[str, int] = {
    "mono": 1, "di": 2, "tri": 3, "tetra": 4, "tetr": 4, "penta": 5, "pent": 5, "hexa": 6, "hex": 6, "hepta": 7,
    "octa": 8, "sesqui": 0,
}  # fmt: skip
ROMAN: Mapping[str, int] = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7}
