"""Labelling rules for answers to sums: correct, avoidant or incorrect, rule set OURS-v2.

Each number of an answer is an addend, a step of working, a part of the model's own next question, or a claim. A label
depends only on the response and the two addends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text
from harness.answers.v2.choice import Offer, choose, leaves_open, set_aside
from harness.answers.v2.claims import Span
from harness.answers.v2.layout import flattened
from harness.answers.v2.numbers import WrittenNumber, lower_powers, numbers
from harness.answers.v2.standing import label_standing
from harness.answers.v2.text import RULE_SET, cut_next_question, plain, prepared, refusal

# The text between two numbers of one calculation.
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
    r"|hmm|edit|errat(?:um|a)|corrigend(?:um|a)|typo|misprint|should read)\b",
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
_VAGUELY = re.compile(
    r"\b(?:somewhere|something|anywhere|a (?:number|value|figure|sum)) (?:near|between|over|under"
    r"|above|below|close to|in)\W*\Z|\b(?:slightly|just|a (?:bit|little)|somewhat|well) (?:over|under|above"
    r"|below)\W*\Z",
    re.IGNORECASE,
)
# An answer that is a range, of which no number is the sum.
_RANGE = re.compile(
    r"(?:between|(?:in|within) (?:the|a) range (?:of |from )?|(?:any(?:thing|where)|some(?:thing|where)) from|more than"
    r"|at least|over|above|from)\W{0,3}\Z",
    re.IGNORECASE,
)
_RANGE_JOINS = re.compile(
    r"\s?(?:-|\u2013|\u2014|to|and|or|but)\s?(?:(?:but |and )?(?:less than|under|below|at most|up to|fewer than) )?",
    re.IGNORECASE,
)
_VAGUE_LEAD = re.compile(
    r"\W*(?:(?:it|that|the (?:sum|answer|total|result))(?:'s| is| should be| must be| would be| lies)? )?(?:about"
    r"|around"
    r"|approximately|roughly|some|maybe|perhaps|probably|say)?\W*",
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
SUM_WINDOW = 4_000


class Role(IntEnum):
    """The purpose of a number in the text; a greater role commits the response more."""

    NOTHING = 0  # an addend as asked, a carry, a number of a list, a step of working
    STEP = 1  # the result of a step of working
    BARE = 2  # a number without words about it
    STATED = 3  # it is ..., I think ...
    LEADING = 4  # the beginning of the response
    CLAIMED = 5  # the answer is ..., a + b = ...


@dataclass(frozen=True, slots=True)
class NumberInPlace:
    """A number with its role; whether it is a correction, of another sum, the result of exactly the sum asked."""

    number: WrittenNumber
    role: Role
    corrects: bool = False
    elsewhere: bool = False
    exact: bool = False


def gap(text: str, numbers: Sequence[WrittenNumber], index: int) -> str:
    """Return the text between a number and the previous one; at most its last 200 characters."""
    start = numbers[index - 1].end if index else 0
    return text[max(start, numbers[index].start - 200) : numbers[index].start]


def kind_of_gap(between: str) -> str:
    """Return how two numbers are connected: `+`, `*` for another operator, `=` for a relation, or empty."""
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
    """Yield the numbers of each calculation: index of the first, index after the last, the signs between them."""
    first, signs = 0, list[str]()
    for index in range(1, len(numbers) + 1):
        sign = kind_of_gap(text[numbers[index - 1].end : numbers[index].start]) if index < len(numbers) else ""
        if sign:
            signs.append(sign)
            continue
        yield first, index, signs
        first, signs = index, []


def stated(text: str, numbers: Sequence[WrittenNumber], index: int) -> Role:
    """Return the role of a number outside any calculation, by the words before and after it."""
    number, before = numbers[index], gap(text, numbers, index)
    after = text[number.end : number.end + 24]
    clause = re.split(r"[.!?]\s", before)[-1]
    if _THINGS.match(after) or (_COMPARES.search(clause) and not _VAGUELY.search(clause)):
        return Role.NOTHING
    if not index and not re.search(r"[^\W_]", before):
        return Role.LEADING
    counts = number.spelled and len(number.value) <= 2 and bool(after[:2].strip(".,!\n"))  # "one of them"
    if counts or (_OPTION.search(before) and len(_OPTIONS.findall(text[:SUM_WINDOW])) > 1):
        return Role.NOTHING
    if _STEP_WORDS.search(re.split(r"[.!?;\n]\s", before)[-1]):
        return Role.STEP
    return Role.CLAIMED if _STRONG.search(before) else Role.STATED if _VERB.search(before) else Role.BARE


def corrects(between: str) -> bool:
    """Whether the words between two numbers take back the first."""
    return bool(_CORRECTS.search(between))


def names_answer(before: str) -> bool:
    """Whether the words before a number call it the answer."""
    return bool(_NAMES_ANSWER.search(before))


def equates(before: str) -> bool:
    """Whether the words before a number end with one such as `is` or `equals`."""
    return bool(_EQUATES.search(before))


def alternative(between: str) -> bool:
    """Whether the text between two numbers leaves open which of them is meant."""
    return bool(_ELSE.fullmatch(between))


_BULLET = re.compile(r"^[ \t]*[-*\u2022][ \t]+")
_BULLETS = re.compile(r"(?:[ \t]*[-*\u2022][ \t]+[\d,.]+[ \t]*(?:\n+|\Z)){2,}")
_ONE_BY_ONE = re.compile(r"(?<![\w./-])[0-9](?:-[0-9]){2,}(?![\w/-]|\.[0-9])")  # 7-2-5
_BOXED = re.compile(r"\\(?:boxed|fbox)\s?\{|####")
_LABEL = re.compile(
    r"(?:^[ \t>*(]{0,6}|\b(?:step|part|example|question|exercise|problem|line|column|chapter|figure|no\.?"
    r"|rule) ?#?)\(?\Z",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = re.compile(r"(?:[.)]:?[ \t]{1,4}|:[ \t]{0,4})\S")
_NAMED = re.compile(r"[A-Za-z_]\Z")
_AMONG = re.compile(r"[\s,;]{1,6}")
_CODE = re.compile(
    r"\bdef \w+\(|\bprint\(|\breturn \w|\bimport \w|\bconsole\.log|\bfor \w+ in\b|System\.out|\bint\(|\bvar \w+ ="
)
_GOES_ON = re.compile(r"\s{0,3}(?:[+*\u00d7](?!\*)|=\s{0,3}\Z)")
_WORD = re.compile(r"[^\W\d_]{2,}")
WINDOW = 400  # characters searched back for a correction
SHORT = 8  # most words of a text in which a bare number is the answer

LONG = 4  # least digits of a number that is rarely incidental


@dataclass(frozen=True, slots=True)
class _Asked:
    """The sum for comparison: both addends and their sum as canonical texts."""

    a: str
    b: str
    total: str

    @property
    def least(self) -> int:
        return max(len(self.a), len(self.b)) - 1


def addition_text(response: str) -> str:
    """Return the text in which the numbers of an answer are read: without mark-up, and raised digits as powers."""
    text = flattened(prepared(lower_powers(response).replace("\u2212", "-")))
    if "-" in text:
        text = _ONE_BY_ONE.sub(lambda found: found.group().replace("-", ""), text)
    if _BULLETS.fullmatch(text):
        text = ", ".join(_BULLET.sub("", line) for line in text.splitlines())  # not signs of a calculation
    return plain(_BOXED.sub(" the final answer is ", text))


@cached_by_text(32)
def _texts(response: str) -> tuple[str, str]:
    """Return the text in which the numbers are read, and its part before a next question of the model's own."""
    text = addition_text(response)
    return text, cut_next_question(text)


def addition(a: str, b: str, response: str) -> LabelResult:
    """Label an answer to `a + b`, the addends as decimal strings, by the number that it commits to.

    `c` if that is the sum, `i` if it is another number or several are left open, `a` if it commits to none.
    `matched_span` is a span in `addition_text`.
    """
    a, b = a.lstrip("0") or "0", b.lstrip("0") or "0"
    asked = _Asked(a, b, str(int(a) + int(b)))
    text, cut = _texts(response)
    result = label_standing(cut, lambda standing: _read(asked, standing))
    if result.label == "a" and result.matched_span is None and len(cut) < len(text):
        return _read(asked, text)  # what looked like a next question restates the task
    return result


def _read(asked: _Asked, text: str) -> LabelResult:
    found = [number for number in numbers(text, asked.total) if not _label(text, number)]
    others = list(dict.fromkeys(number.value for number in found if number.value not in (asked.a, asked.b)))
    kept, count = truncated(others), len(others)
    avoidance, cue = refusal(text)
    mentions = list(_mentions(asked, text, found))
    offers = [
        Offer((number.start, number.end), number.value)
        for number in found
        if number.value == asked.total or number.value not in (asked.a, asked.b)
    ]
    own = [offer for offer in offers if not _is_of_others(text, offer.span[0])]
    offers = own or offers
    gone = {offer.span for offer in offers if set_aside(text, offer)}
    mentions = [each for each in mentions if (each.number.start, each.number.end) not in gone]
    mentions = _own_ones(text, mentions)
    if cue is None and (span := _range(asked, text, found)) is not None:
        return LabelResult("i", None, RULE_SET, span, kept, count)
    if choice := choose(text, offers):
        label: Literal["c", "i"] = "c" if choice.value == asked.total else "i"
        return LabelResult(label, None, RULE_SET, choice.span, kept, count)
    if leaves_open(text, offers):
        return LabelResult("i", None, RULE_SET, (offers[0].span[0], offers[-1].span[1]), kept, count)
    committed = _committed(asked, text, found, mentions, cue is not None)
    values = [number.value for number in found]
    if committed is None or (not offers and len(values) > 2 and {asked.a, asked.b} == {*values}):  # both, over and over
        return LabelResult("a", avoidance, RULE_SET, cue, kept, count)
    span = committed.start, committed.end
    return LabelResult("c" if committed.value == asked.total else "i", None, RULE_SET, span, kept, count)


_OTHERS_SAY = re.compile(
    r"\b(?:friend|colleague|brother|sister|neighbou?r|classmate|teacher|mother|father|mum|dad|son|daughter|pupil"
    r"|student"
    r"|someone|somebody|others?|some|many|people|she|he|they)\b(?: \w+){0,4}? (?:got|gets?|says?|said|thinks?|thought"
    r"|claims?|claimed|wrote|writes?|made|makes?|gave|gives?|had|has|have|insists?)(?: (?:it(?:'s| is| was)?|on"
    r"|that))*\W{0,3}\Z",
    re.IGNORECASE,
)
MOST_WORDS_OF_RANGE = 12


def _own_ones(text: str, mentions: Sequence[NumberInPlace]) -> list[NumberInPlace]:
    """Return the mentions without the numbers that the text says others got, unless there is no other answer."""
    own = [each for each in mentions if not _is_of_others(text, each.number.start)]
    return own if any(each.role >= Role.STATED for each in own) else list(mentions)


def _is_of_others(text: str, start: int) -> bool:
    """Whether the words before a place say that others got the number there."""
    return _OTHERS_SAY.search(text[max(0, start - 80) : start].rsplit(". ", 1)[-1]) is not None


def _range(asked: _Asked, text: str, found: Sequence[WrittenNumber]) -> Span | None:
    """Return the span of a range that is all that a short text answers, or None."""
    if len(found) != 2 or len(_WORD.findall(text[:SUM_WINDOW])) > MOST_WORDS_OF_RANGE:
        return None
    first, last = found
    if not (first.value.isdigit() and last.value.isdigit()) or int(first.value) >= int(last.value):
        return None
    if {first.value, last.value} == {asked.a, asked.b} or not _RANGE_JOINS.fullmatch(text, first.end, last.start):
        return None
    between = text[first.end : last.start].strip().lower()
    leads = _RANGE.search(text, max(0, first.start - 40), first.start)
    vague = _VAGUE_LEAD.fullmatch(text, 0, first.start)
    if (leads and between != "or") or (vague and between in ("-", "\u2013", "\u2014", "to")):
        return first.start, last.end
    return None


def _label(text: str, number: WrittenNumber) -> bool:
    """Whether a number only numbers lines or steps, or is part of a name."""
    before = text[max(0, number.start - 24) : number.start]
    if not number.spelled and _NAMED.search(before) and not before.endswith(("x", "_")):
        return True
    if number.digits > 2 or not _LISTED.match(text, number.end):
        return bool(re.search(r"\b(?:step|part|example|exercise) ?#?\Z", before, re.IGNORECASE))
    if number.start and "\n" not in before and len(before) == 24 and not _LABEL.search(before):
        return False
    line = text[text.rfind("\n", 0, number.start) + 1 : number.start]
    return bool(_LABEL.search(line)) and (
        bool(line.strip()) or "." in text[number.end : number.end + 2] or number.digits < 2
    )


def _mentions(asked: _Asked, text: str, found: Sequence[WrittenNumber]) -> Iterator[NumberInPlace]:
    """Yield every number with its role, in the order of the text."""
    for first, end, signs in chains(text, found):
        if not signs:
            yield NumberInPlace(found[first], stated(text, found, first), corrects(gap(text, found, first)))
        elif "=" in signs:
            yield from _calculated(asked, text, found, first, end, signs)
        elif {found[first].value, found[end - 1].value} != {asked.a, asked.b}:
            before = gap(text, found, first)
            role = stated(text, found, first)
            pair = end - first == 2 and (signs == ["*"] or " and " in text[found[first].end : found[end - 1].start])
            if not (pair and (role == Role.LEADING or (role > Role.BARE and names_answer(before)))):
                role = Role.NOTHING
            several = WrittenNumber(found[first].start, found[end - 1].end, "several")
            yield NumberInPlace(several, role, corrects(before), elsewhere=role is Role.NOTHING)


def _calculated(
    asked: _Asked, text: str, found: Sequence[WrittenNumber], first: int, end: int, signs: Sequence[str]
) -> Iterator[NumberInPlace]:
    """Yield the numbers of a calculation with a result: of the sum asked for, of another sum, or equal numbers."""
    sides, at = [[first]], first
    for sign in signs:
        at += 1
        if sign == "=":
            sides.append([at])
        else:
            sides[-1].append(at)
    taken_back = corrects(gap(text, found, first))
    if all(len(side) == 1 for side in sides):
        yield NumberInPlace(found[first], stated(text, found, first), taken_back)
        yield from (
            NumberInPlace(found[index], Role.STATED, corrects(gap(text, found, index)))
            for index in range(first + 1, end)
        )
        return
    own = next((place for place, side in enumerate(sides) if _is_own(asked, found, side, signs, first)), None)
    exact = own is not None and _operands(found, sides[own]) == sorted((asked.a, asked.b))
    results = [side[0] for place, side in enumerate(sides) if len(side) == 1 and (own is None or place > own)]
    if own is not None and not results and own and len(sides[0]) == 1:
        results = sides[0]
    line = not text[text.rfind("\n", 0, found[first].start) + 1 : found[first].start].strip()
    if own is None:
        if results:
            yield NumberInPlace(found[results[-1]], Role.STEP, taken_back, elsewhere=line)
        return
    if exact and not all(_comes_to_as_much(asked, found, side, signs, first) for side in sides):
        if results:
            yield NumberInPlace(found[results[-1]], Role.STEP, taken_back)
        return
    if results and (results[-1] == end - 1 and _GOES_ON.match(text, found[end - 1].end)):
        return  # the working is cut off
    if results and (results != sides[0] or stated(text, found, first) > Role.NOTHING):
        role = Role.CLAIMED if exact else Role.STATED
        yield NumberInPlace(found[results[-1]], role, taken_back, exact=exact)


def _comes_to_as_much(
    asked: _Asked, found: Sequence[WrittenNumber], side: Sequence[int], signs: Sequence[str], first: int
) -> bool:
    """Whether a side of the equation that begins with the sum can equal it; otherwise the working has moved on."""
    plus = all(signs[index - first] == "+" for index in side[:-1])
    return len(side) < 2 or not plus or _is_own(asked, found, side, signs, first)


def _operands(found: Sequence[WrittenNumber], side: Sequence[int]) -> list[str]:
    return sorted(found[index].value for index in side)


def _is_own(
    asked: _Asked, found: Sequence[WrittenNumber], side: Sequence[int], signs: Sequence[str], first: int
) -> bool:
    """Whether a side of a calculation is the sum asked for: its addends, or numbers with the same total."""
    if len(side) < 2:
        return False
    if _operands(found, side) == sorted((asked.a, asked.b)):
        return True
    values = [found[index].value for index in side]
    if any(signs[index - first] != "+" for index in side[:-1]) or not all(map(str.isdigit, values)):
        return False
    longest = len(asked.total) + 1
    return all(len(value) <= longest for value in values) and str(sum(map(int, values))) == asked.total


def _committed(
    asked: _Asked, text: str, found: Sequence[WrittenNumber], mentions: Sequence[NumberInPlace], refuses: bool
) -> WrittenNumber | None:
    """Return the number that the response commits to: the last one claimed before it turns to other sums."""
    chosen: NumberInPlace | None = None
    left = False
    for mention in mentions:
        if mention.elsewhere and chosen is not None:
            left = True
        if mention.role < Role.BARE or not _may_be_meant(asked, text, mention):
            continue
        if chosen is None:
            chosen = mention if mention.role >= Role.STATED else None
        elif _outdoes(asked, text, mention, chosen, left):
            chosen = mention
    if chosen is not None and not (refuses and chosen.role == Role.STATED and chosen.number.digits < asked.least):
        return _settled(asked, text, found, chosen.number)
    return _unclaimed(asked, text, mentions, refuses)


def _may_be_meant(asked: _Asked, text: str, mention: NumberInPlace) -> bool:
    """Whether a number can be the answer; an addend only if it is called the answer, leads the text or is bare."""
    if mention.number.value == asked.total or mention.number.value not in (asked.a, asked.b):
        return True
    start = mention.number.start
    before = text[max(0, start - 60) : start]
    named = mention.role == Role.CLAIMED and (names_answer(before) or equates(before))
    return named or mention.role in (Role.LEADING, Role.BARE)


def _outdoes(asked: _Asked, text: str, mention: NumberInPlace, chosen: NumberInPlace, left: bool) -> bool:
    """Whether a later number replaces the chosen one: a correction, or a claim that is at least as clear."""
    between = text[chosen.number.end : mention.number.start][-WINDOW:]
    if mention.role == Role.CLAIMED:
        return not left or mention.exact or corrects(between)
    if mention.number.digits < asked.least or mention.number.value in (asked.a, asked.b):
        return False
    if mention.role == Role.BARE:
        return mention.corrects
    return corrects(between) or (chosen.role <= Role.STATED and not left)


def _settled(asked: _Asked, text: str, found: Sequence[WrittenNumber], chosen: WrittenNumber) -> WrittenNumber:
    """Return the chosen number, or one that is never right if an equally good number is next to it."""
    places = {number.start: index for index, number in enumerate(found)}
    index = places.get(chosen.start)
    if index is None or index + 1 == len(found):
        return chosen
    between = text[chosen.end : found[index + 1].start]
    beside = found[index + 1]
    if beside.value == chosen.value or beside.value in (asked.a, asked.b):
        return chosen
    listed = "\n" not in between and _AMONG.fullmatch(between)
    if (alternative(between) or listed) and "=" not in text[beside.end : beside.end + 3]:
        return WrittenNumber(chosen.start, beside.end, "several")
    return chosen


def _corrected(mentions: Sequence[NumberInPlace]) -> bool:
    """Whether the last bare number is given as a correction."""
    return [each.corrects for each in mentions if each.role == Role.BARE][-1]


@cached_by_text(32)
def _words_and_code(text: str) -> tuple[int, bool]:
    """Return the number of words at a text's beginning, and whether the text contains a program."""
    return len(_WORD.findall(text[:4_000])), _CODE.search(text) is not None


def _unclaimed(asked: _Asked, text: str, mentions: Sequence[NumberInPlace], refuses: bool) -> WrittenNumber | None:
    """Return the number chosen among bare ones: the only one of a short text, or the result of the last step."""
    words, code = _words_and_code(text)
    bare = [each.number for each in mentions if each.role == Role.BARE]
    others = [number for number in bare if number.value not in (asked.a, asked.b)]
    if refuses:
        others = [number for number in others if number.digits >= asked.least or words <= SHORT]
    if code:
        return None
    if others and not refuses and bare[-1] is others[-1] and _corrected(mentions):
        return others[-1]
    distinct = {number.value for number in others}
    long = asked.least >= LONG and any(number.digits >= asked.least for number in others)
    if distinct and (words <= (2 * SHORT if len(distinct) == 1 else SHORT) or long):
        return others[0] if len(distinct) == 1 else WrittenNumber(others[0].start, others[-1].end, "several")
    cut_off = bool(mentions) and bool(_GOES_ON.match(text, mentions[-1].number.end))
    steps = [each.number for each in mentions if each.role == Role.STEP]
    if steps and not others and not cut_off and steps[-1].digits >= len(asked.total) > 2:
        return steps[-1]
    if len(bare) == 1 and not words and not refuses:
        return bare[0]
    return None
