"""Data: science questions written for this project, of the grades that a child or a pupil can answer.

A line is the question, the right option and three wrong ones; the key is the grade: the share in per cent of people
that we expect to fail. The harder grades stand in `science_own_hard`.
"""

from __future__ import annotations

BY_GRADE = {
    10: """
Which of these animals can fly?|a sparrow|a penguin|a pig|a snake
How many legs does an ant have?|six|eight|four|ten
What do we call the white flakes that fall from the sky in winter?|snow|fog|dew|thunder
Which of these is a liquid at room temperature?|milk|a stone|a brick|a coin
Which of these does a green plant need to make its food?|light|music|salt|darkness
From which animal do we get wool?|a sheep|a pig|a hen|a frog
Which part of the body do we chew with?|the teeth|the nose|the elbows|the ears
Which of these things floats on water?|a cork|an iron nail|a stone|a gold ring
What can a caterpillar grow into?|a butterfly|a spider|a snail|an earthworm
What is a young horse called?|a foal|a calf|a lamb|a piglet
With which part of the body do most fish breathe?|gills|fins|scales|tails
Which season is usually the hottest?|summer|winter|autumn|spring
What does ice do when it is left in a warm room?|it melts|it burns|it rusts|it grows
Which of these animals is the largest when it is grown?|an elephant|a horse|a wolf|a sheep
Through which of these can you see best?|a clean window|a brick wall|a wooden door|a metal tray
Which bright body in the night sky seems to change its shape over a month?|the Moon|the Sun|Sirius|the Pole Star
With which part of the body do we see?|the eyes|the ears|the tongue|the nose
What stands at the centre of the Solar System?|the Sun|the Earth|the Moon|Jupiter
Which of these grows on a tree?|an apple|a carrot|a potato|a radish
Which part of a carrot plant do people usually eat?|the root|the flower|the seed|the leaf
Which animal lives with thousands of others in a hive?|a honeybee|a ladybird|a grasshopper|a dragonfly
What happens to a balloon when you blow more air into it?|it swells|it shrinks|it melts|it rusts
Which of these animals has a backbone?|a frog|an earthworm|a snail|a jellyfish
Which of these animals sleeps through the winter?|a hedgehog|a wolf|a deer|a hare
When is your shadow longest on a sunny day?|soon after sunrise|at noon|an hour before noon|an hour after noon
Where does the Sun rise?|in the east|in the west|in the north|in the south
What does a garden snail carry on its back?|a shell|a fin|a wing|a nest
What covers the trunk of a tree?|bark|wool|fur|scales
What do we call drops of water that fall from the clouds?|rain|wind|frost|smoke
Which of these foods spoils fastest in a warm room?|fresh milk|dry rice|white sugar|table salt
Which of these makes a small insect look bigger?|a hand lens|a flat mirror|a window pane|a wooden ruler
How long does the Earth take to turn once around itself?|about a day|about a year|about a week|about an hour
Which of these is a living thing?|a mushroom|a cloud|a candle flame|a river
Which of these animals sheds its whole skin as it grows?|a snake|a horse|a robin|a whale
What fills our lungs when we breathe in?|air|blood|water|food
Which sense does the tongue serve most?|taste|sight|hearing|balance
What happens to the water in wet clothes that hang in a warm wind?|it evaporates|it freezes|it burns|it hardens
Which of these is solid at room temperature?|a coin|orange juice|air|cooking oil
Which of these animals is a reptile?|a lizard|a trout|a bat|a robin
Which of these animals is an insect?|a housefly|a spider|a crab|an earthworm
Which of these birds cannot fly?|an ostrich|an eagle|a swallow|a duck
What must a dry seed take in before it can sprout?|water|soil|smoke|sand
Which part of a tree catches most of the sunlight?|the leaves|the roots|the bark|the seeds
Which colour comes from mixing blue and yellow paint?|green|red|purple|white
Which of these places is the coldest?|Antarctica|the Sahara|the Amazon forest|the Mediterranean
Which of these animals eats plants only?|a cow|a wolf|a lion|an eagle
Which joint lies in the middle of the arm?|the elbow|the knee|the ankle|the hip
Which liquid does the heart pump through our body?|blood|milk|bile|sweat
Why should we wash our hands before we eat?|to remove germs|to cool the skin|to harden the nails|to smell the food
Which of these needs electricity to work?|a refrigerator|a candle|a hand saw|a bicycle bell
Which of these keeps the rain out best?|a plastic sheet|a woollen scarf|a paper bag|a cotton shirt
Where do polar bears live in the wild?|in the Arctic|in Antarctica|in the Sahara|in the Amazon forest
Which substance makes sea water taste as it does?|salt|sugar|chalk|iron
What flows down the side of a volcano when it erupts?|lava|oil|sea water|quicksand
What do you notice first of a lightning bolt that strikes far away?|the flash|the thunder|the smell|the heat
What can a blossom become after a bee has pollinated it?|a cherry|a leaf|a twig|a root
Which of these birds hunts mostly at night?|an owl|a swallow|a pigeon|a hen
Which of these instruments points to the north?|a compass|a barometer|a thermometer|a stopwatch
What must you do to see anything in a perfectly dark room?|bring a light|wait an hour|put on glasses|open a book
Which planet do we live on?|the Earth|Mars|Venus|Saturn
Which star is nearest to the Earth?|the Sun|Sirius|Vega|the Pole Star
Which of these usually makes the highest sound?|a small whistle|a big drum|a tuba|a double bass
Which of these is made from wood?|paper|glass|steel|brick
How many arms does an octopus have?|eight|six|ten|twelve
What can sugar that stays on the teeth lead to?|tooth decay|strong bones|baldness|better sight
Which of these animals builds dams across streams?|a beaver|a mole|a heron|a frog
With what do many spiders catch insects?|a web|a horn|a pouch|a trunk
Which of these would you use to keep time?|a stopwatch|a balance|a magnet|a funnel
""",
    30: """
Which simple machine is a see-saw?|a lever|a screw|a wedge|a pulley
Which of these materials is made by melting sand?|glass|paper|rubber|leather
Which of these foods has the most calcium for its weight?|hard cheese|apples|white rice|honey
Which organ churns swallowed food with acid?|the stomach|the liver|the lung|the kidney
Which organs clean the blood and make urine?|the kidneys|the lungs|the tonsils|the salivary glands
Of which gas do we breathe out more than we breathe in?|carbon dioxide|oxygen|nitrogen|argon
What do we call the making of sugar from light in plants?|photosynthesis|respiration|digestion|fermentation
Which green substance in leaves catches light?|chlorophyll|haemoglobin|melanin|keratin
Which planet has large bright rings that a small telescope shows?|Saturn|Mars|Venus|Mercury
Which planet is called the red planet?|Mars|Venus|Neptune|Mercury
How many planets does the Solar System have?|eight|seven|ten|twelve
What is a natural body that circles a planet called?|a moon|a comet|a star|a galaxy
What is the chief cause of the tides of the sea?|the Moon's gravity|the winds|the heat of the Sun|the rivers
Through which of these does heat flow most easily?|a silver spoon|a wooden spoon|a woollen blanket|a foam cup
Which state of matter has neither a fixed shape nor a fixed volume?|gas|liquid|solid|crystal
What do most metals do when they are heated?|they expand|they shrink|they lose mass|they turn green
At how many degrees Celsius does pure ice melt at normal pressure?|0|32|10|50
What forms when iron reacts with water and oxygen?|rust|chalk|ash|coal
Which of these is a chemical change?|burning paper|melting ice|cutting wood|boiling water
Which of these changes can be undone by cooling alone?|melting wax|burning wood|baking bread|frying an egg
What is an animal that hunts and eats others called?|a predator|a prey|a host|a pollinator
Which of these are decomposers?|fungi|grasses|hawks|rabbits
Which muscle under the lungs drives our breathing?|the diaphragm|the biceps|the tongue|the calf muscle
What carries signals from the brain to the muscles?|nerves|veins|tendons|bones
Which vitamin does our skin make in sunlight?|vitamin D|vitamin C|vitamin A|vitamin K
Which illness comes from a lack of vitamin C?|scurvy|rickets|malaria|measles
Which of these animals keeps its body steadily warm?|a pigeon|a frog|a lizard|a carp
To which group do frogs and newts belong?|amphibians|reptiles|mammals|fish
Which part of a flower makes the pollen?|the stamen|the petal|the sepal|the stem
What is the joining of a sperm and an egg called?|fertilisation|germination|metamorphosis|digestion
What is the sprouting of a seed called?|germination|fertilisation|condensation|hibernation
What is the long yearly journey of many birds called?|migration|hibernation|incubation|rotation
Which instrument measures the pressure of the air?|a barometer|a thermometer|a speedometer|a rain gauge
Which instrument measures the speed of the wind?|an anemometer|a barometer|a microscope|a hygrometer
Which instrument records earthquakes?|a seismograph|a telescope|a voltmeter|a sundial
Which of these sources of energy is renewable?|wind|coal|crude oil|natural gas
Which of these is a fossil fuel?|coal|firewood|uranium|hydrogen
What did coal form from?|ancient plants|ancient fish|volcanic ash|sea salt
What is molten rock deep under the ground called?|magma|granite|gravel|quartz
On which layer of the Earth do we live?|the crust|the mantle|the outer core|the inner core
Which of these rocks formed from grains of sand?|sandstone|granite|basalt|obsidian
What do we call traces of ancient life preserved in rock?|fossils|ores|geysers|glaciers
What is the wearing away of land by water, ice and wind called?|erosion|condensation|combustion|pollination
Which gas of the air does a candle need to burn?|oxygen|nitrogen|carbon dioxide|argon
What is the bouncing back of light from a mirror called?|reflection|refraction|absorption|evaporation
Which of these splits white light into its colours?|a prism|a flat mirror|a magnet|a candle
What is the bending of light as it enters water called?|refraction|reflection|reproduction|convection
Which of these surfaces takes up the most sunlight?|a black one|a white one|a yellow one|a silver one
How does the heat of the Sun reach the Earth?|by radiation|by conduction|by convection|by evaporation
Which part opens and closes an electric circuit?|a switch|a bulb|a fuse holder|a battery
What do the north poles of two magnets do when they come near?|they repel|they attract|they melt|they lose weight
Which force of the water keeps a boat afloat?|buoyancy|friction|magnetism|cohesion
What must an object do to make a sound?|vibrate|shine|melt|cool down
Which of these animals carries its young in a pouch?|a kangaroo|a beaver|a giraffe|a seal
Which of these plants stores water in its thick stem?|a cactus|a fern|a moss|a water lily
What helps a duck to swim?|webbed feet|hollow bones|its long tongue|sharp claws
What does camouflage help an animal to do?|to hide|to keep warm|to digest|to sing
What is the smallest unit of life?|the cell|the atom|the organ|the tissue
What causes the seasons of the Earth?|the tilt of its axis|its distance from the Sun|the Moon's phases|sunspots
Which phase is it when the whole face of the Moon is lit?|full moon|new moon|first quarter|last quarter
Which body hides the Sun in a solar eclipse?|the Moon|Venus|Mercury|Jupiter
Which star stands nearly above the North Pole?|Polaris|Sirius|Betelgeuse|Rigel
Which part of the eye gives it its colour?|the iris|the lens|the retina|the cornea
Which part of the ear does a sound shake first?|the eardrum|the cochlea|the hearing nerve|the stirrup
Which liquid begins to break down food in the mouth?|saliva|bile|blood|gastric juice
Which of these trains the body against a disease beforehand?|a vaccine|a painkiller|a bandage|a cough syrup
What causes influenza?|a virus|a bacterium|a fungus|a worm
What makes the dough of bread rise?|yeast|salt|butter|water
""",
    50: """
In which unit is force measured?|newton|joule|watt|pascal
Which of these is a unit of energy?|joule|newton|watt|volt
Through which of these does sound travel fastest?|steel|air|water|cork
What is the chemical symbol of sodium?|Na|Sd|Sm|Sn
Which element has the chemical symbol K?|potassium|krypton|calcium|phosphorus
What is the chemical formula of methane?|CH4|CO2|NH3|C2H6
Which acid does the human stomach produce?|hydrochloric acid|sulfuric acid|citric acid|nitric acid
Which acid gives vinegar its taste?|acetic acid|citric acid|lactic acid|tartaric acid
Besides water, what forms when an acid neutralises a base?|a salt|a metal|an alcohol|a sugar
Which particle of the nucleus has no electric charge?|the neutron|the proton|the electron|the positron
What does the atomic number of an element count?|protons|neutrons|electron shells|isotopes
What are atoms of one element with different numbers of neutrons called?|isotopes|ions|isomers|polymers
What is an atom that has gained or lost electrons called?|an ion|an isotope|a molecule|an alloy
Which group of elements hardly reacts at all?|noble gases|halogens|alkali metals|alkaline earth metals
Which of these is an alkali metal?|lithium|magnesium|aluminium|zinc
Which gas bubbles up when acid drips on limestone?|carbon dioxide|hydrogen|oxygen|chlorine
Which two metals make up brass?|copper and zinc|copper and tin|iron and nickel|lead and tin
Which current flows through 6 ohms at 12 volts?|2 amperes|72 amperes|0.5 amperes|18 amperes
A car covers 150 km in 2 hours. What is its average speed?|75 km/h|300 km/h|60 km/h|152 km/h
What is the density of a body of 200 g that fills 100 cubic centimetres, in g per cubic centimetre?|2|0.5|20|300
Which quantity is mass times acceleration?|force|energy|power|pressure
What is the rate at which work is done called?|power|force|momentum|torque
Which energy does a stretched rubber band store?|elastic energy|kinetic energy|nuclear energy|sound energy
The Earth pulls an apple. How hard does the apple pull the Earth?|just as hard|half as hard|twice as hard|not at all
Which quantity does a transformer leave unchanged?|the frequency|the voltage|the current|the amplitude
Which of these waves have the longest wavelength?|radio waves|infrared waves|ultraviolet waves|X-rays
What is the number of oscillations per second called?|frequency|amplitude|wavelength|phase
Which property of a sound wave makes it loud?|its amplitude|its frequency|its speed|its direction
How fast does light travel in a vacuum?|300,000 km/s|300 km/s|340 m/s|30,000 km/h
At about which rate do bodies fall faster near the ground, in metres per second squared?|9.8|1.6|98|3.7
Which part of a cell makes proteins?|the ribosome|the lysosome|the vacuole|the cell wall
In which part of a plant cell does photosynthesis take place?|the chloroplast|the mitochondrion|the nucleus|the vacuole
Which of these do plant cells have, but not animal cells?|a cell wall|a nucleus|mitochondria|ribosomes
How many chromosomes does a human body cell normally have?|46|23|48|92
Which sex chromosomes does a man normally have?|X and Y|two X|two Y|X alone
Who found the laws of heredity with pea plants?|Gregor Mendel|Charles Darwin|Louis Pasteur|Carl Linnaeus
What is the flow of water through a half-permeable membrane called?|osmosis|fermentation|transpiration|distillation
What is the loss of water vapour from leaves called?|transpiration|respiration|germination|filtration
Which tissue of a plant carries water upwards?|xylem|phloem|epidermis|pith
What are the tiny openings in a leaf called?|stomata|alveoli|nephrons|villi
Where in the lungs does oxygen pass into the blood?|in the alveoli|in the bronchi|in the windpipe|in the pleura
Which protein of the red blood cells binds oxygen?|haemoglobin|insulin|keratin|collagen
Which parts of the blood start its clotting?|platelets|red blood cells|lymphocytes|antibodies
Which chamber of the heart pumps blood into the aorta?|left ventricle|right ventricle|left atrium|right atrium
Where does the body take up most nutrients?|small intestine|stomach|large intestine|oesophagus
Which enzyme of saliva breaks down starch?|amylase|pepsin|lipase|trypsin
Which part of the brain fine-tunes balance and movement?|cerebellum|hippocampus|olfactory bulb|pituitary gland
Which element does the thyroid need for its hormones?|iodine|iron|calcium|zinc
Against which of these do antibiotics help?|bacteria|viruses|pollen|snake venom
Who discovered penicillin?|Alexander Fleming|Louis Pasteur|Robert Koch|Edward Jenner
Which animals carry malaria from person to person?|mosquitoes|houseflies|ticks|fleas
A lack of which substance causes rickets in children?|vitamin D|vitamin C|vitamin B12|iron
In which layer of the atmosphere does nearly all weather happen?|troposphere|stratosphere|mesosphere|thermosphere
Which gas high in the air shields us from ultraviolet light?|ozone|methane|helium|argon
Which of these is a greenhouse gas?|methane|nitrogen|argon|oxygen
Which scale ranks how hard minerals are?|Mohs's scale|Richter's scale|Beaufort's scale|Kelvin's scale
Which rock does limestone become under heat and pressure?|marble|slate|gneiss|granite
What forms where two plates under the ocean move apart?|a mid-ocean ridge|an ocean trench|a river delta|a coral reef
What was the supercontinent of 250 million years ago called?|Pangaea|Atlantis|Eurasia|Oceania
To which galaxy does the Sun belong?|the Milky Way|the Andromeda Galaxy|the Whirlpool Galaxy|the Sombrero Galaxy
Where does the Sun's energy come from?|nuclear fusion|nuclear fission|burning gas|falling meteors
What does a light-year measure?|distance|time|speed|brightness
Which planet lies nearly on its side as it spins?|Uranus|Mars|Saturn|Jupiter
The asteroid belt is between which planets' orbits?|Mars and Jupiter|Earth and Mars|Jupiter and Saturn|Venus and Earth
Which planet has the hottest surface?|Venus|Mercury|Mars|the Earth
Who discovered the four largest moons of Jupiter?|Galileo Galilei|Isaac Newton|Edwin Hubble|William Herschel
How can salt be won back from salt water?|by evaporation|by filtering|with a magnet|by stirring
Which kind of energy does a body have because it moves?|kinetic energy|potential energy|chemical energy|nuclear energy
""",
}
