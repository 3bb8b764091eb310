"""Labelling rules for answers to text tasks: correct, avoidant or incorrect, rule set OURS-v2.

It knows one response and what was asked; it must never know a model, a prompt, a file or another response.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from harness.errors import InputError
from harness.scorers.outcome.result import LabelResult, truncated
from harness.scorers.outcome.transforms import SHAPE_WINDOW
from harness.scorers.outcome.v2.found import HOLE, PutForward, claims, like, places, rivals, same
from harness.scorers.outcome.v2.text import RULE_SET, babble, cut_next_question, plain, prepared, refusal
from harness.scorers.outcome.v2.wanted import Span, WantedOutput, wanted
from harness.scorers.prepare import Avoidance, prepare

_MARKUP = re.compile(r"[*`<\\]|__|^#\s", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)[A-Za-z0-9_+-]{0,20}[ \t]*$", re.MULTILINE)
_SIGN = re.compile(r"[^\W_]")
_WORD = re.compile(r"\w+")
_CODE = re.compile(
    r"\bdef \w+\(|\bprint\(|\breturn \w|\bimport \w|console\.log|\bsorted\("
    r"|\.(?:split|join|replace|format|strptime|upper|lower)\(|^=[A-Z]{2,}\(|\blambda \w|re\.sub\(|\bSELECT\b.*\bFROM\b",
    re.MULTILINE,
)
_CORRECTS = re.compile(
    r"\b(?:wait|actually|correction|sorry|mistake|oops|scratch that|let me (?:re|double|check)\w*|on second thought"
    r"|rather"
    r"|i meant?|no,|no\b|revis\w+|apologi\w+|should (?:be|have been)|misspoke|hmm|edit)\b|\u2717|\u274c",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|isn't|never|instead of|rather than|wrong|incorrect|don't know (?:if|whether)|unlike)\b[^\w\n]{0,3}"
    r"(?:(?:it's|it is|just|simply)\s)?[\"'(*]{0,2}\Z",
    re.IGNORECASE,
)
_OR_AFTER = re.compile(
    r"[\"'*]{0,2},?\s(?:or|oder|ou)\s(?!more|so\b|less|simply|in other|equivalent|rather)[^\s]|\s?/\s?\w",
    re.IGNORECASE,
)
_OR_BEFORE = re.compile(r"\w[\"'*]{0,2},?\s(?:or|oder|ou)\s(?:maybe |perhaps |possibly )?[\"'*]{0,2}\Z", re.IGNORECASE)
_AND_AFTER = re.compile(r"[\"'*]{0,2},?\s(?:and|&)\s[\"'*]{0,2}([A-Z]\w+)")
_AND_BEFORE = re.compile(r"([A-Z]\w+)[\"'*]{0,2},?\s(?:and|&)\s[\"'*]{0,2}\Z")
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|probably|i think|guess|possibly|might be|could be|but (?:it|the answer|if))\b", re.IGNORECASE
)
_OPTIONS = re.compile(
    r"\b(?:options|choices|categories|possible \w+|labels|classes|candidates) (?:are|include|here|:)", re.I
)
_BEFORE = re.compile(r"([\w.'-]+)[ ,;:]{1,2}\Z")
_AFTER = re.compile(r"[ ,;:-]{1,3}([\w'&-]+)")
_LINE_START = re.compile(r"(?:\A|\n)[^\w\n]{0,6}\Z")
WINDOW = 300
FEW_WORDS = 40  # in a longer text, what has the shape of an answer may stand by chance


def transforms_text(asked: str, target: str, response: str) -> str:
    """Give the text in which the output is looked for: plain, cut at a question of its own, without its input."""
    given = prepare(asked)
    return _read(given, prepare(target), cut_next_question(prepared(response.replace(HOLE, " ")), given))


def _read(given: str, target: str, said: str) -> str:
    if given and given not in target:
        said = _without(given, said)
    if _MARKUP.search(target):
        return _FENCE.sub("", said).strip()
    return plain(said)


def _without(given: str, said: str) -> str:
    """Put a mark in the place of each copy of the input that is not part of a longer word."""
    left = r"(?<![0-9A-Za-z])" if given[0].isalnum() else ""
    right = r"(?![0-9A-Za-z])" if given[-1].isalnum() else ""
    if len(given) > 3:
        return re.sub(left + r"\s".join(map(re.escape, given.split())) + right, HOLE, said)
    return re.sub(left + re.escape(given) + right, HOLE, said)


def transforms(
    asked: str, target: str, response: str, shape: str | None = None, accepted: Collection[str] = ()
) -> LabelResult:
    """Label an answer to a task on the text `asked` whose right output is `target`, or one of `accepted`.

    `c` where it puts the output forward, in any spelling that says the same; `i` where it puts forward another, or
    several; `a` where none. `shape` is the pattern of a well-formed answer, or None; InputError where it is no regular
    expression. `matched_span` lies in `transforms_text`.
    """
    given = prepare(asked)
    answers = [wanted(prepare(answer), given) for answer in (target, *accepted) if prepare(answer)]
    said = prepared(response.replace(HOLE, " "))
    cut = cut_next_question(said, given)
    pattern = None if shape is None else _compiled(shape)
    result = _label(given, answers, cut, pattern)
    if result.label == "a" and result.matched_span is None and len(cut) < len(said):
        return _label(given, answers, said, pattern)
    return result


@lru_cache(maxsize=128)
def _compiled(shape: str) -> re.Pattern[str]:
    try:
        return re.compile(shape)
    except (re.error, OverflowError, RecursionError) as bad:
        raise InputError(
            f"`answer_shape` is not a regular expression: {bad}",
            where="answer_shape",
            next="give a pattern of Python's re, or null",
        ) from bad


def _label(given: str, answers: Sequence[WantedOutput], said: str, shape: re.Pattern[str] | None) -> LabelResult:
    texts = [_read(given, answer.text, said) for answer in answers]
    for answer, text in zip(answers, texts, strict=True):
        if any(same(answer, whole) for whole in (said, text)):
            return LabelResult("c", None, RULE_SET, (0, len(text)), truncated((text,)), 1)
    if not _SIGN.search(said) or not answers or _bare(said) == _bare(given):
        return LabelResult("a", "non_conforming", RULE_SET, None, (), 0)
    for answer, text in zip(answers, texts, strict=True):
        if span := _right(given, answer, text, shape):
            return LabelResult("c", None, RULE_SET, span, truncated((text[slice(*span)],)), 1)
    avoidance, cue = _refusal(given, answers, texts[0])
    attempt = _attempt(given, answers[0], texts[0], shape, cue is not None)
    if attempt is None:
        return LabelResult("a", avoidance, RULE_SET, cue, (), 0)
    return LabelResult("i", None, RULE_SET, attempt, truncated((texts[0][slice(*attempt)],)), 1)


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" \"'`.!*")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" \"'`.!*")


def _right(given: str, answer: WantedOutput, text: str, shape: re.Pattern[str] | None) -> Span | None:
    """Give where the output is put forward as the answer; None where it is not, or something else as well."""
    found = [span for span in places(answer, text) if not _denied(text, span[0])]
    found = [span for span in found if not (_extended(given, answer, text, span) or _is_option(text, span))]
    if not found:
        return None
    last = found[-1]
    if _several(given, answer, text, found):
        return None
    put = [claim for claim in claims(answer, text) if not _holds(answer, claim, found)]
    named = [claim for claim in put if claim.explicit and claim.start >= last[1]]
    if named and not same(answer, named[-1].value) and _is_other(given, answer, text, named[-1]):
        return None
    shaped = [span for span in _shaped(shape, text, given) if text[slice(*span)].casefold() != answer.text.casefold()]
    others = [span for span in rivals(answer, text) if text[slice(*span)] not in given]
    others = sorted(span for span in {*others, *shaped} if not _within(span, found) and not _denied(text, span[0]))
    if any(
        _within((claim.start, claim.end), others) and claim.start >= last[1] and claim.how == "verb" for claim in put
    ):
        return None
    later = [claim.start for claim in put if claim.start >= last[1]] + [
        span[0] for span in others if span[0] >= last[1]
    ]
    if any(_CORRECTS.search(text[last[1] : start][:WINDOW]) for start in later):
        return None
    return None if _outvoted(answer, text, found, others) else last


def _denied(text: str, start: int) -> bool:
    return bool(_DENIED.search(text[max(0, start - 40) : start]))


def _holds(answer: WantedOutput, claim: PutForward, found: Sequence[Span]) -> bool:
    return _within((claim.start, claim.end), found) or same(answer, claim.value)


def _within(span: Span, others: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _is_other(given: str, answer: WantedOutput, text: str, claim: PutForward) -> bool:
    """Whether a later claim says something else: not a word of the input, and on a line of its own or of one kind."""
    value = claim.value.casefold()
    return value not in given.casefold() or bool(_CORRECTS.search(text[max(0, claim.start - 80) : claim.start]))


def _extended(given: str, answer: WantedOutput, text: str, span: Span) -> bool:
    """Whether the output stands within a longer piece of the input, so that too much of it was taken."""
    if answer.kind != "text" or any(map(str.isdigit, answer.text)):
        return False
    folded = " ".join(given.casefold().split())
    start, end = span
    before, after = _BEFORE.search(text[max(0, start - 40) : start]), _AFTER.match(text, end, end + 40)
    if before and (before.group(1)[0].isupper() or before.group(1)[0].isdigit()):
        offset = max(0, start - 40)
        if " ".join(text[offset + before.start() : end].casefold().split()) in folded:
            return True
    return bool(
        after and (after.group(1)[0].isupper()) and " ".join(text[start : after.end()].casefold().split()) in folded
    )


def _is_option(text: str, span: Span) -> bool:
    """Whether the output is only named among the answers that are possible."""
    return bool(_OPTIONS.search(re.split(r"[.!?\n]", text[max(0, span[0] - 120) : span[0]])[-1]))


def _listed_with(given: str, found: re.Match[str] | None) -> bool:
    """Whether what an `and` joins to the output is another name of the input."""
    return bool(found) and found is not None and found.group(1) in given


def _several(given: str, answer: WantedOutput, text: str, found: Sequence[Span]) -> bool:
    """Whether the output is only one of those between which the response does not choose."""
    start, end = found[-1]
    if answer.kind in ("json", "list"):
        return False
    after, before = text[end : end + 40], text[max(0, start - 40) : start]
    if any(_listed_with(given, found) for found in (_AND_AFTER.match(after), _AND_BEFORE.search(before))):
        return True
    if _OR_BEFORE.search(before) and HOLE not in before:
        return True
    if not _OR_AFTER.match(after):
        return False
    return not _CORRECTS.search(after)


def _outvoted(answer: WantedOutput, text: str, found: Sequence[Span], others: Sequence[Span]) -> bool:
    """Whether others of the same build stand beside the output as good as it: in a list, or before it unrevoked."""
    for start, end in others:
        near = min((abs(start - span[1]) if start >= span[1] else abs(span[0] - end)) for span in found)
        between = text[found[-1][1] : start] if start >= found[-1][1] else text[end : found[0][0]]
        if near <= 5 and re.fullmatch(r"[\s,;|/&]{0,4}(?:and |or )?", between):
            return True
    first = found[0]
    earlier = [span for span in others if span[1] <= first[0]]
    if not earlier or _LINE_START.search(text[max(0, earlier[0][0] - 12) : earlier[0][0]]) is None:
        return False
    return not _CORRECTS.search(text[earlier[0][1] : found[-1][0]]) and answer.kind != "number" and len(earlier) > 1


def _refusal(given: str, answers: Sequence[WantedOutput], text: str) -> tuple[Avoidance, Span | None]:
    """Find words that decline to answer, but none that are words of the task itself."""
    own = " ".join((given, *(answer.text for answer in answers))).casefold()
    avoidance, span = refusal(text)
    if span and text[slice(*span)].casefold() in own:
        avoidance, span = refusal(text[: span[0]] + " " * (span[1] - span[0]) + text[span[1] :])
    return avoidance, span


def _attempt(given: str, answer: WantedOutput, text: str, shape: re.Pattern[str] | None, refuses: bool) -> Span | None:
    """Give what a response without the output puts forward in its place; None where it puts nothing forward."""
    put = [claim for claim in claims(answer, text) if _folded(claim.value) != _folded(given)]
    built = rivals(answer, text)
    if refuses:
        return next(iter(built or _guessed(answer, text, put)), None)
    code = bool(_CODE.search(text)) and not _CODE.search(answer.text)
    first = text.strip().split("\n", 1)[0]
    if HOLE in text:
        rest = _WORD.findall(text.replace(HOLE, " "))
        if any(map(str.isdigit, answer.text)) and len(rest) == 1:
            return 0, len(text)
    elif like(answer, first) and not babble(text) and not code:
        start = text.find(first)
        return start, start + len(first)
    put = [claim for claim in put if not code or claim.how == "verb" or (claim.how == "label" and claim.explicit)]
    if put:
        return put[-1].start, put[-1].end
    if code:
        return None
    built = [span for span in built if text[slice(*span)] not in given]
    return next(iter(built or _in_other_case(answer, text) or _shaped(shape, text, given)), None)


def _whole(answer: WantedOutput, value: str) -> bool:
    return len(_WORD.findall(value)) <= len(_WORD.findall(answer.text)) + 1


def _guessed(answer: WantedOutput, text: str, put: Sequence[PutForward]) -> list[Span]:
    """List what a response that doubts or declines puts forward all the same."""
    doubtful = [claim for claim in put if _DOUBTS.search(text[max(0, claim.start - 60) : claim.start])]
    return [(claim.start, claim.end) for claim in doubtful if claim.explicit or _whole(answer, claim.value)]


def _in_other_case(answer: WantedOutput, text: str) -> list[Span]:
    """Find the output in another case than was asked for: an attempt that is not right."""
    found = re.finditer(answer.pattern.pattern, text, re.IGNORECASE)
    return [each.span() for each in found if not _is_option(text, each.span())][:1]


def _shaped(shape: re.Pattern[str] | None, text: str, given: str) -> list[Span]:
    """List the texts of the shape of an answer in a short response, but none of the input or of possible answers."""
    if shape is None or len(_WORD.findall(text)) > FEW_WORDS:
        return []
    spans = [found.span() for found in shape.finditer(text, 0, SHAPE_WINDOW) if found.group()]
    return [span for span in spans if text[slice(*span)] not in given and not _is_option(text, span)]
