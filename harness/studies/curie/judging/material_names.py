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
yttria stabilized zirconia ~ZrYO, ito ~InSnO, indium tin oxide ~InSnO, fto ~SnOF, igzo ~InGaZnO, pzt ~PbZrTiO, lead
zirconate titanate ~PbZrTiO, sto SrTiO3, bto BaTiO3, pto PbTiO3, lao LaAlO3, bfo BiFeO3, bismuth ferrite BiFeO3, lsmo
~LaSrMnO, pmn pt ~PbMgNbTiO, ybco ~YBaCuO, bscco ~BiSrCaCuO, bi2212 Bi2Sr2CaCu2O8, bi 2212 Bi2Sr2CaCu2O8, bi2223
Bi2Sr2Ca2Cu3O10, bi 2223 Bi2Sr2Ca2Cu3O10, cis CuInSe2, cigs ~CuInGaSe, czts ~CuZnSnS, cztse ~CuZnSnSe, mapi
CH3NH3PbI3, methylammonium lead iodide CH3NH3PbI3, methylammonium lead triiodide CH3NH3PbI3, methylammonium lead
bromide CH3NH3PbBr3, formamidinium lead iodide CHN2H4PbI3, methylammonium CH3NH3, formamidinium CHN2H4, ammonium NH4,
lfp LiFePO4, lco LiCoO2, lmo LiMn2O4, barium hexaferrite BaFe12O19, barium ferrite BaFe12O19, strontium ferrite
SrFe12O19, yig Y3Fe5O12, yag Y3Al5O12, graphene C, graphite C, diamond C, fullerene C, buckminsterfullerene C60,
carbon nanotube C, cnt C, swcnt C, mwcnt C, amorphous carbon C, dlc C, silicene Si, germanene Ge, stanene Sn,
phosphorene P, black phosphorus P, red phosphorus P, arsenene As, antimonene Sb, bismuthene Bi, borophene B, tellurene
Te, hexagonal boron nitride BN, hbn BN, h bn BN, cbn BN, hydrogen peroxide H2O2, sulfuric acid H2SO4, nitric acid
HNO3, hydrochloric acid HCl, rock salt NaCl, table salt NaCl, potash K2CO3, prussian blue ~FeCN, hydroxyapatite
Ca5P3O13H, ha Ca5P3O13H, hap Ca5P3O13H, tricalcium phosphate Ca3P2O8, tcp Ca3P2O8, ferrocyanide ~FeCN, ferricyanide
~FeCN, hexacyanoferrate ~FeCN, zif 8 ZnC8H10N4, alq3 C27H18AlN3O3, baddeleyite ZrO2, cassiterite SnO2, wurtzite ZnS,
sphalerite ZnS, fluorite CaF2, halite NaCl, calcite CaCO3, aragonite CaCO3, dolomite CaMgC2O6, barite BaSO4, gypsum
CaSO6H4, spinel MgAl2O4, perovskite CaTiO3, ilmenite FeTiO3, wustite FeO, goethite FeO2H, birnessite ~MnO, pyrolusite
MnO2, cristobalite SiO2, forsterite Mg2SiO4, mullite Al6Si2O13, cordierite Mg2Al4Si5O18, zircon ZrSiO4, cinnabar HgS,
molybdenite MoS2, cuprite Cu2O, tenorite CuO, anglesite PbSO4, lzo ~LiLaZrO, llzo ~LiLaZrO, lipon ~LiPON, latp
~LiAlTiPO, lagp ~LiAlGePO, lgps ~LiGePS, lto Li4Ti5O12, nca ~LiNiCoAlO, nmc ~LiNiMnCoO, ncm ~LiNiMnCoO, lnmo ~LiNiMnO,
lmfp ~LiMnFePO, linbo3 LiNbO3, lithium niobate LiNbO3, kdp KH2PO4, bbo BaB2O4, ktp KTiPO5, bso Bi12SiO20, bgo
Bi4Ge3O12, ggg Gd3Ga5O12, tgg Tb3Ga5O12, azo ~AlZnO, gzo ~GaZnO, ato ~SbSnO, gst ~GeSbTe, gst 225 Ge2Sb2Te5, gst225
Ge2Sb2Te5, gst 124 GeSb2Te4, gst124 GeSb2Te4, igo ~InGaO, bst ~BaSrTiO, pmn ~PbMgNbO, knn ~KNaNbO, bnt ~BiNaTiO, nbt
~BiNaTiO, bzt ~BaZrTiO, sbt ~SrBiTaO, sro SrRuO3, lno3 LaNiO3, lccm ~LaCaMnO, lcmo ~LaCaMnO, lsco ~LaSrCoO, lscf
~LaSrCoFeO, bscf ~BaSrCoFeO, gdc ~CeGdO, gadolinia doped ceria ~CeGdO, gadolinium doped ceria ~CeGdO, samaria doped
ceria ~CeSmO, samarium doped ceria ~CeSmO, cgo ~CeGdO, sdc ~CeSmO, ssz ~ScZrO, scsz ~ScZrO, tzp ~ZrYO, lbco ~LaBaCuO,
hzo ~HfZrO, hafnium zirconium oxide ~HfZrO, hafnium silicate ~HfSiO, sialon ~SiAlON, sicn ~SiCN, bcn ~BCN, ticn ~TiCN,
tialn ~TiAlN, alcrn ~AlCrN, lab6 LaB6, nbn NbN, cztsse ~CuZnSnSSe, cigse ~CuInGaSe, cigsse ~CuInGaSSe, cgs CuGaS2,
cgse CuGaSe2, cts Cu2SnS3, mapbi CH3NH3PbI3, mapb CH3NH3PbBr3, fapi CHN2H4PbI3, inp InP, gaas GaAs, algaas ~AlGaAs,
ingaas ~InGaAs, ingan ~InGaN, algan ~AlGaN, sige ~SiGe, hgcdte ~HgCdTe, mct ~HgCdTe, czt ~CdZnTe, carborundum SiC, dry
ice CO2, laughing gas N2O, nitrous oxide N2O, nitric oxide NO, nitrogen dioxide NO2, sulfur dioxide SO2, ozone O3,
dinitrogen N2, dioxygen O2, dihydrogen H2, hydrogen sulfide H2S, hydrogen cyanide HCN, hydrogen fluoride HF, carbon
tetrachloride CCl4, boric acid H3BO3, phosphoric acid H3PO4, caustic soda NaOH, baking soda NaHCO3, quicklime CaO,
boron nitride BN, boron carbide B4C, diboron trioxide B2O3, phosphorus pentoxide P2O5, silane SiH4, phosphine PH3,
teos SiC8H20O4, aluminum nitride AlN, magnesium diboride MgB2, tantalum nitride TaN, tin telluride SnTe, bismuth
telluride Bi2Te3, bismuth selenide Bi2Se3, antimony telluride Sb2Te3, indium arsenide InAs, indium selenide In2Se3,
bismuth vanadate BiVO4, lithium iron phosphate LiFePO4, lithium cobalt oxide LiCoO2, lithium manganese oxide LiMn2O4,
lithium titanate Li4Ti5O12, lithium carbonate Li2CO3, lithium fluoride LiF, gadolinium gallium garnet Gd3Ga5O12,
yttrium iron garnet Y3Fe5O12, yttrium aluminum garnet Y3Al5O12, strontium ruthenate SrRuO3, sodium chloride NaCl,
potassium chloride KCl, cesium lead bromide CsPbBr3, cesium lead iodide CsPbI3, cesium tin iodide CsSnI3, gallium
oxide Ga2O3, indium oxide In2O3, tin oxide SnO2, vanadium dioxide VO2, tungsten trioxide WO3, titanium carbide TiC,
tungsten carbide WC, silicon carbide SiC, silicon nitride Si3N4, titanium nitride TiN, hausmannite Mn3O4, bixbyite
Mn2O3, pyrolusite MnO2, manganosite MnO, bunsenite NiO, eskolaite Cr2O3, karelianite V2O3, shcherbinaite V2O5,
tungstite WO3, massicot PbO, litharge PbO, minium Pb3O4, scheelite CaWO4, powellite CaMoO4, wulfenite PbMoO4,
greenockite CdS, hawleyite CdS, chalcocite Cu2S, covellite CuS, digenite Cu9S5, chalcopyrite CuFeS2, bornite Cu5FeS4,
pyrrhotite ~FeS, troilite FeS, millerite NiS, pentlandite ~FeNiS, stibnite Sb2S3, bismuthinite Bi2S3, orpiment As2S3,
realgar AsS, herzenbergite SnS, berndtite SnS2, tungstenite WS2, clausthalite PbSe, altaite PbTe, tiemannite HgSe,
sylvite KCl, villiaumite NaF, cryolite Na3AlF6, sellaite MgF2, magnesite MgCO3, siderite FeCO3, rhodochrosite MnCO3,
smithsonite ZnCO3, strontianite SrCO3, witherite BaCO3, cerussite PbCO3, celestine SrSO4, anhydrite CaSO4, barite
BaSO4, apatite ~CaPO, fluorapatite Ca5P3O12F, monazite ~CePO, xenotime YPO4, tausonite SrTiO3, loparite ~NaCeTiO,
geikielite MgTiO3, pseudobrookite Fe2TiO5, tialite Al2TiO5, chrysoberyl BeAl2O4, gahnite ZnAl2O4, hercynite FeAl2O4,
chromite FeCr2O4, franklinite ~ZnFeO, trevorite NiFe2O4, jacobsite MnFe2O4, magnesioferrite MgFe2O4, kyanite Al2SiO5,
sillimanite Al2SiO5, andalusite Al2SiO5, fayalite Fe2SiO4, enstatite MgSiO3, diopside CaMgSi2O6, wollastonite CaSiO3,
willemite Zn2SiO4, eucryptite LiAlSiO4, spodumene LiAlSi2O6, anorthite CaAl2Si2O8, albite NaAlSi3O8, leucite KAlSi2O6,
brucite MgO2H2, portlandite CaO2H2, gibbsite AlO3H3, boehmite AlO2H, diaspore AlO2H, lepidocrocite FeO2H, akaganeite
FeO2H, malachite Cu2CO5H2, azurite Cu3C2O8H2, lithia Li2O, baria BaO, strontia SrO, lanthana La2O3, gadolinia Gd2O3,
samaria Sm2O3, scandia Sc2O3, erbia Er2O3, ytterbia Yb2O3, neodymia Nd2O3, praseodymia ~PrO, thoria ThO2, urania UO2,
beryllia BeO, niobia Nb2O5, tantala Ta2O5, vanadia V2O5, chromia Cr2O3, molybdena MoO3, tungsta WO3, germania GeO2,
stannia SnO2, plumbia PbO, india In2O3, gallia Ga2O3, bismuthia Bi2O3, dso DyScO3, gso GdScO3, sso SmScO3, nso NdScO3,
tso TbScO3, ngo NdGaO3, lsat ~LaAlSrTaO, lsao ~LaSrAlO, sao SrAlO3, cto CaTiO3, cro CaRuO3, lno LaNiO3, nno NdNiO3,
lvo LaVO3, bzo BaZrO3, bco BaCeO3, kto KTaO3, knbo KNbO3, bcfo ~BiCaFeO, bmo BiMnO3, ymo YMnO3, hmo HoMnO3, tmo
TbMnO3, nfo NiFe2O4, cfo CoFe2O4, mfo MnFe2O4, zfo ZnFe2O4, bafo BaFeO3, sfo SrFeO3, smfo Sr2FeMoO6, sfmo Sr2FeMoO6,
bzcy ~BaZrCeYO, bzcyyb ~BaZrCeYYbO, bzy ~BaZrYO, lsm ~LaSrMnO, lsc ~LaSrCoO, lsf ~LaSrFeO, lsgm ~LaSrGaMgO, psc
~PrSrCoO, pbco ~PrBaCoO, ysbco ~YSrBaCoO, nmo ~NaMnO, nvp Na3V2P3O12, nvpf Na3V2P2O8F3, nasicon ~NaZrSiPO, lvp
Li3V2P3O12, lvpf LiVPO4F, lcp LiCoPO4, lmp LiMnPO4, lnp LiNiPO4, lrmo ~LiNiMnCoO, lps Li3PS4, argyrodite ~LiPSCl,
lipscl Li6PS5Cl, lic Li3InCl6, lyc Li3YCl6, llto ~LiLaTiO, lisicon ~LiZnGeO, licgc ~LiAlGeTiPO, zns ZnS, znse ZnSe,
znte ZnTe, cdse CdSe, cdte CdTe, cds CdS, pbs PbS, pbse PbSe, pbte PbTe, snse SnSe, mos2 MoS2, ws2 WS2, mose2 MoSe2,
wse2 WSe2, mote2 MoTe2, cgt Cr2Ge2Te6, cst Cr2Si2Te6, fgt Fe3GeTe2, mbt MnBi2Te4, bts ~BiTeSe, bsts ~BiSbTeSe, aist
~AgInSbTe, ist ~InSbTe, capb ~CsPb, cspbbr CsPbBr3, fapbbr3 CHN2H4PbBr3, mapbcl3 CH3NH3PbCl3, mapbbr3 CH3NH3PbBr3,
mapbi3 CH3NH3PbI3, fapbi3 CHN2H4PbI3, formamidinium lead bromide CHN2H4PbBr3, formamidinium lead triiodide CHN2H4PbI3,
methylammonium lead chloride CH3NH3PbCl3, methylammonium tin iodide CH3NH3SnI3, cesium silver bismuth bromide
Cs2AgBiBr6, magnesium silicide Mg2Si, magnesium stannide Mg2Sn, cobalt antimonide CoSb3, skutterudite CoSb3, zinc
antimonide ZnSb, lead magnesium niobate ~PbMgNbO, barium strontium titanate ~BaSrTiO, potassium sodium niobate
~KNaNbO, bismuth sodium titanate ~BiNaTiO, calcium copper titanate CaCu3Ti4O12, ccto CaCu3Ti4O12, barium titanate
BaTiO3, strontium titanate SrTiO3, lead titanate PbTiO3, calcium titanate CaTiO3, bismuth titanate Bi4Ti3O12,
strontium bismuth tantalate SrBi2Ta2O9, lithium tantalate LiTaO3, potassium niobate KNbO3, potassium tantalate KTaO3,
sodium niobate NaNbO3, silver niobate AgNbO3, barium zirconate BaZrO3, barium cerate BaCeO3, barium stannate BaSnO3,
strontium cobaltite SrCoO3, lanthanum manganite LaMnO3, lanthanum cobaltite LaCoO3, lanthanum nickelate LaNiO3,
lanthanum ferrite LaFeO3, lanthanum chromite LaCrO3, lanthanum gallate LaGaO3, yttrium manganite YMnO3, dysprosium
scandate DyScO3, gadolinium scandate GdScO3, neodymium nickelate NdNiO3, calcium manganite CaMnO3, zinc ferrite
ZnFe2O4, nickel ferrite NiFe2O4, manganese ferrite MnFe2O4, copper ferrite CuFe2O4, magnesium ferrite MgFe2O4
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
alanine, ala, 2 aminopropanoic acid = C3H7NO2
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
ti3c2tx, ti3c2 mxene, titanium carbide mxene, ti3c2 =
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
aspirin, acetylsalicylic acid, 2 acetoxybenzoic acid = C9H8O4
paracetamol, acetaminophen = C8H9NO2
ibuprofen = C13H18O2
salicylic acid, 2 hydroxybenzoic acid = C7H6O3
oxalic acid, ethanedioic acid = C2H2O4
lactic acid, 2 hydroxypropanoic acid = C3H6O3
propionic acid, propanoic acid = C3H6O2
butyric acid, butanoic acid = C4H8O2
acetaldehyde, ethanal = C2H4O
ethylene oxide, oxirane = C2H4O
dimethyl ether, methoxymethane = C2H6O
propanol, 1 propanol, n propanol, propan 1 ol = C3H8O
butanol, 1 butanol, n butanol, butan 1 ol = C4H10O
cyclohexanol = C6H12O
cyclohexanone = C6H10O
methyl acetate = C3H6O2
ethyl acetate = C4H8O2
vinyl acetate = C4H6O2
acrylonitrile, propenenitrile = C3H3N
acrylic acid, propenoic acid = C3H4O2
hydroquinone, 1 4 dihydroxybenzene, quinol = C6H6O2
catechol, 1 2 dihydroxybenzene = C6H6O2
resorcinol, 1 3 dihydroxybenzene = C6H6O2
benzoquinone, 1 4 benzoquinone, p benzoquinone = C6H4O2
o xylene, 1 2 dimethylbenzene = C8H10
m xylene, 1 3 dimethylbenzene = C8H10
p xylene, 1 4 dimethylbenzene = C8H10
ethylbenzene = C8H10
cumene, isopropylbenzene = C9H12
phenanthrene = C14H10
perylene = C20H12
stilbene = C14H12
indole = C8H7N
quinoline = C9H7N
bipyridine, 2 2 bipyridine, bpy = C10H8N2
dabco, 1 4 diazabicyclo 2 2 2 octane = C6H12N2
histamine = C5H9N3
dopamine = C8H11NO2
serine = C3H7NO3
cysteine = C3H7NO2S
valine = C5H11NO2
histidine = C6H9N3O2
formamide, methanamide = CH3NO
acetamide, ethanamide = C2H5NO
urea, carbamide = CH4N2O
thiourea = CH4N2S
melamine = C3H6N6
cyanuric acid = C3H3N3O3
pyrimidine = C4H4N2
pyrazine = C4H4N2
pyridazine = C4H4N2
methanethiol, methyl mercaptan = CH4S
diborane = B2H6
borazine = B3N3H6
ammonia borane = BNH6
disilane = Si2H6
hexane 1, 1 hexene = C6H12
isoprene, 2 methyl 1 3 butadiene = C5H8
butadiene, 1 3 butadiene = C4H6
cubane = C8H8
adamantane = C10H16
norbornane = C7H12
ferrocene, bis cyclopentadienyl iron = C10H10Fe
cobaltocene = C10H10Co
phthalocyanine, h2pc = C32H18N8
copper phthalocyanine, cupc = C32H16N8Cu
iron phthalocyanine, fepc = C32H16N8Fe
cobalt phthalocyanine, copc = C32H16N8Co
zinc phthalocyanine, znpc = C32H16N8Zn
ptcda, perylene 3 4 9 10 tetracarboxylic dianhydride = C24H8O6
f4tcnq = C12F4N4
bmim, 1 butyl 3 methylimidazolium = C8H15N2
emim, 1 ethyl 3 methylimidazolium = C6H11N2
oleic acid, oleate = C18H34O2
oleylamine = C18H37N
trioctylphosphine = C24H51P
glutaraldehyde = C5H8O2
saline =
chitosan =
cellulose =
cellulose acetate =
alginate, sodium alginate, alginate sodium salt =
gelatin =
collagen =
lignin =
starch =
silk fibroin, fibroin =
pbat, polybutylene adipate terephthalate, poly butylene adipate co terephthalate =
pbs polymer, polybutylene succinate =
pga, polyglycolide, polyglycolic acid, poly glycolic acid =
phbv, poly 3 hydroxybutyrate co 3 hydroxyvalerate =
pvdf trfe, p vdf trfe, poly vinylidene fluoride co trifluoroethylene, poly vinylidene fluoride trifluoroethylene =
pvdf hfp, poly vinylidene fluoride co hexafluoropropylene =
pvb, polyvinyl butyral, poly vinyl butyral =
pvac, polyvinyl acetate, poly vinyl acetate =
paa, polyacrylic acid, poly acrylic acid =
pam, polyacrylamide =
pss, polystyrene sulfonate, poly styrene sulfonate =
psu, polysulfone =
pes, polyethersulfone =
pps, polyphenylene sulfide, poly phenylene sulfide =
pbi, polybenzimidazole =
pei branched, polyethylenimine, polyethyleneimine =
pib, polyisobutylene =
ppo, polyphenylene oxide =
pom, polyoxymethylene, polyacetal, acetal =
pbt, polybutylene terephthalate =
pen, polyethylene naphthalate =
pmp, polymethylpentene =
eva, ethylene vinyl acetate, poly ethylene co vinyl acetate =
evoh, ethylene vinyl alcohol =
tpu, thermoplastic polyurethane =
pdlla, poly dl lactide =
sebs, styrene ethylene butylene styrene =
sis, styrene isoprene styrene =
nbr, nitrile rubber, nitrile butadiene rubber, acrylonitrile butadiene rubber =
pvk, polyvinylcarbazole, poly n vinylcarbazole, poly 9 vinylcarbazole =
meh ppv, poly 2 methoxy 5 2 ethylhexyloxy 1 4 phenylenevinylene =
f8bt, poly 9 9 dioctylfluorene alt benzothiadiazole =
pfo, polyfluorene, poly 9 9 dioctylfluorene =
ptb7 =
ptb7 th, pce10 =
pbdb t, pce12 =
pm6, pbdb t 2f =
y6, btp 4f =
itic =
dpp, diketopyrrolopyrrole =
kapton, polyimide kapton =
kevlar, poly p phenylene terephthalamide, ppta =
nafion =
inconel 625, in625, alloy 625, n06625 =
hastelloy x, alloy x, n06002 =
hastelloy c276, alloy c276, c276, n10276 =
haynes 230 =
waspaloy =
invar, invar 36, fe 36ni, feni36 =
kovar =
permalloy, py, ni80fe20, ni81fe19 =
mu metal, mumetal =
monel 400 =
cantor =
al2024, aa2024, 2024 aluminum, aluminum 2024, 2024 =
al5083, aa5083, 5083 aluminum, aluminum 5083, 5083 =
al6063, aa6063, 6063 aluminum, 6063 =
alsi10mg, al si10 mg, al 10si mg, al 10 si mg =
a356, alsi7mg, al si7 mg, al 7si mg =
az91, az91d, mg 9al 1zn =
we43 =
zk60 =
cp ti, commercially pure titanium, cp titanium, ti grade 2, grade 2 titanium =
ti 6242, ti 6al 2sn 4zr 2mo =
beta c, ti 3al 8v 6cr 4mo 4zr =
tnz, ti 13nb 13zr =
maraging 300, 18ni300, maraging steel 300, 18ni 300 =
h13, h13 tool steel, aisi h13, 1 2344 =
d2 steel, aisi d2 =
m2 steel, aisi m2 =
17 4ph, 17 4 ph, aisi 630, 1 4542 =
ss316, 316, aisi 316, 316 stainless steel, stainless steel 316, sus316 =
ss304l, 304l, aisi 304l, 304l stainless steel, stainless steel 304l =
ss430, 430, aisi 430, 430 stainless steel =
2205, duplex 2205, 2205 duplex stainless steel, s32205, 1 4462 =
p91, t91, grade 91, 9cr 1mo, mod 9cr 1mo =
4140, aisi 4140, 42crmo4 =
4340, aisi 4340 =
dp600 =
dp980 =
zircaloy 4, zry 4 =
zircaloy 2, zry 2 =
stellite 6 =
vitreloy 1, vit1, vit 1, lm1 =
vitreloy 105, vit105, vit 105 =
kanthal, fecral, fe cr al =
sm2co17 =
gdl =
yb yag =
uio 67 =
uio 66 nh2, nh2 uio 66 =
mil 100 fe =
mil 101 fe =
mil 125 =
mil 47 =
nu 1000 =
pcn 222 =
pcn 224 =
dut 49 =
cof 1 =
cof 5 =
sba 15 =
mcm 41 =
mcm 48 =
zsm 5, hzsm 5 =
zeolite y, nay, hy zeolite =
zeolite a, 4a zeolite =
zeolite beta =
ssz 13 =
sapo 34 =
p25, degussa p25, evonik p25, aeroxide p25 =
vulcan xc 72, vulcan xc72, xc 72, vulcan =
ketjenblack =
super p =
cmk 3 =
activated carbon =
g c3n4, graphitic carbon nitride, carbon nitride, c3n4 = C3N4
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
