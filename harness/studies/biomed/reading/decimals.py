"""Numbers as texts print them: their value, the place of their last digit, and whether two of them are the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

# A number of at most 30 digits, with optional thousands separators and a power of ten in one of the usual forms.
NUMBER = (
    r"(?<![\w.])(?:(?<!\d-)-)?(?:\d{1,3}(?:,\d{3}){1,4}(?!\d)|\d{1,30}(?!\d))?(?:\.\d{1,30}(?!\d))?"
    r"(?:(?:\s?[x*]\s?10\s?\^?\s?-?\d{1,4}|\s?e\s?[-+]?\s?\d{1,4})(?!\d))?(?<=\d)(?![\w])(?!,\d)"
)
_PARTS = re.compile(r"([-+]?[\d,.]*\d)(?:\s?[x*]\s?10\s?\^?\s?|\s?e\s?)?(?:([-+]?)\s?(\d{1,4}))?$", re.IGNORECASE)
_EXACT = Context(prec=60, Emax=999999, Emin=-999999)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
WORDS = {  # numbers in words up to 99
    **{word: number for number, word in enumerate(_ONES)},
    **{ten: 10 * number for number, ten in enumerate(_TENS, 2)},
    **{f"{ten}-{_ONES[one]}": 10 * number + one for number, ten in enumerate(_TENS, 2) for one in range(1, 10)},
}


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed: its value, and the power of ten of its last digit."""

    value: Decimal
    place: int

    def percent(self) -> Printed:
        """Return a number that was printed in percent as a share."""
        return Printed(self.value.scaleb(-2, _EXACT), self.place - 2)


def printed(text: str) -> Printed | None:
    """Read a number as it is printed; None if it is not a number, or if the text is too long for one."""
    found = _PARTS.match(text.strip())
    if found is None or len(text) > 60:
        return None
    digits = found[1].replace(",", "")
    if digits.count(".") > 1:
        return None
    power = int(found[3]) * (-1 if found[2] == "-" else 1) if found[3] else 0
    fraction = len(digits.partition(".")[2])
    return Printed(Decimal(digits).scaleb(power, _EXACT), power - fraction)


def of_number(value: object) -> Printed | None:
    """Read a fact's number, printed or plain; None if it is not a number."""
    return None if isinstance(value, bool) else printed(str(value))


def same_number(one: Printed, two: Printed) -> bool:
    """Whether two printed numbers can be one number: equal after rounding to the coarser of the two.

    A coarse 0 says nothing, unless it has at least three digits after the point.
    """
    place = max(one.place, two.place)
    with localcontext(_EXACT):
        half = Decimal(5).scaleb(place - 1)
        if abs(one.value - two.value) > half:
            return False
        if one.value == two.value:
            return True
        return one.value * two.value >= 0 and _digits(one, two)


def _digits(one: Printed, two: Printed) -> bool:
    coarse = one if one.place >= two.place else two
    return coarse.value != 0 or coarse.place <= -3
