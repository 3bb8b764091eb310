"""Data: eighty science questions written for this project, for use where published questions may not be shown.

There are sixteen questions in each of five grades of difficulty. The grades are our own judgement of the share of
people expected to fail. A line is the question, the right option and three wrong ones.
"""

from __future__ import annotations

from harness.studies.reliability.data.questions import MultipleChoice

_BY_GRADE = {
    10: """
Which of these animals lays eggs?|hen|cow|dog|horse
What does water turn into when it freezes?|ice|steam|smoke|glass
Which sense are our ears for?|hearing|smell|taste|sight
Which body in the sky gives the Earth its daylight?|the Sun|the Moon|Mars|the Pole Star
Which part of a plant usually grows in the ground and takes up water?|the roots|the petals|the fruit|the pollen
How many legs does a spider have?|eight|six|four|ten
Which of these objects is strongly pulled by a magnet?|an iron nail|a wooden spoon|a rubber ball|a glass marble
What is a young frog called while it still breathes with gills?|a tadpole|a caterpillar|a cub|a chick
Which organ pumps blood around the body?|the heart|the liver|the stomach|the skin
What covers the body of most birds?|feathers|scales|fur|shells
Which season comes right after winter?|spring|autumn|summer|the rainy season
Which of these gives off light of its own?|a lit candle|a mirror|a silver spoon|a white wall
What do bees gather from flowers to make honey?|nectar|bark|dew|resin
Which gas must people breathe in to stay alive?|oxygen|helium|carbon monoxide|methane
Which of these is nearly the shape of the Earth?|a ball|a flat disc|a cube|a cone
With which instrument would you measure how warm a room is?|a thermometer|a ruler|a balance|a compass
""",
    30: """
Which planet of the Solar System is closest to the Sun?|Mercury|Venus|Mars|Jupiter
What is an animal called that eats plants only?|a herbivore|a carnivore|an omnivore|a scavenger
Which gas do green plants take in to build sugar in the light?|carbon dioxide|nitrogen|helium|methane
At how many degrees Celsius does pure water boil at sea level?|100|50|200|10
Which force pulls a dropped stone to the ground?|gravity|magnetism|friction|air pressure
What is the hardest substance in the human body?|tooth enamel|bone|cartilage|fingernail
Which bones protect the brain?|the skull|the pelvis|the ribs|the kneecaps
What causes day and night?|the Earth turning on its axis|the Moon hiding the Sun|the Earth circling the Sun|the tides
Which of these animals is a mammal?|a dolphin|a shark|a penguin|a crocodile
Which opening of the eye gets wider in the dark?|the pupil|the retina|the optic nerve|the tear duct
What is the change from a gas to a liquid called?|condensation|evaporation|melting|sublimation
Which of these materials conducts electricity best?|copper|rubber|glass|dry wood
Which stage lies between caterpillar and butterfly?|the pupa|the egg|the tadpole|the fry
Where does nearly all the energy in food chains on land come from?|sunlight|soil|wind|rain
How long does the Earth take to travel once around the Sun?|about a year|about a month|about a day|about a decade
Which vessels carry blood away from the heart?|arteries|veins|nerves|tendons
""",
    50: """
Which of these metals is liquid at room temperature?|mercury|lead|zinc|tin
Which particle of an atom has a negative electric charge?|the electron|the proton|the neutron|the nucleus
Which structure holds most of the DNA of an animal cell?|the nucleus|the ribosome|the vacuole|the cell membrane
Which layer of the Earth lies just below the crust?|the mantle|the inner core|the outer core|the stratosphere
What does a pH of 3 say of a solution at room temperature?|it is acidic|it is basic|it is neutral|it is saturated
Which organ produces bile?|the liver|the pancreas|the gall bladder|the kidney
Which kind of rock forms when magma cools?|igneous|sedimentary|metamorphic|organic
In which unit is electric resistance measured?|ohm|volt|ampere|watt
Which planet of the Solar System has the largest mass?|Jupiter|Saturn|Neptune|the Earth
What is the speed of a body together with its direction called?|velocity|acceleration|momentum|inertia
Which gas makes up most of the air?|nitrogen|oxygen|carbon dioxide|argon
Which of these cannot travel through empty space?|sound|radio waves|X-rays|visible light
Which cells carry oxygen in human blood?|red blood cells|white blood cells|platelets|stem cells
What is a lasting change in the sequence of DNA called?|a mutation|a hybrid|a clone|a chromosome
Which of these brings parallel rays of light together?|a convex lens|a concave lens|a window pane|a plane mirror
What are all living things of an area with their surroundings called?|an ecosystem|a population|a species|a genus
""",
    70: """
Which law says that a gas at constant temperature halves its volume under double pressure?|Boyle's|Hooke's|Ohm's|Snell's
How many electrons does the innermost shell of an atom hold at most?|two|eight|six|eighteen
Where does most of a cell's aerobic respiration happen?|in mitochondria|in chloroplasts|in lysosomes|in the cell wall
What do all collisions in an isolated system conserve?|total momentum|kinetic energy|temperature|each body's speed
Which of these elements has the highest atomic number?|iron|calcium|neon|carbon
Which kind of bond holds table salt together?|ionic|covalent|metallic|hydrogen
Who found that the planets move on ellipses?|Johannes Kepler|Nicolaus Copernicus|Claudius Ptolemy|Tycho Brahe
Which hormone lowers the level of sugar in the blood?|insulin|glucagon|adrenaline|cortisol
Which base does RNA have in the place of thymine?|uracil|adenine|cytosine|guanine
What is the sinking of an ocean plate below another plate called?|subduction|sedimentation|erosion|rifting
Which colour of visible light has the shortest wavelength?|violet|red|green|yellow
What happens to the wavelength when the frequency doubles at equal speed?|it halves|it doubles|it stays|it quadruples
Which gas forms at the cathode when an electric current splits water?|hydrogen|oxygen|chlorine|nitrogen
A quarter of a radioactive sample is left after 20 days. What is its half-life?|10 days|20 days|5 days|40 days
On which islands did Charles Darwin collect the finches that bear his name?|Galapagos|Azores|Hawaii|Seychelles
What does a catalyst do to the activation energy of a reaction?|lowers it|raises it|squares it|nothing
""",
    90: """
Which particle carries the electromagnetic interaction?|the photon|the gluon|the W boson|the Higgs boson
What grows when an isolated system changes irreversibly?|its entropy|its internal energy|its mass|its electric charge
Which hybrid orbitals does carbon use in methane?|sp3|sp2|sp|dsp2
Which enzyme makes DNA from an RNA template?|reverse transcriptase|RNA polymerase|DNA ligase|helicase
Where does the Sun lie in the Hertzsprung-Russell diagram?|main sequence|red giants|white dwarfs|horizontal branch
Which amino acid does the codon AUG stand for?|methionine|tryptophan|glycine|lysine
Which orbital has the angular momentum quantum number 2?|a d orbital|an s orbital|a p orbital|an f orbital
In which phase do homologous chromosomes exchange segments?|prophase I|metaphase I|anaphase II|telophase II
By which factor does the power of a black body grow when its absolute temperature doubles?|16|8|4|2
Whose constant links a particle's momentum to its wavelength?|Planck's|Boltzmann's|Avogadro's|Rydberg's
Which process raises the atomic number by one?|beta-minus decay|alpha decay|gamma emission|electron capture
Which molecule enters the citric acid cycle by joining oxaloacetate?|acetyl-CoA|pyruvate|succinate|lactate
To which class of minerals does calcite belong?|carbonates|silicates|sulfates|oxides
Whose law relates the recession speed of far galaxies to their distance?|Hubble's|Kepler's|Wien's|Stokes's
Which cells of the immune system mature in the thymus?|T lymphocytes|B lymphocytes|neutrophils|mast cells
What does the pH equal when half of a weak acid is neutralised?|the pKa of the acid|the pKb of the acid|zero|fourteen
""",
}


def _read() -> tuple[MultipleChoice, ...]:
    found = []
    for grade, lines in _BY_GRADE.items():
        for number, line in enumerate(lines.split("\n")[1:-1], 1):
            text, a, b, c, d = line.split("|")
            found.append(MultipleChoice(f"own-{grade}-{number:02d}", text, (a, b, c, d), 0, grade / 100))
    return tuple(found)


QUESTIONS = _read()
