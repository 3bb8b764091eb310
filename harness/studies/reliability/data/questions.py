"""Readers of OpenBookQA and GPQA: multiple-choice questions with four options, validated.

Rule: docs/reliability-rules.md#science. Independent of seeds, prompts and models. Error messages never quote a
question's text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit import csv_rows

LETTERS = "ABCD"
ADVICE = "give the file as it was published"
LONGEST_LINE = 1 << 20  # bytes; the longest published question has a few thousand
_CORRECT, _QUESTION, _RECORD = "Correct Answer", "Question", "Record ID"
_OPTIONS = (_CORRECT, "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")
_ACCURACY = "Non-Expert Validator Accuracy"


@dataclass(frozen=True, slots=True)
class MultipleChoice:
    """A multiple-choice question: options in the source's order, the right one, and the share of people who failed."""

    record: str
    text: str
    options: tuple[str, str, str, str]
    right: int
    failed: float  # share of people, 0 to 1

    @property
    def length(self) -> int:
        """The number of characters of question and options together."""
        return len(self.text) + sum(map(len, self.options))


def openbookqa(files: Iterable[Path]) -> list[MultipleChoice]:
    """Read OpenBookQA questions from JSON Lines, in the hub's form or the original nested one, sorted by record id.

    Raises InputError for a malformed row or a duplicate record id.
    """
    return _unique(_openbookqa(row, where) for path in files for where, row in _json_lines(path))


def gpqa(files: Iterable[Path]) -> list[MultipleChoice]:
    """Read GPQA questions from CSV, in which the right option is always the first, sorted by record id.

    Raises InputError for a malformed row or a duplicate record id.
    """
    columns = (_RECORD, _QUESTION, *_OPTIONS, _ACCURACY)
    tables = (csv_rows.read(path, _place, ADVICE, columns=columns) for path in files)
    return _unique(_gpqa(row, _place(number)) for table in tables for number, row in table)


def _place(number: int) -> str:
    return f"questions, row {number}" if number else "questions, the header"


def _openbookqa(row: Mapping[str, Any], where: str) -> MultipleChoice:
    nested = row.get("question")
    inner = nested if isinstance(nested, Mapping) else row
    text = _text(inner, "stem" if inner is nested else "question_stem", where)
    choices = inner.get("choices")
    if isinstance(choices, Mapping):
        labels, texts = choices.get("label"), choices.get("text")
    elif isinstance(choices, list) and all(isinstance(choice, Mapping) for choice in choices):
        labels, texts = [choice.get("label") for choice in choices], [choice.get("text") for choice in choices]
    else:
        raise _bad("`choices` is missing or not in one of its two forms", where)
    if not isinstance(labels, list) or not isinstance(texts, list) or len(labels) != len(texts):
        raise _bad("`choices` does not give a label a text", where)
    if sorted(map(str, labels)) != list(LETTERS):
        raise _bad("the labels of `choices` are not A, B, C and D", where)
    by_letter = dict(zip(labels, texts, strict=True))
    a, b, c, d = (_text(by_letter, letter, where) for letter in LETTERS)
    key = _text(row, "answerKey", where)
    if key not in by_letter:
        raise _bad("`answerKey` is not A, B, C or D", where)
    score = _share(row, "humanScore", where)
    return MultipleChoice(_text(row, "id", where), text, (a, b, c, d), LETTERS.index(key), 1 - score)


def _gpqa(row: Mapping[str, Any], where: str) -> MultipleChoice:
    a, b, c, d = (_text(row, name, where) for name in _OPTIONS)
    failed = 1 - _share(row, _ACCURACY, where)
    return MultipleChoice(_text(row, _RECORD, where), _text(row, _QUESTION, where), (a, b, c, d), 0, failed)


def _unique(questions: Iterable[MultipleChoice]) -> list[MultipleChoice]:
    found: dict[str, MultipleChoice] = {}
    for question in questions:
        if question.record in found:
            raise _bad(f"the record id {question.record[:80]!r} stands in two rows", "questions")
        found[question.record] = question
    return [found[record] for record in sorted(found)]


def _json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with open(path, "rb") as lines:
        number = 0
        while line := lines.readline(LONGEST_LINE + 1):
            number += 1
            where = f"questions, row {number}"
            if len(line) > LONGEST_LINE:
                raise _bad(f"a row longer than {LONGEST_LINE} bytes", where)
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError):
                raise _bad("a row that is not JSON in UTF-8", where) from None  # the cause would quote the row
            if not isinstance(row, dict):
                raise _bad("a row that is not an object", where)
            yield where, row


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip() or any("\ud800" <= char <= "\udfff" for char in value):
        raise _bad(f"`{name}` is missing or holds no text", where)
    return value.strip()  # surrounding blanks come from the file; at one option only they could reveal the answer


def _share(row: Mapping[str, Any], name: str, where: str) -> float:
    value = row.get(name)
    try:
        share = math.nan if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        share = math.nan
    if not math.isfinite(share):
        raise _bad(f"`{name}` is missing or not a number", where)
    return min(1.0, max(0.0, share))


def _bad(what: str, where: str) -> InputError:
    return InputError(what, where=where, next=ADVICE)
