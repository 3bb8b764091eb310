"""A text as the reader sees it: bounded, without markup, in plain characters, cut into sentences and clauses."""

# ruff: noqa: RUF001 - what looks like another character is what this is about

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

MOST = 20_000  # letters of a text that are read; a model answers with at most 1,024 tokens


def _itemized(found: re.Match[str]) -> str:
    """Return the start of a list item with a hyphen instead of its star; other lines keep their start."""
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
# Each pattern matches the blanks at the start of a line once, with or without a mark behind them. A plain `^\s*` would
# be tried from each of many empty lines, at a cost of the square of their number. Blanks without a mark are kept.
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
        (r"(?<=\S) {2,}(?=\S)", " "),
        (r"\? ?[-:] ?(?=(?:yes|no|none|nil|phase|\d)\b)", ": "),  # asks itself, and answers
        (r"(?<!\w)_+|(?<!_)_+(?!\w)", ""),
        (r"\b(max|highest|clinical|trial)_(?=[a-z])", r"\1 "),
        (r"\^\s*(?:\(\s*(-?\d{1,4})\s*\)|(-?\d{1,4}))", r"^\1\2"),
        (r"(?<![\dx*] )(?<![\w.,*])10\^-(\d{1,4})", r"1e-\1"),  # a power without a factor
    )
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|vs|approx|dr|fig|ca|cf|inc|ltd|etc|st|chr|pos|u\.s|s)|[^\w'](?-i:[a-zBD-FH-SU-Z]))\.$",
    re.I,
)
_NUMBER = re.compile(r"(?:^|\W)no\.$", re.IGNORECASE)  # before digits; otherwise it is an answer
_WRAPPED = re.compile(r"(?<=[a-z,]) ?\n(?=[a-z])|(?<= and) ?\n")
_END = re.compile(r"(?<=[.!?])['\")]*\s+|\n+")
_CLAUSE = re.compile(  # `blank` matches blanks that separate nothing, also once
    r";|:\s|,\s+and\s|,?\s+(?:but|however|although|though|whereas|while|nevertheless|therefore|because|since)"
    r"\b,?|,\s+which\b,?|(?P<blank>\s+)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: its start and its letters."""

    start: int
    text: str


@dataclass(frozen=True)
class Plain:
    """A text without markup; `lower` is the text in lower case, with each letter at the same position."""

    text: str

    @cached_property
    def lower(self) -> str:
        """The text in lower case; a letter that would change its length in lower case stays as it is."""
        small = self.text.lower()
        return small if len(small) == len(self.text) else "".join(map(_small, self.text))

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """The sentences of the text, including lines of a list, without questions."""
        return tuple(span for span in _sentences(self.text) if not _asks(span.text))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The starts of the sentences, including questions."""
        return tuple(span.start for span in _sentences(self.text))


def plain(text: str) -> Plain:
    """Return a text as it is read: its first 20,000 letters, without markup; any text is accepted."""
    some = text[:MOST]
    some = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", lambda found: "^" + found[0].translate(_SUPERSCRIPTS), some).translate(_PLAIN)
    some = unicodedata.normalize("NFKC", some)[:MOST].translate(_PLAIN)
    for pattern, instead in _MARKUP:
        some = pattern.sub(instead, some)
    return Plain(_WRAPPED.sub(" ", some).strip())


def clauses(sentence: Span) -> list[Span]:
    """Return the clauses of a sentence, which is split at conjunctions and semicolons."""
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
        if text[found.end() : found.end() + 1].isdigit() and _NUMBER.search(
            text[max(start, found.start() - 4) : found.start()]
        ):
            continue
        if text[start : found.start()].strip():
            yield Span(start, text[start : found.start()])
        start = found.end()
    if text[start:].strip():
        yield Span(start, text[start:])


def _asks(sentence: str) -> bool:
    """Whether a sentence is a question; "or yes?" goes on with what stands before it."""
    return sentence.rstrip(" \"')").endswith("?") and not re.match(r"\W*or\b", sentence, re.IGNORECASE)


def _small(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter
