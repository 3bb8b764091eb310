"""A text as the reader sees it: bounded, without markup, in plain characters, cut into sentences and clauses.

It must never know what a text is about.
"""

# ruff: noqa: RUF001 - what looks like another character is what this is about

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

MOST = 20_000  # letters of a text that are read: a model answers with 1,024 tokens at the most


def _itemized(found: re.Match[str]) -> str:
    """Write an item of a list with a hyphen for its star; other lines stay as they begin."""
    return f"{found[1]}- " if found.end() > found.end(1) else found[1]


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ´`′", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("−‑‐﹣－", "-"),
        "–": "-",
        "—": " - ",
        "×": "x",
        "·": " x ",
        "•": "- ",
        "α": "alpha",
        "β": "beta",
        "γ": "gamma",
        "δ": "delta",
        "κ": "kappa",
        "μ": "mu",
        "\u200b": "",
        "\ufeff": "",
        "≤": "<",
        "≥": ">",
        "≈": "~",
        "\r": "\n",
        "\t": " ",
    }
)
# Blanks at the beginning of a line are met once, with a mark behind them or without: `^\s*` alone, before anything, is
# tried from each of many empty lines, and so costs the square of their number. They stay where no mark follows.
_MARKUP: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), instead)
    for pattern, instead in (
        (r"<sup>\s*", "^"),
        (r"(?<=\d)\s?\*{1,2}\s?(?=10\s?(?:\^|\*\*|-))", " x "),
        (r"(?<=10)\s?\*\*\s?(?=\(?-?\d)", "^"),
        (r"</?(?:b|i|em|strong|p|br|sup|sub|ul|ol|li|u|code|div|span|h\d)\b[^<>]{0,40}>", " "),
        (r"\\(?:times|cdot)\b", " x "),
        (r"\\(?:text|mathrm|mathbf|mathit)\b", ""),
        (r"[${}]|\\[()\[\]]", ""),
        (r"\[(\d{1,3}|source|citation needed)\]", ""),
        (r"\[([^\[\]\n]{1,200})\]\(https?:[^()\s]{1,300}\)", r"\1"),
        (r"https?:\S{1,300}", " "),
        (r"^\s*[-=_*]{3,}\s*$|^(\s+)", r"\1"),
        (r"^(\s*)(?:\*\s+|)", _itemized),
        (r"^\s*#{1,6}\s*|^(\s+)", r"\1"),
        (r"\*+|~~", ""),
        (r"(?<=\d)\s?(?:percent|per cent)\b", "%"),
        (r"(?<![\w.,])(?<!chromosome )(?<!chr )(\d{1,3})[ .'](\d{3})[ .'](\d{3})(?![\d'%]|[., ]\d)", r"\1,\2,\3"),
        (r"(?<!\w)_+|(?<!_)_+(?!\w)", ""),
        (r"\b(max|highest|clinical|trial)_(?=[a-z])", r"\1 "),
        (r"\^\s*(?:\(\s*(-?\d{1,4})\s*\)|(-?\d{1,4}))", r"^\1\2"),
    )
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|vs|approx|no|dr|fig|ca|cf|inc|ltd|etc|st|chr|pos|u\.s|s)|\W[A-Za-z])\.$", re.I
)
_WRAPPED = re.compile(r"(?<=[a-z,]) ?\n(?=[a-z])|(?<= and) ?\n")
_END = re.compile(r"(?<=[.!?])['\")]*\s+|\n+")
_CLAUSE = re.compile(  # blanks that part nothing are met once, too: `blank`
    r";|:\s|,\s+and\s|,?\s+(?:but|however|although|though|whereas|while|nevertheless|therefore|because|since)"
    r"\b,?|,\s+which\b,?|(?P<blank>\s+)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: where it begins, and its letters."""

    start: int
    text: str


@dataclass(frozen=True)
class Plain:
    """A text without markup; `lower` is it in small letters, letter for letter at the same places."""

    text: str

    @cached_property
    def lower(self) -> str:
        """Give the text in small letters; what changes its length in small letters stays as it is."""
        small = self.text.lower()
        return small if len(small) == len(self.text) else "".join(map(_small, self.text))

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Give the sentences, lines of a list among them, without those that ask."""
        return tuple(span for span in _sentences(self.text) if not span.text.rstrip(" \"')").endswith("?"))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Give where the sentences begin, questions among them."""
        return tuple(span.start for span in _sentences(self.text))


def plain(text: str) -> Plain:
    """Give a text as it is read: its first 20,000 letters, without markup; nothing is refused."""
    some = text[:MOST]
    some = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", lambda found: "^" + found[0].translate(_SUPERSCRIPTS), some).translate(_PLAIN)
    some = unicodedata.normalize("NFKC", some)[:MOST].translate(_PLAIN)
    for pattern, instead in _MARKUP:
        some = pattern.sub(instead, some)
    return Plain(_WRAPPED.sub(" ", some).strip())


def clauses(sentence: Span) -> list[Span]:
    """Give the clauses of a sentence: what a conjunction or a semicolon parts."""
    out, start = [], 0
    for found in _CLAUSE.finditer(sentence.text):
        if found["blank"]:
            continue
        out.append(Span(sentence.start + start, sentence.text[start : found.start()]))
        start = found.start()
    out.append(Span(sentence.start + start, sentence.text[start:]))
    return [one for one in out if one.text.strip(" ;,.")]


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for found in _END.finditer(text):
        if "\n" not in found[0] and re.fullmatch(r"\s*\(?\d{1,3}\.", text[start : min(found.start(), start + 9)]):
            continue
        if "\n" not in found[0] and _ABBREVIATION.search(text[max(start, found.start() - 8) : found.start()]):
            continue
        if text[start : found.start()].strip():
            yield Span(start, text[start : found.start()])
        start = found.end()
    if text[start:].strip():
        yield Span(start, text[start:])


def _small(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter
