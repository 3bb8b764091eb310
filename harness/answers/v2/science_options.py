"""Where the texts of a question's options are in a response, and the verdict of a table on each option.

Options are also found in other words and as numbers. A table may give confidence as a share, ticks or crosses, yes or
no. The functions do not see which option is right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.answers.v2.claims import Span, reading
from harness.answers.v2.numbers import digits_for_words
from harness.answers.v2.synonyms import synonyms

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
    "ys",
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
_SCIENCE_OPTIONS_LEAST = 3  # least letters of a stem
MOST_TOKENS = 4_000


@dataclass(frozen=True, slots=True)
class OptionMention:
    """A place in the text with the text of one option."""

    letter: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Options:
    """The options prepared for the search: the stems of each, the stems unique to each, and whether all are numbers."""

    stems: Mapping[str, tuple[str, ...]]
    own: Mapping[str, frozenset[str]]
    numbers: Mapping[str, float]
    sought: tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=4096)
def _prepared(options: tuple[tuple[str, str], ...]) -> _Options:
    options = tuple((letter, digits_for_words(reading(text))) for letter, text in options)
    stems = {letter: tuple(stem for stem, _ in _content(text)) for letter, text in options}
    stems = {
        letter: found or tuple(stem for stem, _ in _stems(dict(options)[letter])) for letter, found in stems.items()
    }
    own = {
        letter: frozenset(found) - {each for other, more in stems.items() if other != letter for each in more}
        for letter, found in stems.items()
    }
    numbers = {letter: value for letter, text in options if (value := _number(text)) is not None}
    return _Options(stems, own, numbers if len(numbers) == len(options) else {}, _sought(stems, dict(options)))


def _sought(
    stems: Mapping[str, tuple[str, ...]], options: Mapping[str, str]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the stems to search for each option, longer ones first.

    They are also those of its other names, and of its text without a last word shared by all options.
    """
    forms = list(stems.items())
    others = {
        letter: {found for name in synonyms(text) if (found := tuple(stem for stem, _ in _content(name)))}
        for letter, text in options.items()
    }
    for letter, named in others.items():
        taken = {*stems.values()}.union(*(names for other, names in others.items() if other != letter))
        forms += [(letter, name) for name in sorted(named - taken)]
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
    """Return the number that a token spells, or None."""
    try:
        return float(number.replace(",", ""))
    except ValueError:
        return None


def stem(word: str) -> str:
    """Return a word without its ending, so that `condenses` matches `condensation`."""
    word = word.casefold()
    if word in _WORDS:
        return _WORDS[word]
    if word[:1].isalpha():
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= _SCIENCE_OPTIONS_LEAST:
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
    """Return where options' texts are in a text, in order; if two begin at one word, the longer one."""
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
    """Whether an option's text contains a number, in digits or as a word."""
    return any(word[:1].isdigit() for word, _ in _stems(option))


def bare_number(options: Mapping[str, str], letter: str) -> bool:
    """Whether an option is a number without a unit, which also occurs in many sentences that are not answers."""
    return _NUMBER.fullmatch(options[letter].strip()) is not None


def by_kind(options: Mapping[str, str], text: str) -> tuple[str, Span] | None:
    """Return the option that says `none of these`, `all of these` or `both`, if the text says the same."""
    for letter, option in options.items():
        kind = _KINDS.match(option.strip())
        if kind is None:
            continue
        form = next(_SAME[at] for at in _SAME if kind.group(at))
        if (found := form.search(text)) and not unsure(text, found.start()):
            return letter, found.span()
    return None


def unsure(text: str, start: int) -> bool:
    """Whether the text at a place is only a possibility: it could be, it may be."""
    return _UNSURE.search(text[max(0, start - 20) : start]) is not None


def unnegated(text: str) -> str:
    """Return a text without its negated clauses."""
    return _NEGATED.sub(" ", text)


def nearest(options: Mapping[str, str], text: str, share: float = 0.5) -> str | None:
    """Return the only option with distinctive words in a short text, if at least `share` of them are there, or None."""
    own = _prepared(tuple(options.items())).own
    words = {word for word, _ in _content(text)}
    hits = {letter: len(words & stems) for letter, stems in own.items()}
    hit = [letter for letter, count in hits.items() if count]
    return hit[0] if len(hit) == 1 and hits[hit[0]] >= share * len(own[hit[0]]) else None


def closest(options: Mapping[str, str], text: str) -> str | None:
    """Return the option that shares enough distinctive words with a text, or None.

    These are at least two and at least half of its distinctive words, and at least twice as many as of any other
    option.
    """
    own = _prepared(tuple(options.items())).own
    words = {word for word, _ in _content(text)}
    hits = sorted(((len(words & stems), letter) for letter, stems in own.items()), reverse=True)
    (most, letter), (second, _) = hits[:2]
    return letter if most >= 2 and 2 * second <= most and 2 * most >= len(own[letter]) else None


def whole(options: Mapping[str, str], text: str) -> str | None:
    """Return the option whose words are exactly those of a text, or None."""
    words = tuple(word for word, _ in _content(text))
    same = [letter for letter, stems in _prepared(tuple(options.items())).stems.items() if stems == words and words]
    return same[0] if len(same) == 1 else None


def numeric(options: Mapping[str, str], text: str) -> tuple[str | None, Span] | None:
    """Return the option of the last number that a text arrives at, with its span; None without such a number.

    The option is None for a number that is not an option.
    """
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
_FEW_BETWEEN = 6  # most other words in a table that names the options by their texts, not by letters
_SCIENCE_TABLES_LEAST = 3  # least options with a verdict in a table
_MOST_ENTRIES = 12
_FEW_WORDS = 24  # most other words in a table of shares


@dataclass(frozen=True, slots=True)
class OptionTable:
    """The result of a table: the best options, those it takes back, and its span."""

    best: tuple[str, ...]
    rejected: frozenset[str]
    span: Span


def table(text: str, said: Sequence[OptionMention]) -> OptionTable | None:
    """Read a table of verdicts, of shares or of signs; None if there is none, or if it prefers no option."""
    entries = list(_entries(text, said))
    least = 2 if _SURE.search(text) else _SCIENCE_TABLES_LEAST
    if not least <= len(entries) <= _MOST_ENTRIES or len({letter for letter, _ in entries}) < least:
        return None
    parts = _behind(text, entries), _before(text, entries)
    return next((found for read in (_signs, _shares) for found in [read(text, entries, parts)] if found), None)


_Entry = tuple[str, Span]


def _entries(text: str, said: Sequence[OptionMention]) -> Iterator[_Entry]:
    """Yield the places where options are named: by letter, by text, or by one directly after the other."""
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
    """Read ticks and crosses, boxes, and words for them, either all before the options or all after them."""
    behind, before = parts
    first = _SIGNS.search(before[0])
    verdicts: dict[str, bool] = {}
    for (letter, _), after, front in zip(entries, behind, before, strict=True):
        found = _SIGNS.search(front) if first else _BEGINS.match(after) or _ENDS.search(after.split("\n", 1)[0])
        if found and letter not in verdicts:
            verdicts[letter] = found.group(1) is not None or found.group(found.re.groups - 1) is not None
    if len(verdicts) < _SCIENCE_TABLES_LEAST:
        return None
    best = tuple(letter for letter, good in verdicts.items() if good)
    rejected = frozenset(verdicts) - frozenset(best)
    left = frozenset("ABCD") - rejected
    if not best and (len(left) != 1 or left & {letter for letter, _ in entries}):
        return None
    return OptionTable(best or tuple(left), rejected, (entries[0][1][0], entries[-1][1][1]))


def _shares(text: str, entries: Sequence[_Entry], parts: tuple[list[str], list[str]]) -> OptionTable | None:
    """Read shares of confidence: one per option, with few other words."""
    words = len(_WORD.findall("".join(parts[0]))) + len(_WORD.findall(text[: entries[0][1][0]]))
    lettered = all(text[span[0]] in "ABCD" and not text[span[0] + 1 : span[0] + 2].isalnum() for _, span in entries)
    read = [[list(_SHARE.finditer(part)) for part in beside] for beside in parts]
    read.sort(key=lambda found: -sum(map(bool, found)))
    least = min(_SCIENCE_TABLES_LEAST, len(entries))
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
