"""The small vocabulary of simulated sentences: 24 topics of a dozen nouns, and words that all topics share.

OURS. Topics are numbered; they do not correspond to categories of the real stimuli.
"""

from __future__ import annotations

NOUNS: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split())
    for line in (
        "wolf badger fox hare otter squirrel deer bear hedgehog weasel burrow paw",
        "kettle toaster oven fridge blender freezer boiler grill socket plug timer switch",
        "robin falcon sparrow heron wren gull nest feather beak wing egg flock",
        "elbow knee wrist ankle shoulder thumb rib muscle bone tendon spine jaw",
        "roof cellar stair gutter chimney ceiling balcony porch brick plaster beam tile",
        "coat scarf glove sleeve collar button sock boot jacket hem pocket zip",
        "thief burglar judge jury alibi bribe fraud prison warrant verdict police evidence",
        "flood earthquake storm landslide drought wildfire rescue shelter siren rubble tornado volcano",
        "tea coffee juice lemonade cocoa milk cider mug teapot straw syrup foam",
        "cottage tent cabin castle hut igloo villa farmhouse barn lodge hostel flat",
        "salmon trout herring carp shark pike fin gill tide reef angler net",
        "apple pear cherry plum grape lemon orchard peel seed pip juice-press basket",
        "chair sofa shelf wardrobe stool mattress cushion drawer desk bench armrest cupboard",
        "mother uncle cousin baby neighbour widow teenager grandmother twin bride orphan guest",
        "bee ant beetle wasp moth cricket hive antenna larva swarm cocoon sting",
        "spoon fork ladle whisk knife spatula saucepan grater colander bowl tray lid",
        "valley glacier meadow cliff canyon lake desert hill waterfall marsh island dune",
        "violin drum flute piano trumpet choir melody rhythm chord organ concert harp",
        "airport museum library harbour market stadium theatre hospital station school chapel bakery",
        "doctor baker lawyer carpenter nurse farmer plumber teacher pilot tailor barber engineer",
        "hammer mallet drill chisel wrench nail screw ladder vice axe pliers spade",
        "carrot onion potato cabbage leek pumpkin turnip spinach celery garlic radish bean",
        "train lorry bicycle ferry tram scooter wheel engine brake rail saddle ticket",
        "sword rifle dagger cannon spear bow arrow bullet shield bomb pistol trigger",
    )
)
VERBS = (
    "saw",
    "found",
    "moved",
    "kept",
    "left",
    "touched",
    "needed",
    "followed",
    "covered",
    "reached",
    "missed",
    "watched",
)
PLACED = ("near", "under", "behind", "above", "with", "beside", "against", "without")
KINDS = ("small", "old", "quiet", "heavy", "green", "bright", "empty", "new", "strange", "warm")
THE, LINK = "the", "and"
