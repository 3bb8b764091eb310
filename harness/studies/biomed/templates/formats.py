"""How answers print numbers, names and lists (docs/biomed.md#formats), and the natural order of the ids of rows.

Pure functions of values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

P_DIGITS: Final = 2  # decimals of p-values of GWAS and SMR
HEIDI_DIGITS: Final = 4
B_DIGITS: Final = 4
SHOWN: Final = 10  # the most names or bullets that an answer lists; it also gives their total number
IDS: Final = 10  # the most ids of source rows that a pair names
_THOUSANDTH = Decimal("0.001")
_NUMBERS = re.compile(r"([0-9]+)")


def scientific(value: float, digits: int = P_DIGITS) -> str:
    """Format a number in scientific notation, exponent of at least two digits: `2.59e-08`."""
    return f"{value:.{digits}e}"


def frequencies(freq: float) -> tuple[str, str]:
    """Format the frequency of an allele and that of the other allele: three decimals each, with a sum of 1.

    The first is rounded half to even from the decimal that the number prints as. The second is 1 less the first.
    """
    own = Decimal(repr(float(freq))).quantize(_THOUSANDTH, ROUND_HALF_EVEN)
    return str(own), str((1 - own).quantize(_THOUSANDTH))


def frequency(freq: float) -> str:
    """Format an allele's frequency with three decimals, rounded half to even from the decimal it prints as."""
    return frequencies(freq)[0]


def shortest(value: float) -> str:
    """Format a number unrounded: the shortest decimal that reads back the same."""
    return repr(float(value))


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: `a`, `a and b`, `a, b and c`; without names, return an empty text.

    Names are separated by semicolons if one of them holds a comma: `a, acute; b and c`.
    """
    mark = "; " if any(", " in name for name in names) else ", "
    return " and ".join(part for part in (mark.join(names[:-1]), *names[-1:]) if part)


def alphabetical(names: Iterable[str]) -> list[str]:
    """Return the names, each once, in alphabetical order whatever their letter case."""
    return sorted(set(names), key=lambda name: (name.casefold(), name))


def shown(names: Iterable[str]) -> list[str]:
    """Return the names that an answer shows: each once, in alphabetical order, the first ten."""
    return alphabetical(names)[:SHOWN]


def bullets(lines: Iterable[str]) -> str:
    """Format lines one below the other, each after a bullet."""
    return "\n".join(f"• {line}" for line in lines)


def counted(count: int, one: str, many: str = "") -> str:
    """Format a count with its noun: `1 gene`, `2 genes`; `many` is a plural that is not formed by an s alone."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def natural(identifier: str) -> list[Any]:
    """Return a sort key for ids by which the numbers inside an id compare as numbers.

    Numbers compare by their length without leading zeros, then as text, so even a number of a million digits is cheap.
    """
    parts = _NUMBERS.split(identifier)
    keys: list[Any] = parts
    keys[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return [*keys, identifier]


def sources(ids: Iterable[str]) -> str:
    """Return the ids of an answer's source rows as one text: each once, in natural order, at most ten."""
    return ", ".join(sorted(set(ids), key=natural)[:IDS])
