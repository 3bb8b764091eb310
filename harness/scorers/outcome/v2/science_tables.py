"""A verdict on each option, as a table gives it: a share of confidence, a tick or a cross, a box, yes or no.

It knows four options and one text; it must never know which option is right, or how a label is made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.scorers.outcome.v2.claims import Span
from harness.scorers.outcome.v2.science_options import OptionMention

_LETTER = re.compile(r"(?<![\w'.])([A-D])(?![\w'])")
_SHARE = re.compile(
    r"(\d{1,3}(?:\.\d{1,6})?) ?(%|percent\b|per cent\b|/ ?100?\b)|(?<![\d.,])((?:0?\.\d{1,6}|[01]\.0{1,6}"
    r"|(?<=[:=] )\d{1,3}(?=\s*(?:[,;|}\n]|\Z))))(?![\d%]|[.,]\d)"
)
_YES = r"(?:\u2713|\u2714|\u2705|\u2611|\[ ?[xX\u2713] ?\]|\([xX]\)|(?:yes|true|correct|right)\b)"
_NO = r"(?:\u2717|\u2718|\u274c|\u2610|\u2716|\[ ?\]|\( ?\)|(?:no|false|incorrect|wrong)\b)"
_BEGINS = re.compile(rf"[\s:|=,;.\"')\]\ufe0f-]{{0,8}}(?:(?:is|was|-) )?\(?(?:({_YES})|({_NO}))", re.IGNORECASE)
_SIGNS = re.compile(rf"(?:({_YES})|({_NO}))[\s:|\"'(\ufe0f-]{{0,6}}\Z", re.IGNORECASE)
_ENDS = re.compile(
    r"(?:([\u2713\u2714\u2705\u2611])|([\u2717\u2718\u274c\u2716\u2610]))[\s.\ufe0f|]{0,4}\Z|,? so (?:(yes)"
    r"|(no))[.;,!]?\s*\Z"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SURE = re.compile(r"\d ?/ ?10|confiden|probab|likel|sure|certain|chance|odds|\bP ?\(|\bpr?\b", re.IGNORECASE)
_FEW_BETWEEN = 6  # of one that names the options by their texts, not by letters
_LEAST = 3  # options that need a verdict before they make a table
_MOST_ENTRIES = 12
_FEW_WORDS = 24  # words of a table of shares besides the options


@dataclass(frozen=True, slots=True)
class OptionTable:
    """What a table puts forward: the best options, those it takes back, and where it stands."""

    best: tuple[str, ...]
    rejected: frozenset[str]
    span: Span


def table(text: str, said: Sequence[OptionMention]) -> OptionTable | None:
    """Read a table of verdicts, of shares or of signs; None where there is none, or where it prefers nothing."""
    entries = list(_entries(text, said))
    least = 2 if _SURE.search(text) else _LEAST
    if not least <= len(entries) <= _MOST_ENTRIES or len({letter for letter, _ in entries}) < least:
        return None
    parts = _behind(text, entries), _before(text, entries)
    return next((found for read in (_signs, _shares) for found in [read(text, entries, parts)] if found), None)


_Entry = tuple[str, Span]


def _entries(text: str, said: Sequence[OptionMention]) -> Iterator[_Entry]:
    """Give the places where options are named, by letter, by text, or by one right behind the other."""
    marks = [(found.span(), found.group(1)) for found in _LETTER.finditer(text)]
    names = sorted([*marks, *((each.span, each.letter) for each in said)])
    kept: list[_Entry] = []
    for span, letter in names[: 4 * _MOST_ENTRIES]:
        if kept and kept[-1][0] == letter and span[0] - kept[-1][1][1] <= 6:
            kept[-1] = letter, (kept[-1][1][0], max(span[1], kept[-1][1][1]))
        elif not kept or span[0] >= kept[-1][1][1]:
            kept.append((letter, span))
    yield from kept


def _behind(text: str, entries: Sequence[_Entry]) -> list[str]:
    ends = [start for _, (start, _) in entries[1:]] + [min(len(text), entries[-1][1][1] + 200)]
    return [text[span[1] : end] for (_, span), end in zip(entries, ends, strict=True)]


def _before(text: str, entries: Sequence[_Entry]) -> list[str]:
    starts = [max(0, entries[0][1][0] - 40)] + [end for _, (_, end) in entries[:-1]]
    return [text[start : span[0]] for (_, span), start in zip(entries, starts, strict=True)]


def _signs(text: str, entries: Sequence[_Entry], parts: tuple[list[str], list[str]]) -> OptionTable | None:
    """Read ticks and crosses, boxes, and the words that stand for them: before all the options, or behind them."""
    behind, before = parts
    first = _SIGNS.search(before[0])
    verdicts: dict[str, bool] = {}
    for (letter, _), after, front in zip(entries, behind, before, strict=True):
        found = _SIGNS.search(front) if first else _BEGINS.match(after) or _ENDS.search(after.split("\n", 1)[0])
        if found and letter not in verdicts:
            verdicts[letter] = found.group(1) is not None or found.group(found.re.groups - 1) is not None
    if len(verdicts) < _LEAST:
        return None
    best = tuple(letter for letter, good in verdicts.items() if good)
    rejected = frozenset(verdicts) - frozenset(best)
    left = frozenset("ABCD") - rejected
    if not best and (len(left) != 1 or left & {letter for letter, _ in entries}):
        return None
    return OptionTable(best or tuple(left), rejected, (entries[0][1][0], entries[-1][1][1]))


def _shares(text: str, entries: Sequence[_Entry], parts: tuple[list[str], list[str]]) -> OptionTable | None:
    """Read shares of confidence: as many as there are options, and little said besides."""
    words = len(_WORD.findall("".join(parts[0]))) + len(_WORD.findall(text[: entries[0][1][0]]))
    lettered = all(text[span[0]] in "ABCD" and not text[span[0] + 1 : span[0] + 2].isalnum() for _, span in entries)
    read = [[list(_SHARE.finditer(part)) for part in beside] for beside in parts]
    read.sort(key=lambda found: -sum(map(bool, found)))
    least = min(_LEAST, len(entries))
    for found in read if words <= (_FEW_WORDS if lettered else _FEW_BETWEEN) else ():
        if any(len(each) > 1 for each in found) or sum(map(len, found)) < least:
            continue
        shares = {
            letter: float(each[0].group(1) or each[0].group(3))
            for (letter, _), each in zip(entries, found, strict=True)
            if each
        }
        if len(shares) < least or not _are_shares(
            list(shares.values()), text, not any(each[0].group(1) for each in found if each)
        ):
            continue
        top = max(shares.values())
        best = tuple(letter for letter, share in shares.items() if share == top)
        if len(best) < len(shares):
            return OptionTable(best, frozenset(), (entries[0][1][0], entries[-1][1][1]))
    return None


def _are_shares(values: Sequence[float], text: str, bare: bool) -> bool:
    total = math.fsum(values)
    if not bare and (85 <= total <= 105 or _SURE.search(text)):
        return True
    return 99 <= total <= 101 or 0.85 <= total <= 1.05
