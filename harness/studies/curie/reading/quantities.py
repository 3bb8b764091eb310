"""Quantities in running text: each number with its sign and the unit that follows it (rule F0).

A quantity is a pair (decimal, unit). The decimal has one spelling, the unit is case-sensitive, and nothing is
converted. Independent of the field that a text is from.
"""

from __future__ import annotations

import html
import re
import unicodedata
from decimal import Decimal

from harness.studies.curie.reading.texts import MOST, encodable
from harness.studies.curie.reading.unit_symbols import unit

Quantity = tuple[str, str]
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SIGNS = {0x2212: "-", 0x2013: "-", 0xD7: "*"}  # minus, dash, times
_NUMBER = re.compile(
    r"""(?P<sign>(?<![\w)\]}%°.^])[-+])?                          # a hyphen after a word or a number is no sign
    (?<![\w.^\\])(?<!_\{)(?<!\^\{)(?<!\^[-+])(?<!_[-+])(?<!\{[-+])  # an index or an exponent is no quantity
    (?P<digits>(?:\d{1,3}(?:,\d{3}){1,9}(?![\d,])|\d{1,40})(?:\.\d{1,40})?|\.\d{1,40})(?!\d)
    (?:[eE](?P<exponent>[-+]?\d{1,3})(?![\w.]))?
    (?:\s?[x*·]\s?10\s?\^\s?\{?\s?(?P<ten>[-+]?\d{1,3})\s?\}?)?
    (?P<power>\s?\^\s?\{?\s?(?P<raised>[-+]?\d{1,3})?\s?\}?)?""",
    re.VERBOSE | re.ASCII,
)
_ATOM = re.compile(r"([A-Za-zμΩÅ°%‰º]{1,16})(?:\^?\{?([-+]?\d{1,2})\}?)?(?![\w^])")
_LATEX = (
    (re.compile(r"<su[pb]>([^<>]{0,20})</su[pb]>"), r"^{\1}"),
    (re.compile(r"\^?\{?\\circ\}?|\\degree(?![A-Za-z])"), "°"),
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), "*"),
    (re.compile(r"\\mu(?![A-Za-z])\s?"), "μ"),
    (re.compile(r"\\(?:mathrm|text|rm|textrm)\s?\{([^{}]{0,40})\}"), r" \1"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\[(),;!: ]|[$~]|\\AA(?![A-Za-z])"), lambda found: "Å" if found[0] == "\\AA" else " "),
)
_PER = re.compile(r"\s?/\s?|\sper\s")
_TIMES = re.compile(r"\s?[·*]\s?")
_BLANKS = re.compile(r"[ \t]{2,}")
_SUPERSCRIPTS = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]{1,8}")


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text in order; a number without a known unit has the unit ''."""
    plain, found, place = _plain(text), [], 0
    while number := _NUMBER.search(plain, place):
        symbols, place = _unit(plain, number.end())
        if value := _decimal(number):
            found.append((value, symbols))
    return found


def _plain(text: str) -> str:
    decoded = html.unescape(encodable(text[:MOST]))
    written = _SUPERSCRIPTS.sub(lambda found: f"^{{{found[0].translate(_RAISED)}}}", decoded)
    plain = unicodedata.normalize("NFKC", written).translate(_SIGNS)
    for pattern, instead in _LATEX:
        plain = pattern.sub(instead, plain)
    return _BLANKS.sub(" ", plain)


def _decimal(found: re.Match[str]) -> str:
    digits = found["digits"].replace(",", "")
    if found["power"]:
        if found["raised"] is None:
            return ""  # `2^r` is a formula, not a number
        if digits != "10":
            return f"{found['sign'] or ''}{digits}^{int(found['raised'])}"
        digits, ten = "1", int(found["raised"])
    else:
        ten = int(found["exponent"] or 0) + int(found["ten"] or 0)
    value = Decimal((found["sign"] or "") + digits).scaleb(ten)
    return "0" if value == 0 else f"{value.normalize():E}" if abs(value.adjusted()) > 15 else f"{value.normalize():f}"


def _unit(text: str, place: int) -> tuple[str, int]:
    """Return the unit that begins at a position, after at most one space, and its end; `/` and `per` invert."""
    powers: dict[str, int] = {}
    inverse = 1
    end = place
    while len(powers) < 6:
        start = place + (text[place : place + 1] == " ")
        found = _ATOM.match(text, start)
        symbol = unit(found[1]) if found else None
        if found is None or symbol is None or (powers and inverse == 1 and start > place and found[2] is None):
            break
        powers[symbol] = powers.get(symbol, 0) + inverse * int(found[2] or 1)
        end = found.end()
        place, inverse = _joined(text, end)
    return " ".join(symbol if power == 1 else f"{symbol}^{power}" for symbol, power in sorted(powers.items())), end


def _joined(text: str, place: int) -> tuple[int, int]:
    if found := _PER.match(text, place):
        return found.end(), -1
    times = _TIMES.match(text, place)
    return (times.end() if times else place), 1
