"""Numbers as people and models write them: grouped, spelled in words, in scientific notation, digit by digit.

If a spelling can be read in two ways, the expected number decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.answers.text_cache import cached_by_text
from harness.answers.v2.number_words import whole_number

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
# An `and` joins words of one number only after a hundred or a greater one: "four and twenty" are two numbers.
_AND = (
    r"(?:(?:(?<=hundred)|(?<=hundreds)|(?<=thousand)|(?<=thousands)|(?<=illion)|(?<=illions))[ ,-]{1,2}and[ -]"
    r"(?![a-z]{3,9} hundred))"
)
_SPELLED = re.compile(
    rf"(?<![a-z0-9.,])(?:(?:(?P<first>[0-9][0-9,]{{0,11}}(?:\.[0-9]{{1,6}})?) ?(?:hundred|{'|'.join(_SCALES)})s?)"
    rf"|(?:an?[ ])?(?:{_ANY_WORD}))(?![a-z])"
    rf"(?:(?:[ ,-]{{1,2}}|{_AND})(?:(?:{_ANY_WORD})(?![a-z])|[0-9]{{1,3}}(?![0-9.,]*[0-9])))*",
    re.IGNORECASE,
)
_MEMBER = re.compile(rf"[0-9][0-9,]*(?:\.[0-9]+)?|{_ANY_WORD}", re.IGNORECASE)
# Values of the signs of Chinese and Japanese, in which a number is written as it is spoken.
_HAN = {sign: value for value, sign in enumerate("\u96f6\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d")} | {
    "\u3007": 0,
    "\u4e24": 2,
}
_HAN_TENS = {"\u5341": 10, "\u767e": 100, "\u5343": 1_000}
_HAN_SCALES = {"\u4e07": 10_000, "\u842c": 10_000, "\u5104": 10**8, "\u4ebf": 10**8}
_HAN_NUMBER = re.compile(f"[{''.join((*_HAN, *_HAN_TENS, *_HAN_SCALES))}]{{1,40}}")
_PLACE_NAMES = {"one": 1, "unit": 1, "ten": 10, "hundred": 100, "thousand": 1_000}
_BY_PLACE = re.compile(
    rf"(?<![\w.,])(?:(?:[0-9]{{1,3}}|{'|'.join(_UNITS)}) (?:thousand|hundred|ten|one|unit)s?(?:,? and |, | \+ "
    rf"| )){{1,4}}"
    rf"(?:[0-9]{{1,3}}|{'|'.join(_UNITS)}) (?:hundreds|tens?|ones?|units?)(?!\w)",
    re.IGNORECASE,
)
_OF_PLACE = re.compile(rf"([0-9]{{1,3}}|{'|'.join(_UNITS)}) (thousand|hundred|ten|one|unit)s?(?!\w)", re.IGNORECASE)
_POINT = re.compile(r" (?:point|dot|decimal|comma) ", re.IGNORECASE)
_MONEY = re.compile(
    r" ?(?:euros?|dollars?|pounds?(?: sterling)?|francs?|\u20ac|\$|\u00a3|eur|usd|gbp)(?:,? and|,)? ", re.IGNORECASE
)
_ENDS = re.compile(r"\W*\Z|[.,;!)]")
_CENTS = re.compile(r" ?(?:cents?|pence|pennies|p|c)\b", re.IGNORECASE)
# Words before a "one" that is a pronoun: "I do not know that one".
_SPOKEN_OF = re.compile(
    r"\b(?:that|this|which|the|any|no|each|every|another|other|such|same|last|first|next|right|wrong|correct|good|easy"
    r"|hard|tough|tricky|difficult) \Z",
    re.IGNORECASE,
)
MOST_DIGITS = 400  # longer than any sum of the study; a longer number is still a number, but never right


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number in a text: its span, its value as a canonical decimal text, and whether it was spelled in words."""

    start: int
    end: int
    value: str
    spelled: bool = False

    @property
    def digits(self) -> int:
        """The number of digits of the value."""
        return len(self.value) - ("." in self.value) - (self.value[0] == "-")


def lower_powers(response: str) -> str:
    """Spell raised digits as powers; folding of compatibility forms would otherwise turn 10 squared into 102."""
    return _RAISED.sub(lambda found: f"^{found.group().translate(_LOWERED)}", response)


def numbers(text: str, hoped: str = "") -> list[WrittenNumber]:
    """Return the numbers of a text in their order; if a spelling has two readings, one equal to `hoped` wins."""
    found = [*_spelled(text)]
    taken = [(number.start, number.end) for number in reversed(found)]
    done = 0
    for chain in _CHAIN.finditer(text):
        while taken and taken[-1][0] < chain.end():
            done = max(done, taken.pop()[1])
        if chain.start() >= done:
            found += _of_chain(text, chain, hoped)
            done = max(done, found[-1].end)
    if not found and (whole := whole_number(text)):
        return [WrittenNumber(*whole, spelled=True)]
    found.sort(key=lambda number: number.start)
    return _with_fractions(text, found)


def _with_fractions(text: str, found: Sequence[WrittenNumber]) -> list[WrittenNumber]:
    """Join numbers in words that are one: `two point five`, `two euros and five cents`."""
    kept: list[WrittenNumber] = []
    for number in found:
        last = kept[-1] if kept else None
        if last is not None and last.value.isdigit() and number.value.isdigit() and number.start - last.end <= 24:
            between = text[last.end : number.start]
            if last.spelled and number.spelled and _POINT.fullmatch(between):
                kept[-1] = WrittenNumber(
                    last.start, number.end, canonical(f"{last.value}.{_digits(text, number)}"), True
                )
                continue
            if len(number.value) <= 2 and _MONEY.fullmatch(between):
                cents = _CENTS.match(text, number.end)
                if cents or (last.spelled and number.spelled and _ENDS.match(text, number.end)):
                    end = cents.end() if cents else number.end
                    kept[-1] = WrittenNumber(last.start, end, canonical(f"{last.value}.{number.value:0>2}"), True)
                    continue
        kept.append(number)
    return kept


def _digits(text: str, number: WrittenNumber) -> str:
    """Return the digits of a fraction in words: one by one, or as one number."""
    small = [_WORD_VALUE.get(each.group().lower(), 10) for each in _MEMBER.finditer(text[number.start : number.end])]
    return "".join(map(str, small)) if all(value < 10 for value in small) else number.value


def digits_for_words(text: str) -> str:
    """Return a text in which numbers above twelve that are spelled in words are written in digits."""
    kept, at = [], 0
    for number in _spelled(text):
        if number.digits > 2 or (number.value.isdigit() and int(number.value) > 12):
            kept += [text[at : number.start], number.value]
            at = number.end
    return "".join((*kept, text[at:]))


def canonical(value: str) -> str:
    """Return a decimal text without leading zeros and trailing zeros of a fraction."""
    sign = "-" if value.startswith("-") else ""
    whole, _, fraction = value.lstrip("-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"


def _of_chain(text: str, chain: re.Match[str], hoped: str) -> Iterator[WrittenNumber]:
    """Yield the numbers in digits with separators, which are one number or several."""
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
        yield WrittenNumber(chain.start(), chain.end(), chain.group())  # a version or a date, not a number
        return
    index, runs = 0, (_run_ends(parts, marks, 3), _run_ends(parts, marks, 2))
    while index < len(parts):
        last, value = _one(parts, marks, index, splits, runs)
        yield _signed(text, places[2 * index], places[2 * last + 1], value)
        index = last + 1


def _run_ends(parts: Sequence[str], marks: Sequence[str], digits: int) -> list[int]:
    """For each part, return the last of the parts after it that have `digits` digits each and the same separator."""
    ends = list(range(len(parts)))
    for index in reversed(range(len(marks))):
        if len(parts[index + 1]) == digits:
            ends[index] = ends[index + 1] if marks[index + 1 : index + 2] == marks[index : index + 1] else index + 1
    return ends


def _one(
    parts: Sequence[str], marks: Sequence[str], index: int, splits: bool, runs: tuple[Sequence[int], Sequence[int]]
) -> tuple[int, str]:
    """Return the last part and the value of the number that begins with a part; `runs` end its groups."""
    mark = marks[index] if index < len(marks) else ""
    last = index
    if mark and not (mark == " " and splits) and len(parts[index]) <= 3 and parts[index] != "0":
        last = runs[0][index]
        if last < len(marks) and marks[last] == mark and mark != " ":
            last = index  # a run that continues with a group of another length is not a grouped number
        if mark == "," and last == index:
            last = _indian(parts, marks, index, runs[1][index])
    if mark == "," and last == index and len(marks) == 1 and len(parts[1]) == 2 and len(parts[0]) > 1:
        return 1, f"{parts[0]}.{parts[1]}"  # a decimal comma
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
    """Return a number with the power of ten that follows it and the minus sign directly before it."""
    power = _POWER.match(text, end)
    if power:
        value = _shifted(value, int(power.group(1) or power.group(2)))
        end = power.end()
    if start and text[start - 1] in "-\u2212" and (start == 1 or text[start - 2] in " \t\n=:($*"):
        bullet = start == 1 or text[start - 2] == "\n"
        return WrittenNumber(start, end, canonical(value if bullet and text.find("\n-", end) >= 0 else f"-{value}"))
    return WrittenNumber(start, end, canonical(value))


def _shifted(value: str, power: int) -> str:
    """Return a decimal text multiplied by a power of ten."""
    whole, _, fraction = value.partition(".")
    if power < 0:
        digits = whole.rjust(1 - power, "0")
        return f"{digits[:power]}.{digits[power:]}{fraction}"
    fraction = fraction.ljust(power, "0")
    return f"{whole}{fraction[:power]}.{fraction[power:]}"


@cached_by_text(32)
def _spelled(text: str) -> tuple[WrittenNumber, ...]:
    """Return the numbers spelled in words, or in digits and words."""
    return tuple(_read_words(text))


def _read_words(text: str) -> Iterator[WrittenNumber]:
    if not text.isascii():
        for found in _HAN_NUMBER.finditer(text):
            yield WrittenNumber(found.start(), found.end(), _han_value(found.group()), True)
    done = 0
    for found in _BY_PLACE.finditer(text):
        parts = [(each.group(1).lower(), each.group(2).lower()) for each in _OF_PLACE.finditer(found.group())]
        total = sum((int(many) if many.isdigit() else _WORD_VALUE[many]) * _PLACE_NAMES[place] for many, place in parts)
        yield WrittenNumber(found.start(), found.end(), str(total), True)
        done = found.end()
    for found in _SPELLED.finditer(text, done):
        if found.group().lower() == "one" and _SPOKEN_OF.search(text, max(0, found.start() - 12), found.start()):
            continue
        members = [each.group().lower() for each in _MEMBER.finditer(found.group())]
        value = _value(members)
        if value is not None:
            yield WrittenNumber(found.start(), found.end(), value, True)


def _han_value(signs: str) -> str:
    """Return the value of a number in Chinese signs: by tens and scales, or digit by digit."""
    if all(sign in _HAN for sign in signs):
        return canonical("".join(str(_HAN[sign]) for sign in signs))
    total = part = digit = 0
    for sign in signs:
        if sign in _HAN:
            digit = _HAN[sign]
        elif sign in _HAN_TENS:
            part, digit = part + (digit or 1) * _HAN_TENS[sign], 0
        else:
            total, part, digit = total + (part + digit) * _HAN_SCALES[sign], 0, 0
    return str(total + part + digit)


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
