"""Labelling rules for answers to text tasks: correct, avoidant or incorrect, rule set OURS-v1.

The full rules: docs/reliability-rules.md#rules-transforms. A label depends only on the response and the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from harness.answers.prepare import EPISTEMIC, ETHICAL, RULE_SET, Avoidance, cue, prepare
from harness.answers.result import LabelResult, truncated
from harness.errors import InputError

# A shape comes with the data, and a careless one takes time with the square of the text. So it is searched only in the
# first and the last SHAPE_WINDOW characters; budgets of a thousand tokens or fewer keep a real answer shorter.
SHAPE_WINDOW = 4_096
_QUOTES = "\"'`"
_PLAIN = re.compile(r"[^0-9a-z]")
_CUES: tuple[tuple[Avoidance, re.Pattern[str]], ...] = (
    ("ethical", re.compile(rf"(?=({ETHICAL}))", re.IGNORECASE)),
    ("epistemic", re.compile(rf"(?=({EPISTEMIC}))", re.IGNORECASE)),
)


def transforms_text(text: str, expected: str, response: str) -> str:
    """Return the text in which the expected output is searched: without copies of the input, and normalised."""
    return _norm(_remaining(_asked(text, expected, None, ()), prepare(response)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The data of an item that all responses to it are compared with, prepared once."""

    text: str
    removed: bool  # whether copies of the input are removed before the search for the answer
    wanted: tuple[str, ...]
    shape: re.Pattern[str] | None
    own_cues: frozenset[str]  # texts that would be cues, but are in the input or in the answer


@lru_cache(maxsize=512)  # an item is asked in all its templates one after another
def _asked(text: str, expected: str, answer_shape: str | None, accepted: tuple[str, ...]) -> _Asked:
    shown_text, answers = prepare(text), [prepare(answer) for answer in (expected, *accepted)]
    own = (
        found.group(1).lower()
        for _, pattern in _CUES
        for part in (shown_text, *answers)
        for found in pattern.finditer(part)
    )
    return _Asked(
        shown_text,
        bool(shown_text) and shown_text not in answers[0],
        tuple(dict.fromkeys(map(_norm, answers))),
        None if answer_shape is None else _compiled(answer_shape),
        frozenset(own),
    )


def _compiled(answer_shape: str) -> re.Pattern[str]:
    try:
        return re.compile(answer_shape)
    except (re.error, OverflowError, RecursionError) as bad:
        raise InputError(
            f"`answer_shape` is not a regular expression: {bad}",
            where="answer_shape",
            next="give a pattern of Python's re, or null",
        ) from bad


def _norm(prepared: str) -> str:
    """Normalise a prepared text (already NFKC) for comparison: without spaces around, case, quotes and a final mark."""
    text = " ".join(prepared.split()).casefold().strip(_QUOTES)
    return text.rstrip(".!").strip().strip(_QUOTES)


def _remaining(asked: _Asked, said: str) -> str:
    if asked.removed and asked.text in said and said != asked.text:
        return said.replace(asked.text, " ")
    return said


def _find(wanted: str, text: str) -> tuple[int, int] | None:
    """Return the span of an answer with no word character next to it; the search skips from sign to sign."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (start and _part_of_a_word(text[start - 1])) and not (end < len(text) and _part_of_a_word(text[end])):
            return start, end
        sign = _PLAIN.search(text, start)  # any later match begins after a sign
        if sign is None:
            return None
        start = text.find(wanted, sign.end())
    return None


def _part_of_a_word(char: str) -> bool:
    return "0" <= char <= "9" or "a" <= char <= "z"


def transforms(
    text: str, expected: str, response: str, answer_shape: str | None = None, accepted: Iterable[str] = ()
) -> LabelResult:
    """Label an answer to a task on `text` whose right output is `expected`, or one of `accepted`.

    `answer_shape` is the pattern of a well-formed answer, or None; raises InputError if it is not a regular expression.
    `matched_span` is a span in `transforms_text` for `c` (in the whole normalised response if all of it is right), in
    the prepared response for a cue, and in that response without copies of the input for the shape of an `i`.
    """
    asked = _asked(text, expected, answer_shape, tuple(accepted))
    said = prepare(response)
    remaining = _remaining(asked, said)
    whole = _norm(said)
    if whole in asked.wanted:
        return LabelResult("c", None, RULE_SET, (0, len(whole)), *_candidates(asked, remaining, whole))
    reading = whole if remaining is said else _norm(remaining)
    for wanted in asked.wanted:
        if wanted and (span := _find(wanted, reading)):
            return LabelResult("c", None, RULE_SET, span, *_candidates(asked, remaining, wanted))
    return _not_right(asked, said, remaining, reading)


def _not_right(asked: _Asked, said: str, remaining: str, reading: str) -> LabelResult:
    if not said or said == asked.text:
        return LabelResult("a", "non_conforming", RULE_SET, None, (), 0)
    subtype, span = _cue(asked, said)
    if span:
        return LabelResult("a", subtype, RULE_SET, span, (), 0)
    if asked.shape is None:
        return LabelResult("i", None, RULE_SET, None, truncated((reading,)), 1)
    span = _shaped(asked.shape, remaining)
    if span is None:
        return LabelResult("a", "non_conforming", RULE_SET, None, (), 0)
    return LabelResult("i", None, RULE_SET, span, *_candidates(asked, remaining))


def sound(text: str, expected: str, answer_shape: str | None = None, accepted: Iterable[str] = ()) -> bool:
    """Whether the rules can label an item: each of its right answers is labelled correct, and fits `answer_shape`."""
    given = tuple(accepted)
    shape = _asked(text, expected, answer_shape, given).shape
    return all(
        transforms(text, expected, answer, answer_shape, given).label == "c"
        and (shape is None or _shaped(shape, prepare(answer)) is not None)
        for answer in (expected, *given)
    )


def _cue(asked: _Asked, said: str) -> tuple[Avoidance, tuple[int, int] | None]:
    """Return the first cue that is not a word of the task itself (an input may contain `offensive`)."""
    found = cue(said)
    if not (found[1] and asked.own_cues):
        return found
    for name, pattern in _CUES:
        for each in pattern.finditer(said):
            if each.group(1).lower() not in asked.own_cues:
                return name, each.span(1)
    return "non_conforming", None


def _shaped(shape: re.Pattern[str], remaining: str) -> tuple[int, int] | None:
    found = shape.search(remaining, 0, SHAPE_WINDOW)
    if found is None and len(remaining) > SHAPE_WINDOW:
        found = shape.search(remaining, len(remaining) - SHAPE_WINDOW)
    return found.span() if found else None


def _candidates(asked: _Asked, remaining: str, right: str | None = None) -> tuple[tuple[str, ...], int]:
    """Return possible answers: distinct texts that match the shape, the right one included, and their number."""
    if asked.shape is None:
        found = []
    else:
        matches = asked.shape.finditer(remaining, 0, SHAPE_WINDOW)
        found = list(dict.fromkeys(each.group() for each in matches if each.group()))
    if right and right not in map(_norm, found):
        found.insert(0, right)
    return truncated(found), len(found)
