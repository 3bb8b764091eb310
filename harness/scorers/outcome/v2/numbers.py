"""Numbers as people and models write them: grouped, spelled in words, in scientific notation, digit by digit.

It knows text and, where a spelling can be read in two ways, the number that is hoped for; it must never know a task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.scorers.text_cache import cached_by_text

_RAISED = re.compile(r"[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,4}")
_LOWERED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_CHAIN = re.compile(r"(?<![0-9])[0-9]+(?:(?:[ ,._'\u2019\u00a0\u202f\u2009]|(?<=[0-9]{20})\n)[0-9]+)*")
_PIECE = re.compile(r"[0-9]+|[^0-9]")
_POWER = re.compile(
    r"\s{0,3}(?:(?:\u00d7|x|\*|\u00b7|\\times|\\cdot)\s{0,3}10\s?(?:\^|\*\*)\s?[{(]?\s?([+-]?[0-9]{1,3})[})]?"
    r"|[eE]([+-]?[0-9]{1,3})\b)"
)
_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = (
    *("thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion", "septillion"),
    *("octillion", "nonillion", "decillion", "undecillion", "duodecillion", "tredecillion", "quattuordecillion"),
    *("quindecillion", "sexdecillion", "septendecillion", "octodecillion", "novemdecillion", "vigintillion"),
)
_WORD_VALUE = {word: value for value, word in enumerate(_UNITS)}
_WORD_VALUE |= {word: 20 + 10 * index for index, word in enumerate(_TENS)} | {"fourty": 40, "nought": 0, "oh": 0}
_SCALE_VALUE: dict[str, int] = {word: 1000 ** (index + 1) for index, word in enumerate(_SCALES)}
_ANY_WORD = "|".join(sorted({*_WORD_VALUE, *_SCALE_VALUE, "hundred"} - {"oh"}, key=lambda word: (-len(word), word)))
_SPELLED = re.compile(
    rf"(?<![a-z0-9.,])(?:(?:(?P<first>[0-9][0-9,]{{0,11}}(?:\.[0-9]{{1,6}})?) ?(?:hundred|{'|'.join(_SCALES)})s?)"
    rf"|(?:an?[ ])?(?:{_ANY_WORD}))(?![a-z])"
    rf"(?:[ ,-]{{1,2}}(?:and[ -])?(?:(?:{_ANY_WORD})(?![a-z])|[0-9]{{1,3}}(?![0-9.,]*[0-9])))*",
    re.IGNORECASE,
)
_MEMBER = re.compile(rf"[0-9][0-9,]*(?:\.[0-9]+)?|{_ANY_WORD}", re.IGNORECASE)
# Before a "one" that stands for what is spoken of: "I do not know that one".
_SPOKEN_OF = re.compile(
    r"\b(?:that|this|which|the|any|no|each|every|another|other|such|same|last|first|next|right|wrong|correct|good|easy"
    r"|hard|tough|tricky|difficult) \Z",
    re.IGNORECASE,
)
MOST_DIGITS = 400  # longer than any sum of the study; what is longer is a number all the same, and is never right


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number in a text: its place, its value as a canonical decimal text, and whether it was spelled in words."""

    start: int
    end: int
    value: str
    spelled: bool = False

    @property
    def digits(self) -> int:
        """Count the digits of its value."""
        return len(self.value) - ("." in self.value) - (self.value[0] == "-")


def lower_powers(response: str) -> str:
    """Spell raised digits as powers before compatibility forms are folded, which would turn 10 squared into 102."""
    return _RAISED.sub(lambda found: f"^{found.group().translate(_LOWERED)}", response)


def numbers(text: str, hoped: str = "") -> list[WrittenNumber]:
    """List the numbers of a text in their order; of two readings of a spelling, `hoped` decides if it is one."""
    found = [*_spelled(text)]
    taken = [(number.start, number.end) for number in reversed(found)]
    done = 0
    for chain in _CHAIN.finditer(text):
        while taken and taken[-1][0] < chain.end():
            done = max(done, taken.pop()[1])
        if chain.start() >= done:
            found += _of_chain(text, chain, hoped)
            done = max(done, found[-1].end)
    found.sort(key=lambda number: number.start)
    return found


def canonical(value: str) -> str:
    """Spell a decimal text without leading zeros and without a fraction of zeros."""
    sign = "-" if value.startswith("-") else ""
    whole, _, fraction = value.lstrip("-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"


def _of_chain(text: str, chain: re.Match[str], hoped: str) -> Iterator[WrittenNumber]:
    """Read digits with separators among them as one number or several."""
    pieces = _PIECE.findall(chain.group())
    parts, marks = pieces[::2], pieces[1::2]
    if not marks:
        yield _signed(text, chain.start(), chain.end(), parts[0])
        return
    places = [chain.start()]
    for piece in pieces:
        places.append(places[-1] + len(piece))
    if "." not in marks and hoped and "".join(parts) == hoped:
        yield _signed(text, chain.start(), chain.end(), hoped)
        return
    splits = " " in marks and hoped in parts
    if marks.count(".") > 1 and {*marks} == {"."} and not all(len(part) == 3 for part in parts[1:]):
        yield WrittenNumber(chain.start(), chain.end(), chain.group())  # a version or a date, no number of any kind
        return
    index, runs = 0, (_run_ends(parts, marks, 3), _run_ends(parts, marks, 2))
    while index < len(parts):
        last, value = _one(parts, marks, index, splits, runs)
        yield _signed(text, places[2 * index], places[2 * last + 1], value)
        index = last + 1


def _run_ends(parts: Sequence[str], marks: Sequence[str], digits: int) -> list[int]:
    """Give for each part the last one of those that follow it behind one and the same mark, each of so many digits."""
    ends = list(range(len(parts)))
    for index in reversed(range(len(marks))):
        if len(parts[index + 1]) == digits:
            ends[index] = ends[index + 1] if marks[index + 1 : index + 2] == marks[index : index + 1] else index + 1
    return ends


def _one(
    parts: Sequence[str], marks: Sequence[str], index: int, splits: bool, runs: tuple[Sequence[int], Sequence[int]]
) -> tuple[int, str]:
    """Give the last part and the value of the number that begins with a part; `runs` end its groups of three or two."""
    mark = marks[index] if index < len(marks) else ""
    last = index
    if mark and not (mark == " " and splits) and len(parts[index]) <= 3 and parts[index] != "0":
        last = runs[0][index]
        if last < len(marks) and marks[last] == mark and mark != " ":
            last = index  # groups of three that go on otherwise are none
        if mark == "," and last == index:
            last = _indian(parts, marks, index, runs[1][index])
    value = "".join(parts[index : last + 1])
    following = marks[last] if last < len(marks) else ""
    decimal = (following == "." and mark != ".") or (following == "," and mark == "." and last > index)
    if (decimal or (following == "." and last == index)) and (last + 1 == len(marks) or marks[last + 1] not in ".,"):
        return last + 1, f"{value}.{parts[last + 1]}"
    return last, value


def _indian(parts: Sequence[str], marks: Sequence[str], index: int, last: int) -> int:
    if index < last < len(marks) and marks[last] == "," and len(parts[last + 1]) == 3:
        return last + 1
    return index


def _signed(text: str, start: int, end: int, value: str) -> WrittenNumber:
    """Give a number with the power of ten that follows it and the minus sign that stands close before it."""
    power = _POWER.match(text, end)
    if power:
        value = _shifted(value, int(power.group(1) or power.group(2)))
        end = power.end()
    if start and text[start - 1] in "-\u2212" and (start == 1 or text[start - 2] in " \t\n=:($*"):
        bullet = start == 1 or text[start - 2] == "\n"
        return WrittenNumber(start, end, canonical(value if bullet and text.find("\n-", end) >= 0 else f"-{value}"))
    return WrittenNumber(start, end, canonical(value))


def _shifted(value: str, power: int) -> str:
    whole, _, fraction = value.partition(".")
    if power < 0:
        return f"0.{'0' * -power}{whole}"
    fraction = fraction.ljust(power, "0")
    return f"{whole}{fraction[:power]}.{fraction[power:]}"


@cached_by_text(32)
def _spelled(text: str) -> tuple[WrittenNumber, ...]:
    """Find the numbers spelled in words, or in digits and words."""
    return tuple(_read_words(text))


def _read_words(text: str) -> Iterator[WrittenNumber]:
    for found in _SPELLED.finditer(text):
        if found.group().lower() == "one" and _SPOKEN_OF.search(text, max(0, found.start() - 12), found.start()):
            continue
        members = [each.group().lower() for each in _MEMBER.finditer(found.group())]
        value = _value(members)
        if value is not None:
            yield WrittenNumber(found.start(), found.end(), value, True)


def _value(members: Sequence[str]) -> str | None:
    if len(members) > MOST_DIGITS:
        return None
    small = [_WORD_VALUE.get(member, 100) for member in members]
    if len(members) > 1 and all(value < 10 for value in small):
        return canonical("".join(map(str, small)))  # digit by digit
    if "." in members[0]:
        whole, _, fraction = members[0].replace(",", "").partition(".")
        scale = _SCALE_VALUE.get(members[1], 100) if len(members) == 2 else 0
        return canonical(_shifted(f"{whole}.{fraction}", len(str(scale)) - 1)) if scale else None
    total, current = 0, 0
    for member in members:
        if member in _SCALE_VALUE:
            total, current = total + max(current, 1) * _SCALE_VALUE[member], 0
        elif member == "hundred":
            current = max(current, 1) * 100
        else:
            value = int(member.replace(",", "")) if member[0].isdigit() else _WORD_VALUE[member]
            if value >= 10 and 0 < current < 10:
                current *= 100  # one twenty-five
            current += value
    return str(total + current)
