"""The right output of a text task in all equivalent spellings: JSON, lists, numbers with units, times, text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from harness.answers.v2.numbers import numbers

Span = tuple[int, int]

_TIME = re.compile(
    r"(?<![0-9:.])([01]?[0-9]|2[0-4])(?:[:.h]([0-5][0-9])(?::([0-5][0-9]))?)?\s?(?:(a\.?m\b|p\.?m\b)\.?|(?:hours"
    r"|hrs?|h|uhr)\b)?"
    r"(?![0-9:]|[.,][0-9])",
    re.IGNORECASE,
)
_TO_TWELVE = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_TO_NINETEEN = f"{_TO_TWELVE}|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_SPOKEN = re.compile(
    rf"(?<![\w-])(?:(?P<minutes>(?:a )?quarter|half|(?:(?:twenty|thirty|forty|fifty)(?:[- ](?:{_TO_TWELVE}))?"
    rf"|{_TO_NINETEEN}|[0-9]{{1,2}})"
    rf"(?= (?:minutes? )?(?:past|after|to|before|till)))(?: minutes?)? (?P<side>past|after|to|before|till) )?"
    rf"(?P<hour>{_TO_TWELVE}|[0-9]{{1,2}}|midnight|noon|midday)(?(side)(?! minutes?)|(?:(?<=midnight)|(?<=noon)"
    rf"|(?<=midday)| o'?clock))"
    r"(?:,? (?P<half>[ap]\.?m\b\.?|in the (?:morning|afternoon|evening)|at night))?(?![\w:])",
    re.IGNORECASE,
)
_WHOLE_TIME = re.compile(r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9]))?\s?(am|pm|a\.m\.|p\.m\.)?", re.IGNORECASE)
_AMOUNT = re.compile(
    r"([$\u20ac\u00a3\u00a5]?)\s?(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s?([A-Za-z\u00b0%\u20ac\u00b5/]{0,12}[0-9\u00b2\u00b3]?)"
)
_UNIT_AFTER = re.compile(r"\s?([A-Za-z\u00b0%\u20ac\u00b5][A-Za-z\u00b0/]{0,14}[23\u00b2\u00b3]?)")
_UNITS = (
    ("g", "gram", "grams", "gramme", "grammes", "gr", "gms"),
    ("kg", "kilogram", "kilograms", "kilo", "kilos", "kgs"),
    ("mg", "milligram", "milligrams"),
    ("m", "meter", "meters", "metre", "metres"),
    ("km", "kilometer", "kilometers", "kilometre", "kilometres", "kms"),
    ("cm", "centimeter", "centimeters", "centimetre", "centimetres"),
    ("mm", "millimeter", "millimeters", "millimetre", "millimetres"),
    ("l", "liter", "liters", "litre", "litres"),
    ("ml", "milliliter", "milliliters", "millilitre", "millilitres"),
    ("s", "sec", "secs", "second", "seconds"),
    ("min", "mins", "minute", "minutes"),
    ("h", "hr", "hrs", "hour", "hours"),
    ("d", "day", "days"),
    ("in", "inch", "inches"),
    ("ft", "foot", "feet"),
    ("yd", "yard", "yards"),
    ("mi", "mile", "miles"),
    ("lb", "lbs", "pound", "pounds"),
    ("oz", "ounce", "ounces"),
    ("t", "ton", "tons", "tonne", "tonnes"),
    ("%", "percent", "percents"),
    ("\u00b0c", "c", "celsius", "degc"),
    ("\u00b0f", "f", "fahrenheit", "degf"),
    ("k", "kelvin"),
    ("$", "usd", "dollar", "dollars"),
    ("\u20ac", "eur", "euro", "euros"),
    ("\u00a3", "gbp"),
    ("b", "byte", "bytes"),
    ("kb", "kilobyte", "kilobytes"),
    ("mb", "megabyte", "megabytes"),
    ("gb", "gigabyte", "gigabytes"),
)
_UNIT = {name: names[0] for names in _UNITS for name in names}
_SEPARATORS = re.compile(r"[;|\n]|,(?!\d{3}\b)")
_ITEM_MARK = re.compile(r"^\s*(?:[-*\u2022+]|\d{1,2}[.)])\s+|^(\s+)", re.MULTILINE)  # a run of spaces is matched once
_PART = re.compile(r"[0-9A-Za-z]+")
_LONGEST_JSON = 20_000


@dataclass(frozen=True, slots=True)
class WantedOutput:
    """A right output, prepared once for all responses to the item."""

    text: str
    cased: bool
    kind: str  # json, list, time, number, text
    canonical: Any
    pattern: re.Pattern[str]
    converts: bool  # whether the input has the same time of day in another form
    given_times: frozenset[str]  # times of day as the input spells them; to repeat one is not an answer


@lru_cache(maxsize=512)  # an item is asked in all its templates one after another
def wanted(target: str, given: str) -> WantedOutput:
    """Prepare a right output; the input decides whether the task is about case or separators."""
    cased = _is_about_case(target, given)
    kind, canonical = _kind(target, given)
    words = [_spaced_sign(re.escape(word)) for word in (target.rstrip(".!") or target).split()]
    left = r"(?<![0-9A-Za-z])(?<![0-9A-Za-z][-_@/.])(?<![0-9][.,:])" if target[:1].isalnum() else ""
    right = r"(?![0-9A-Za-z]|[-_@/:][0-9A-Za-z]|[.,][0-9]|\.[A-Za-z])" if target.rstrip(".!")[-1:].isalnum() else ""
    if not left and target[:1] in "#@-+$":
        left = r"(?<![0-9A-Za-z])"
    pattern = re.compile(left + r"\s{1,4}".join(words) + right, 0 if cased else re.IGNORECASE)
    spelled = (
        frozenset(spelling_of_time(spelling) for _, _, spelling in times(given)) if kind == "time" else frozenset()
    )
    converts = kind == "time" and any(value == canonical for _, value, _ in times(given))
    return WantedOutput(target, cased, kind, canonical, pattern, converts, spelled)


def _spaced_sign(pattern: str) -> str:
    """Allow a space between a number and its sign of percent or currency, which some languages write."""
    return re.sub(r"(?<=\d)(\\?[%\u20ac])", r"\\s?\1", pattern)


def _is_about_case(target: str, given: str) -> bool:
    """Whether the output spells a word of the input in another case, so that the task is about case."""
    folded = given.casefold()
    for part in _PART.findall(target):
        low = part.casefold()
        if part.isdigit() or low == part.upper():
            continue
        if low in folded and not re.search(rf"{re.escape(part)}", given):
            return True
        if len(part) > 2 and part[0].isalpha() and not part.istitle() and not part.islower() and not part.isupper():
            return True  # camel case
    return False


def _kind(target: str, given: str) -> tuple[str, Any]:
    if target[:1] in "{[":
        value = next(json_values(target), None)
        if isinstance(value, dict | list):
            return "json", value
    if (time := _WHOLE_TIME.fullmatch(target)) is not None:
        return "time", _minutes(time)
    if amounts := _amounts(target):
        return "number", amounts
    parts = items(target)
    listed = len(parts) > 2 or (len(parts) == 2 and re.search(r"[;|\n]", target))
    if listed and not _is_about_separators(parts, target, given):
        return "list", [part.casefold() for part in parts]
    return "text", None


def _amounts(target: str) -> tuple[tuple[str, str], ...]:
    """Return the numbers and units of an output that has nothing else; empty for any other output."""
    if target.isdigit() and target[0] == "0" and len(target) > 1:
        return ()
    found, at = [], 0
    for amount in _AMOUNT.finditer(target):
        if target[at : amount.start()].strip(" ,") not in ("", "and"):
            return ()
        sign, value, name = amount.groups()
        unit = (sign or name).casefold()
        read = numbers(value)
        if len(read) != 1 or (unit and unit not in _UNIT) or len(read[0].value) > 20:
            return ()
        found.append((read[0].value, _UNIT.get(unit, "")))
        at = amount.end()
    if target[at:].strip(" .") or (len(found) > 1 and not all(unit for _, unit in found)):
        return ()
    return tuple(found)


def _is_about_separators(parts: Sequence[str], target: str, given: str) -> bool:
    return [part.casefold() for part in parts] == [part.casefold() for part in items(given)] or (
        "".join(_PART.findall(target)).casefold() == "".join(_PART.findall(given)).casefold()
    )


def items(text: str) -> list[str]:
    """Split a list in any of its usual spellings into its items."""
    text = _ITEM_MARK.sub(lambda found: found[1] or "\n", text.strip())
    if text[:1] in "[({" and text[-1:] in "])}":
        text = text[1:-1]
    parts = (re.sub(r"^(?:and|&)\s", "", part.strip().strip("\"'`")) for part in _SEPARATORS.split(text))
    return [part.strip().rstrip(".") for part in parts if part.strip(" .")]


def _minutes(time: re.Match[str]) -> tuple[int, int] | None:
    """Return the minutes since midnight and the seconds of a time of day."""
    hour, minute, second, half = time.groups()
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half[0] in "pP" else 0)
    return hours % 24 * 60 + int(minute or 0), int(second or 0)


def json_values(text: str) -> Iterator[Any]:
    """Yield the objects and lists in a text, in JSON or Python syntax."""
    text = text[:_LONGEST_JSON]
    decoder = json.JSONDecoder()
    at, tries = 0, 0
    while (start := min((place for sign in "{[" if (place := text.find(sign, at)) >= 0), default=-1)) >= 0:
        tries += 1
        if tries > 40:
            return
        try:
            value, at = decoder.raw_decode(text, start)
            yield value
            continue
        except (ValueError, RecursionError):
            at = start + 1
        end = _closing(text, start)
        if end and end - start < 2_000:
            try:
                value = ast.literal_eval(text[start:end])
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, dict | list):
                yield value
                at = end


def _closing(text: str, start: int) -> int:
    depth = 0
    for at in range(start, min(len(text), start + 2_000)):
        depth += (text[at] in "{[") - (text[at] in "}]")
        if not depth:
            return at + 1
    return 0


def times(text: str) -> Iterator[tuple[Span, tuple[int, int], str]]:
    """Yield the times of day in a text: span, minutes and seconds, spelling; a bare number is not a time."""
    for found in _TIME.finditer(text):
        if (found.group(2) or found.group(4)) and (value := _minutes_of(found)) is not None:
            yield found.span(), value, found.group().strip()
    for found in _SPOKEN.finditer(text):
        if (value := _spoken_minutes(found)) is not None:
            yield found.span(), value, found.group().strip()


def _spoken_minutes(found: re.Match[str]) -> tuple[int, int] | None:
    """Return the minutes since midnight of a time in words, such as `ten to four`, as it is said."""
    said, side, name, half = found.group("minutes", "side", "hour", "half")
    hour = 0 if name.lower() == "midnight" else 12 if name.lower() in ("noon", "midday") else _small(name)
    if side and said.isdigit() and name.isdigit() and "minute" not in found.group().lower():
        return None  # a range
    if side is None:
        minutes: int | None = 0
    else:
        said = said.lower()
        minutes = 15 if "quarter" in said else 30 if said == "half" else _small(said)
    if hour is None or minutes is None or hour > 24 or minutes > 59:
        return None
    if half and hour <= 12:
        late = half.lower()[0] == "p" or "noon" in half.lower() or "evening" in half.lower()
        hour = hour % 12 + (12 if late or ("night" in half.lower() and hour in range(6, 12)) else 0)
    total = 60 * hour + (-minutes if side and side.lower() in ("to", "before", "till") else minutes)
    return total % 1440, 0


def _small(name: str) -> int | None:
    read = numbers(name)
    return int(read[0].value) if len(read) == 1 and read[0].value.isdigit() and len(read[0].value) <= 2 else None


def _minutes_of(found: re.Match[str]) -> tuple[int, int] | None:
    return _minutes(found)


def spelling_of_time(text: str) -> str:
    """Return the spelling of a time without case, dots and spaces."""
    return "".join(text.casefold().replace(".", "").split())


def unit_after(text: str, end: int) -> str:
    """Return the unit after a number, under the common name of its spellings; empty if there is none."""
    found = _UNIT_AFTER.match(text, end)
    name = found.group(1).casefold() if found else ""
    return _UNIT.get(name, "")


def end_of_unit(text: str, end: int) -> int:
    """Return the end of the unit after a number that ends at a place, or that place."""
    found = _UNIT_AFTER.match(text, end)
    return found.end() if found and found.group(1).casefold() in _UNIT else end


def is_unit(name: str) -> bool:
    """Whether a word is a spelling of a unit."""
    return name.casefold() in _UNIT


def unit_before(text: str, start: int) -> str:
    """Return the currency sign before a number, or empty."""
    sign = text[:start].rstrip()[-1:]
    return sign if sign in ("$", "\u20ac", "\u00a3") else ""


def same_json(left: Any, right: Any, cased: bool) -> bool:
    """Whether two JSON values are equal; the order of keys does not matter, and case matters only if `cased`."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[key], right[key], cased) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same_json(*pair, cased) for pair in zip(left, right, strict=True))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str) and isinstance(right, str) and not cased:
        return left.casefold() == right.casefold()
    return bool(left == right)
