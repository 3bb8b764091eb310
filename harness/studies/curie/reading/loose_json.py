"""JSON5 as the package json5 0.17.3 reads and writes it, many times as fast, and bounded.

Strict JSON is read by the standard library, with the same values, and everything else by `read_value`, a reader of the
same grammar. Four bounds are OURS, and beyond them a text is `Unreadable`: 1,000,000 characters (a file may have more),
300,000 if it is not strict JSON, 60 levels of nesting (the package's own recursion fails between 45 and 60), and 3,500
hexadecimal digits. Does not interpret values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from harness.studies.curie.reading.json5_grammar import JSON5_WORDS, Unreadable, end_of_space, read_value
from harness.studies.curie.reading.json5_names import is_bare_name

__all__ = [
    "DEPTH",
    "LONGEST",
    "LONGEST_ANSWER",
    "LONGEST_FILE",
    "LONGEST_LOOSE",
    "Unreadable",
    "check_depth",
    "check_size",
    "dumps",
    "loads",
]

LONGEST = 1_000_000  # characters; some thirty times the longest answer that a model in the study could give
LONGEST_FILE = 64 << 20  # of a file that no model wrote, or that repeats a model's prompt
LONGEST_ANSWER = 400_000  # of a list in an answer, which a judge is shown once per gold item
LONGEST_LOOSE = 300_000  # of text that is not strict JSON; takes a quarter of a second
DEPTH = 60  # of nesting
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # half of a surrogate pair: the package keeps halves separate, json joins them
_RARE = re.compile("[\v\0\x7f]")  # characters that json escapes differently than json5
_RARELY = {"\v": "\\v", "\0": "\\0", "\x7f": "\x7f"}


def loads(text: str, most: int = LONGEST) -> Any:
    """Read a text as `json5.loads` does; raises Unreadable if it cannot, or beyond `most` characters or DEPTH."""
    check_size(text, most)
    if not _HALF.search(text):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            check_depth(value)
            return value
    check_size(text, LONGEST_LOOSE)
    value, end = read_value(text, end_of_space(text, 0), JSON5_WORDS, DEPTH)
    if end_of_space(text, end) != len(text):
        raise Unreadable("something follows the value")
    return value


def check_size(text: str, most: int = LONGEST) -> None:
    """Raise Unreadable if a text has more than `most` characters."""
    if len(text) > most:
        raise Unreadable(f"longer than {most:,} characters")


def check_depth(value: Any) -> None:
    """Raise Unreadable if a value is nested deeper than DEPTH."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEPTH):
        level = [inner for each in level for inner in _inside(each) if isinstance(inner, dict | list)]
        if not level:
            return
    raise Unreadable(f"nested deeper than {DEPTH}")


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def dumps(value: Any, indent: int | None = None, most: int = LONGEST_FILE) -> str:
    """Write a JSON value as `json5.dumps(value, indent=indent)` does, byte for byte.

    Raises Unreadable for a value that JSON5 cannot represent (an integer of thousands of digits, a value nested too
    deep), and, early, for one that takes far more than `most` characters.
    """
    try:
        return _Writer(indent, most).written(value, 1)
    except (ValueError, RecursionError) as bad:
        raise Unreadable(str(bad) if isinstance(bad, Unreadable) else "the value cannot be written") from bad


class _Writer:
    """Writes a value in one style, up to a number of characters."""

    def __init__(self, indent: int | None, room: int) -> None:
        self.indent, self.room = indent, room

    def written(self, value: Any, level: int) -> str:
        if not isinstance(value, dict | list):
            text = _quoted(value) if isinstance(value, str) else _plain(value)
            self.room -= len(text)
            if self.room < 0:
                raise Unreadable("too long to be written")
            return text
        inner, outer = ("", "") if self.indent is None else ("\n" + " " * (self.indent * n) for n in (level, level - 1))
        self.room -= len(inner) * len(value)
        if isinstance(value, dict):
            parts = [f"{_key(key)}: {self.written(one, level + 1)}" for key, one in value.items()]
            begin, end = "{", "}"
        else:
            parts = [self.written(one, level + 1) for one in value]
            begin, end = "[", "]"
        if not parts or self.indent is None:
            return f"{begin}{', '.join(parts)}{end}"
        return f"{begin}{inner}{(',' + inner).join(parts)},{outer}{end}"


def _plain(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int | float):
        return repr(value)
    raise Unreadable(f"{type(value).__name__} is no value of JSON")


def _key(key: str) -> str:
    return key if is_bare_name(key) else _quoted(key)


def _quoted(text: str) -> str:
    if not _RARE.search(text):
        return json.dumps(text)
    parts = re.split("([\v\0\x7f])", text)
    return '"' + "".join(_RARELY.get(part) or json.dumps(part)[1:-1] for part in parts) + '"'
