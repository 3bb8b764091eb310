"""Generators of twelve text tasks of our own in eight areas; every answer is computed.

Areas: docs/reliability-rules.md#transforms. Independent of prompts and models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from harness import seeds
from harness.errors import InputError
from harness.studies.reliability.data import transforms_words as words

GENERATOR_VERSION = "1"
_DAY = 24 * 60
_CLOCK = r"\b\d{2}:\d{2}\b"


@dataclass(frozen=True, slots=True)
class TaskInstance:
    """An instance of a text task: instruction, text, right answer, other accepted answers, and an answer's pattern."""

    instruction: str
    text: str
    target: str
    accepted: tuple[str, ...]
    answer_shape: str | None


@dataclass(frozen=True, slots=True)
class TaskType:
    """A kind of text task: name, area, instruction, an answer's pattern, and a function that draws text and answer."""

    name: str
    area: str
    instruction: str
    answer_shape: str | None
    draw: Callable[[seeds.Stream], tuple[str, str]]


def draw(seed: int, task: int, index: int) -> TaskInstance:
    """Draw instance `index` of kind 1..12 of text task from the seed; raise InputError for another kind.

    The draws are independent of each other.
    """
    if not 1 <= task <= len(TASKS):
        raise InputError(f"there is no task {task}", where="task", next=f"use 1 to {len(TASKS)}")
    kind = TASKS[task - 1]
    text, target = kind.draw(seeds.random_stream(seeds.derive_seed(seed, "transforms.draw", f"{task:02d}-{index}")))
    return TaskInstance(kind.instruction, text, target, (), kind.answer_shape)


def _one(source: seeds.Stream, choices: Sequence[str]) -> str:
    return choices[seeds.draw_below(source, len(choices))]


def _between(source: seeds.Stream, low: int, high: int) -> int:
    return low + seeds.draw_below(source, high - low + 1)


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _date(source: seeds.Stream) -> tuple[str, str]:
    day, month, year = _between(source, 1, 28), _between(source, 1, 12), _between(source, 1900, 2099)
    return f"{day:02d}/{month:02d}/{year}", f"{year}-{month:02d}-{day:02d}"


def _name(source: seeds.Stream) -> tuple[str, str]:
    given, middle, family = _one(source, words.GIVEN), _one(source, words.GIVEN), _one(source, words.FAMILY)
    return f"{given} {middle} {family}", f"{family}, {given[0]}. {middle[0]}."


def _capital(source: seeds.Stream) -> tuple[str, str]:
    country = _one(source, sorted(words.CAPITALS))
    goods, count, day = _one(source, words.GOODS), _between(source, 20, 999), _between(source, 2, 28)
    return f"{count} {goods} for {country}, leaving on day {day}", words.CAPITALS[country]


def _order_number(source: seeds.Stream) -> tuple[str, str]:
    letters = "".join(chr(65 + seeds.draw_below(source, 26)) for _ in range(2))
    number = f"{letters}-{_between(source, 1000, 9999)}"
    goods, place = _one(source, words.GOODS), seeds.draw_below(source, 3)
    person = _one(source, words.GIVEN)
    text = (
        f"Hello, it is {person}. My order {number} of {goods} has not come.",
        f"Order {number} came today, but the {goods} are broken. {person}",
        f"{person} wants the {goods} sent again, see {number}, thank you.",
    )[place]
    return text, number


def _field(source: seeds.Stream) -> tuple[str, str]:
    names = seeds.draw_sample(source, words.FIELDS, 4)
    record = {name: _one(source, words.VALUES[name]) for name in names}
    wanted = _one(source, names)
    return "; ".join(f"{name}={value}" for name, value in record.items()) + f" ? {wanted}", record[wanted]


def _hashtag(source: seeds.Stream) -> tuple[str, str]:
    parts = [
        _one(source, choices)
        for choices in (words.SLOGAN_FIRST, words.SLOGAN_SECOND, words.SLOGAN_THIRD, words.SLOGAN_LAST)
    ]
    if seeds.draw_below(source, 2):
        del parts[1]
    return " ".join(parts).lower(), "#" + "".join(parts)


def _headline(source: seeds.Stream) -> tuple[str, str]:
    goods, percent, office = _one(source, words.GOODS), 5 * _between(source, 2, 18), _one(source, words.OFFICES)
    price = _between(source, 12, 480)
    return f"product={goods}; price={price}; discount={percent}%; place={office}", f"{goods.upper()} {percent}% OFF"


def _reference(source: seeds.Stream) -> tuple[str, str]:
    given, family, year = _one(source, words.GIVEN), _one(source, words.FAMILY), _between(source, 1970, 2029)
    number = _between(source, 2, 999)
    return f"{given} {family}, {year}, file {number}", f"{year}-{given[0]}{family[0]}-{number:03d}"


def _snake(source: seeds.Stream) -> tuple[str, str]:
    parts = seeds.draw_sample(source, words.PARTS, _between(source, 3, 4))
    return parts[0] + "".join(part.capitalize() for part in parts[1:]), "_".join(parts)


def _end_time(source: seeds.Stream) -> tuple[str, str]:
    meeting, start = _one(source, words.MEETINGS), 5 * seeds.draw_below(source, _DAY // 5 - 48)
    minutes = 5 * _between(source, 2, 47)
    return f"{meeting}, starts {_clock(start)}, lasts {minutes} minutes", _clock(start + minutes)


def _twenty_four(source: seeds.Stream) -> tuple[str, str]:
    meeting, person, at = _one(source, words.MEETINGS), _one(source, words.GIVEN), seeds.draw_below(source, _DAY)
    hour, half = at // 60 % 12 or 12, "am" if at < _DAY // 2 else "pm"
    return f"{meeting} with {person} at {hour}:{at % 60:02d} {half}", _clock(at)


def _total(source: seeds.Stream) -> tuple[str, str]:
    goods, count, cents = _one(source, words.GOODS), _between(source, 2, 12), _between(source, 105, 1995)
    total = count * cents
    return f"{count} {goods} at {cents // 100}.{cents % 100:02d} each", f"{total // 100}.{total % 100:02d}"


def _any_of(choices: Iterable[str]) -> str:
    """Return a pattern that matches any of some words in any case, grouped by first letter for speed."""
    first: dict[str, list[str]] = {}
    for choice in sorted(choices):
        first.setdefault(choice[0].lower(), []).append(re.escape(choice[1:]))
    return r"\b(?i:" + "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in sorted(first.items())) + r")\b"


_CITY = _any_of(words.CAPITALS.values())
_VALUE = _any_of(value for values in words.VALUES.values() for value in values)

TASKS: tuple[TaskType, ...] = (
    TaskType(
        "iso-date", "data formatting", "Turn the day/month/year date into YYYY-MM-DD.", r"\d{4}-\d{2}-\d{2}", _date
    ),
    TaskType(
        "index-name",
        "data formatting",
        "Write the surname, a comma, and the initials with full stops.",
        r"[A-Za-z], ?[A-Z]",
        _name,
    ),
    TaskType("capital", "world knowledge", "Give the capital city of the country mentioned.", _CITY, _capital),
    TaskType(
        "order-number",
        "information retrieval",
        "Copy the order number out of the message.",
        r"[A-Z]{2}-\d{4}",
        _order_number,
    ),
    TaskType("field", "information retrieval", "Look up the field named after the question mark.", _VALUE, _field),
    TaskType(
        "hashtag", "advertising", "Make one hashtag of the slogan, each word with a capital letter.", r"#\w+", _hashtag
    ),
    TaskType("headline", "advertising", "Write the sale sign as PRODUCT discount% OFF.", r"(?i:\d ?% ?off)", _headline),
    TaskType(
        "reference",
        "administration",
        "Build the file reference as YYYY-initials-NNN.",
        r"\d{4}-[A-Za-z]{2}-\d",
        _reference,
    ),
    TaskType("snake-case", "coding", "Rename the variable from camel case to snake case.", r"[a-z]_[a-z]", _snake),
    TaskType("end-time", "scheduling", "Work out when the appointment ends, as HH:MM.", _CLOCK, _end_time),
    TaskType("clock", "scheduling", "Write the time on the twenty-four-hour clock as HH:MM.", _CLOCK, _twenty_four),
    TaskType("total", "retailing", "Work out the total price, with two decimals.", r"\d\.\d{2}", _total),
)
