"""The table of common names: minerals, abbreviations, sheets and molecules, with a formula or another name (OURS).

Does not search texts for names.
"""

from __future__ import annotations

from collections.abc import Mapping

# Formulas by name; after `~` only the elements, if the name does not fix the numbers.
_INORGANIC = """
sapphire Al2O3, alumina Al2O3, corundum Al2O3, ruby Al2O3, silica SiO2, quartz SiO2, fused silica SiO2, titania TiO2,
zirconia ZrO2, hafnia HfO2, ceria CeO2, magnesia MgO, yttria Y2O3, hematite Fe2O3, maghemite Fe2O3, magnetite Fe3O4,
zincite ZnO, rutile TiO2, anatase TiO2, brookite TiO2, galena PbS, pyrite FeS2, periclase MgO, lime CaO, urea CH4N2O,
water H2O, heavy water D2O, ammonia NH3, methane CH4, co2 CO2, carbon monoxide CO, carbon dioxide CO2, ysz ~ZrYO,
yttria stabilized zirconia ~ZrYO, ito ~InSnO, indium tin oxide ~InSnO,
fto ~SnOF, igzo ~InGaZnO, pzt ~PbZrTiO,
lead zirconate titanate ~PbZrTiO, sto SrTiO3, bto BaTiO3, pto PbTiO3, lao LaAlO3, bfo BiFeO3, bismuth ferrite BiFeO3,
lsmo ~LaSrMnO, pmn pt ~PbMgNbTiO, ybco ~YBaCuO, bscco ~BiSrCaCuO, bi2212 ~BiSrCaCuO, cis CuInSe2, cigs ~CuInGaSe,
czts ~CuZnSnS, cztse ~CuZnSnSe, mapi CH3NH3PbI3, methylammonium lead iodide CH3NH3PbI3,
methylammonium lead triiodide CH3NH3PbI3, methylammonium lead bromide CH3NH3PbBr3,
formamidinium lead iodide CHN2H4PbI3, methylammonium CH3NH3, formamidinium CHN2H4, ammonium NH4, lfp LiFePO4,
lco LiCoO2, lmo LiMn2O4, barium hexaferrite BaFe12O19, barium ferrite BaFe12O19, strontium ferrite SrFe12O19,
yig Y3Fe5O12, yag Y3Al5O12, graphene C, graphite C, diamond C, fullerene C, buckminsterfullerene C60,
carbon nanotube C, cnt C, swcnt C, mwcnt C, amorphous carbon C, dlc C, silicene Si, germanene Ge, stanene Sn,
phosphorene P, black phosphorus P, red phosphorus P, arsenene As, antimonene Sb, bismuthene Bi, borophene B,
tellurene Te, hexagonal boron nitride BN, hbn BN, h bn BN, cbn BN, hydrogen peroxide H2O2, sulfuric acid H2SO4,
nitric acid HNO3, hydrochloric acid HCl, rock salt NaCl, table salt NaCl, potash K2CO3, prussian blue ~FeCN,
hydroxyapatite Ca5P3O13H, ferrocyanide ~FeCN, ferricyanide ~FeCN, hexacyanoferrate ~FeCN, zif 8 ZnC8H10N4,
alq3 C27H18AlN3O3, baddeleyite ZrO2, cassiterite SnO2, wurtzite ZnS, sphalerite ZnS, fluorite CaF2, halite NaCl,
calcite CaCO3, aragonite CaCO3, dolomite CaMgC2O6, barite BaSO4, gypsum CaSO6H4, spinel MgAl2O4, perovskite CaTiO3,
ilmenite FeTiO3, wustite FeO, goethite FeO2H, birnessite ~MnO, pyrolusite MnO2, cristobalite SiO2, forsterite Mg2SiO4,
mullite Al6Si2O13, cordierite Mg2Al4Si5O18, zircon ZrSiO4, cinnabar HgS, molybdenite MoS2, cuprite Cu2O, tenorite CuO,
anglesite PbSO4, lzo ~LiLaZrO, llzo ~LiLaZrO, lipon ~LiPON, latp ~LiAlTiPO, lagp ~LiAlGePO, lgps ~LiGePS,
lto Li4Ti5O12, nca ~LiNiCoAlO, nmc ~LiNiMnCoO, ncm ~LiNiMnCoO, lnmo ~LiNiMnO, lmfp ~LiMnFePO, linbo3 LiNbO3,
lithium niobate LiNbO3, kdp KH2PO4, bbo BaB2O4, ktp KTiPO5, bso Bi12SiO20, bgo Bi4Ge3O12, ggg Gd3Ga5O12,
tgg Tb3Ga5O12, azo ~AlZnO, gzo ~GaZnO, ato ~SbSnO, gst ~GeSbTe, igo ~InGaO, bst ~BaSrTiO, pmn ~PbMgNbO, knn ~KNaNbO,
bnt ~BiNaTiO, nbt ~BiNaTiO, bzt ~BaZrTiO, sbt ~SrBiTaO, sro SrRuO3, lno3 LaNiO3, lccm ~LaCaMnO, lcmo ~LaCaMnO,
lsco ~LaSrCoO, lscf ~LaSrCoFeO, bscf ~BaSrCoFeO, gdc ~CeGdO, sdc ~CeSmO, ssz ~ScZrO, scsz ~ScZrO, tzp ~ZrYO,
lbco ~LaBaCuO, hzo ~HfZrO, hafnium zirconium oxide ~HfZrO, hafnium silicate ~HfSiO, sialon ~SiAlON, sicn ~SiCN,
bcn ~BCN, ticn ~TiCN, tialn ~TiAlN, alcrn ~AlCrN, lab6 LaB6, nbn NbN, cztsse ~CuZnSnSSe, cigse ~CuInGaSe,
cigsse ~CuInGaSSe, cgs CuGaS2, cgse CuGaSe2, cts Cu2SnS3, mapbi CH3NH3PbI3, mapb CH3NH3PbBr3, fapi CHN2H4PbI3,
inp InP, gaas GaAs, algaas ~AlGaAs, ingaas ~InGaAs, ingan ~InGaN, algan ~AlGaN, sige ~SiGe, hgcdte ~HgCdTe,
mct ~HgCdTe, czt ~CdZnTe, carborundum SiC, dry ice CO2, laughing gas N2O, nitrous oxide N2O, nitric oxide NO,
nitrogen dioxide NO2, sulfur dioxide SO2, ozone O3, dinitrogen N2, dioxygen O2, dihydrogen H2, hydrogen sulfide H2S,
hydrogen cyanide HCN, hydrogen fluoride HF, carbon tetrachloride CCl4, boric acid H3BO3, phosphoric acid H3PO4,
caustic soda NaOH, baking soda NaHCO3, quicklime CaO, boron nitride BN, boron carbide B4C, diboron trioxide B2O3,
phosphorus pentoxide P2O5, silane SiH4, phosphine PH3, teos SiC8H20O4, aluminum nitride AlN, magnesium diboride MgB2,
tantalum nitride TaN, tin telluride SnTe, bismuth telluride Bi2Te3, bismuth selenide Bi2Se3,
antimony telluride Sb2Te3, indium arsenide InAs, indium selenide In2Se3, bismuth vanadate BiVO4,
lithium iron phosphate LiFePO4, lithium cobalt oxide LiCoO2, lithium manganese oxide LiMn2O4,
lithium titanate Li4Ti5O12, lithium carbonate Li2CO3, lithium fluoride LiF, gadolinium gallium garnet Gd3Ga5O12,
yttrium iron garnet Y3Fe5O12, yttrium aluminum garnet Y3Al5O12, strontium ruthenate SrRuO3, sodium chloride NaCl,
potassium chloride KCl, cesium lead bromide CsPbBr3, cesium lead iodide CsPbI3, cesium tin iodide CsSnI3,
gallium oxide Ga2O3, indium oxide In2O3, tin oxide SnO2, vanadium dioxide VO2, tungsten trioxide WO3,
titanium carbide TiC, tungsten carbide WC, silicon carbide SiC, silicon nitride Si3N4, titanium nitride TiN
"""
# Molecules and polymers: all names of one on one line; the first name is used here.
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
pani, polyaniline =
ppy, polypyrrole =
p3ht, poly 3 hexylthiophene, poly 3 hexylthiophene 2 5 diyl =
pcbm, pc61bm, pc60bm, 6 6 phenyl c61 butyric acid methyl ester, phenyl c61 butyric acid methyl ester =
pc71bm, pc70bm, 6 6 phenyl c71 butyric acid methyl ester =
spiro ometad, spiro meotad =
ptaa, polytriarylamine, poly triaryl amine =
pdms, polydimethylsiloxane, silicone rubber =
abs, acrylonitrile butadiene styrene =
peek, polyether ether ketone, polyetheretherketone =
pei, polyetherimide =
pan, polyacrylonitrile =
pla, polylactic acid, polylactide, poly lactic acid =
pcl, polycaprolactone, poly caprolactone =
plga, poly lactic co glycolic acid =
phb, polyhydroxybutyrate =
pvp, polyvinylpyrrolidone, poly vinylpyrrolidone, poly n vinylpyrrolidone =
pnipam, poly n isopropylacrylamide =
polybutylene succinate =
pa6, nylon 6, polyamide 6, polycaprolactam =
pa66, nylon 66, nylon 6 6, polyamide 66 =
hdpe, high density polyethylene =
ldpe, low density polyethylene =
polyurethane =
epdm, ethylene propylene diene monomer =
nr, natural rubber =
sbr, styrene butadiene rubber =
dgeba, bisphenol a diglycidyl ether =
mof 74 mg, mg mof 74, mg2 dobdc, cpo 27 mg, mg cpo 27, mg dobdc =
ni mof 74, ni2 dobdc, cpo 27 ni, ni dobdc =
zn mof 74, zn2 dobdc, cpo 27 zn, zn dobdc =
co mof 74, co2 dobdc, cpo 27 co, co dobdc =
hkust 1, cu3 btc 2, cu btc, mof 199, copper benzene 1 3 5 tricarboxylate =
mof 5, irmof 1, zn4o bdc 3 =
uio 66, zr bdc =
mil 53 al, al mil 53 =
mil 101 cr, cr mil 101 =
inconel 718, in718, alloy 718, n07718 =
ss316l, 316l, aisi 316l, 316l stainless steel, stainless steel 316l, 316l steel, steel 316l, sus316l, uns s31603 =
ss304, 304, aisi 304, 304 stainless steel, stainless steel 304, sus304, 304 steel, steel 304, 1 4301 =
ti64, ti 6al 4v, ti6al4v, grade 5 titanium, ti grade 5 =
al6061, aa6061, 6061 aluminum, 6061, aluminum 6061, aluminum alloy 6061, 6061 aluminum alloy =
al7075, aa7075, 7075 aluminum, 7075, aluminum 7075, aluminum alloy 7075, 7075 aluminum alloy =
az31, mg 3al 1zn, az31 magnesium alloy, magnesium alloy az31 =
nitinol, niti, nickel titanium, nickel titanium alloy = NiTi
cantor alloy, cocrfemnni, crmnfeconi = CoCrFeMnNi
zif 67 = CoC8H10N4
cyclohexane = C6H12
cyclohexene = C6H10
ethane = C2H6
propane = C3H8
butane, n butane = C4H10
isobutane, 2 methylpropane = C4H10
ethylene carbonate, ec, 1 3 dioxolan 2 one = C3H4O3
propylene carbonate = C4H6O3
dimethyl carbonate, dmc = C3H6O3
diethyl carbonate, dec = C5H10O3
ethylene glycol, ethane 1 2 diol, monoethylene glycol = C2H6O2
glycerol, glycerin, propane 1 2 3 triol = C3H8O3
hexane, n hexane = C6H14
furan = C4H4O
anthracene = C14H10
tetracene, naphthacene = C18H12
pyrene = C16H10
coronene = C24H12
rubrene = C42H28
biphenyl = C12H10
porphine, porphin = C20H14N4
adenine = C5H5N5
guanine = C5H5N5O
cytosine = C4H5N3O
thymine = C5H6N2O2
uracil = C4H4N2O2
nitrobenzene = C6H5NO2
chlorobenzene = C6H5Cl
benzaldehyde = C7H6O
benzoic acid = C7H6O2
acrolein, propenal = C3H4O
ethylamine, aminoethane = C2H7N
methylamine, aminomethane = CH5N
dimethylamine = C2H7N
trimethylamine = C3H9N
tcnq, tetracyanoquinodimethane = C12H4N4
ttf, tetrathiafulvalene = C6H4S4
c60, buckminsterfullerene, fullerene c60, buckyball = C60
azobenzene = C12H10N2
furfural = C5H4O2
levulinic acid = C5H8O3
peo, polyethylene oxide, peg, polyethylene glycol =
pc, polycarbonate =
pi, polyimide =
pedot pss, poly 3 4 ethylenedioxythiophene poly styrenesulfonate =
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
CALLED: Mapping[str, str] = _BOTH[0]  # every name of a molecule or polymer, with the one used here
MOLECULES: Mapping[str, str] = _BOTH[1]  # the name used here, with its formula

# Solid solutions by abbreviation: a formula whose digits are places for shares that follow the abbreviation; shares in
# one pair of braces add up to one. `NMC811`, `PZT 52/48`, `LSCF 6428`.
SOLUTIONS: Mapping[str, str] = {
    "PZT": "Pb Zr{0} Ti{1} O3",
    "BST": "Ba{0} Sr{1} Ti1 O3",
    "NMC": "Li1 Ni{0} Mn{1} Co{2} O2",
    "NCM": "Li1 Ni{0} Co{1} Mn{2} O2",
    "NCA": "Li1 Ni{0} Co{1} Al{2} O2",
    "LSMO": "La{0} Sr{1} Mn1 O3",
    "LCMO": "La{0} Ca{1} Mn1 O3",
    "LSCO": "La{0} Sr{1} Co1 O3",
    "LSCF": "La{0} Sr{1} Co{2} Fe{3} O3",
    "BSCF": "Ba{0} Sr{1} Co{2} Fe{3} O3",
    "KNN": "K{0} Na{1} Nb1 O3",
    "HZO": "Hf{0} Zr{1} O2",
    "SiGe": "Si{0} Ge{1}",
    "GeSi": "Ge{0} Si{1}",
    "FeCo": "Fe{0} Co{1}",
    "FeNi": "Fe{0} Ni{1}",
    "NiFe": "Ni{0} Fe{1}",
    "CoFe": "Co{0} Fe{1}",
    "FePt": "Fe{0} Pt{1}",
    "CuNi": "Cu{0} Ni{1}",
    "AuAg": "Au{0} Ag{1}",
    "AgAu": "Ag{0} Au{1}",
    "PdAg": "Pd{0} Ag{1}",
    "PtRu": "Pt{0} Ru{1}",
    "NbTi": "Nb{0} Ti{1}",
}
