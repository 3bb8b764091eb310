"""What an answer to a text task puts forward as its result: after a label, an arrow or a verb, or in quotes.

It knows a text and how the right output looks; it must never know a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.scorers.outcome.v2.wanted import Span, WantedOutput

HOLE = "\ue010"  # stands where a response repeats its input

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
    r"|,? (?:because|since|which|as the|so that|where|when|with the|if|but|in the format|after|by the|according)\b"
    r"|\s[(]|;",
)
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"|(?<![A-Za-z0-9])'([^'\n]{1,300})'(?![A-Za-z0-9])|\u201e([^\"\n]{1,300})\"")
_WORD = re.compile(r"\w+")
_EMPTY_START = re.compile(
    r"(?:an?|not|in|on|of|also|used|very|one|just|so|that|this|what|how|to|for|from|by|as|no|some|more|there|it|they"
    r"|you|i|we"
    r"|if|my|your|going|trying|asking|able|unable|sure|easy|part|made|being|been|usually|often|always|needed"
    r"|required)(?=\s|\Z)",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(r",? (?:where|which|that|when)\b")
_GOES_ON = re.compile(r"\b(?:by|of|in|to|the|an?|with|for|from|and|or|at|on|as|is)\Z", re.IGNORECASE)
MOST = 60


@dataclass(frozen=True, slots=True)
class PutForward:
    """A place of a text that is put forward as a result; `explicit` where the words before it call it the answer."""

    start: int
    end: int
    value: str
    explicit: bool
    how: str  # label, arrow, verb or quotes


def claims(wanted: WantedOutput, text: str) -> list[PutForward]:
    """List what a text puts forward and what can be an answer to the task by its length and its kind of signs."""
    found: dict[Span, PutForward] = {}
    for claim in (*_labelled(text), *_after(text, _ARROW, "arrow"), *_after(text, _VERB, "verb"), *_quoted(text)):
        if like(wanted, claim.value) and (claim.how != "verb" or claim.explicit or _close(wanted, claim.value)):
            kept = found.get((claim.start, claim.end))
            found[claim.start, claim.end] = claim if kept is None or claim.explicit else kept
    return sorted(found.values(), key=lambda claim: (claim.start, claim.end))


def _labelled(text: str) -> Iterator[PutForward]:
    for count, label in enumerate(_LABEL.finditer(text)):
        named = bool(_RESULT.search(label.group(1)))
        if count > MOST or (not named and _NO_RESULT.search(label.group(1))):
            continue
        start = label.end()
        if text[start : start + 1] in ("", "\n"):
            if not named:
                continue
            start += len(text[start:]) - len(text[start:].lstrip()) if len(text) < start + 5_000 else 1
        yield _claim(text, start, named, "label")


def _after(text: str, sign: re.Pattern[str], how: str) -> Iterator[PutForward]:
    for count, found in enumerate(sign.finditer(text)):
        if count > MOST:
            return
        before = text[max(0, found.start() - 40) : found.start()]
        claim = _claim(text, found.end(), bool(_RESULT.search(re.split(r"[.!?\n]", before)[-1])), how)
        if how != "verb" or not _DESCRIBES.match(text, claim.end):
            yield claim


def _quoted(text: str) -> Iterator[PutForward]:
    for count, found in enumerate(_QUOTED.finditer(text)):
        if count > MOST:
            return
        start, end = next(found.span(group) for group in (1, 2, 3) if found.group(group) is not None)
        yield PutForward(start, end, text[start:end], False, "quotes")


def _claim(text: str, start: int, explicit: bool, how: str) -> PutForward:
    stop = _STOP.search(text, start, start + 500)
    end = stop.start() if stop else min(len(text), start + 500)
    return PutForward(start, end, text[start:end].strip(" \t\"'`*|"), explicit, how)


def like(wanted: WantedOutput, value: str) -> bool:
    """Whether a text can be meant as the output by its length and its signs, be it right or wrong."""
    words, most = len(_WORD.findall(value[:2_000])), len(_WORD.findall(wanted.text))
    if not 0 < words <= max(most + 2, 2 * most) or HOLE in value:
        return False
    if any(map(str.isdigit, wanted.text)) and not any(map(str.isdigit, value)) and words > 1:
        return False
    return (
        not _EMPTY_START.match(value) or value.split(None, 1)[0].casefold() == wanted.text.split(None, 1)[0].casefold()
    )


def _close(wanted: WantedOutput, value: str) -> bool:
    """Whether what follows a mere verb is as long as the output, and no sentence that goes on or was cut off."""
    words, most = len(_WORD.findall(value.removeprefix("the "))), len(_WORD.findall(wanted.text))
    return words <= (most if most == 1 else most + 1) and not _GOES_ON.search(value)


def rivals(wanted: WantedOutput, text: str) -> list[Span]:
    """List the places of a text that look like the right output sign by sign but say something else."""
    shape = _shape(wanted.text)
    if shape is None:
        return []
    found = [each.span() for each, _ in zip(shape.finditer(text), range(MOST), strict=False)]
    return [span for span in found if text[slice(*span)].casefold() != wanted.text.casefold()]


def _shape(target: str) -> re.Pattern[str] | None:
    """Give the pattern of texts built like an output with digits or inner marks; None for plain words."""
    if not re.search(r"\d|\w[-_@/.]\w|^[#@]", target) or len(target) > 60 or " " in target:
        return None
    parts = re.findall(r"\d+|[^\W\d_]+|[\W_]", target)
    pattern = "".join(
        rf"\d{{1,{len(part) + 2}}}" if part.isdigit() else r"[^\W\d_]{1,40}" if part.isalpha() else re.escape(part)
        for part in parts
    )
    return re.compile(rf"(?<![\w.@/-]){pattern}(?![\w@/-])")
