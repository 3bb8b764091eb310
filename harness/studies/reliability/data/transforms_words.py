"""Data: the word lists from which the text tasks of the transforms demo are drawn, all chosen by us.

No word here may occur in a prompt of the benchmark or in an instruction. Otherwise repeating the question could be
right.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


GIVEN = _words(
    """
    Ada Aino Amir Anna Bela Boris Carla Chen Clara Dana David Elena Emil Erik Eva Farid Felix Greta Hana Hugo Ida Ines
    Ivan Jana Jonas Julia Karim Klara Lars Lea Leo Lina Lucas Maya Mara Marco Mina Nadia Nils Nora Olga Omar Oscar
    Paula Petra Rafael Rosa Samir Sara Selma Simon Sofia Tariq Tessa Tomas Vera Viktor Wanda Yara Zoe
    """
)
FAMILY = _words(
    """
    Adler Bailey Barros Becker Berger Castro Cohen Conrad Costa Dahl Dumas Duran Eklund Farkas Ferrer Fischer Garcia
    Haddad Hansen Hoffman Ibarra Ivanov Jansen Jensen Kaplan Keller Kovac Laine Lambert Larsen Lopez Maier Marek Mendes
    Moreau Moretti Nagy Nakamura Novak Olsen Ortega Osman Patel Pereira Petrov Quinn Ramos Reyes Rivera Romano Rossi
    Santos Schmidt Silva Sousa Tanaka Torres Varga Vidal Virtanen Walter Weber Yilmaz Zeman
    """
)
CAPITALS = {
    "Argentina": "Buenos Aires",
    "Austria": "Vienna",
    "Belgium": "Brussels",
    "Bulgaria": "Sofia",
    "Canada": "Ottawa",
    "Chile": "Santiago",
    "China": "Beijing",
    "Colombia": "Bogota",
    "Croatia": "Zagreb",
    "Cuba": "Havana",
    "Denmark": "Copenhagen",
    "Egypt": "Cairo",
    "Estonia": "Tallinn",
    "Finland": "Helsinki",
    "France": "Paris",
    "Germany": "Berlin",
    "Ghana": "Accra",
    "Greece": "Athens",
    "Hungary": "Budapest",
    "Iceland": "Reykjavik",
    "Iran": "Tehran",
    "Iraq": "Baghdad",
    "Ireland": "Dublin",
    "Italy": "Rome",
    "Japan": "Tokyo",
    "Jordan": "Amman",
    "Kenya": "Nairobi",
    "Latvia": "Riga",
    "Lebanon": "Beirut",
    "Mongolia": "Ulaanbaatar",
    "Morocco": "Rabat",
    "Nepal": "Kathmandu",
    "Norway": "Oslo",
    "Peru": "Lima",
    "Poland": "Warsaw",
    "Portugal": "Lisbon",
    "Romania": "Bucharest",
    "Senegal": "Dakar",
    "Slovenia": "Ljubljana",
    "Spain": "Madrid",
    "Sweden": "Stockholm",
    "Thailand": "Bangkok",
    "Tunisia": "Tunis",
    "Uruguay": "Montevideo",
    "Vietnam": "Hanoi",
}
GOODS = _words(
    """
    apples bananas baskets belts blankets bottles bowls brushes buckets candles carpets chairs clocks coats cups
    cushions forks frames gloves hammers hats kettles knives ladders lamps lemons mirrors mugs onions pears pencils
    pillows plates rulers scarves shirts shoes soaps socks spoons stools towels trays umbrellas vases wallets
    """
)
SLOGAN_FIRST = _words(
    """
    Bold Bright Calm Clean Cool Cosy Crisp Early Fresh Gentle Golden Happy Honest Lively Lovely Merry Mild Modern Quiet
    Silent Simple Smooth Sweet Warm
    """
)
SLOGAN_SECOND = _words(
    """
    Autumn Bakery Beach Breakfast Castle City Coffee Desert Forest Garden Harbour Holiday Island Kitchen Meadow Mountain
    Ocean River Spring Summer Valley Village Winter
    """
)
SLOGAN_THIRD = _words(
    """
    Adventures Aromas Breezes Colours Comfort Days Dreams Flavours Journeys Light Magic Melodies Moments Music Nights
    Pleasures Savings Secrets Stories Taste Treasures Voices Wonders
    """
)
SLOGAN_LAST = tuple(
    _words("Abroad Always Daily Forever Indoors Nearby Outdoors Together Tomorrow Tonight Weekly Yearly")
)
FIELDS = _words("animal colour fabric flower fruit metal month river sport tree")
VALUES = {
    "animal": _words("badger camel donkey eagle ferret giraffe heron otter rabbit zebra"),
    "colour": _words("amber beige crimson indigo magenta ochre purple scarlet turquoise violet"),
    "fabric": _words("canvas cashmere cotton denim felt flannel linen satin velvet wool"),
    "flower": _words("aster begonia crocus daisy iris lilac orchid poppy rose tulip"),
    "fruit": _words("apricot banana cherry fig grape lemon mango peach pear plum"),
    "metal": _words("aluminium brass bronze cobalt copper nickel silver tin titanium zinc"),
    "month": _words("January February March April June July August September October December"),
    "river": _words("Danube Ebro Elbe Ganges Loire Nile Rhine Tagus Thames Volga"),
    "sport": _words("archery boxing curling fencing hockey judo rowing rugby sailing tennis"),
    "tree": _words("alder beech birch cedar elm hazel larch maple oak willow"),
}
PARTS = _words(
    """
    account amount average batch buffer client count cursor default delta email error filter folder header height
    image index item length limit list loader logger mapping margin message module node number offset order owner
    packet parser password path payload pointer price queue record report request result route score server session
    socket source status stream string table target token total user value vector version width window worker
    """
)
MEETINGS = _lines(
    """
    budget call
    choir practice
    cooking class
    dentist visit
    design review
    fire drill
    guitar lesson
    piano lesson
    staff meeting
    swimming course
    tax interview
    team breakfast
    tennis match
    training hour
    yoga class
    """
)
OFFICES = _words("archive cashier clinic depot garage kitchen library museum nursery workshop")
