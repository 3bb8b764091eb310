"""Where a right output is in a text, in any spelling, and what a text proposes as its result.

A result comes after a label, an arrow or a verb, or is in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.answers.v2.numbers import numbers
from harness.answers.v2.wanted import (
    Span,
    WantedOutput,
    end_of_unit,
    items,
    json_values,
    same_json,
    spelling_of_time,
    times,
    unit_after,
    unit_before,
)

_ENDS = " \t\n\"'`*_.,;:!?()[]{}<>|\u201e\u00ab\u00bb\u3002"
_TIGHT = re.compile(r"\s*([,;:=(){}\[\]<>+*/|-])\s*")
_LINE = re.compile(r"[^\n]+")
_AFTER_LABEL = re.compile(r"(?:[:=]|->|\u2192|=>|\bis|\bare|\bbe)\s+(?=\S)")
_BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_SPLIT = re.compile(r"[\s,;|]+")
_SIGN_APART = re.compile(r"(?<=\d) (?=[%\u20ac])")
_COMMA = re.compile(r"\D?[0-9]+,[0-9]{1,2}\D{0,3}")
_HALF = re.compile(r"\s?[ap]\.?m\b", re.IGNORECASE)
MOST = 40  # most places of one text that are examined


def same(wanted: WantedOutput, value: str) -> bool:
    """Whether a text is the right output and nothing else."""
    if wanted.kind == "json":
        values = list(json_values(value))
        return len(values) == 1 and same_json(values[0], wanted.canonical, wanted.cased)
    if _folded(wanted, value) == _folded(wanted, wanted.text):
        return True
    stripped = value.strip(_ENDS)
    if wanted.kind == "list":
        listed = [item.casefold() for item in items(stripped)]
        return wanted.canonical in (listed, stripped.casefold().split())
    if wanted.kind == "number" and _COMMA.fullmatch(stripped):
        stripped = stripped.replace(",", ".")
    words = wanted.text.split()
    if wanted.kind == "text" and len(words) > 2 and all(word.isalpha() for word in words):
        return [word for word in _SPLIT.split(_folded(wanted, stripped)) if word] == _folded(
            wanted, wanted.text
        ).split()
    return wanted.kind in ("time", "number") and any(
        not re.search(r"[^\W_]", stripped[:start] + stripped[end:]) for start, end in _by_value(wanted, stripped)
    )


def _folded(wanted: WantedOutput, value: str) -> str:
    text = " ".join(value.split()).strip(" \"'`")
    text = _SIGN_APART.sub("", text.rstrip(".!").strip(" \"'`"))
    if re.search(r"[(){}\[\]=<>;]", wanted.text):
        text = _TIGHT.sub(r"\1", text)
    return text if wanted.cased else text.casefold()


def places(wanted: WantedOutput, text: str) -> list[Span]:
    """Return the spans of a text in which the right output stands alone; for JSON and lists, the lines with it."""
    found = [each.span() for each, _ in zip(wanted.pattern.finditer(text), range(MOST), strict=False)]
    if wanted.kind == "time":
        found = [span for span in found if not _HALF.match(text, span[1])]  # 10:15 pm is another time than 10:15
    if wanted.kind in ("time", "number"):
        found += [span for span in _by_value(wanted, text) if not any(_meet(span, other) for other in found)]
        if wanted.kind == "number" and len(wanted.canonical) == 1 and wanted.canonical[0][1]:
            found = [span for span in found if not _otherwise(wanted, text, span)]
    elif wanted.kind == "list":
        found = [span for span in _parts(text) if same(wanted, text[slice(*span)])][:MOST]
    elif wanted.kind == "json":
        found = [(0, len(text))] if _only_json(wanted, text) else []
    return sorted(found)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _otherwise(wanted: WantedOutput, text: str, span: Span) -> bool:
    unit = unit_after(text, span[1])
    return bool(unit) and unit != wanted.canonical[0][1] and text[span[1] - 1].isdigit()


def _only_json(wanted: WantedOutput, text: str) -> bool:
    values = [value for value, _ in zip(json_values(text), range(MOST), strict=False)]
    return (
        bool(values)
        and same_json(values[0], wanted.canonical, wanted.cased)
        and (len(values) == 1 or all(same_json(value, wanted.canonical, wanted.cased) for value in values))
    )


def _parts(text: str) -> Iterator[Span]:
    """Yield the parts of a text that may be a list: each line, the text after a label in it, each block of lines."""
    for count, line in enumerate(_LINE.finditer(text)):
        yield line.span()
        labels = [each.end() for each in _AFTER_LABEL.finditer(text, line.start(), line.end())][:8]
        for end in labels:
            yield end, line.end()
            stop = text.find(". ", end, line.end())
            if stop > 0:
                yield end, stop
        if count > 200:
            break
    for block in _BLOCK.finditer(text):
        yield block.span()
        after = text.find(":\n", block.start(), block.end())
        if after > 0:
            yield after + 1, block.end()


def _by_value(wanted: WantedOutput, text: str) -> Iterator[Span]:
    """Yield the spans of numbers or times with the same value in another spelling."""
    if wanted.kind == "time":
        for span, value, spelling in times(text):
            if wanted.converts and not spelling[:1].isdigit():
                continue  # in words, a time is not yet on another clock
            if value == wanted.canonical and spelling_of_time(spelling) not in wanted.given_times:
                yield span
        return
    first, unit = wanted.canonical[0]
    found = numbers(text, first if first.isdigit() else "")
    for index, number in enumerate(found):
        if number.value != first:
            continue
        named = unit_after(text, number.end) or unit_before(text, number.start)
        if unit and named and named != unit:
            continue
        end = _following(wanted, text, found[index + 1 : index + len(wanted.canonical)], number.end)
        if end:
            yield number.start, end


def _following(wanted: WantedOutput, text: str, others: list, end: int) -> int:  # type: ignore[type-arg]
    """Return the end of an amount in several units whose first number ends here; 0 if no other numbers follow."""
    if len(others) < len(wanted.canonical) - 1:
        return 0
    for number, (value, unit) in zip(others, wanted.canonical[1:], strict=True):
        named = unit_after(text, number.end) or unit
        if number.value != value or number.start - end > 16 or (named != unit and (named, unit) != ("m", "min")):
            return 0
        end = number.end
    return end


HOLE = "\ue010"  # replaces a copy of the input in a response

_NO_RESULT = re.compile(
    r"\b(?:input|instructions?|given|explanation|notes?|reason|reasoning|step|format|examples?|where|task|why"
    r"|question|rule"
    r"|hint|tip|source|original|before|left|start|starts|day|month|year|first|second|third|next|then|remember|steps?"
    r"|method|formula|working|check|because|sure|certainly|here)\b|\d",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\b(?:answer|output|result|solution|final|wanted|right|correct(?:ed|ion)?|response|reply|after|converted|becomes"
    r"|actually"
    r"|conclusion|value|ends?|total)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t>*\u2022-]{0,6}(?:\d{1,2}[.)] )?([^\W\d_][^:\n\ue010]{0,50}?)[ \t]?:(?!\S)[ \t]{0,4}", re.MULTILINE
)
_ARROW = re.compile(r"(?:-+>|\u2192|=+>|\u21d2|(?<![=<>!])=(?![=]))[ \t]{0,4}(?=\S)")
_VERB = re.compile(
    r"(?:\b(?:is|are|was|be|becomes?|equals?|gives?|reads?|(?:i|we|you|to) get|returns|yields?|makes?|written as"
    r"|formatted as|comes out (?:as|to)|comes to|converts? to|converted (?:in)?to|it's|that's|answer|say|think|guess"
    r"|maybe"
    r"|perhaps|probably|named|called|meant?)\b|\u2248)[ \t]{0,2}:?[ \t]{0,2}"
    r"(?:(?:it is|it's|that is|probably|maybe|now|then|about|simply|just|something like|at|around)[ \t])?",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"(?<!\b[A-Z])(?<!\b[A-Za-z]\.[A-Za-z])[.!?](?=\s|\Z)|\n"
    r"|,? (?:because|since|which|as the|so that|where|when|with the|if|but|in the format|after|by the|according"
    r"|for (?:that|this|it|the|there))\b"
    r"|\s[(]|;",
)
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"|(?<![A-Za-z0-9])'([^'\n]{1,300})'(?![A-Za-z0-9])|\u201e([^\"\n]{1,300})\"")
_WORD = re.compile(r"\w+")
_EMPTY_START = re.compile(
    r"(?:an?|not|in|on|of|also|used|very|one|just|so|that|this|what|how|to|for|from|by|as|no|some|more|there|it|they"
    r"|you|i|we"
    r"|if|my|your|going|trying|asking|able|unable|sure|easy|part|made|being|been|usually|often|always|needed"
    r"|required)(?=\s|\Z)|(?:then|which|these|those|here|such|rather)(?=[\s.,;!?]|\Z)",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(r",? (?:where|which|that|when)\b")
_GOES_ON = re.compile(r"\b(?:by|of|in|to|the|an?|with|for|from|and|or|at|on|as|is)\Z", re.IGNORECASE)
_CONTENT = re.compile(r"[^\W_]")
_MARKED_WORD = re.compile(r"[#@]?\w{1,60}(?:[-_@/.:]\w{1,60}){0,12}")
MOST_SAID = 60


@dataclass(frozen=True, slots=True)
class PutForward:
    """A span of a text that is proposed as a result; `explicit` if the words before it call it the answer."""

    start: int
    end: int
    value: str
    explicit: bool
    how: str  # label, arrow, verb or quotes


def claims(wanted: WantedOutput, text: str) -> list[PutForward]:
    """Return the proposed results of a text that can be an answer to the task by length and kind of characters."""
    found: dict[Span, PutForward] = {}
    digits = any(map(str.isdigit, wanted.text)) and not any(map(str.isalpha, wanted.text))
    for claim in (*_labelled(text), *_after(text, _ARROW, "arrow"), *_after(text, _VERB, "verb"), *_quoted(text)):
        if digits and not any(map(str.isdigit, claim.value)) and not numbers(claim.value):
            continue  # words in place of a number are no result
        if not _CONTENT.search(claim.value) or (claim.how == "verb" and not claim.explicit and _lacks(wanted, claim)):
            continue
        if like(wanted, claim.value) and (claim.how != "verb" or claim.explicit or _close(wanted, claim.value)):
            kept = found.get((claim.start, claim.end))
            found[claim.start, claim.end] = claim if kept is None or claim.explicit else kept
    return sorted(found.values(), key=lambda claim: (claim.start, claim.end))


def _lacks(wanted: WantedOutput, claim: PutForward) -> bool:
    """Whether words after a mere verb have no digit, where the output is a text with digits."""
    has = any(map(str.isdigit, wanted.text))
    return has and wanted.kind == "text" and not any(map(str.isdigit, claim.value)) and not numbers(claim.value)


def near(wanted: WantedOutput, text: str) -> list[Span]:
    """Return the spans of words that are almost an output with digits or inner marks, such as `0A-51` for `OA-51`."""
    if wanted.kind != "text" or _shape(wanted.text) is None:
        return []
    right = wanted.text.casefold()
    found = []
    for word, _ in zip(_MARKED_WORD.finditer(text), range(MOST_SAID * 4), strict=False):
        said = word.group().casefold()
        if said != right and len(said) > 3 and _is_near(said, right):
            found.append(word.span())
    return found[:MOST_SAID]


def _is_near(one: str, other: str) -> bool:
    """Whether two words differ in at most two places, or one has one sign more."""
    if len(one) == len(other):
        return sum(left != right for left, right in zip(one, other, strict=True)) <= 2
    if abs(len(one) - len(other)) != 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((place for place, sign in enumerate(short) if sign != long[place]), len(short))
    return short[at:] == long[at + 1 :]


def _labelled(text: str) -> Iterator[PutForward]:
    for count, label in enumerate(_LABEL.finditer(text)):
        named = bool(_RESULT.search(label.group(1)))
        if count > MOST_SAID or (not named and _NO_RESULT.search(label.group(1))):
            continue
        start = label.end()
        if text[start : start + 1] in ("", "\n"):
            if not named:
                continue
            start += len(text[start:]) - len(text[start:].lstrip()) if len(text) < start + 5_000 else 1
        yield _claim(text, start, named, "label")


def _after(text: str, sign: re.Pattern[str], how: str) -> Iterator[PutForward]:
    for count, found in enumerate(sign.finditer(text)):
        if count > MOST_SAID:
            return
        before = text[max(0, found.start() - 40) : found.start()]
        claim = _claim(text, found.end(), bool(_RESULT.search(re.split(r"[.!?\n]", before)[-1])), how)
        if how != "verb" or not _DESCRIBES.match(text, claim.end):
            yield claim


def _quoted(text: str) -> Iterator[PutForward]:
    for count, found in enumerate(_QUOTED.finditer(text)):
        if count > MOST_SAID:
            return
        start, end = next(found.span(group) for group in (1, 2, 3) if found.group(group) is not None)
        yield PutForward(start, end, text[start:end], False, "quotes")


def _claim(text: str, start: int, explicit: bool, how: str) -> PutForward:
    stop = _STOP.search(text, start, start + 500)
    end = stop.start() if stop else min(len(text), start + 500)
    return PutForward(start, end, text[start:end].strip(" \t\"'`*|,"), explicit, how)


def like(wanted: WantedOutput, value: str) -> bool:
    """Whether a text can be meant as the output by its length and characters, right or wrong."""
    words, most = len(_WORD.findall(value[:2_000])), len(_WORD.findall(wanted.text))
    if " " not in wanted.text and " " not in value.strip():
        words = min(words, most)  # one piece, with other signs between its words
    if not 0 < words <= max(most + 2, 2 * most) or HOLE in value:
        return False
    if any(map(str.isdigit, wanted.text)) and not any(map(str.isdigit, value)) and words > 1:
        return False
    return (
        not _EMPTY_START.match(value) or value.split(None, 1)[0].casefold() == wanted.text.split(None, 1)[0].casefold()
    )


def _close(wanted: WantedOutput, value: str) -> bool:
    """Whether the text after a mere verb is as long as the output, and not a sentence that continues or was cut off."""
    words, most = len(_WORD.findall(value.removeprefix("the "))), len(_WORD.findall(wanted.text))
    return words <= (most if most == 1 else most + 1) and not _GOES_ON.search(value)


def built_like(wanted: WantedOutput, text: str) -> list[Span]:
    """Return the spans of a text with the right output's kind of value: its pattern of characters, a time, a number."""
    if wanted.kind == "time":
        return [span for (span, _, _), _ in zip(times(text), range(MOST_SAID), strict=False)]
    if wanted.kind == "number":
        found = (number for number, _ in zip(numbers(text), range(MOST_SAID), strict=False))
        return [(number.start, end_of_unit(text, number.end)) for number in found]
    shape = _shape(wanted.text)
    if shape is None:
        return []
    return [each.span() for each, _ in zip(shape.finditer(text), range(MOST_SAID), strict=False)]


def rivals(wanted: WantedOutput, text: str) -> list[Span]:
    """Return the spans of a text that have the same pattern of characters as the right output but another value."""
    shape = _shape(wanted.text)
    if shape is None:
        return []
    found = [each.span() for each, _ in zip(shape.finditer(text), range(MOST_SAID), strict=False)]
    return [span for span in found if text[slice(*span)].casefold() != wanted.text.casefold()]


def _shape(target: str) -> re.Pattern[str] | None:
    """Return the pattern of texts built like an output with digits or inner marks; None for plain words."""
    if not re.search(r"\d|\w[-_@/.]\w|^[#@]", target) or len(target) > 60 or " " in target:
        return None
    parts = re.findall(r"\d+|[^\W\d_]+|[\W_]", target)
    pattern = "".join(
        rf"\d{{1,{len(part) + 2}}}" if part.isdigit() else r"[^\W\d_]{1,40}" if part.isalpha() else re.escape(part)
        for part in parts
    )
    return re.compile(rf"(?<![\w.@/-]){pattern}(?![\w@/-])")
