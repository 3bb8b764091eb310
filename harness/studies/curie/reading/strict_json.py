"""Strict mode's reading of models and judges (OURS): where the JSON of a text begins, and what it says.

Rules R1 (JSON5, and Python's `None`, `True`, `False`, `nan`) and R2 (the first fence with JSON in it, else the first
bracket), and L3's reading of a broken list. No model repairs a text here, and one of more than 400,000 characters is
unreadable. It must never know a task or a field.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from harness.studies.curie.reading.json5_grammar import JSON5_WORDS, Unreadable, end_of_space, read_value
from harness.studies.curie.reading.loose_json import DEPTH, LONGEST_ANSWER, LONGEST_LOOSE, check_depth, check_size

__all__ = ["Unreadable", "json_part", "read_first", "read_list", "read_value_of"]

_WORDS = {**JSON5_WORDS, "None": None, "True": True, "False": False, "nan": math.nan}
_FENCE = re.compile(r"`{3,}")
_OPENING = re.compile(r"`{3,}(?:[ \t]*[\w.+-]+)?\s*(?=[\[{])")  # a fence, its language, and JSON
_CLOSING = re.compile(r"^[ \t]*`{3,}", re.MULTILINE)
_BRACKET = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()


def json_part(text: str) -> str:
    """Give the part of a text that is read as JSON (R2); Unreadable where no bracket stands in it.

    It is the content of the first code fence that begins with a bracket, an unclosed one to the end of the text; else
    the text from its first bracket on.
    """
    check_size(text, LONGEST_ANSWER)
    at = 0
    while fence := _FENCE.search(text, at):
        if opening := _OPENING.match(text, fence.start()):
            closing = _CLOSING.search(text, opening.end())
            return text[opening.end() : closing.start() if closing else len(text)]
        end = _FENCE.search(text, fence.end())
        if not end:
            break
        at = end.end()
    bracket = _BRACKET.search(text)
    if not bracket:
        raise Unreadable("no bracket begins JSON in it")
    return text[bracket.start() :]


def read_first(text: str) -> Any:
    """Read the value that a model or a judge wrote, by R1 and R2; what follows the value is not looked at.

    Unreadable where there is no such value, or beyond the bounds of `loose_json`.
    """
    part = json_part(text)
    return _value(part, 0)[0]


def read_value_of(text: str) -> Any:
    """Read a text that is one value by R1, and nothing besides; Unreadable where it is not."""
    check_size(text)
    value, end = _value(text, end_of_space(text, 0))
    if end_of_space(text, end) != len(text):
        raise Unreadable("something follows the value")
    return value


def read_list(text: str) -> list[Any]:
    """Read a list that a model or a judge wrote (L3): one object is a list of one.

    Of a list that breaks off, or breaks, the complete objects before that place are given. Unreadable where there are
    none, and where there is neither a list nor an object.
    """
    part = json_part(text)
    try:
        value = _value(part, 0)[0]
    except Unreadable:
        whole = [each for each in _complete(part) if isinstance(each, dict)] if part[0] == "[" else []
        if not whole:
            raise
        return whole
    return value if isinstance(value, list) else [value]


def _complete(part: str) -> Iterator[Any]:
    """Give the elements of a list up to where it breaks."""
    at, read = end_of_space(part, 1), _strict_value
    while at < len(part):
        try:
            value, at = read(part, at)
        except Unreadable:
            if read is _loose_value:
                return
            read = _loose_value  # for good: that an element is no strict JSON is told in time linear in the text
            continue
        yield value
        at = end_of_space(part, at)
        if part[at : at + 1] != ",":
            return
        at = end_of_space(part, at + 1)


def _value(part: str, at: int) -> tuple[Any, int]:
    """Read the value at a place: strict JSON fast, anything else by the grammar."""
    try:
        return _strict_value(part, at)
    except Unreadable:
        return _loose_value(part, at)


def _strict_value(part: str, at: int) -> tuple[Any, int]:
    try:
        value, end = _DECODER.raw_decode(part, at)
    except (ValueError, RecursionError) as bad:
        raise Unreadable("no strict JSON") from bad
    check_depth(value)
    return value, end


def _loose_value(part: str, at: int) -> tuple[Any, int]:
    check_size(part, LONGEST_LOOSE)
    return read_value(part, at, _WORDS, DEPTH)
