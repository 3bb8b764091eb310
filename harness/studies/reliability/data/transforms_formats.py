"""Kinds of text task of our own, in the areas data formatting and advertising; every answer is computed."""

from __future__ import annotations

import json

from harness import seeds
from harness.studies.reliability.data import transforms_words as words
from harness.studies.reliability.data.transforms_demo import TaskType
from harness.studies.reliability.data.transforms_picks import (
    MONTHS,
    NUMBER_SHAPE,
    Drawn,
    amount,
    any_of,
    between,
    date,
    one,
    unsorted,
)

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def _long_date(source: seeds.Stream) -> Drawn:
    day = date(source)
    return f"{day.month:02d}/{day.day:02d}/{day.year}", f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _phone(source: seeds.Stream) -> Drawn:
    parts = [str(between(source, 20, 98)), *(str(between(source, 101, 999)) for _ in range(between(source, 2, 3)))]
    return " ".join((f"00{parts[0]}", *parts[1:])), "+" + "-".join(parts)


def _sorted_words(source: seeds.Stream) -> Drawn:
    drawn = unsorted(source, words.GOODS, between(source, 3, 7))
    return "; ".join(drawn), ", ".join(sorted(drawn))


def _sorted_numbers(source: seeds.Stream) -> Drawn:
    drawn = unsorted(source, range(2, 999), between(source, 4, 8))
    return f"[{', '.join(map(str, drawn))}]", " ".join(map(str, sorted(drawn)))


def _swapped(source: seeds.Stream) -> Drawn:
    row = [one(source, words.GIVEN), one(source, words.FAMILY), one(source, words.GOODS)]
    row += [str(between(source, 11, 999)), one(source, words.VALUES["colour"])][: between(source, 1, 2)]
    return ";".join(row), ";".join((row[-1], *row[1:-1], row[0]))


def _json(source: seeds.Stream) -> Drawn:
    names = seeds.draw_sample(source, words.FIELDS, between(source, 2, 3))
    record = {name: one(source, words.VALUES[name]) for name in names}
    return "; ".join(f"{name}: {value}" for name, value in record.items()), json.dumps(record)


def _xml(source: seeds.Stream) -> Drawn:
    names = seeds.draw_sample(source, words.FIELDS, 2)
    record = {name: one(source, words.VALUES[name]) for name in names}
    text = "; ".join(f"{name}: {value}" for name, value in record.items())
    return text, "".join(f"<{name}>{value}</{name}>" for name, value in record.items())


def _rounded(source: seeds.Stream) -> Drawn:
    whole, rest = between(source, 2, 99), between(source, 1_001, 99_999)
    while rest % 10 == 0 or rest % 1_000 == 500:  # none has fewer decimals, none lies in the middle
        rest = between(source, 1_001, 99_999)
    cents = whole * 100 + (rest + 500) // 1_000
    return f"{whole}.{rest:05d}", amount(cents)


def _roman(source: seeds.Stream) -> Drawn:
    number = between(source, 1_001, 2_099)
    return f"year {number}, {one(source, words.FAMILY)}", _to_roman(number)


def _to_roman(number: int) -> str:
    found = ""
    for value, sign in _ROMAN:
        found += sign * (number // value)
        number %= value
    return found


def _email(source: seeds.Stream) -> Drawn:
    given, family = one(source, words.GIVEN), one(source, words.FAMILY)
    house = f"{one(source, words.VALUES['tree'])}{one(source, words.VALUES['animal'])}.example"
    return f"{given} {family}, {house}", f"{given}.{family}@{house}".lower()


def _centimetres(source: seeds.Stream) -> Drawn:
    length = between(source, 101, 2_999)
    while length % 100 == 0:
        length += 7
    return f"{one(source, words.GOODS)}, {amount(length)} m of cord", f"{length} cm"


def _initials(source: seeds.Stream) -> Drawn:
    parts = [one(source, choices) for choices in (words.SLOGAN_FIRST, words.SLOGAN_SECOND, words.SLOGAN_THIRD)]
    parts += [one(source, words.SLOGAN_LAST)][: seeds.draw_below(source, 2)]
    return " ".join(parts).lower(), "".join(part[0] for part in parts)


def _now(source: seeds.Stream) -> Drawn:
    price, percent = 20 * between(source, 6, 240), 5 * between(source, 2, 14)  # in units of a cent times five
    cents = 5 * price * (100 - percent) // 100
    return f"{one(source, words.GOODS)}, {amount(5 * price)}, {percent}% off", f"NOW {amount(cents)}"


def _coupon(source: seeds.Stream) -> Drawn:
    goods, percent = one(source, words.GOODS), between(source, 11, 89)
    return f"{percent}% off all {goods} in {one(source, words.VALUES['month'])}", f"{goods[:3].upper()}{percent}"


def _letters(source: seeds.Stream) -> Drawn:
    parts = [one(source, choices) for choices in (words.SLOGAN_FIRST, words.SLOGAN_SECOND, words.SLOGAN_THIRD)]
    parts = [*parts[: between(source, 2, 3)], one(source, words.SLOGAN_LAST)]
    return " ".join(parts), str(sum(map(len, parts)))


_GOODS, _NAME = any_of(words.GOODS) + ", ", any_of(words.FIELDS)

TASKS: tuple[TaskType, ...] = (
    TaskType(
        "long-date",
        "data formatting",
        "Write the month/day/year date as day, month in words and year, without commas.",
        r"\d{1,2} [A-Z][a-z]+ \d{4}",
        _long_date,
    ),
    TaskType(
        "phone",
        "data formatting",
        "Put a plus sign in the place of the two leading zeros, and hyphens in the place of the blanks.",
        r"\+\d+-\d",
        _phone,
    ),
    TaskType("sorted-words", "data formatting", "Sort alphabetically, with commas between.", _GOODS, _sorted_words),
    TaskType(
        "sorted-numbers",
        "data formatting",
        "Sort from the smallest to the largest, with only blanks between.",
        r"\d \d",
        _sorted_numbers,
    ),
    TaskType(
        "swapped",
        "data formatting",
        "Swap the first and the last field of the row, and leave the rest as it is.",
        r"\w;\w",
        _swapped,
    ),
    TaskType(
        "json", "data formatting", "Write the record as one JSON object in the same order.", rf"\{{\"{_NAME}\":", _json
    ),
    TaskType(
        "xml",
        "data formatting",
        "Write each field as an XML element: the name as tag, the value as content, nothing between the elements.",
        rf"<{_NAME}>\w",
        _xml,
    ),
    TaskType("rounded", "data formatting", "Round to two decimals.", r"\d\.\d{2}\b", _rounded),
    TaskType("roman", "data formatting", "Write the number in Roman numerals.", r"\b[MDCLXVI]{2,}\b", _roman),
    TaskType(
        "e-mail",
        "data formatting",
        "Build the address given.surname@domain, all in small letters.",
        r"\w\.\w+@[a-z]+\.example",
        _email,
    ),
    TaskType("centimetres", "data formatting", "Give the length in cm, with the unit.", r"\d ?cm\b", _centimetres),
    TaskType(
        "initials",
        "advertising",
        "Make a brand of the first letters of all the words, in capitals and without blanks.",
        r"\b[A-Z]{3,4}\b",
        _initials,
    ),
    TaskType(
        "now",
        "advertising",
        "Write the sign as NOW and the reduced price with two decimals.",
        r"(?i:now) \d+\.\d{2}",
        _now,
    ),
    TaskType(
        "coupon",
        "advertising",
        "Make a coupon code: the first three letters of the product in capitals, then the discount's digits.",
        r"\b[A-Z]{3}\d{2}\b",
        _coupon,
    ),
    TaskType("letters", "advertising", "Count the letters of the slogan, without the blanks.", NUMBER_SHAPE, _letters),
)
