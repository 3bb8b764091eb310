"""Data: science questions written for this project, of the grades of a university entrant and of an expert.

In the form of `science_own_easy`, whose grades are lower.
"""

from __future__ import annotations

BY_GRADE = {
    70: """
Which attraction between molecules makes water boil so late?|hydrogen bonds|ionic bonds|metallic bonds|gravity
What is the pH of hydrochloric acid of 0.01 mol per litre?|2|1|12|7
How many molecules do 18 grams of water contain?|about 6 x 10^23|about 3 x 10^8|about 9 x 10^9|about 2 x 10^12
What is the molar mass of water in grams per mole?|18|16|20|10
Who explained the photoelectric effect by quanta of light?|Albert Einstein|Niels Bohr|Ernest Rutherford|James Maxwell
Which experiment showed that atoms have a small nucleus?|the gold foil|the oil drops|the double slit|the paddle wheel
What is an alpha particle the nucleus of?|helium|hydrogen|lithium|carbon
Which radiation does a sheet of paper stop?|alpha radiation|beta radiation|gamma radiation|neutron radiation
What is the empirical formula of glucose?|CH2O|C6H12O6|CHO|C2H4O
Which functional group makes a compound an alcohol?|hydroxyl|carbonyl|carboxyl|amino
What do a carboxylic acid and an alcohol form, besides water?|an ester|an ether|an amide|a ketone
Which of these hydrocarbons has a triple bond?|ethyne|ethene|ethane|propane
What does a substance lose when it is oxidised?|electrons|protons|neutrons|photons
At which electrode does reduction take place?|the cathode|the anode|the salt bridge|the reference electrode
Which industrial process makes ammonia from its elements?|Haber's|Bayer's|Solvay's|Bessemer's
Whose law says that equal volumes of gases hold equally many molecules?|Avogadro's|Dalton's|Graham's|Henry's
To what is an ideal gas's volume proportional at constant pressure?|absolute temperature|molar mass|density|viscosity
At how many degrees Celsius does absolute zero lie?|-273.15|-100|-459.67|-196
What is the SI unit of magnetic flux density?|tesla|weber|henry|farad
What is the SI unit of capacitance?|farad|henry|coulomb|siemens
What is the resistance of two 6 ohm resistors in parallel?|3 ohms|12 ohms|6 ohms|36 ohms
What happens to the kinetic energy of a car when its speed doubles?|it quadruples|it doubles|it halves|it triples
At which angle does a ball without air drag fly farthest over flat ground?|45 degrees|30 degrees|60 degrees|75 degrees
The square of a planet's period grows as what of its mean distance?|the cube|the root|the inverse|the logarithm
What does gravity between two bodies fall to when their distance doubles?|a quarter|a half|an eighth|a third
Which effect raises the pitch of a siren that approaches?|the Doppler effect|the Hall effect|diffraction|resonance
Where can light be totally reflected?|from glass to air|from air to glass|from air to water|from a vacuum to glass
What is the SI unit of electric charge?|coulomb|ampere|volt|farad
Which base pairs with guanine in DNA?|cytosine|adenine|thymine|uracil
How many bases of RNA stand for one amino acid?|three|two|four|five
What is the copying of DNA into RNA called?|transcription|translation|replication|transduction
Two carriers of a recessive trait have a child. How likely does it show the trait?|1 in 4|1 in 2|3 in 4|1 in 8
How many sperm cells come from one meiosis?|four|two|eight|one
In which phase of mitosis do chromosomes line up in the middle of the cell?|metaphase|prophase|anaphase|telophase
Which molecule carries energy to nearly all processes of the cell?|ATP|DNA|glycogen|haemoglobin
How many molecules of ATP does glycolysis gain on balance from one glucose?|two|four|six|thirty
Which hormone sets off ovulation?|LH|TSH|ACTH|insulin
Which hormone raises the pulse when we are frightened?|adrenaline|insulin|oxytocin|melatonin
Red cells of which blood group can be given to almost everybody?|O negative|AB positive|A positive|B negative
Which organ stores bile?|the gall bladder|the spleen|the pancreas|the appendix
What is the filtering unit of the kidney called?|nephron|neuron|alveolus|sarcomere
What is the junction where one nerve cell signals to the next called?|a synapse|an axon|a dendrite|a ganglion
In which vessels do blood and tissue exchange substances?|in capillaries|in arteries|in veins|in venous valves
With which spot of the retina do we see most sharply?|the fovea|the blind spot|the outer rim|the optic disc
Which cells release antibodies?|plasma cells|red blood cells|platelets|nerve cells
What are organs called that are alike by common descent?|homologous|analogous|rudimentary|symbiotic
Who introduced the naming of species by two words?|Carl Linnaeus|Charles Darwin|Alexander von Humboldt|Ernst Haeckel
To which kingdom do yeasts belong?|fungi|plants|animals|bacteria
What is a partnership of two species called that helps both?|mutualism|parasitism|predation|competition
Which share of energy passes to the next level of a food chain, as a rule of thumb?|a tenth|a half|nine tenths|a third
Which element do the bacteria in the root nodules of beans fix from the air?|nitrogen|carbon|argon|oxygen
Which waves of an earthquake arrive first?|P waves|S waves|Love waves|Rayleigh waves
Which rock makes up most of the ocean floor's crust?|basalt|granite|limestone|marble
Which effect turns winds to the right in the northern hemisphere?|Coriolis|Doppler|greenhouse|Venturi
Which clouds bring thunderstorms?|cumulonimbus|cirrus|stratus|cirrostratus
In which era did the large dinosaurs live?|Mesozoic|Cenozoic|Palaeozoic|Proterozoic
Which isotope dates wood of a few thousand years?|carbon-14|uranium-238|potassium-40|rubidium-87
Which colour do the hottest stars have?|blue|red|yellow|orange
What will remain of the Sun in the end?|a white dwarf|a neutron star|a black hole|a pulsar
What is the mean distance from the Earth to the Sun called?|an astronomical unit|a parsec|a light-year|a solar radius
About how many light-years are there in a parsec?|3.3|1.5|8.3|10
Which planet does the moon Titan circle?|Saturn|Jupiter|Neptune|Uranus
What is the median of 3, 9, 4, 20 and 7?|7|8.6|4|9
How many significant figures does 0.00450 have?|three|two|five|six
By which factor do hydrogen ions grow when the pH falls from 5 to 3?|100|2|20|1000
What does a black body's peak wavelength do when its temperature doubles?|it halves|it doubles|it stays|it triples
A length of 50 cm is measured as 52 cm. What is the relative error?|4 per cent|2 per cent|52 per cent|8 per cent
A test has a specificity of 95 per cent. Which share of healthy people test positive?|5 %|95 %|50 %|0 %
""",
    90: """
How much work does a static magnetic field do on a moving charge?|none|qvB per metre|half of qvB|qB per second
Which particles mediate the strong interaction between quarks?|gluons|photons|W bosons|gravitons
What is the spin of the Higgs boson?|0|1|2|3
Which quarks make up a proton?|two up, one down|one up, two down|three up|two up, one strange
Which quantity is conserved because physics is the same in every direction?|angular momentum|energy|charge|parity
Whose experiment failed to find a motion through the ether?|Michelson's|Stern's|Millikan's|Compton's
Whose experiment showed that a crystal diffracts electrons?|Davisson and Germer's|Hahn and Meitner's|Hertz's|Millikan's
What is the Lorentz factor at 0.6 of the speed of light?|1.25|1.67|0.8|1.6
What is the energy of hydrogen's second level, if the ground level is at -13.6 eV?|-3.4 eV|-6.8 eV|-1.5 eV|-27.2 eV
Which series of hydrogen lines lies in visible light?|Balmer|Lyman|Paschen|Brackett
What are the eigenvalues of every Hermitian operator?|real|imaginary|positive|integers
Which of these is a boson?|a helium-4 atom|an electron|a proton|a helium-3 atom
How does a lattice's heat capacity grow with temperature near absolute zero?|cubically|linearly|quadratically|not at all
What does the Meissner effect drive out of a superconductor?|the magnetic field|the heat|the electric charge|the phonons
What are the bound electrons of a superconductor called in BCS theory?|Cooper pairs|excitons|magnons|polarons
Which efficiency does a Carnot engine between 600 K and 300 K have?|50 per cent|100 per cent|33 per cent|67 per cent
What is lowest in equilibrium at constant temperature and pressure?|Gibbs energy|Helmholtz energy|enthalpy|entropy
At which temperature does the Joule-Thomson coefficient vanish?|inversion point|Debye point|Curie point|dew point
At which temperature does iron lose its ferromagnetism?|Curie point|triple point|dew point|Boyle point
Which ratio is the Reynolds number?|inertia to viscosity|gravity to inertia|buoyancy to gravity|pressure to density
By which factor does laminar flow through a pipe grow when its radius doubles?|16|4|8|2
What is the divergence of a magnetic field?|zero|the charge density|the current density|the scalar potential
Which point group has the water molecule?|C2v|D2h|C3v|Td
Which shape has the molecule SF6?|octahedral|tetrahedral|square planar|trigonal bipyramidal
Which shape has the molecule XeF4?|square planar|tetrahedral|octahedral|trigonal planar
What is the bond order of the NO molecule?|2.5|1.5|3.5|0.5
Which number of pi electrons makes a flat conjugated ring aromatic?|6|4|8|12
What does an SN2 reaction do to the configuration at its carbon atom?|inverts it|keeps it|racemises it|removes it
Which of these is the best leaving group?|iodide|fluoride|hydroxide|amide
What does propene mainly give with HBr without peroxides?|2-bromopropane|1-bromopropane|1,2-dibromopropane|allyl bromide
Whose rule predicts the more substituted alkene in an elimination?|Zaitsev's|Hofmann's|Hund's|Trouton's
Which reagent reduces esters to alcohols readily at room temperature?|LiAlH4|NaCl|KMnO4|PCC
Where in the infrared does a ketone's carbonyl group absorb, in wavenumbers?|near 1715|near 3300|near 2250|near 1050
Into what does a neighbouring methyl group split the proton signal of a CH2 group?|quartet|triplet|doublet|quintet
By how much does an electrode's potential change per decade, for one electron at 25 C?|59 mV|25 mV|118 mV|96 mV
What does a second-order half-life do when the first concentration doubles?|it halves|it doubles|it stays|it triples
Which unit has the rate constant of a second-order reaction?|L/(mol s)|1/s|mol/(L s)|mol s/L
How many unpaired electrons has a high-spin iron(III) ion?|five|one|three|four
Which oxidation state has manganese in KMnO4?|+7|+4|+2|+6
How many nearest neighbours has a sodium ion in rock salt?|6|4|8|12
Which share of space do touching spheres fill in a face-centred cubic lattice?|74 %|68 %|52 %|91 %
Km is 4 mM. At which substrate level does the enzyme reach half its maximal rate?|4 mM|2 mM|8 mM|16 mM
Which quantity does a competitive inhibitor leave unchanged?|maximal rate|apparent Km|apparent affinity|initial slope
Which enzyme is the main point of control of glycolysis?|phosphofructokinase|enolase|aldolase|lactate dehydrogenase
Which complex of the respiratory chain pumps no protons?|complex II|complex I|complex III|complex IV
Which enzyme binds carbon dioxide in the Calvin cycle?|Rubisco|hexokinase|catalase|ATP synthase
Which amino acid has no chiral centre?|glycine|alanine|proline|valine
The side chain of which amino acid has a pKa near 6?|histidine|lysine|aspartate|arginine
Which enzyme joins the Okazaki fragments?|DNA ligase|helicase|primase|topoisomerase
Which RNA polymerase makes the messenger RNA of eukaryotes?|polymerase II|polymerase I|polymerase III|polymerase V
Which molecule switches on the lac operon by binding its repressor?|allolactose|glucose|cyclic AMP|tryptophan
A recessive trait shows in 4 % of people in Hardy-Weinberg balance. How many are carriers?|32 %|16 %|64 %|20 %
Which histone binds the DNA between nucleosome cores?|H1|H2A|H3|H4
Which karyotype has a person with Klinefelter syndrome?|47,XXY|45,X|47,XYY|47,XXX
Which class of antibodies crosses the human placenta?|IgG|IgM|IgA|IgE
Which T cells recognise peptides on MHC class I?|CD8 cells|CD4 cells|gamma-delta cells|regulatory cells
Which vitamin does warfarin work against?|vitamin K|vitamin C|vitamin B12|vitamin E
What is the antidote of an overdose of paracetamol?|acetylcysteine|naloxone|flumazenil|atropine
Which nerve drives the diaphragm?|the phrenic nerve|the vagus nerve|the accessory nerve|the sciatic nerve
Neurons of which region die in Parkinson's disease above all?|substantia nigra|hippocampus|cerebellum|retina
The inflow of which ion makes a nerve's action potential rise?|sodium|potassium|chloride|magnesium
Which part of the ECG shows the ventricles depolarise?|the QRS complex|the P wave|the T wave|the U wave
Where in the nephron do loop diuretics act?|ascending limb|proximal tubule|collecting duct|glomerulus
What is the greatest mass of a stable white dwarf, in solar masses?|1.4|0.08|8|25
Which fusion process dominates in main-sequence stars of ten solar masses?|CNO cycle|proton chain|triple alpha|s-process
Which variable stars follow Leavitt's law of period and brightness?|Cepheids|novae|flare stars|pulsars
What is the redshift of a line seen at twice its rest wavelength?|1|2|0.5|4
Which mineral crystallises first from a basaltic melt?|olivine|quartz|muscovite|orthoclase
""",
}
