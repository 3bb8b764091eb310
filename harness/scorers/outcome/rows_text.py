"""Answers to anagrams and to text tasks by hand or over the command line: one row in, one outcome out.

It knows which fields the rules of these two benchmarks need; it must never know where rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.fields import text, texts
from harness.scorers.outcome.anagram import anagram
from harness.scorers.outcome.result import Outcome
from harness.scorers.outcome.shape import flaw
from harness.scorers.outcome.transforms import transforms


def anagram_row(row: Mapping[str, Any]) -> Outcome:
    """Label a row of `anagram`, `accepted`, `response` and, where it is known, `target`."""
    accepted = texts(row, "accepted")
    target = text(row, "target") if row.get("target") is not None else None
    return anagram(text(row, "anagram"), accepted, text(row, "response"), target)


def transforms_row(row: Mapping[str, Any]) -> Outcome:
    """Label a row of `input`, `expected_output`, `response` and, where there are any, `answer_shape`, `accepted`."""
    shape = text(row, "answer_shape") if row.get("answer_shape") is not None else None
    if shape is not None and (what := flaw(shape)):
        raise InputError(f"`answer_shape` is refused: {what}", where="answer_shape", next="write a simpler pattern")
    accepted = texts(row, "accepted") if row.get("accepted") is not None else ()
    return transforms(text(row, "input"), text(row, "expected_output"), text(row, "response"), shape, accepted)


ROWS: Mapping[str, Callable[[Mapping[str, Any]], Outcome]] = {"anagram": anagram_row, "transforms": transforms_row}
