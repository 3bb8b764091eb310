"""Convert formulas in LaTeX to tokens: layout and type faces are removed, words of prose separated from letters.

A token is a command with its backslash, one letter, a number, a sign, or a word of prose after a quotation mark; BREAK
and PARAGRAPH separate formulas. OURS: rule HFE of the strict page says what to read, not how. Independent of the terms
of a formula.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from harness.studies.curie.reading.latex_names import BARE, BARE_BEFORE, LAYOUT, MATRICES, SAME, SIGNS, WORDS
from harness.studies.curie.reading.texts import encodable

MOST = 30_000  # characters of a text that are read; OURS
BREAK, PARAGRAPH, MATH, PROSE = "\n", "\n\n", "$", '"'
PARTING = ("where", "and")  # words that separate two formulas
_UPRIGHT = r"\\(?:text|textrm|mathrm|mbox|operatorname|rm)\s{0,9}\{"
_NORMAL = (
    (re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE), "\n"),
    (re.compile(r"\r\n?"), "\n"),
    (re.compile(r"(?:\\q?quad|[ \t]{2}|,[ \t])[ \t]{0,9}\(\d{1,3}[a-z]?\)[ \t]*$", re.MULTILINE), ""),  # its number
    (re.compile(r"\\\\\s{0,9}\[\s{0,9}-?[\d.]{1,9}\s{0,9}(?:pt|em|ex|mm|cm)\s{0,9}\]"), r"\\\\"),
    (re.compile(r"\\(?:label|tag|hspace|vspace|color|textcolor)\*?\s{0,9}\{[^{}]{0,200}\}"), " "),
    (re.compile(_UPRIGHT + r"\s{0,9}h\s?\.?\s?c\s?\.?\s{0,9}\}", re.IGNORECASE), r" \\hc "),
    (re.compile(r"(?<![\\A-Za-z])[hH]\s?\.\s?[cC](?![A-Za-z_^])\s?\.?"), r" \\hc "),
    (re.compile(r"(\\[cdt]?frac)\s{0,9}(\d)\s{0,9}(\d)"), r"\1{\2}{\3}"),  # TeX takes one digit as an argument
    (re.compile(r"\\left\s{0,9}\|"), r"\\lvert "),
    (re.compile(r"\\right\s{0,9}\|"), r"\\rvert "),
    (re.compile(r"\\(?:left|right)\s{0,9}\."), " "),
    (re.compile(r"\\(?:begin|end)\s{0,9}\{(?!(?:" + "|".join(MATRICES) + r")\*?\})[A-Za-z]{1,30}\*?\}"), "\n"),
)
_SCRIPTS = ((re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]{1,9}"), "^"), (re.compile("[₀₁₂₃₄₅₆₇₈₉₊₋]{1,9}"), "_"))
_HYPHENS = str.maketrans({"\u2212": "-", "\u2010": "-", "\u2013": "-", "\u2019": "'"})
_TOKEN = re.compile(
    r"""(?P<paragraph>\n[ \t]*\n\s*) | (?P<line>\n|\\\\) | (?P<display>\$\$|\\\[|\\\]) | (?P<math>\$|\\\(|\\\))
    | \\(?P<edge>begin|end)\s{0,9}\{(?P<kind>[A-Za-z]{1,30})\*?\}(?:\{[clr|]{0,20}\})?
    | """
    + _UPRIGHT
    + r"""(?P<upright>[^{}\\$]{0,300})\}
    | \\(?P<command>[A-Za-z]{1,40})\*? | \\(?P<escaped>.) | (?P<number>\d{1,300}(?:\.\d{1,300})?)
    | (?P<letters>[A-Za-z]+) | (?P<other>\S)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def tokens(text: str) -> list[str]:
    """Return the tokens of the first 30,000 characters of a text; any text can be read."""
    plain = _normal(text)
    found: list[str] = []
    for one in _TOKEN.finditer(plain):
        found.extend(_token(one, plain, found[-1] if found else ""))
    return found


def _normal(text: str) -> str:
    plain = encodable(text[:MOST])
    for pattern, instead in _NORMAL:
        plain = pattern.sub(instead, plain)
    for pattern, mark in _SCRIPTS:
        plain = pattern.sub(rf"{mark}{{\g<0>}}", plain)  # converted to plain digits by NFKC below
    plain = "".join(f"\\{SIGNS[letter]} " if letter in SIGNS else letter for letter in plain)
    return unicodedata.normalize("NFKC", plain).translate(_HYPHENS)


def _token(one: re.Match[str], text: str, before: str) -> Iterator[str]:
    kind, said = one.lastgroup, one[0]
    if kind in ("paragraph", "line", "display", "math"):
        yield {"paragraph": PARAGRAPH, "math": MATH}.get(kind, BREAK)
    elif kind == "kind":
        yield f"\\{one['edge']}{{{one['kind']}}}"
    elif kind == "upright":
        yield from _upright(one["upright"], before in ("_", "^", "{"))
    elif kind == "command":
        yield from _command(one["command"])
    elif kind == "escaped":
        yield from [f"\\{one['escaped']}"] if one["escaped"] in "{}%" else []
    elif kind == "number":
        yield said.rstrip("0").rstrip(".") if "." in said else said
    elif kind == "letters":
        yield from _letters(said, text[one.start() - 1 : one.start()], text[one.end() : one.end() + 1])
    elif said != "~":
        yield said


def _command(name: str) -> Iterator[str]:
    name = SAME.get(name, name)
    if name not in LAYOUT:
        yield name if name in "[]*|=:" else f"\\{name}"


def _upright(said: str, index: bool) -> Iterator[str]:
    """Read upright text: a word is a symbol, or letters of an index; several words are prose."""
    words = said.split()
    if index:
        yield from "".join(words)
    elif len(words) == 1 and words[0].isalnum() and words[0] not in PARTING:
        yield from words
    else:
        yield from (f"{PROSE}{word.strip('.,;:').lower()}" for word in words)


def _letters(said: str, before: str, after: str) -> Iterator[str]:
    if said in BARE or (said in BARE_BEFORE and after and after in "_^({"):
        yield from _command(said)
    elif _is_prose(said, before, after):
        yield f"{PROSE}{said.lower()}"
    else:
        yield from said


def _is_prose(said: str, before: str, after: str) -> bool:
    """Whether letters are a word and not a product: no index, no argument, and long or among the commonest words."""
    if (before and before in "_^{\\") or (after and after in "_^}({'"):
        return False
    return len(said) > 2 or (said.lower() in WORDS and not (before + after).strip(" \n,.:"))
