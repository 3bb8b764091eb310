"""What each number of an answer to a sum is there for: an addend, a step of working, a question of its own, a claim.

It knows one response's text and the two addends; it must never know a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from harness.scorers.outcome.v2.numbers import WrittenNumber

# What stands between two numbers of one calculation.
_SPACE = r"[\s()\[\]$,{}|&\\]{0,40}"
_PLUS = re.compile(rf"{_SPACE}(?:\+|plus|and|added to|with|&|more than|increased by|to|by){_SPACE}", re.IGNORECASE)
_OTHER = re.compile(
    rf"{_SPACE}(?:[-\u2212\u2013\u00d7x*/\u00f7^%]|minus|times|divided by|multiplied by|subtracted from){_SPACE}",
    re.IGNORECASE,
)
_UNIT = r"(?:[a-z]{1,12} ){0,2}"
_RELATION = re.compile(
    rf"{_SPACE}(?:[?:;]\s*)?{_UNIT}(?:=+>?|equals?|is equal to|are equal to|is|are|makes?|gives?(?: us| you)?|totals?"
    rf"|->|\u2192|\u21d2|=>|"
    rf"\u2248|~|\u2245|comes? (?:out )?to|adds? up to|sums? (?:up )?to|results? in|yields?|becomes?|would be|will be"
    rf"|should be"
    rf"|together (?:is|are|makes?|gives?)|altogether(?: is| are| makes?)?|which (?:is|equals|gives|makes)|we get"
    rf"|you get|i get"
    rf"|results? (?:is|:)|gets? you|to get|is the same as|:|\?|#)"
    rf"{_SPACE}(?:(?:about|exactly|approximately|now|roughly|around|a total of|[A:=#>~\u2248*\"'-]){_SPACE}){{0,3}}",
    re.IGNORECASE,
)
_NEW_LINE = re.compile(r"[.,]?\s{0,9}\n\s{0,9}[^\W\d_]")  # a new sentence, not the rest of a calculation
_RULE = re.compile(r"\s{0,20}[-_=\u2500\u2014]{2,60}[\s|=+]{0,40}")

_STEP_WORDS = re.compile(
    r"\b(?:ones|tens|hundreds|thousands|units|digits?|columns?|place|carry|carried|carrying|carries|step|write down"
    r"|borrow"
    r"|leaving|leaves|rounded|rounding|intermediate|partial|first part)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"(?:\b(?:answer|result|sum|total|value|solution|altogether|in all|output|final|returns?|prints?"
    r"|number(?!s))\b[^\n.!?;]{0,80}?"
    r"(?:\b(?:is|are|was|be|equals?|to|gives?|makes?|as|of)|[=:>\u2192\u21d2\u2248#]|\bnow|\n)"
    r"|\b(?:so|thus|result|total|hence|therefore|in total|altogether|actually|rather|finally|final answer|final|answer"
    r"|correction)\b[,:]?"
    r"|[=\u21d2])[^\w\n]{0,12}\n{0,2}[^\w]{0,8}"
    r"(?:(?:about|around|approximately|roughly|exactly|now|probably|maybe|it is|it's|that is|that's|it should be"
    r"|it would be"
    r"|we get|you get|i get|we have|the answer|is|equal to|equals|a total of|indeed)\W{0,4}){0,3}\Z",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:\b(?:is|are|was|be|equals?|makes?|gives?|gets?|got|have|has|owns?|obtain|yields?|to|becomes?|it's|that's|say"
    r"|guess"
    r"|think|believe|maybe|perhaps|probably|about|approximately|roughly|around|near|become|reach|find|found|be|am"
    r"|possibly"
    r"|likely|totals?|holds?|hmm|um|well|you|us|we|meant?)|[=:~\u2248\u2192>])[^\w\n]{0,10}\n?\W{0,4}"
    r"(?:(?:about|around|approximately|roughly|exactly|now|probably|maybe|at|a total of|something like|just|equal to"
    r"|it is"
    r"|it's|still|then)\W{1,4}){0,2}\Z",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:wait|actually|correction|sorry|mistake|oops|scratch that|let me (?:re|double|check)[\w-]*"
    r"|on second thought|rather|i meant?|no,|no\b"
    r"|correct(?:ed)?|revis\w+|instead|apologi\w+|recheck\w*|recalculat\w+|checking (?:it |this )?again|should be"
    r"|misspoke"
    r"|hmm|edit)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:(?:than|over|under|above|below|between|from|at least|at most|up to|as far as|not|isn't|wasn't|never"
    r"|instead of|rather than|near|close to|exceeds?|nearly|almost|thought|originally|initially|wrote|said|first|with"
    r"|in"
    r"|the year|write|put|carry|carried|carrying|keep|borrow|plus)\W{0,3}"
    r"(?:the |a |it |it is |it was |is |was |about )?\W{0,3}"
    r"|(?:page|step|part|example|question|exercise|problem|rule|reason|version|option|line|column|chapter|figure|base"
    r"|number|no\.) ?#?)\Z",
    re.IGNORECASE,
)
_THINGS = re.compile(
    r"[\s-]{0,2}(?:digits?|digit|steps?|places?|numbers?|carries|ways?|%|percent|bits?|columns?|addends?|times|(?:st"
    r"|nd|rd|th)\b"
    r"|or (?:more|less|so)|minutes?|seconds?|questions?|reasons?)\b",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\s{0,3}(?:,? ?or(?: maybe| perhaps| even| possibly)?|/|,? ?maybe|\||to|-|\u2013|and|\?,?|,)\s{1,3}"
    r"(?:it's |it is |maybe |even |perhaps |possibly )?\Z|\s{0,3}[-/\u2013]\s{0,3}\Z",
    re.IGNORECASE,
)


_OPTION = re.compile(r"(?:^|\s)\(?[A-Ea-e][.):]\)?\s{0,4}\$?\Z")
_OPTIONS = re.compile(r"(?:^|\s)\(?[A-Ea-e][.):]\)?\s{0,4}\$?(?=[0-9])")
_NAMES_ANSWER = re.compile(r"\b(?:answer|result|altogether|(?:sum|total)(?! of\b))\b", re.IGNORECASE)
_EQUATES = re.compile(r"\b(?:is|equals|makes|gives)\W{0,3}\Z", re.IGNORECASE)
WINDOW = 4_000


class Role(IntEnum):
    """What a number is there for; the greater, the more it commits."""

    NOTHING = 0  # an addend as asked, a carry, a number of a list, a step of working
    STEP = 1  # what a step of working gives
    BARE = 2  # a number that stands there without a word about it
    STATED = 3  # it is ..., I think ...
    LEADING = 4  # what the response begins with
    CLAIMED = 5  # the answer is ..., a + b = ...


@dataclass(frozen=True, slots=True)
class NumberInPlace:
    """A number with its role, whether it is put as a correction, and whether it belongs to another sum."""

    number: WrittenNumber
    role: Role
    corrects: bool = False
    elsewhere: bool = False


def gap(text: str, numbers: Sequence[WrittenNumber], index: int) -> str:
    """Give the text between a number and the one before it; of a long one the end."""
    start = numbers[index - 1].end if index else 0
    return text[max(start, numbers[index].start - 200) : numbers[index].start]


def kind_of_gap(between: str) -> str:
    """Say how two numbers hang together: `+`, another sign `*`, a relation `=`, or nothing."""
    if len(between) > 80:
        return ""
    if _PLUS.fullmatch(between):
        return "+"
    if _OTHER.fullmatch(between):
        return "*"
    if (_RELATION.fullmatch(between) and not _NEW_LINE.match(between)) or _RULE.fullmatch(between):
        return "="
    return ""


def chains(text: str, numbers: Sequence[WrittenNumber]) -> Iterator[tuple[int, int, list[str]]]:
    """Group the numbers that stand in one calculation: the first, the one after the last, the signs between."""
    first, signs = 0, list[str]()
    for index in range(1, len(numbers) + 1):
        sign = kind_of_gap(text[numbers[index - 1].end : numbers[index].start]) if index < len(numbers) else ""
        if sign:
            signs.append(sign)
            continue
        yield first, index, signs
        first, signs = index, []


def stated(text: str, numbers: Sequence[WrittenNumber], index: int) -> Role:
    """Say how a number outside any calculation is put forward, by the words before and after it."""
    number, before = numbers[index], gap(text, numbers, index)
    after = text[number.end : number.end + 24]
    if _THINGS.match(after) or _COMPARES.search(before):
        return Role.NOTHING
    if not index and not re.search(r"[^\W_]", before):
        return Role.LEADING
    counts = number.spelled and len(number.value) <= 2 and bool(after[:2].strip(".,!\n"))  # "one of them"
    if counts or (_OPTION.search(before) and len(_OPTIONS.findall(text[:WINDOW])) > 1):
        return Role.NOTHING
    if _STEP_WORDS.search(re.split(r"[.!?;\n]\s", before)[-1]):
        return Role.STEP
    return Role.CLAIMED if _STRONG.search(before) else Role.STATED if _VERB.search(before) else Role.BARE


def corrects(between: str) -> bool:
    """Say whether the words between two numbers take back what was said."""
    return bool(_CORRECTS.search(between))


def names_answer(before: str) -> bool:
    """Say whether the words before a number call it the answer."""
    return bool(_NAMES_ANSWER.search(before))


def equates(before: str) -> bool:
    """Say whether the last word before a number is that something is as much."""
    return bool(_EQUATES.search(before))


def alternative(between: str) -> bool:
    """Whether what stands between two numbers leaves open which of them is meant."""
    return bool(_ELSE.fullmatch(between))
