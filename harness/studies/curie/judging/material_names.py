"""The table of common names: minerals, abbreviations, sheets and molecules, by formula or by another name (OURS).

It must never know how a name is found in a text.
"""

from __future__ import annotations

from collections.abc import Mapping

# By name: a formula; after `~` only its elements, where the name leaves the numbers open.
_INORGANIC = """
sapphire Al2O3, alumina Al2O3, corundum Al2O3, ruby Al2O3, silica SiO2, quartz SiO2, fused silica SiO2, titania TiO2,
zirconia ZrO2, hafnia HfO2, ceria CeO2, magnesia MgO, yttria Y2O3, hematite Fe2O3, maghemite Fe2O3, magnetite Fe3O4,
zincite ZnO, rutile TiO2, anatase TiO2, brookite TiO2, galena PbS, pyrite FeS2, periclase MgO, lime CaO, urea CH4N2O,
water H2O, heavy water D2O, ammonia NH3, methane CH4, co2 CO2, carbon monoxide CO, carbon dioxide CO2, ysz ~ZrYO,
yttria stabilized zirconia ~ZrYO, ito ~InSnO, indium tin oxide ~InSnO, fto ~SnOF, igzo ~InGaZnO, pzt ~PbZrTiO,
lead zirconate titanate ~PbZrTiO, sto SrTiO3, bto BaTiO3, pto PbTiO3, lao LaAlO3, bfo BiFeO3, bismuth ferrite BiFeO3,
lsmo ~LaSrMnO, pmn pt ~PbMgNbTiO, ybco ~YBaCuO, bscco ~BiSrCaCuO, bi2212 ~BiSrCaCuO, cis CuInSe2, cigs ~CuInGaSe,
czts ~CuZnSnS, cztse ~CuZnSnSe, mapi CH3NH3PbI3, methylammonium lead iodide CH3NH3PbI3,
methylammonium lead triiodide CH3NH3PbI3, methylammonium lead bromide CH3NH3PbBr3,
formamidinium lead iodide CHN2H4PbI3, methylammonium CH3NH3, formamidinium CHN2H4, ammonium NH4, lfp LiFePO4,
lco LiCoO2, lmo LiMn2O4, barium hexaferrite BaFe12O19, barium ferrite BaFe12O19, strontium ferrite SrFe12O19,
yig Y3Fe5O12, yag Y3Al5O12, graphene C, graphite C, diamond C, fullerene C, buckminsterfullerene C60, carbon nanotube C,
cnt C, swcnt C, mwcnt C, amorphous carbon C, dlc C, silicene Si, germanene Ge, stanene Sn, phosphorene P,
black phosphorus P, red phosphorus P, arsenene As, antimonene Sb, bismuthene Bi, borophene B, tellurene Te,
hexagonal boron nitride BN, hbn BN, h bn BN, cbn BN, hydrogen peroxide H2O2, sulfuric acid H2SO4, nitric acid HNO3,
hydrochloric acid HCl, rock salt NaCl, table salt NaCl, potash K2CO3, prussian blue ~FeCN, hydroxyapatite Ca5P3O13H,
ferrocyanide ~FeCN, ferricyanide ~FeCN, hexacyanoferrate ~FeCN, zif 8 ZnC8H10N4, alq3 C27H18AlN3O3
"""
# Molecules and polymers: the names of one stand on one line, the first is what the others are called here.
_MOLECULES = """
acetone, propanone, 2 propanone, dimethyl ketone, propan 2 one = C3H6O
ethylene, ethene = C2H4
acetylene, ethyne = C2H2
propylene, propene = C3H6
acetic acid, ethanoic acid = C2H4O2
acetonitrile, acn, mecn, methyl cyanide, ethanenitrile = C2H3N
formaldehyde, methanal = CH2O
formic acid, methanoic acid = CH2O2
methanol, methyl alcohol = CH4O
ethanol, ethyl alcohol = C2H6O
isopropanol, isopropyl alcohol, 2 propanol, ipa, propan 2 ol = C3H8O
toluene, methylbenzene = C7H8
benzene = C6H6
phenol, hydroxybenzene = C6H6O
aniline, aminobenzene, phenylamine = C6H7N
styrene, vinylbenzene = C8H8
naphthalene = C10H8
pentacene = C22H14
dichloromethane, dcm, methylene chloride = CH2Cl2
chloroform, trichloromethane = CHCl3
tetrahydrofuran, thf = C4H8O
dimethyl sulfoxide, dmso = C2H6OS
dimethylformamide, dmf, n n dimethylformamide = C3H7NO
n methyl 2 pyrrolidone, nmp = C5H9NO
diethyl ether, ether = C4H10O
edta, ethylenediaminetetraacetic acid = C10H16N2O8
citric acid = C6H8O7
tmeda, tetramethylethylenediamine, n n n n tetramethylethylenediamine = C6H16N2
tryptophan, trp = C11H12N2O2
glycine, gly = C2H5NO2
alanine, ala = C3H7NO2
glucose = C6H12O6
caffeine = C8H10N4O2
pyridine = C5H5N
imidazole = C3H4N2
thiophene = C4H4S
pyrrole = C4H5N
hydrazine = N2H4
benzyl cation, benzylium = C7H7
tropylium, tropylium cation, cycloheptatrienyl cation = C7H7
pmma, poly methyl methacrylate, polymethyl methacrylate =
ps, polystyrene =
pe, polyethylene, polyethene =
pp, polypropylene =
pvc, poly vinyl chloride, polyvinyl chloride =
pva, poly vinyl alcohol, polyvinyl alcohol =
pvdf, polyvinylidene fluoride, poly vinylidene fluoride =
ptfe, teflon, polytetrafluoroethylene =
pet, polyethylene terephthalate =
pdms, polydimethylsiloxane =
pani, polyaniline =
ppy, polypyrrole =
p3ht, poly 3 hexylthiophene, poly 3 hexylthiophene 2 5 diyl =
pcbm, pc61bm =
peo, polyethylene oxide, peg, polyethylene glycol =
pc, polycarbonate =
pi, polyimide =
pedot pss =
bzdo, benzoate 1 2 dioxygenase =
"""


def _inorganic() -> dict[str, str]:
    pairs = (entry.rsplit(" ", 1) for entry in _INORGANIC.replace("\n", " ").strip().split(", "))
    return {name.strip(): formula for name, formula in pairs}


def _molecules() -> tuple[dict[str, str], dict[str, str]]:
    called: dict[str, str] = {}
    formulas: dict[str, str] = {}
    for row in _MOLECULES.strip().splitlines():
        names, _, formula = row.partition("=")
        first, *others = (name.strip() for name in names.split(","))
        called |= dict.fromkeys((first, *others), first)
        if formula.strip():
            formulas[first] = formula.strip()
    return called, formulas


FORMULAS: Mapping[str, str] = _inorganic()
_BOTH = _molecules()
CALLED: Mapping[str, str] = _BOTH[0]  # every name of a molecule or polymer, with the one that is used here
MOLECULES: Mapping[str, str] = _BOTH[1]  # that one, with its formula
