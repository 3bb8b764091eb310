"""Where the texts of a question's options stand in a response: in other words, too, and as numbers.

It knows four options and one text; it must never know which option is right, or how a label is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from harness.scorers.outcome.v2.claims import Span, reading

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?|[^\W\d_]+(?:\d+[^\W_]*)?|[+-](?=\d)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?", re.IGNORECASE)
_ENDINGS = (
    "ations",
    "ation",
    "ating",
    "ates",
    "ated",
    "ate",
    "ings",
    "ing",
    "ions",
    "ion",
    "ies",
    "ied",
    "ium",
    "ia",
    "es",
    "ed",
    "ly",
    "us",
    "um",
    "s",
    "e",
    "y",
    "i",
    "a",
)
_NUMBER_WORDS = "zero two three four five six seven eight nine ten eleven twelve"
_WORDS = {word: str(number + (number > 0)) for number, word in enumerate(_NUMBER_WORDS.split())}
_SMALL_WORDS = """
a an the is are was were be been it its they them their this that these those of to in on at by for from with as and or
will would does do did has have had can there which what so than then into i
"""
_IDLE = frozenset(_SMALL_WORDS.split())
_LEAST = 3  # letters that stay of a word
MOST_TOKENS = 4_000


@dataclass(frozen=True, slots=True)
class OptionMention:
    """A place where the text of one option stands."""

    letter: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Options:
    """The options as they are looked for: the stems of each, those of no other one, and whether all are numbers."""

    stems: Mapping[str, tuple[str, ...]]
    own: Mapping[str, frozenset[str]]
    numbers: Mapping[str, float]
    sought: tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=4096)
def _prepared(options: tuple[tuple[str, str], ...]) -> _Options:
    stems = {letter: tuple(stem for stem, _ in _content(reading(text))) for letter, text in options}
    stems = {
        letter: found or tuple(stem for stem, _ in _stems(reading(dict(options)[letter])))
        for letter, found in stems.items()
    }
    own = {
        letter: frozenset(found) - {each for other, more in stems.items() if other != letter for each in more}
        for letter, found in stems.items()
    }
    numbers = {letter: value for letter, text in options if (value := _number(reading(text))) is not None}
    return _Options(stems, own, numbers if len(numbers) == len(options) else {}, _sought(stems))


def _sought(stems: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Give what is sought of each option, longer ones first: its words, also without a last one that all share."""
    forms = list(stems.items())
    short = [each[:-1] for each in stems.values()]
    alike = len({each[-1:] for each in stems.values()}) == 1
    if (
        alike
        and all(short)
        and len(set(short)) == len(short)
        and not any(word[:1].isdigit() for each in short for word in each)
    ):
        forms += zip(stems, short, strict=True)
    return tuple(sorted(forms, key=lambda each: -len(each[1])))


def _number(text: str) -> float | None:
    found = _NUMBER.findall(text.replace("^", ""))
    if not found or not re.match(r"[^\w]*(?:about |approximately |[+-])?[\d.]", text):
        return None
    return value(found[0])


def value(number: str) -> float | None:
    """Give the number that a token spells."""
    try:
        return float(number.replace(",", ""))
    except ValueError:
        return None


def stem(word: str) -> str:
    """Give a word without its ending, so that `condenses` is found where `condensation` is sought."""
    word = word.casefold()
    if word in _WORDS:
        return _WORDS[word]
    if word[:1].isalpha():
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
                return word[: -len(ending)]
    return word.replace(",", "")


def _stems(text: str) -> Iterator[tuple[str, Span]]:
    for count, found in enumerate(_TOKEN.finditer(text)):
        if count >= MOST_TOKENS:
            return
        yield stem(found.group()), found.span()


def _content(text: str) -> list[tuple[str, Span]]:
    return [
        (word, span) for word, span in _stems(text.replace("^", " ")) if text[span[0] : span[1]].lower() not in _IDLE
    ]


def mentions(options: Mapping[str, str], text: str) -> list[OptionMention]:
    """Find where options' texts stand in a text, in order; where two begin at one word, the longer one."""
    sought = _prepared(tuple(options.items())).sought
    words = _content(text)
    found: list[OptionMention] = []
    place = 0
    while place < len(words):
        for letter, stems in sought:
            if stems and words[place][0] == stems[0] and _stands(words, place, stems):
                found.append(OptionMention(letter, (words[place][1][0], words[place + len(stems) - 1][1][1])))
                place += len(stems) - 1
                break
        place += 1
    return found


def _stands(words: list[tuple[str, Span]], place: int, stems: tuple[str, ...]) -> bool:
    return (
        all(words[at][0] == each for at, each in enumerate(stems, place)) if place + len(stems) <= len(words) else False
    )


def has_number(option: str) -> bool:
    """Whether an option's text has a number in it, in digits or as a word."""
    return any(word[:1].isdigit() for word, _ in _stems(option))


def bare_number(options: Mapping[str, str], letter: str) -> bool:
    """Whether an option is a number without a unit, such as stands in many a sentence that answers nothing."""
    return _NUMBER.fullmatch(options[letter].strip()) is not None


def by_kind(options: Mapping[str, str], text: str) -> tuple[str, Span] | None:
    """Give the option that says `none of these`, `all of these` or `both`, where a text says the same in its words."""
    for letter, option in options.items():
        kind = _KINDS.match(option.strip())
        if kind is None:
            continue
        form = next(_SAME[at] for at in _SAME if kind.group(at))
        if (found := form.search(text)) and not unsure(text, found.start()):
            return letter, found.span()
    return None


def unsure(text: str, start: int) -> bool:
    """Whether what stands at a place is only supposed: it could be, it may be."""
    return _UNSURE.search(text[max(0, start - 20) : start]) is not None


def unnegated(text: str) -> str:
    """Give a text without the clauses that say what is not so."""
    return _NEGATED.sub(" ", text)


def nearest(options: Mapping[str, str], text: str, share: float = 0.5) -> str | None:
    """Give the option of which alone distinctive words stand in a short text, at least a share of them, or None."""
    own = _prepared(tuple(options.items())).own
    words = {word for word, _ in _content(text)}
    hits = {letter: len(words & stems) for letter, stems in own.items()}
    hit = [letter for letter, count in hits.items() if count]
    return hit[0] if len(hit) == 1 and hits[hit[0]] >= share * len(own[hit[0]]) else None


def closest(options: Mapping[str, str], text: str) -> str | None:
    """Give the option of whose distinctive words a text says two and half of them at least, the others' hardly any."""
    own = _prepared(tuple(options.items())).own
    words = {word for word, _ in _content(text)}
    hits = sorted(((len(words & stems), letter) for letter, stems in own.items()), reverse=True)
    (most, letter), (second, _) = hits[:2]
    return letter if most >= 2 and 2 * second <= most and 2 * most >= len(own[letter]) else None


def whole(options: Mapping[str, str], text: str) -> str | None:
    """Give the option whose words are all that a text says, or None."""
    words = tuple(word for word, _ in _content(text))
    same = [letter for letter, stems in _prepared(tuple(options.items())).stems.items() if stems == words and words]
    return same[0] if len(same) == 1 else None


def numeric(options: Mapping[str, str], text: str) -> tuple[str | None, Span] | None:
    """Give the option of the last number that a text arrives at, None for a number of no option; None without one."""
    numbers = _prepared(tuple(options.items())).numbers
    if not numbers:
        return None
    last = None
    for found in _ARRIVES.finditer(text):
        last = found
    if last is None:
        return None
    given = value(last.group(1))
    if given is None:
        return None
    near = sorted((abs(given - each) / (abs(each) or 1), letter) for letter, each in numbers.items())
    return (near[0][1] if near[0][0] <= 0.01 else None), last.span(1)


_ARRIVES = re.compile(
    r"(?:^|=|\u2248|->|\bis|\bequals|\babout|\bapproximately|\broughly|\bgives|\bget|\bcount|\btherefore|\bso"
    r"|\banswer|\bi\.e\.)"
    r"[ ,:]{0,2}(?:about |approximately |roughly |\u2248 ?)?[-+]?(\d+(?:[.,]\d+)*(?:e[+-]?\d+)?)"
    r"(?: ?[^\W\d][^\s.,;]{0,12}){0,2}\s*(?:[.!,;\n)]|$)",
    re.IGNORECASE,
)

_KINDS = re.compile(
    r"(?:(?P<none>none|neither|no) (?:of (?:the|these|those)|one)|(?P<all>all|each|every one) (?:of (?:the|these|those)"
    r"|three|the above))|(?P<both>both\b)",
    re.IGNORECASE,
)
_SAME = {
    "none": re.compile(
        r"\bnone of (?:the|these|those|them)\b|\bnone (?:is|are|fits?)\b|\A\W*none\W*\Z|\bneither of (?:the|these|those"
        r"|them)\b",
        re.IGNORECASE,
    ),
    "all": re.compile(
        r"\b(?:all|each|any|every one|every) (?:three )?(?:of (?:the|these|those|them)|are (?:correct|right|true)"
        r"|three|one of (?:the|these|those|them))\b|\A\W*all\W*\Z",
        re.IGNORECASE,
    ),
}
_SAME["both"] = re.compile(r"\Aboth\b|\bboth (?:of (?:the|these|those|them)|are (?:correct|right|true))", re.IGNORECASE)
_UNSURE = re.compile(r"\b(?:could|might|may|can|not|n't)\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:\bneither\b[^.;:\n]{0,120}"
    r"|(?:\b(?:not|never|no longer|rather than|instead of|unlike|cannot)\b|n't\b)[^.;,:\n]{0,80})",
    re.IGNORECASE,
)
