"""How answers print numbers, names and lists (docs/biomed.md#formats), and the natural order of the ids of rows.

Pure functions of values. It must never know a table or a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

P_DIGITS: Final = 2  # behind the point: p-values of GWAS and SMR
HEIDI_DIGITS: Final = 4
B_DIGITS: Final = 4
SHOWN: Final = 10  # the most names or bullets that an answer lists; their whole number stands beside them
IDS: Final = 10  # the most ids of source rows that a pair names
_THOUSANDTH = Decimal("0.001")
_NUMBERS = re.compile(r"([0-9]+)")


def scientific(value: float, digits: int = P_DIGITS) -> str:
    """Print a number with an exponent of two digits or more: `2.59e-08`, also where that rounds up to `5.00e-08`."""
    return f"{value:.{digits}e}"


def frequencies(freq: float) -> tuple[str, str]:
    """Print the frequency of an allele and that of the other one: three decimals each, and their sum is 1.

    The first is rounded half to even as the decimal that the number prints as, the second is what that leaves of 1.
    """
    own = Decimal(repr(float(freq))).quantize(_THOUSANDTH, ROUND_HALF_EVEN)
    return str(own), str((1 - own).quantize(_THOUSANDTH))


def frequency(freq: float) -> str:
    """Print the frequency of an allele with three decimals, rounded half to even as the decimal it prints as."""
    return frequencies(freq)[0]


def shortest(value: float) -> str:
    """Print a number unrounded: the shortest decimal that reads back the same."""
    return repr(float(value))


def listed(names: Sequence[str]) -> str:
    """Join names as a sentence does: `a`, `a and b`, `a, b and c`; no name gives an empty text.

    Semicolons part them where one of them holds a comma: `a, acute; b and c`.
    """
    mark = "; " if any(", " in name for name in names) else ", "
    return " and ".join(part for part in (mark.join(names[:-1]), *names[-1:]) if part)


def alphabetical(names: Iterable[str]) -> list[str]:
    """Give names each once, in alphabetical order whatever their case."""
    return sorted(set(names), key=lambda name: (name.casefold(), name))


def shown(names: Iterable[str]) -> list[str]:
    """Give the names that an answer shows of many: each once, in alphabetical order, at most ten."""
    return alphabetical(names)[:SHOWN]


def bullets(lines: Iterable[str]) -> str:
    """Print lines one below the other, each behind a bullet."""
    return "\n".join(f"• {line}" for line in lines)


def counted(count: int, one: str, many: str = "") -> str:
    """Print a count with its noun: `1 gene`, `2 genes`; `many` is the plural where it does not end in s alone."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def natural(identifier: str) -> list[Any]:
    """Give the key that sorts ids naturally: the numbers inside them as numbers, before what stands behind them.

    Numbers compare by length without leading zeros, then as text, so that one of a million digits costs nothing.
    """
    parts = _NUMBERS.split(identifier)
    keys: list[Any] = parts
    keys[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return [*keys, identifier]


def sources(ids: Iterable[str]) -> str:
    """Join the ids of the rows that an answer comes from: each once, in natural order, at most ten."""
    return ", ".join(sorted(set(ids), key=natural)[:IDS])
