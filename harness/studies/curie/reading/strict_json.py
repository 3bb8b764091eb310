"""How strict mode reads texts of models and judges (OURS): where their JSON begins, and its value.

Rules R1 (JSON5, and Python's `None`, `True`, `False`, `nan`) and R2 (the first fence with JSON in it, else the first
bracket), and L3's reading of a broken list. No model repairs a text, and a text of more than 400,000 characters is
unreadable. Independent of tasks and fields.
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
    """Return the part of a text that is read as JSON (R2); raises Unreadable if it contains no bracket.

    The part is the content of the first code fence that begins with a bracket, up to the end of the text if the fence
    is not closed. Without such a fence it is the text from its first bracket on.
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
    """Read the value that a model or a judge wrote, by R1 and R2; text after the value is ignored.

    Raises Unreadable if there is no such value, or beyond the bounds of `loose_json`.
    """
    part = json_part(text)
    return _value(part, 0)[0]


def read_value_of(text: str) -> Any:
    """Read a text that is exactly one value by R1; raises Unreadable if it is not."""
    check_size(text)
    value, end = _value(text, end_of_space(text, 0))
    if end_of_space(text, end) != len(text):
        raise Unreadable("something follows the value")
    return value


def read_list(text: str) -> list[Any]:
    """Read a list that a model or a judge wrote (L3): one object is a list of one.

    For a list that is cut short or broken, returns the complete objects before that position. Raises Unreadable if
    there are none, and if there is neither a list nor an object.
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
    """Yield the elements of a list up to where it breaks."""
    at, read = end_of_space(part, 1), _strict_value
    while at < len(part):
        try:
            value, at = read(part, at)
        except Unreadable:
            if read is _loose_value:
                return
            read = _loose_value  # from here on; failing on strict JSON takes linear time
            continue
        yield value
        at = end_of_space(part, at)
        if part[at : at + 1] != ",":
            return
        at = end_of_space(part, at + 1)


def _value(part: str, at: int) -> tuple[Any, int]:
    """Read the value at a position: fast for strict JSON, by the grammar for anything else."""
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
