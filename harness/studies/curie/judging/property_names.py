"""The table of properties: their names, their symbols, and the words that distinguish properties of one kind (OURS).

Does not search texts for names.
"""

# ruff: noqa: RUF001 - Greek letters that look like Latin ones are intended

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.curie.judging.normal import singular

# One property per line, continued on indented lines: the name used here, other names (in the singular, without
# hyphens), then its symbols.
_TABLE = """
band gap, bandgap, gap energy, energy gap, band gap energy, bandgap energy, optical gap, tauc gap, forbidden gap,
  energy band gap, optical band gap energy, energy bandgap, band gap width, homo lumo gap, gap, width of gap,
  optical absorption gap: Eg, Egap, Eopt
refractive index, index of refraction, n value, linear refractive index, refraction index: n, η0, n0, nD
nonlinear refractive index, non linear refractive index: n2
birefringence, double refraction: Δn
extinction coefficient: k, κ
absorption coefficient, optical absorption coefficient, attenuation coefficient: α
absorption edge, optical absorption edge, absorption onset, onset of absorption
absorbance, optical density, absorption, absorptance, light absorption
rate constant, reaction rate constant, first order rate constant, pseudo first order rate constant,
  photocatalytic rate constant, degradation rate constant: kapp
transmittance, transmission, transmissivity, optical transmittance: T
reflectance, reflectivity: R
emissivity, thermal emissivity, emittance
lattice constant, lattice parameter, cell parameter, unit cell parameter, cell constant, unit cell length,
  axis lattice constant, lattice spacing, unit cell dimension, unit cell edge, cell edge, cell length: a0, a, b, c
tetragonality, c a ratio, axial ratio, c over a ratio: c/a
unit cell volume, cell volume, lattice volume: V
interplanar spacing, d spacing, plane spacing, inter planar spacing, lattice plane spacing, interlayer spacing,
  interlayer distance, basal spacing: d
bond length, bond distance
bond angle
thickness, film thickness, layer thickness: t, d
grain size, crystallite size, average grain size, grain diameter, crystal size, crystalline size: D
particle size, particle diameter, nanoparticle size, average particle size: D
pore size, pore diameter, pore width
pore volume, total pore volume
porosity, void fraction, pore fraction
resistivity, electrical resistivity, specific resistance: ρ
residual resistivity ratio, residual resistance ratio: RRR
sheet resistance, square resistance, resistance per square: Rs, Rsh, Rsheet
contact resistance, specific contact resistance, contact resistivity: Rc, ρc
series resistance: Rs
shunt resistance: Rsh
charge transfer resistance: Rct
conductivity, electrical conductivity, electric conductivity: σ
ionic conductivity, ion conductivity, ion conduction
proton conductivity, protonic conductivity
thermal conductivity, heat conductivity: κ, k, λ
thermal diffusivity
thermal boundary conductance, interfacial thermal conductance, kapitza conductance
mobility, hall mobility, carrier mobility, field effect mobility, drift mobility: μ, μH, μFE
carrier concentration, carrier density, free carrier concentration, free carrier density,
  charge carrier concentration,
  charge carrier density, doping concentration, doping level, hole concentration, hole density,
  electron concentration,
  electron density, free electron concentration, free hole concentration: n, p
carrier lifetime, minority carrier lifetime, charge carrier lifetime, recombination lifetime: τ
diffusion length, carrier diffusion length: LD
diffusion coefficient, diffusivity, diffusion constant
sheet carrier density, sheet carrier concentration, sheet density, two dimensional carrier density: ns
hall coefficient, hall constant: RH
magnetoresistance, magnetoresistance ratio: MR
saturation magnetization, saturated magnetization, specific saturation magnetization, magnetization saturation,
  saturation moment, spontaneous magnetization, saturation induction, saturation flux density,
  saturation magnetic flux density, saturation magnetic induction: Ms, Msat, σs, Bs, Js
remanent magnetization, remnant magnetization, remanence, remanence magnetization, remanent magnetism,
  residual magnetization, retentivity: Mr
coercivity, coercive field, coercive force, magnetic coercivity, coercitivity: Hc, HcJ, μ0Hc, Hci, iHc
energy product, maximum energy product: BHmax
exchange bias, exchange bias field: HEB, HE
anisotropy constant, magnetic anisotropy constant, magnetocrystalline anisotropy constant, anisotropy energy: K1, Ku
anisotropy field: HK, HA
permeability, magnetic permeability, relative permeability, initial permeability: μr, μi
susceptibility, magnetic susceptibility: χ
curie constant
magnetic entropy change, isothermal entropy change: ΔSM, ΔS
adiabatic temperature change: ΔTad
gilbert damping, damping constant, gilbert damping parameter, damping parameter
remanent polarization, remnant polarization, residual polarization: Pr
saturation polarization, saturated polarization, spontaneous polarization: Ps
electric coercive field, ferroelectric coercive field: Ec
curie temperature, curie point, ferromagnetic transition temperature, ferromagnetic ordering temperature,
  ferromagnetic curie temperature, magnetic ordering temperature, ferromagnetic paramagnetic transition temperature,
  ferroelectric transition temperature, ferroelectric curie temperature: Tc, TC
superconducting transition temperature, critical temperature, superconducting critical temperature: Tc
transition temperature, phase transition temperature, transformation temperature, phase transformation temperature
austenite finish temperature: Af
austenite start temperature: As
martensite start temperature: Ms
martensite finish temperature: Mf
hydrogen capacity, hydrogen content, hydrogen storage capacity, hydrogen uptake, gravimetric hydrogen capacity,
  gravimetric hydrogen density
magnetostriction, saturation magnetostriction, magnetostrictive strain: λs
neel temperature, néel temperature, néel point, antiferromagnetic transition temperature,
  antiferromagnetic ordering temperature: TN
debye temperature: ΘD, θD
verwey transition temperature, verwey temperature: TV
blocking temperature: TB
critical current density, critical current: Jc
upper critical field: Hc2, Bc2
lower critical field: Hc1
coherence length: ξ
penetration depth, london penetration depth, magnetic penetration depth
magnetic moment: m, μ
density, mass density, bulk density: ρ
relative density
dislocation density, threading dislocation density
dielectric constant, k value, relative permittivity, permittivity, relative dielectric constant,
  dielectric permittivity: ε,
  εr, k, ε', κ
dielectric loss, loss tangent, dissipation factor, dielectric loss tangent, loss factor, tan delta: tanδ
breakdown field, breakdown strength, dielectric strength, dielectric breakdown strength, electric breakdown field,
  breakdown electric field, critical electric field, critical field strength, breakdown field strength: Eb, Ebr, EBD
breakdown voltage: Vbr, VBD
leakage current density, leakage current
young modulus, e modulus, young elastic modulus, modulus in tension, stiffness modulus, youngs modulus,
  young s modulus, elastic modulus, modulus of elasticity, tensile modulus,
  elasticity modulus: E
bulk modulus, incompressibility: B, K, B0
shear modulus, g modulus, rigidity modulus, modulus of rigidity: G
storage modulus: E'
loss modulus
flexural modulus, bending modulus
hardness, microhardness, indentation hardness, nanohardness, nano hardness: H, HV
poisson ratio, poisson s ratio, poissons ratio: ν
tensile strength, ultimate tensile strength, ultimate strength, ultimate tensile stress: UTS, σUTS, Rm
yield strength, yield stress, proof stress, proof strength: YS, σy, Rp02
compressive strength, compression strength
flexural strength, bending strength, modulus of rupture, bend strength: MOR
shear strength
fracture toughness, critical stress intensity factor, mode i fracture toughness, notch toughness,
  indentation toughness,
  indentation fracture toughness: KIc, KIC, K1c, K1C, KQ, KJIc
fracture strength, breaking strength
elongation, total elongation, total elongation to failure, ductility, tensile ductility, tensile elongation,
  strain to failure, ultimate strain, rupture strain, elongation at rupture, tensile strain at break,
  elongation to break,
  ultimate elongation,
  elongation at break, elongation at fracture, elongation to failure, strain at break, fracture strain,
  breaking elongation, failure strain, elongation to fracture: El
uniform elongation
reduction of area, area reduction
toughness
impact strength, impact energy, charpy impact energy
fatigue limit, fatigue strength, endurance limit
creep rate, minimum creep rate, steady state creep rate
wear rate, specific wear rate
friction coefficient, coefficient of friction: COF
fermi energy, fermi level: EF
g factor, lande g factor, landé g factor, electron g factor, effective g factor: g*
core loss, iron loss, magnetic loss, specific core loss, total core loss
mass activity, mass specific activity
exciton binding energy, binding energy of exciton, binding energy of the exciton: Eb
photoluminescence peak, pl peak, emission peak, emission wavelength, luminescence peak, pl emission peak,
  photoluminescence peak position, peak emission, peak emission wavelength, emission maximum,
  photoluminescence maximum,
  photoluminescence energy, emission energy, photoluminescence wavelength: λ, λem
stokes shift
full width at half maximum, fwhm, linewidth, line width, peak width, half width, full width half maximum: FWHM
raman shift, raman peak, raman mode, raman frequency, raman peak position, phonon frequency, phonon mode
melting point, melting temperature, fusion temperature: Tm
boiling point, boiling temperature, normal boiling point: Tb
glass transition temperature, glass temperature, vitrification temperature: Tg
crystallization temperature, amorphous to crystalline transition temperature, crystallisation temperature,
  amorphous crystalline transition temperature, crystallization onset temperature: Tx
decomposition temperature, degradation temperature: Td
softening point, softening temperature
latent heat, heat of fusion, enthalpy of fusion, melting enthalpy, fusion enthalpy
seebeck coefficient, thermopower, thermoelectric power, thermoelectric coefficient: S
peltier coefficient
power factor, thermoelectric power factor: PF
figure of merit, thermoelectric figure of merit, zt value, dimensionless figure of merit: ZT, zT
work function, electronic work function: φ, Φ, WF
electron affinity: χ, EA
effective mass, carrier effective mass, effective mass ratio: m*, me*, mh*, me*/m0, mh*/m0, m*/m0, m*/me
ionization energy, ionization potential: IE, IP
activation energy, activation barrier, barrier: Ea
formation energy, energy of formation, formation enthalpy, enthalpy of formation, heat of formation: Ef
binding energy: Eb
adsorption energy, adsorption enthalpy: Eads
cohesive energy: Ecoh
surface energy, surface free energy: γ
surface tension: γ
schottky barrier height, barrier height, schottky barrier: φB, ΦB
ideality factor: n
threshold voltage: Vth, VT
subthreshold swing, subthreshold slope, inverse subthreshold slope: SS
on off ratio, on off current ratio, current on off ratio
valence band offset: VBO, ΔEv
conduction band offset: CBO, ΔEc
spin orbit splitting, spin orbit split off energy
surface roughness, rms roughness, roughness, root mean square roughness: Rq, Rms, RMS, Ra
specific surface area, bet surface area, surface area, bet specific surface area: SBET, SSA
electrochemically active surface area, electrochemical active surface area, electrochemical surface area: ECSA
contact angle, water contact angle, wetting angle: WCA, CA
power conversion efficiency, conversion efficiency, efficiency, cell efficiency, solar cell efficiency,
  photovoltaic efficiency: PCE, η
open circuit voltage: Voc, VOC
short circuit current density, short circuit current: Jsc, Isc, JSC
fill factor: FF
specific capacity, discharge capacity, specific discharge capacity, gravimetric capacity, reversible capacity,
  discharge specific capacity, capacity
charge capacity, specific charge capacity
coulombic efficiency, coulomb efficiency: CE
capacity retention, capacity retention rate
specific capacitance, capacitance, gravimetric capacitance: C
areal capacitance
volumetric capacitance
energy density, specific energy, gravimetric energy density
power density, specific power
overpotential: η, η10
onset potential: Eonset
half wave potential: E12, E1/2
tafel slope
faradaic efficiency, faraday efficiency, current efficiency: FE
turnover frequency: TOF
exchange current density: j0
corrosion potential: Ecorr
corrosion current density, corrosion current: icorr, jcorr
corrosion rate
selectivity
conversion
adsorption capacity, uptake capacity, uptake, sorption capacity
water uptake
swelling ratio
permeance
gas permeability
rejection, rejection rate
quantum efficiency, external quantum efficiency: EQE
internal quantum efficiency: IQE
incident photon to current efficiency: IPCE
quantum yield, photoluminescence quantum yield, luminescence quantum yield, fluorescence quantum yield,
  photoluminescence quantum efficiency: PLQY, QY, ΦPL
luminescence lifetime, fluorescence lifetime, photoluminescence lifetime, pl lifetime, decay time, pl decay time,
  emission lifetime, photoluminescence decay time: τ
responsivity, photoresponsivity: R
detectivity, specific detectivity: D*
luminance, brightness
current efficiency
luminous efficiency, luminous efficacy
color temperature, correlated color temperature: CCT
color rendering index: CRI, Ra
plasmon resonance, localized surface plasmon resonance, surface plasmon resonance, plasmon resonance wavelength,
  localized surface plasmon resonance wavelength, plasmon peak, lspr, lspr peak, lspr wavelength,
  surface plasmon peak: LSPR, SPR
photocurrent density, photocurrent: Jph
current density
metal insulator transition temperature, insulator metal transition temperature, semiconductor metal transition
  temperature: TMIT
refractoriness
gas response, sensor response, sensing response, sensor sensitivity, gas sensitivity
response time
recovery time
electron phonon coupling constant: λ
hardness modulus ratio: H/E
electrical resistance, resistance: R
magnetization
polarization
zeta potential: ζ
hydrodynamic diameter, hydrodynamic size
ionic radius
debye length
optical band gap bowing, bowing parameter
spin polarization
tunnel magnetoresistance, tunneling magnetoresistance: TMR
giant magnetoresistance: GMR
soret wavelength
urbach energy, urbach tail: Eu, EU
thermal expansion coefficient, coefficient of thermal expansion, thermal expansion, thermal expansivity,
  linear thermal expansion coefficient, coefficient of linear expansion, linear expansion coefficient: CTE, α, TEC
temperature coefficient of resistance: TCR
specific heat, heat capacity, specific heat capacity: Cp
sommerfeld coefficient, electronic specific heat coefficient: γ
piezoelectric coefficient, piezoelectric constant, piezoelectric charge coefficient, piezoelectric charge constant,
  longitudinal piezoelectric coefficient: d33
piezoelectric voltage coefficient, piezoelectric voltage constant: g33
electromechanical coupling factor, electromechanical coupling coefficient, coupling factor: kp, kt, k33
mechanical quality factor: Qm
quality factor, q factor, q f product, qf product, quality factor frequency product: Q, Qf, Q×f, Q·f
electro optic coefficient, pockels coefficient: r33
gauge factor: GF
verdet constant
stress, residual stress, internal stress: σ
strain, lattice strain, microstrain: ε
degree of relaxation, degree of plastic relaxation, relaxation degree: δ
viscosity, dynamic viscosity, shear viscosity: η
molecular weight, molar mass, molecular mass
number average molecular weight, number average molar mass: Mn
weight average molecular weight, weight average molar mass: Mw
exciton peak, first exciton peak, excitonic peak, first excitonic absorption, exciton transition energy,
  excitonic absorption peak,
  first absorption peak, absorption peak, absorption maximum, absorption peak position, band edge absorption peak,
  peak absorption wavelength: λabs, λmax
pyroelectric coefficient, pyroelectric constant
electrocaloric temperature change
piezoresistive coefficient
elastic constant, elastic stiffness constant, stiffness constant
elastic limit
area specific resistance, area specific polarization resistance: ASR
polarization resistance: Rp
interlaminar shear strength, short beam shear strength: ILSS
peel strength, adhesion strength, bond strength, adhesive strength
tear strength
burst pressure
storage capacity, oxygen storage capacity: OSC
oxygen content
oxygen nonstoichiometry, oxygen non stoichiometry
oxygen permeation flux, oxygen flux
hydrogen permeability
water vapor transmission rate, water vapour transmission rate: WVTR
oxygen transmission rate: OTR
moisture content, water content
hydration number
ion exchange capacity: IEC
transference number, transport number, lithium transference number, cation transference number: tLi+, t+
electrochemical stability window, stability window, voltage window
oxidation potential, onset oxidation potential: Eox
reduction potential: Ered
redox potential, half cell potential
flat band potential, flatband potential: Efb
equilibrium potential
pitting potential, breakdown potential: Epit
passivation current density
plateau voltage, discharge plateau, operating voltage, average voltage, average discharge voltage, working potential
self discharge rate
rate capability
cycle life, cycling stability
energy efficiency, round trip efficiency
solar to hydrogen efficiency, solar to hydrogen conversion efficiency: STH
hydrogen evolution rate, h2 evolution rate, hydrogen production rate, photocatalytic hydrogen evolution rate
oxygen evolution rate
apparent quantum yield, apparent quantum efficiency: AQY, AQE
production rate, formation rate, yield rate
specific activity, area specific activity
surface area normalized activity
degradation efficiency, removal efficiency, decolorization efficiency
partition coefficient
binding constant, association constant
dissociation constant: Kd
haze, optical haze, haze factor
gloss
whiteness
electrochromic efficiency, coloration efficiency: CE
optical contrast, optical modulation, transmittance modulation
switching time, bleaching time, coloration time
dispersion, material dispersion
group velocity dispersion
abbe number
laser threshold, lasing threshold, ase threshold, threshold fluence
slope efficiency
optical gain, gain coefficient, modal gain, net gain
propagation loss, waveguide loss
nonlinear coefficient, second order nonlinear coefficient, nonlinear optical coefficient,
  second harmonic coefficient: d36,
  deff
two photon absorption coefficient, nonlinear absorption coefficient: β
laser damage threshold, laser induced damage threshold, damage threshold: LIDT
scintillation yield, light yield, scintillation light yield
energy resolution
afterglow time, persistent luminescence duration
external quantum yield
oscillator strength
radiative lifetime
spin lifetime, spin relaxation time, spin coherence time
coherence time: T2, T2*
relaxation time, spin lattice relaxation time: T1
spin diffusion length
spin hall angle
domain wall energy
domain size
exchange constant, exchange stiffness, exchange stiffness constant, exchange parameter: Aex
exchange coupling constant, exchange coupling, exchange interaction: J
exchange field
curie weiss temperature, weiss temperature, paramagnetic curie temperature: θCW, ΘCW
effective moment, effective magnetic moment, paramagnetic moment: μeff, peff
squareness, squareness ratio, remanence ratio: Mr/Ms
core loss density
magnetic hyperthermia power, specific absorption rate, specific loss power, intrinsic loss power: SAR, SLP
relaxivity, transverse relaxivity: r2
longitudinal relaxivity: r1
skyrmion size, skyrmion diameter
superconducting gap, superconducting energy gap, gap of the superconductor: Δ0
irreversibility field: Hirr
critical field, thermodynamic critical field
trapped field
depairing current density
anomalous hall conductivity
hall resistivity
hall angle
quantum mobility, quantum lifetime
fermi velocity: vF
cyclotron mass: m*c
electronic density of states at the fermi level, density of states at the fermi level: DOS
residual resistivity: ρ0
temperature coefficient
seebeck anisotropy
lorenz number: L
thermal resistance, thermal impedance
heat transfer coefficient
thermal effusivity
thermal stability temperature, onset of decomposition, onset decomposition temperature: T5%, Td5
char yield
limiting oxygen index, oxygen index: LOI
heat release rate, peak heat release rate: PHRR
melting enthalpy change
enthalpy of adsorption, heat of adsorption, isosteric heat, isosteric heat of adsorption: Qst
enthalpy of mixing
desorption temperature, hydrogen desorption temperature, dehydrogenation temperature
recrystallization temperature
solidus temperature: Ts
liquidus temperature: TL
eutectic temperature
ductile to brittle transition temperature: DBTT
heat deflection temperature, heat distortion temperature: HDT
vicat softening temperature
martensitic transformation temperature
transformation strain, transformation shape strain, recoverable strain, superelastic strain
transformation hysteresis, thermal hysteresis
fracture energy, work of fracture
critical energy release rate, strain energy release rate: GIc, GIC
weibull modulus, weibull parameter: m
fatigue crack growth threshold, threshold stress intensity: ΔKth
strain hardening exponent, work hardening exponent, hardening exponent
strain rate sensitivity, strain rate sensitivity exponent
stress exponent, creep exponent
stacking fault energy: SFE, γSFE
dislocation mobility
twin thickness, twin spacing, twin boundary spacing, twin lamella thickness
lath width
interparticle spacing
precipitate size, precipitate radius
volume fraction, phase fraction
retained austenite fraction, retained austenite content
porosity level
open porosity, apparent porosity
bulk porosity
tap density
packing density
areal density, areal mass, mass loading, areal loading
linear density, titer
specific strength
specific modulus
compressive modulus, compression modulus
shear viscosity at zero shear, zero shear viscosity
yield stress of the suspension
melt flow index, melt flow rate: MFI, MFR
intrinsic viscosity
molecular weight between crosslinks
crosslink density, cross link density
gel fraction, gel content
degree of swelling, equilibrium swelling, swelling degree
degree of substitution
degree of polymerization: DP
critical micelle concentration: CMC
isoelectric point, point of zero charge: pI, PZC
hydrodynamic radius: Rh
radius of gyration: Rg
persistence length
surface charge density
surface potential
contact potential difference: CPD
built in potential, built in voltage: Vbi
trap density, trap state density, defect density, density of trap states
interface trap density, interface state density, density of interface traps: Dit
surface recombination velocity, interface recombination velocity: SRV
recombination coefficient, radiative recombination coefficient, bimolecular recombination coefficient
auger coefficient, auger recombination coefficient
absorption cross section
emission cross section
on current, on state current: Ion
off current, off state current: Ioff
transconductance: gm
cutoff frequency, cut off frequency: fT
equivalent oxide thickness: EOT
memory window
set voltage: Vset
reset voltage: Vreset
switching energy
retention time, data retention
endurance
resonance frequency, resonant frequency: fr, f0
temperature coefficient of resonant frequency: τf, TCF
electrostrictive coefficient: Q33
unipolar strain, electric field induced strain, electrostrain, field induced strain: Smax
depolarization temperature: Td
energy storage density, recoverable energy density, recoverable energy storage density: Wrec
breakdown energy density
electromagnetic shielding effectiveness, emi shielding effectiveness, shielding effectiveness: SE, EMI SE
reflection loss, minimum reflection loss: RL, RLmin
absorption bandwidth, effective absorption bandwidth
sound absorption coefficient
sound transmission loss
detection limit, limit of detection: LOD
sensitivity
linear range
resolution
dynamic range, linear dynamic range: LDR
noise equivalent power: NEP
dark current density, dark current
rise time
fall time, decay time constant
response speed
bandwidth, 3 db bandwidth: f3dB
rejection ratio
water flux, pure water flux, permeate flux, water permeance
salt rejection
molecular weight cutoff, molecular weight cut off: MWCO
separation factor, ideal selectivity
co2 uptake, carbon dioxide uptake, co2 adsorption capacity, carbon dioxide adsorption capacity
langmuir surface area
micropore volume
pore diameter distribution
bond energy, bond dissociation energy
lattice energy
decomposition energy, energy above hull, hull energy: Ehull
migration barrier, migration energy, diffusion barrier, hopping barrier: Em
vacancy formation energy
stacking energy, interlayer binding energy
exfoliation energy
rotational barrier
reorganization energy
singlet triplet gap, singlet triplet splitting: ΔEST
triplet energy: T1
ionization threshold
valence band maximum: VBM
conduction band minimum: CBM
homo level, homo energy: HOMO
lumo level, lumo energy: LUMO
crystal field splitting
spin orbit coupling constant, spin orbit coupling strength
hubbard u
charge transfer energy
jahn teller distortion
tolerance factor, goldschmidt tolerance factor
tilt angle, octahedral tilt angle
bond valence sum
c o ratio, carbon oxygen ratio, carbon to oxygen ratio
ag ratio
composition
nitrogen content
carbon content
hydrogen concentration
solubility limit, solid solubility, solubility
segregation coefficient
growth per cycle: GPC
etch rate
sputter yield
evaporation rate
cure time
setting time
water cement ratio
polydispersity, polydispersity index, dispersity: PDI, Đ
degree of crystallinity, crystallinity
deposition rate, growth rate
speed of sound, sound velocity, acoustic velocity
moire fringe spacing, moire fringe period, moiré fringe period, moiré fringe spacing, moire spacing,
  moiré spacing: Dm
"""
# Words that distinguish properties of one kind: two names that both have words of a row must share one of its parts.
# A part lists words of one meaning. Words of a row with a star distinguish wherever they stand, also in a descriptor.
_TELLING = """
* direct; indirect
* electron electronic; hole; lattice phonon phononic vibrational; ionic ion; proton protonic; magnon
optical; fundamental quasiparticle transport
maximum max largest highest peak biggest; minimum min smallest lowest; average mean typical median
* ordinary; extraordinary
* longitudinal; transverse
* real; imaginary
static; dynamic; high frequency
* compressive compression; tensile tension; flexural bending; shear torsional
initial first; final last; second; third
heavy; light
internal; external
* charge charging; discharge discharging
* ultimate; yield proof
remanent remnant residual remanence; saturation saturated; spontaneous
lattice; total
grain; boundary
intergrain; intragrain
* parallel along axial longitudinal; perpendicular across transverse radial
* anodic; cathodic
oxidation; reduction
* advancing; receding
* heating; cooling
* adsorption; desorption
* upper; lower
open; short
* initial; maximum max
* forward; reverse
* dark; illuminated
gravimetric; volumetric; areal
* isothermal; adiabatic
* loading; unloading
vickers; knoop; brinell; rockwell; shore
conduction; valence
ferromagnetic; antiferromagnetic; superconducting; ferroelectric
magnetic; electric ferroelectric
number; weight
onset; peak midpoint; end offset
storage; loss
emission emitting luminescence photoluminescence pl; absorption
hall; field
kinetic; thermodynamic
isotropic; anisotropic
nominal; actual
specular; diffuse
* donor; acceptor
monomer; polymer
"""
_ROWS = [row.removeprefix("* ") for row in _TELLING.strip().splitlines()]
TELLING = tuple(tuple(frozenset(singular(word) for word in part.split()) for part in row.split("; ")) for row in _ROWS)
STARRED = frozenset(place for place, row in enumerate(_TELLING.strip().splitlines()) if row.startswith("* "))
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
        "an",
        "its",
        "position",
        "magnitude",
        "in",
        "by",
        "from",
        "on",
        "under",
        "with",
        "and",
        "determined",
        "extracted",
        "derived",
        "observed",
        "largest",
        "smallest",
        "highest",
        "lowest",
        "median",
        "max",
        "min",
        "initial",
        "first",
        "isotropic",
        "intrinsic",
        "quasiparticle",
        "atomic",
        "static",
        "vicker",
        "knoop",
        "to",
        "ambient",
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
NAMED: Mapping[str, str] = _BOTH[0]  # every name, with the one used here
SYMBOLS: Mapping[str, frozenset[str]] = _BOTH[1]  # properties that each symbol may stand for
