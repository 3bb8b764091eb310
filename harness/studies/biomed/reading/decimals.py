"""Numbers as texts print them: their value, the place of their last digit, and whether two prints say the same number.

It must never know what a number is the number of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

# A number of at most 30 digits, thousands separators allowed, with a power of ten in one of the usual forms.
NUMBER = (
    r"(?<![\w.])(?:(?<!\d-)-)?(?:\d{1,3}(?:,\d{3}){1,4}(?!\d)|\d{1,30}(?!\d))?(?:\.\d{1,30}(?!\d))?"
    r"(?:(?:\s?[x*]\s?10\s?\^?\s?-?\d{1,4}|\s?e\s?[-+]?\s?\d{1,4})(?!\d))?(?<=\d)(?![\w])(?!,\d)"
)
_PARTS = re.compile(r"([-+]?[\d,.]*\d)(?:\s?[x*]\s?10\s?\^?\s?|\s?e\s?)?(?:([-+]?)\s?(\d{1,4}))?$", re.IGNORECASE)
_EXACT = Context(prec=60, Emax=999999, Emin=-999999)
WORDS = {
    word: number
    for number, word in enumerate(
        [
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
            "twenty",
        ]
    )
}


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed: its value, and the power of ten of its last digit."""

    value: Decimal
    place: int

    def percent(self) -> Printed:
        """Give it as a share, where it was printed in percent."""
        return Printed(self.value.scaleb(-2, _EXACT), self.place - 2)


def printed(text: str) -> Printed | None:
    """Read a number as it is printed; None where it is none, or has more digits than anybody writes."""
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
    """Read a fact's number, printed or plain; None where it is none."""
    return None if isinstance(value, bool) else printed(str(value))


def same_number(one: Printed, two: Printed) -> bool:
    """Whether two prints can be of one number: equal after rounding to the coarser side.

    A coarse 0 says nothing, except with three digits behind the point or more.
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
