"""Where cities are in a text: the one sought, in all its names and near spellings, and any other of a gazetteer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from harness.answers.gazetteer import Gazetteer, Span, plain
from harness.answers.names import COMMON_WORDS, STOP_WORDS, stripped

Kind = Literal["right", "own", "other"]
_RUN = re.compile(r"[^\W_]+")
_GAP = re.compile(r"[ '.-]{1,2}")
# Letters that do not decompose into a letter and an accent, with the letter people write instead.
_PLAIN_LETTERS = str.maketrans(
    "\u00f8\u0142\u0111\u00f0\u0131\u00df\u00e6\u0153\u00fe\u0111\u0127\u02bb", "olddisaotdh'"
)
_UMLAUTS = {
    "\u00e4": "ae",
    "\u00f6": "oe",
    "\u00fc": "ue",
    "\u00df": "ss",
    "\u00f8": "oe",
    "\u00e5": "aa",
    "\u00e6": "ae",
}
_BRACKETED = re.compile(r"\s*[(\[].*[)\]]\s*$")
LEAST_TO_MISSPELL = 6  # least letters of a name in which one wrong letter is accepted
_BEFORE_NAME = re.compile(
    r"(?i)(?:city|town|port|municipality) of |(?:greater|inner|central|metropolitan|the|downtown) $"
)
_AFTER_NAME = re.compile(r"(?: city| town|,? d\.? ?c\.?)?", re.IGNORECASE)
# Regions that are also names of towns; next to another name, such a name says where a city is.
_REGIONS = """
alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa
kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska
nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia wisconsin wyoming ontario alberta
manitoba saskatchewan yukon normandy hesse castile aragon tuscany kent essex sussex cornwall devon norfolk suffolk
atlantic baltic thames punjab bihar kerala gujarat assam bengal sonora chihuahua jalisco sinaloa parana bahia
anatolia crimea siberia sicily corsica sardinia galicia valais queensland tasmania natal transvaal
"""
REGIONS = frozenset(_REGIONS.split())


@dataclass(frozen=True, slots=True)
class CityMention:
    """A span of a text with a city: whether it is the one sought, the one asked about, or another one."""

    kind: Kind
    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class SoughtNames:
    """A city's names prepared for the search: names made of words, by the first word, and those without spaces."""

    worded: Mapping[str, tuple[tuple[str, ...], ...]]
    unspaced: tuple[str, ...]
    long: frozenset[str]


def bare(text: str) -> str:
    """Return a text of the same length, in lower case, with plain letters in place of accented and special ones."""
    lowered = text.lower()
    return (lowered if len(lowered) == len(text) else text).translate(_PLAIN_LETTERS)


@lru_cache(maxsize=4096)
def sought(names: tuple[str, ...]) -> SoughtNames:
    """Prepare a city's names for the search, once for all responses to an item."""
    forms: set[str] = set()
    for name in names:
        for part in (name, _BRACKETED.sub("", name), *name.split(" / ")):
            forms.add(part)
            spelled = "".join(_UMLAUTS.get(letter, letter) for letter in part.lower())
            forms.update((spelled, re.sub(r"^(?:the|city of) ", "", part.lower())))
    worded: dict[str, list[tuple[str, ...]]] = {}
    unspaced: set[str] = set()
    for form in forms:
        text = bare(plain(form))
        words = tuple(_RUN.findall(text))
        if text and not any("a" <= letter <= "z" for letter in text) and text[0] > "\u2e7f":
            unspaced.add(text)
        elif words and (len(text) > 1):
            worded.setdefault(words[0], []).append(words)
    ordered = {first: tuple(sorted(each, key=len, reverse=True)) for first, each in worded.items()}
    long = frozenset(
        words[0] for each in worded.values() for words in each if len(words) == 1 and len(words[0]) >= LEAST_TO_MISSPELL
    )
    return SoughtNames(ordered, tuple(sorted(unspaced, key=len, reverse=True)), long)


def found(names: SoughtNames, text: str) -> list[Span]:
    """Return the spans of a city's names in a text from `bare`."""
    runs = list(_RUN.finditer(text))
    spans: list[Span] = []
    place = 0
    while place < len(runs):
        for words in names.worded.get(runs[place].group(), ()):
            if _follow(words, runs, place, text):
                spans.append((runs[place].start(), runs[place + len(words) - 1].end()))
                place += len(words) - 1
                break
        place += 1
    if names.unspaced and not text.isascii():
        for name in names.unspaced:
            at = text.find(name)
            if at >= 0 and not any(start < at + len(name) and at < end for start, end in spans):
                spans.append((at, at + len(name)))
    return sorted(spans)


def _follow(words: tuple[str, ...], runs: list[re.Match[str]], place: int, text: str) -> bool:
    if place + len(words) > len(runs):
        return False
    for step, word in enumerate(words):
        run = runs[place + step]
        if run.group() != word:
            return False
        if step and not _GAP.fullmatch(text, runs[place + step - 1].end(), run.start()):
            return False
    return True


def misspelled(names: SoughtNames, text: str, known: Collection[str]) -> list[Span]:
    """Return the spans of words one letter away from a long name of a city that are not the name of another city."""
    if not names.long:
        return []
    lengths = {len(name) + more for name in names.long for more in (-1, 0, 1)}
    spans = []
    for run in _RUN.finditer(text):
        word = run.group()
        if len(word) not in lengths or word in known or word in STOP_WORDS:
            continue
        if any(one_apart(word, name) for name in names.long if name[0] == word[0] or name[1:] == word[1:]):
            spans.append(run.span())
    return spans


def one_apart(one: str, other: str) -> bool:
    """Whether two words differ by one letter inserted, deleted or changed, or by two adjacent letters swapped."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = next(
        (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )
    rest, rest_other = one[start:], other[start:]
    if len(one) == len(other):
        return rest[1:] == rest_other[1:] or (rest[:2] == rest_other[1::-1] and rest[2:] == rest_other[2:])
    return rest[1:] == rest_other if len(one) > len(other) else rest == rest_other[1:]


@lru_cache(maxsize=4)
def lower_names(gazetteer: Gazetteer) -> frozenset[str]:
    """Return a gazetteer's names in lower case, cached for all responses."""
    return frozenset(bare(stripped(name)) for name in gazetteer.names) - gazetteer.common


def mentions(
    text: str, right: SoughtNames, own: SoughtNames, gazetteer: Gazetteer, elsewhere: SoughtNames
) -> list[CityMention]:
    """Return the cities in a text normalised by `plain`, in order; where names overlap, the longest.

    `elsewhere` are names of large cities in several languages, which the gazetteer may not have.
    """
    low = bare(text)
    known = lower_names(gazetteer)
    kept: list[CityMention] = []
    others = _others(text, low, gazetteer, known)
    met = set(others)
    for span in found(elsewhere, low):
        name = low[slice(*span)]
        if (
            span not in met
            and text[span[0]] != name[0]
            and not ({name} & (gazetteer.common | COMMON_WORDS | STOP_WORDS))
        ):
            others.append(span)
    for kind, spans in (("right", found(right, low)), ("own", found(own, low))):
        for span in spans:
            kept.append(CityMention("right" if kind == "right" else "own", span, text[span[0] : span[1]]))
    for span in others:
        kept.append(CityMention("other", span, text[span[0] : span[1]]))
    if not any(mention.kind == "right" for mention in kept):
        kept.extend(CityMention("right", span, text[slice(*span)]) for span in misspelled(right, low, known))
    return _longest(kept, text)


def _others(text: str, low: str, gazetteer: Gazetteer, known: frozenset[str]) -> list[Span]:
    """Return the spans of gazetteer names: as stored, and in any case if the whole text is in one case."""
    spans = gazetteer.mentions(text)
    if spans or len(text) > 400:
        return spans
    runs = list(_RUN.finditer(low))
    small = text == text.lower() or text == text.upper()
    if small:
        place = 0
        while place < len(runs):
            for count in (3, 2, 1):
                if place + count <= len(runs):
                    span = runs[place].start(), runs[place + count - 1].end()
                    piece = low[span[0] : span[1]]
                    if piece in known and piece not in STOP_WORDS and len(piece) > 3 and (len(runs) <= 12 or count > 1):
                        spans.append(span)
                        place += count - 1
                        break
            place += 1
    return spans


def _longest(kept: list[CityMention], text: str) -> list[CityMention]:
    """Keep the longest of overlapping mentions; the city sought before another one, also after `Greater`."""
    rank = {"right": 0, "own": 1, "other": 2}
    ordered = sorted(kept, key=lambda each: (-(each.span[1] - each.span[0]), rank[each.kind]))
    rights = [each for each in kept if each.kind == "right"]
    taken: list[CityMention] = []
    for each in ordered:
        if each.kind == "other" and any(_is_within(right.span, each.span, text) for right in rights):
            continue
        if not any(one.span[0] < each.span[1] and each.span[0] < one.span[1] for one in taken):
            taken.append(each)
    return sorted(taken, key=lambda each: each.span)


def _is_within(part: Span, span: Span, text: str) -> bool:
    """Whether a longer name only adds words such as `City of` or `Greater` to a name within it."""
    if not (span[0] <= part[0] and part[1] <= span[1]) or part == span:
        return part == span
    before, after = text[span[0] : part[0]], text[part[1] : span[1]]
    return (not before or _BEFORE_NAME.fullmatch(before) is not None) and _AFTER_NAME.fullmatch(after) is not None
