"""Other names of things that questions of school science ask for: formulas, everyday names and terms.

A table of ours, in no order that matters. Which option is right is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_GROUPS = """
carbon dioxide|CO2
carbon monoxide|CO gas
oxygen|O2|oxygen gas|dioxygen|molecular oxygen
nitrogen|N2|nitrogen gas|dinitrogen|molecular nitrogen
hydrogen|H2|hydrogen gas|dihydrogen|molecular hydrogen
ozone|O3|trioxygen
water|H2O|dihydrogen monoxide
water vapor|water vapour|steam|gaseous water
methane|CH4|natural gas|marsh gas
ammonia|NH3
table salt|salt|NaCl|sodium chloride|rock salt|common salt
hydrochloric acid|HCl
sulfuric acid|sulphuric acid|H2SO4
glucose|C6H12O6|grape sugar|dextrose|blood sugar
sucrose|table sugar|cane sugar
iron|Fe
copper|Cu
silver|Ag
gold|Au
lead|Pb
mercury|Hg|quicksilver
zinc|Zn
sodium|Na
aluminum|aluminium|Al
limestone|calcium carbonate|CaCO3
baking soda|sodium bicarbonate|sodium hydrogen carbonate|NaHCO3
rust|iron oxide
sunlight|sunshine|solar radiation|solar energy|solar light|light of the sun|light from the sun|rays of the sun|sun rays
the sun|sun|our star|Sol
the Earth|Earth|our planet|the blue planet|Terra
the Moon|moon|Luna|Earth's satellite
Mars|the red planet
Saturn|the ringed planet
Venus|the morning star|the evening star
gravity|gravitation|gravitational force|gravitational pull|the pull of the Earth
air pressure|atmospheric pressure|barometric pressure
the skull|skull|cranium|braincase
the spine|spine|backbone|vertebral column|spinal column
the ribs|ribs|rib cage|ribcage
the femur|femur|thigh bone|thighbone
the tibia|tibia|shin bone|shinbone
the patella|patella|kneecap
the kneecaps|kneecaps|patellae
the pelvis|pelvis|hip bone|hip bones
the sternum|sternum|breastbone
the clavicle|clavicle|collarbone
the scapula|scapula|shoulder blade
the mandible|mandible|jawbone|lower jaw
the trachea|trachea|windpipe
the esophagus|esophagus|oesophagus|gullet
the larynx|larynx|voice box
the retina|retina|back of the eye
the eardrum|eardrum|tympanic membrane
red blood cells|erythrocytes|red corpuscles
white blood cells|leukocytes|leucocytes|white corpuscles
platelets|thrombocytes
T lymphocytes|T cells|T-cells
B lymphocytes|B cells|B-cells
nerve cells|neurons|neurones
nerve cell|neuron|neurone
egg cell|ovum|oocyte
adrenaline|epinephrine
noradrenaline|norepinephrine
vitamin C|ascorbic acid
vitamin D|calciferol
vitamin A|retinol
sight|vision|eyesight
hearing|audition
smell|olfaction|sense of smell|smelling
taste|gustation|tasting
touch|sense of touch
an herbivore|a herbivore|herbivore|plant eater|plant-eater
a carnivore|carnivore|meat eater|meat-eater|flesh eater
an omnivore|omnivore|eater of plants and animals
a caterpillar|caterpillar|larva of a butterfly
the pupa|pupa|chrysalis
the tadpole|tadpole|frog larva
a mutation|mutation|change in the DNA|change of the DNA
DNA|deoxyribonucleic acid
RNA|ribonucleic acid
evaporation|vaporization|vaporisation
condensation|liquefaction
sublimation|going from solid to gas
an ecosystem|ecosystem|ecological system
a solar eclipse|solar eclipse|eclipse of the sun
a lunar eclipse|lunar eclipse|eclipse of the moon
a thermometer|thermometer
a barometer|barometer
kinetic energy|energy of motion|motion energy
potential energy|stored energy
thermal energy|heat energy
magma|molten rock
"""
NAMES: Mapping[str, tuple[str, ...]] = {
    name.lower(): tuple(other for other in names if other != name)
    for names in (line.split("|") for line in _GROUPS.split("\n") if line)
    for name in names
}


_FORMULA = re.compile(r"\A\s*(?:[A-Z][a-z]?\d{0,2}){1,6}\s*\Z")


def synonyms(option: str) -> tuple[str, ...]:
    """Return the other names of what an option names; none if the table has none, or if the option is a formula."""
    if _FORMULA.search(option):
        return ()  # the question has the name
    name = " ".join(option.lower().split()).strip(" .\"'")
    bare = name.removeprefix("the ").removeprefix("a ").removeprefix("an ")
    return NAMES.get(name) or NAMES.get(bare) or ()
