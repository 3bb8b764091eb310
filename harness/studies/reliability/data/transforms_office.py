"""Kinds of text task of our own, in the areas administration, scheduling and retailing; every answer is computed."""

from __future__ import annotations

import datetime

from harness import seeds
from harness.studies.reliability.data import transforms_words as words
from harness.studies.reliability.data.transforms_demo import TaskType
from harness.studies.reliability.data.transforms_picks import (
    AMOUNT_SHAPE,
    CLOCK_SHAPE,
    DATE_SHAPE,
    NUMBER_SHAPE,
    Drawn,
    amount,
    any_of,
    between,
    clock,
    date,
    numbers,
    one,
    unsorted,
)

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_QUARTERS = 24 * 4
_STREETS = ("Harbour", "Meadow", "Castle", "Mill", "Orchard", "Chapel", "Station", "Forest")
_TOWNS = ("Millfield", "Ashford", "Oakham", "Norwell", "Elmstead", "Kingsbury", "Redbridge", "Stonehaven")
_VAT = (5, 10, 20, 25)


def _due(source: seeds.Stream) -> Drawn:
    day, days = date(source), between(source, 10, 90)
    return f"bill of {day}, paid {days} days later", str(day + datetime.timedelta(days=days))


def _age(source: seeds.Stream) -> Drawn:
    born = date(source)
    signed = born + datetime.timedelta(days=between(source, 19 * 366, 70 * 365))
    if (signed.month, signed.day) == (born.month, born.day) or (born.month, born.day) == (2, 29):
        return _age(source)  # on the day itself, and for those born on 29 February, customs differ
    years = signed.year - born.year - ((signed.month, signed.day) < (born.month, born.day))
    return f"born {born}, signed {signed}", str(years)


def _masked(source: seeds.Stream) -> Drawn:
    groups = [str(between(source, 1_001, 9_998)) for _ in range(between(source, 3, 5))]
    return " ".join(groups), " ".join(["xxxx"] * (len(groups) - 1) + groups[-1:])


def _check_digit(source: seeds.Stream) -> Drawn:
    digits = str(between(source, 10_001, 98_999_999))
    return digits, f"{digits}-{sum(map(int, digits)) % 10}"


def _address(source: seeds.Stream) -> Drawn:
    street, number = one(source, _STREETS), between(source, 1, 199)
    code, town = between(source, 10_001, 98_999), one(source, _TOWNS)
    text = f"town={town}; code={code}; street={street} Street; number={number}"
    return text, f"{number} {street} Street, {code} {town}"


def _mean(source: seeds.Stream) -> Drawn:
    scores = numbers(source, 5, 11, 99)
    tenths = 2 * sum(scores)
    return f"marks of {one(source, words.GIVEN)}: {', '.join(map(str, scores))}", f"{tenths // 10}.{tenths % 10}"


def _deduped(source: seeds.Stream) -> Drawn:
    names = seeds.draw_sample(source, words.FAMILY, between(source, 3, 5))
    listed = list(names)
    for _ in range(between(source, 2, 3)):
        listed.insert(between(source, 1, len(listed)), one(source, names))
    return "; ".join(listed), ", ".join(dict.fromkeys(listed))


def _title(source: seeds.Stream) -> str:
    return f"{one(source, words.SLOGAN_FIRST)} {one(source, words.SLOGAN_SECOND)}"


def _citation(source: seeds.Stream) -> Drawn:
    given, family, year = one(source, words.GIVEN), one(source, words.FAMILY), between(source, 1901, 2029)
    title = _title(source)
    return f"title={title}; author={given} {family}; year={year}", f"{family}, {given[0]}. ({year}). {title}"


def _citation_key(source: seeds.Stream) -> Drawn:
    family, year = one(source, words.FAMILY), between(source, 1901, 2029)
    first, second = one(source, words.SLOGAN_FIRST), one(source, words.SLOGAN_SECOND)
    text = f"{one(source, words.GIVEN)} {family}: {first} {second}. {one(source, _TOWNS)}, {year}"
    return text, f"{family}{year}{first}".lower()


def _weekday(source: seeds.Stream) -> Drawn:
    start, days = seeds.draw_below(source, 7), between(source, 2, 40)
    while days % 7 == 0:
        days = between(source, 2, 40)
    return f"{one(source, words.MEETINGS)}, moved from {_WEEKDAYS[start]} by {days} days", _WEEKDAYS[(start + days) % 7]


def _length(source: seeds.Stream) -> Drawn:
    start, minutes = 5 * between(source, 84, 190), 5 * between(source, 3, 45)
    return f"{one(source, words.MEETINGS)}, {clock(start)} to {clock(start + minutes)}", str(minutes)


def _local(source: seeds.Stream) -> Drawn:
    at, quarters = seeds.draw_below(source, 24 * 60), between(source, 2, 48)
    sign = one(source, ("+", "-"))
    shift = 15 * quarters
    there = at + shift if sign == "+" else at - shift
    return f"{clock(at)} UTC, zone UTC{sign}{clock(shift)}", clock(there % (24 * 60))


def _days(source: seeds.Stream) -> Drawn:
    start, days = date(source), between(source, 9, 300)
    return f"from {start} to {start + datetime.timedelta(days=days)}", str(days)


def _day_of_year(source: seeds.Stream) -> Drawn:
    day = date(source)
    return f"{one(source, words.MEETINGS)} on {day}", str(day.timetuple().tm_yday)


def _latest(source: seeds.Stream) -> Drawn:
    first = date(source)
    days = [first + datetime.timedelta(days=step) for step in numbers(source, between(source, 3, 6), 0, 700)]
    return "; ".join(map(str, days)), str(max(days))


def _overlap(source: seeds.Stream) -> Drawn:
    start, shared = 5 * between(source, 96, 180), 5 * between(source, 2, 18)
    before, after = 5 * between(source, 1, 12), 5 * between(source, 1, 12)
    first, second = seeds.draw_sample(source, words.MEETINGS, 2)
    spans = [(start - before, start + shared), (start, start + shared + after)]
    if seeds.draw_below(source, 2):
        spans = [(start - before, start + shared + after), (start, start + shared)]
    (a, b), (c, d) = spans
    return f"{first} {clock(a)}-{clock(b)}, {second} {clock(c)}-{clock(d)}", str(shared)


def _sorted_times(source: seeds.Stream) -> Drawn:
    times = unsorted(source, [clock(15 * quarter) for quarter in range(28, _QUARTERS - 8)], between(source, 3, 6))
    return "; ".join(times), ", ".join(sorted(times))


def _hours(source: seeds.Stream) -> Drawn:
    minutes = between(source, 61, 1_399)
    while minutes % 60 == 0:
        minutes = between(source, 61, 1_399)
    return f"{one(source, words.MEETINGS)}, {minutes} minutes", f"{minutes // 60} h {minutes % 60} min"


def _cheapest(source: seeds.Stream) -> Drawn:
    goods = seeds.draw_sample(source, words.GOODS, between(source, 3, 6))
    prices = numbers(source, len(goods), 105, 1_995)
    text = "; ".join(f"{name} {amount(price)}" for name, price in zip(goods, prices, strict=True))
    return text, goods[prices.index(min(prices))]


def _change(source: seeds.Stream) -> Drawn:
    paid = one(source, (2_000, 5_000, 10_000, 20_000))
    bill = between(source, paid // 4, paid - 5)
    return f"bill {amount(bill)}, paid {amount(paid)}, {one(source, words.GOODS)}", amount(paid - bill)


def _taxed(source: seeds.Stream) -> Drawn:
    net, rate = 20 * between(source, 50, 4_900), one(source, _VAT)
    return f"{one(source, words.GOODS)} {amount(net)} net, tax {rate}%", amount(net * (100 + rate) // 100)


def _reorder(source: seeds.Stream) -> Drawn:
    goods = seeds.draw_sample(source, words.GOODS, between(source, 4, 6))
    while True:
        stock, least = numbers(source, len(goods), 10, 99), numbers(source, len(goods), 10, 99)
        pairs = list(zip(goods, stock, least, strict=True))
        kept = [name for name, there, low in pairs if there < low]
        if 2 <= len(kept) < len(goods) and all(there != low for _, there, low in pairs):
            return "; ".join(f"{name} {there}/{low}" for name, there, low in pairs), ", ".join(kept)


def _receipt(source: seeds.Stream) -> Drawn:
    goods = seeds.draw_sample(source, words.GOODS, between(source, 2, 4))
    lines = [(name, between(source, 2, 9), between(source, 105, 1_995)) for name in goods]
    text = "; ".join(f"{count} {name} at {amount(price)} each" for name, count, price in lines)
    return text, amount(sum(count * price for _, count, price in lines))


_GOODS = any_of(words.GOODS)

TASKS: tuple[TaskType, ...] = (
    TaskType("due", "administration", "Work out the date of the payment, as YYYY-MM-DD.", DATE_SHAPE, _due),
    TaskType("age", "administration", "Work out the age in full years on the day of signing.", NUMBER_SHAPE, _age),
    TaskType(
        "masked",
        "administration",
        "Put x for every digit except those of the last group, and keep the blanks.",
        r"xxxx \w",
        _masked,
    ),
    TaskType(
        "check-digit",
        "administration",
        "Write the number, a hyphen, and the last digit of the sum of its digits.",
        r"\d{4,}-\d",
        _check_digit,
    ),
    TaskType(
        "address",
        "administration",
        "Write the address as number, street, comma, code, town.",
        r"\d [A-Z][a-z]+ Street, \d",
        _address,
    ),
    TaskType("mean", "administration", "Work out the mean, with one decimal.", r"\d\.\d\b", _mean),
    TaskType(
        "deduped",
        "administration",
        "Keep each name only where it stands first, with commas between the names.",
        r"[A-Z][a-z]+, [A-Z][a-z]+, [A-Z]",
        _deduped,
    ),
    TaskType(
        "citation",
        "administration",
        "Cite the book as Surname, Initial. (Year). Title, without a full stop at the end.",
        r"\(\d{4}\)",
        _citation,
    ),
    TaskType(
        "citation-key",
        "administration",
        "Make a key: surname, year and first word of the title, in small letters and without blanks.",
        r"\b[a-z]+\d{4}[a-z]+\b",
        _citation_key,
    ),
    TaskType("weekday", "scheduling", "Name the new day of the week, counting forwards.", any_of(_WEEKDAYS), _weekday),
    TaskType("length", "scheduling", "Say how many minutes it lasts, in digits only.", NUMBER_SHAPE, _length),
    TaskType(
        "local",
        "scheduling",
        "Give the local time in the zone on the twenty-four-hour clock, as HH:MM.",
        CLOCK_SHAPE,
        _local,
    ),
    TaskType("days", "scheduling", "Say how many days the second date is after the first.", NUMBER_SHAPE, _days),
    TaskType(
        "day-of-year",
        "scheduling",
        "Say the number of the day within its year, where New Year's Day is number one.",
        NUMBER_SHAPE,
        _day_of_year,
    ),
    TaskType("latest", "scheduling", "Copy the latest of the dates.", DATE_SHAPE, _latest),
    TaskType(
        "overlap",
        "scheduling",
        "Say how many minutes the two appointments overlap, in digits only.",
        NUMBER_SHAPE,
        _overlap,
    ),
    TaskType(
        "sorted-times",
        "scheduling",
        "Order the times from early to late, with commas between.",
        r"\d:\d\d, \d",
        _sorted_times,
    ),
    TaskType("hours", "scheduling", "Write the length as hours h minutes min.", r"\d ?h \d", _hours),
    TaskType("cheapest", "retailing", "Name the product with the lowest price.", _GOODS, _cheapest),
    TaskType("change", "retailing", "Work out the change, with two decimals.", AMOUNT_SHAPE, _change),
    TaskType("taxed", "retailing", "Work out the price with the tax added, with two decimals.", AMOUNT_SHAPE, _taxed),
    TaskType(
        "reorder",
        "retailing",
        "Of each product stock and minimum are given. List those below their minimum, with commas between.",
        f"{_GOODS}, ",
        _reorder,
    ),
    TaskType(
        "receipt", "retailing", "Work out the total of the whole receipt, with two decimals.", AMOUNT_SHAPE, _receipt
    ),
)
