"""Kinds of text task of our own, in the areas world knowledge and information retrieval; every answer is computed."""

from __future__ import annotations

import calendar

from harness import seeds
from harness.studies.reliability.data import transforms_words as words
from harness.studies.reliability.data.transforms_demo import TaskType
from harness.studies.reliability.data.transforms_picks import (
    MONTHS,
    NUMBER_SHAPE,
    Drawn,
    any_of,
    between,
    numbers,
    one,
)

SYMBOLS = {
    "aluminium": "Al",
    "calcium": "Ca",
    "chromium": "Cr",
    "copper": "Cu",
    "gold": "Au",
    "iron": "Fe",
    "lead": "Pb",
    "magnesium": "Mg",
    "manganese": "Mn",
    "mercury": "Hg",
    "nickel": "Ni",
    "platinum": "Pt",
    "silver": "Ag",
    "sodium": "Na",
    "tin": "Sn",
    "titanium": "Ti",
    "zinc": "Zn",
}
CURRENCIES = {
    "Argentina": "ARS",
    "Australia": "AUD",
    "Brazil": "BRL",
    "Canada": "CAD",
    "Chile": "CLP",
    "China": "CNY",
    "Denmark": "DKK",
    "Egypt": "EGP",
    "Hungary": "HUF",
    "Iceland": "ISK",
    "India": "INR",
    "Indonesia": "IDR",
    "Japan": "JPY",
    "Kenya": "KES",
    "Mexico": "MXN",
    "Nepal": "NPR",
    "Norway": "NOK",
    "Poland": "PLN",
    "Sweden": "SEK",
    "Switzerland": "CHF",
    "Thailand": "THB",
    "Tunisia": "TND",
    "Vietnam": "VND",
}
PLURALS = {
    "child": "children",
    "goose": "geese",
    "knife": "knives",
    "leaf": "leaves",
    "loaf": "loaves",
    "mouse": "mice",
    "ox": "oxen",
    "shelf": "shelves",
    "tooth": "teeth",
    "wife": "wives",
    "wolf": "wolves",
    "calf": "calves",
    "foot": "feet",
    "woman": "women",
    "city": "cities",
    "berry": "berries",
    "box": "boxes",
    "church": "churches",
    "potato": "potatoes",
}
_COUNTRIES = {city: country for country, city in words.CAPITALS.items()}


def _country(source: seeds.Stream) -> Drawn:
    city = one(source, sorted(_COUNTRIES))
    return f"{between(source, 20, 999)} {one(source, words.GOODS)} to be sent to {city}", _COUNTRIES[city]


def _symbol(source: seeds.Stream) -> Drawn:
    metal = one(source, sorted(SYMBOLS))
    return f"{between(source, 2, 99)} kg of {metal} for {one(source, words.FAMILY)}", SYMBOLS[metal]


def _currency(source: seeds.Stream) -> Drawn:
    country = one(source, sorted(CURRENCIES))
    return f"{one(source, words.GOODS)} bought in {country} by {one(source, words.GIVEN)}", CURRENCIES[country]


def _plural(source: seeds.Stream) -> Drawn:
    noun = one(source, sorted(PLURALS))
    return f"{noun}, seen by {one(source, words.GIVEN)} {one(source, words.FAMILY)}", PLURALS[noun]


def _month_days(source: seeds.Stream) -> Drawn:
    month = 2 if seeds.draw_below(source, 3) == 0 else between(source, 1, 12)
    year = between(source, 1901, 2099)
    days = calendar.monthrange(year, month)[1]
    return f"rent of the {one(source, words.OFFICES)} for {MONTHS[month - 1]} {year}", str(days)


def _mail(source: seeds.Stream) -> Drawn:
    person, goods = one(source, words.GIVEN), one(source, words.GOODS)
    address = f"{one(source, words.GIVEN).lower()}{between(source, 2, 98)}@{one(source, words.PARTS)}.example"
    text = (
        f"{person} here, send the {goods} to {address} please.",
        f"The {goods} never came. Mail {address} and ask {person}.",
        f"For {goods} ask {person} ({address}) at the {one(source, words.OFFICES)}.",
    )[seeds.draw_below(source, 3)]
    return text, address


def _occurrences(source: seeds.Stream) -> Drawn:
    kinds = seeds.draw_sample(source, words.GOODS, 3)
    listed = [one(source, kinds) for _ in range(between(source, 6, 12))]
    wanted = listed[0]
    return f"{', '.join(listed)} ? {wanted}", str(listed.count(wanted))


def _above(source: seeds.Stream) -> Drawn:
    goods = seeds.draw_sample(source, words.GOODS, between(source, 4, 7))
    limit = between(source, 30, 70)
    while True:
        counts = numbers(source, len(goods), 10, 99)
        kept = [name for name, count in zip(goods, counts, strict=True) if count > limit]
        if 2 <= len(kept) < len(goods) and limit not in counts:
            text = "; ".join(f"{name} {count}" for name, count in zip(goods, counts, strict=True))
            return f"{text} ? {limit}", ", ".join(kept)


def _cell(source: seeds.Stream) -> Drawn:
    columns = seeds.draw_sample(source, words.GOODS, between(source, 2, 3))
    rows = seeds.draw_sample(source, words.GIVEN, between(source, 2, 3))
    cells = iter(numbers(source, len(columns) * len(rows), 11, 99))
    table = {row: {column: next(cells) for column in columns} for row in rows}
    row, column = one(source, rows), one(source, columns)
    lines = "; ".join(f"{name}: {', '.join(map(str, values.values()))}" for name, values in table.items())
    return f"columns: {', '.join(columns)}; {lines} ? {row}, {column}", str(table[row][column])


def _missing(source: seeds.Stream) -> Drawn:
    listed = seeds.draw_sample(source, words.GOODS, between(source, 3, 5))
    wanted = one(source, listed)
    left = seeds.draw_sample(source, [name for name in listed if name != wanted], len(listed))
    return f"first: {', '.join(listed)}; second: {', '.join(left)}", wanted


def _joined(source: seeds.Stream) -> Drawn:
    count = between(source, 2, 3)
    people, cities = seeds.draw_sample(source, words.GIVEN, count), seeds.draw_sample(source, sorted(_COUNTRIES), count)
    keys = [f"K{number}" for number in numbers(source, count, 11, 99)]
    owners = "; ".join(f"{key}={person}" for key, person in zip(keys, people, strict=True))
    places = [f"{key}={city}" for key, city in zip(keys, cities, strict=True)]
    wanted = seeds.draw_below(source, count)
    return f"owners: {owners}. places: {'; '.join(reversed(places))} ? {people[wanted]}", cities[wanted]


def _host(source: seeds.Stream) -> Drawn:
    host = f"{one(source, words.VALUES['flower'])}.{one(source, words.VALUES['tree'])}.example"
    path = "/".join(seeds.draw_sample(source, words.PARTS, between(source, 1, 3)))
    return f"https://{host}/{path}?page={between(source, 2, 99)}", host


_CODES = any_of(CURRENCIES.values(), cased=True)
_CITY, _GOODS, _FAMILY = any_of(_COUNTRIES), any_of(words.GOODS), any_of(words.FAMILY)

TASKS: tuple[TaskType, ...] = (
    TaskType(
        "country",
        "world knowledge",
        "Name the country whose capital city is mentioned.",
        any_of(words.CAPITALS),
        _country,
    ),
    TaskType(
        "symbol",
        "world knowledge",
        "Give the chemical symbol of the metal.",
        any_of(SYMBOLS.values(), cased=True),
        _symbol,
    ),
    TaskType(
        "currency",
        "world knowledge",
        "Give the three-letter ISO code of the currency that was paid with.",
        _CODES,
        _currency,
    ),
    TaskType("plural", "world knowledge", "Write the plural of the English noun.", any_of(PLURALS.values()), _plural),
    TaskType("month-days", "world knowledge", "Say how many days the month has.", NUMBER_SHAPE, _month_days),
    TaskType("mail", "information retrieval", "Copy the e-mail address out of the message.", r"\w@\w+\.example", _mail),
    TaskType(
        "occurrences",
        "information retrieval",
        "Count how often the word after the question mark stands in the list before it.",
        NUMBER_SHAPE,
        _occurrences,
    ),
    TaskType(
        "above",
        "information retrieval",
        "List the goods with a count above the number after the question mark, in their order, with commas between.",
        f"{_GOODS}, ",
        _above,
    ),
    TaskType(
        "cell",
        "information retrieval",
        "Look up the cell of the table in the row and the column named after the question mark.",
        NUMBER_SHAPE,
        _cell,
    ),
    TaskType(
        "missing",
        "information retrieval",
        "Say what stands in the first list, but not in the second.",
        _GOODS,
        _missing,
    ),
    TaskType(
        "joined",
        "information retrieval",
        "Find the key of the person after the question mark, and say which city has the same key.",
        _CITY,
        _joined,
    ),
    TaskType("host", "information retrieval", "Copy the host name out of the web address.", r"\w\.\w+\.example", _host),
)
