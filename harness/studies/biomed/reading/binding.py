"""What a number in a text belongs to: a position to a build, a frequency to an allele, a p-value to an SNP.

It must never know what the right value is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, lru_cache

from harness.studies.biomed.reading.mentions import Mention, mentions
from harness.studies.biomed.reading.plain import Plain

MINOR, MAJOR = "minor", "major"
USAN, APPROVAL = "usan", "approval"
_BUILD = re.compile(r"\b(?:grch|hg|build |ncbi|b)\s?(3[678]|19|18)\b")
_BUILDS = {"19": "37", "18": "36"}
_SNP = re.compile(r"\brs\d{2,12}\b")
_LETTERS = r"[ACGT]{1,40}"
_ALLELE = re.compile(
    rf"(?<![\w-])(?:[Aa]llele\s*[:=]?\s*[(\['\"]*\s*({_LETTERS})(?![\w'])|({_LETTERS})['\"]?[\s-]\)?\s?[Aa]llele|"
    rf"\(\s*['\"]?({_LETTERS})['\"]?\s*\)|({_LETTERS})['\"]?\s?(?:[:=]|\()|(?:(?<=[:,;(-]\s)|(?<=\n)|^)({_LETTERS})\s(?=\d|$)"
    rf"|(?<![\w'-])({_LETTERS})\s(?=(?:occurs?|has|at|is (?:at|present|found)|appears|accounts)\b)"
    rf"|(?:for|of|is|the)\s['\"]?({_LETTERS})(?![\w']))"
)
_ROLE = re.compile(
    r"\b(?:(minor|effect|alternat(?:e|ive)|risk|coded|alt|a1)|(major|reference|non-?\s?effect|other|ref|a2|wild-type))"
    r"(?:\s\(\w+\))?\s+alleles?\b|\b(?:(maf|minor allele frequency|eaf|raf)\b|(ancestral)\s)"
)
_CELL = re.compile(rf"\|\s*\(?({_LETTERS})\)?\s*(?=\||\()")  # of a table
_ITEM = re.compile(rf"- ({_LETTERS}) \(")  # a row of a table, told as an item
_BEHIND = re.compile(rf"\)?\s*(?:\(?(?:for|of|to)\s(?:the\s)?(?:[\w-]+\sallele,?\s)?|\()['\"(]*({_LETTERS})(?![\w'])")
_FOREIGN = re.compile(
    r"\b(?:east asian|south asian|asians?|african?s?|afr|eas|sas|amr|latin[oa]s?|hispanics?|chinese|japanese|korean|"
    r"american?s?|global(?:ly)?|worldwide|all populations|overall population|indian)\b"
)
_EUROPEAN = re.compile(r"\b(?:european?s?|eur|nfe|finnish|caucasian|white|ceu)\b")
_DIRECT = re.compile(
    r"\)?\s*(?:\([^()]{0,20}\)\s*)?(?:\(|in|among|for)\s(?:the\s)?(?:[\w-]+\s){0,2}?"
    rf"(?:{_FOREIGN.pattern}|{_EUROPEAN.pattern})"
)
_EVENT = re.compile(r"\b(?:(usan|adopted name|assigned name)|approv\w+)")
_AROUND = 1_000  # letters before and behind a number in which what it belongs to is looked for
_LEAST = Decimal("1e-5")  # a smaller number is no frequency of a common variant
_EFFECT = re.compile(r"\b(?:beta|effect|log[- ]odds|coefficient|b)\b")
_FREQUENCY = re.compile(r"\b(?:frequenc\w*|maf|eaf|alleles?|af)\b")
_P = re.compile(r"\bp[- ]?val|\bp\b")


def bound_mentions(text: Plain) -> list[Mention]:
    """Give the numbers of a text with what they belong to in `of`; frequencies of other populations are left out."""
    found, starts = mentions(text), text.starts
    near = lru_cache(maxsize=1)(lambda start, end: _Sentence(text.lower[start:end]))  # mentions come in their order
    return [one for each in found if (one := _bound(text, starts, near, each)) is not None]


class _Sentence:
    """What a sentence says besides its numbers, each looked for once, however many numbers it has."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def effect(self) -> bool:
        return bool(_EFFECT.search(self.text)) and not re.search(r"effect allele|frequenc", self.text)

    @cached_property
    def frequency(self) -> bool:
        return bool(_FREQUENCY.search(self.text))

    @cached_property
    def p(self) -> bool:
        return bool(_P.search(self.text))

    @cached_property
    def populations(self) -> tuple[list[int], list[int]]:
        """Give where the names of populations end: of those outside Europe, and of Europe's."""
        foreign, european = ([m.end() for m in pattern.finditer(self.text)] for pattern in (_FOREIGN, _EUROPEAN))
        return foreign, european


def _bound(text: Plain, starts: Sequence[int], near: Callable[[int, int], _Sentence], one: Mention) -> Mention | None:
    number = bisect_right(starts, one.start) - 1
    start = starts[max(number, 0)] if starts else 0
    end = starts[number + 1] if number + 1 < len(starts) else len(text.text)
    sentence = near(start, end)
    if one.slot == "decimal":
        one = replace(one, slot=_slot_of_decimal(sentence, one))
    if one.slot == "p" and sentence.frequency and not sentence.p:
        named = _P.search(text.lower[max(start, one.start - 60) : one.start])
        if not named and one.number is not None and one.number.value > _LEAST:
            one = replace(one, slot="frequency")
    behind = text.lower[one.end : min(end, one.end + 40)]
    if one.slot == "frequency" and _foreign(sentence, one.start - start, behind):
        return None
    bind = _BINDERS.get(one.slot)
    return replace(one, of=bind(text, one, start, end, _before(starts, number))) if bind else one


def _before(starts: Sequence[int], number: int) -> int:
    return starts[max(number - 2, 0)] if starts else 0


def _slot_of_decimal(sentence: _Sentence, one: Mention) -> str:
    if sentence.effect:
        return "b"
    share = one.number is not None and 0 <= one.number.value <= 1
    if share and sentence.frequency:
        return "frequency"
    return "p" if share and sentence.p else "frequency" if share else "decimal"


def _foreign(sentence: _Sentence, place: int, behind: str) -> bool:
    """Whether a frequency is one of a population outside Europe: named last before it, or else right behind it.

    A number begins at `place` in its sentence; no name of a population holds a digit, or ends within a word.
    """
    if found := _DIRECT.match(behind):
        return bool(_FOREIGN.search(found[0]))
    last = [ends[count - 1] if (count := bisect_right(ends, place)) else -1 for ends in sentence.populations]
    if max(last) >= 0:
        return last[0] > last[1]
    next_ = [min((m.start() for m in pattern.finditer(behind)), default=99) for pattern in (_FOREIGN, _EUROPEAN)]
    return next_[0] < next_[1] and not sentence.populations[1]


def _build(text: Plain, one: Mention, start: int, end: int, before: int) -> str:
    behind = re.match(r"[^\d.;\n]{0,40}", text.lower[one.end : end])
    tail = text.lower[one.end : one.end + (behind.end() if behind else 0) + 12]
    if (
        (found := _BUILD.search(tail))
        and "\n" not in tail[: found.start()]
        and re.match(
            r"\s*(?:(?:bp|mb|mbp|megabases)\s*)?(?:[(,]|in|on|for|under|of|build|based on|according to|using|by|\[)",
            tail.lstrip(),
        )
    ):
        return _BUILDS.get(found[1], found[1])
    ends, names = _builds(text.lower)
    last = bisect_right(ends, one.start) - 1
    return names[last][1] if last >= 0 and names[last][0] >= before - 200 else ""


@lru_cache(maxsize=8)  # a text has many numbers
def _builds(text: str) -> tuple[list[int], list[tuple[int, str]]]:
    """Give where each name of a build ends, and where it begins, with the build."""
    named = list(_BUILD.finditer(text))
    return [one.end() for one in named], [(one.start(), _BUILDS.get(one[1], one[1])) for one in named]


def _allele(text: Plain, one: Mention, start: int, end: int, before: int) -> str:  # noqa: PLR0911 (one return a case)
    first = max(0, one.start - 200)
    line = text.text[max(first, text.text.rfind("\n", first, one.start) + 1) : one.start]
    if item := _ITEM.match(line):
        return str(item[1])
    if "|" in line and (cells := _CELL.findall(line)):
        return str(cells[-1])
    if found := _BEHIND.match(text.text, one.end, min(end, one.end + 60)):
        return str(found[1])
    start, end = max(start, one.start - _AROUND), min(end, one.end + _AROUND)
    for first in (start, max(before, start - _AROUND)):
        named = [(m.end(), next(filter(None, m.groups()))) for m in _ALLELE.finditer(text.text, first, one.start)]
        roles = [(m.end(), MINOR if m[1] or m[3] else MAJOR) for m in _ROLE.finditer(text.lower, first, one.start)]
        if named or roles:
            near_name, near_role = named[-1:] or [(-1, "")], roles[-1:] or [(-1, "")]
            # "the minor allele (T)" names both: the letter says more
            return near_name[0][1] if near_name[0][0] >= near_role[0][0] - 25 and named else near_role[0][1]
    if found := _ALLELE.search(text.text, one.end, end):
        return str(next(filter(None, found.groups())))
    if role := _ROLE.search(text.lower, one.end, end):
        return MINOR if role[1] or role[3] else MAJOR
    return ""


def _snp(text: Plain, one: Mention, start: int, end: int, before: int) -> str:
    named = list(_SNP.finditer(text.lower, max(0, one.start - 1500), one.start))
    return named[-1][0] if named else ""


def _event(text: Plain, one: Mention, start: int, end: int, before: int) -> str:
    start, end = max(start, one.start - _AROUND), min(end, one.end + _AROUND)
    for first, last in ((start, one.start), (one.end, end), (max(before, start - _AROUND), start)):
        named = list(_EVENT.finditer(text.lower, first, last))
        if named:
            found = named[-1] if last == one.start else named[0]
            return USAN if found[1] else APPROVAL
    return ""


_BINDERS: dict[str, Callable[[Plain, Mention, int, int, int], str]] = {
    "position": _build,
    "megabases": _build,
    "frequency": _allele,
    "p": _snp,
    "heidi": _snp,
    "b": _snp,
    "odds": _snp,
    "year": _event,
}
