"""A reader of JSON5's grammar with the oddities of the package json5 0.17.3, in time linear in the text.

It reads one value and says where the value ends, so a broken value, or one with text after it, can be read as far as
possible. Does not interpret values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from harness.studies.curie.reading.json5_names import begins_name, continues_name


class Unreadable(ValueError):  # noqa: N818 - what the text is
    """A text that is not the JSON it should be; the message is a reason and never contains the text."""


Words = Mapping[str, Any]  # the constants of a grammar by their spelling
LONGEST_HEXADECIMAL = 3_500  # OURS: Python refuses to convert longer numbers to decimal, and decimal ones alike
JSON5_WORDS: Words = {"null": None, "true": True, "false": False}

_SPACES = " \t\v\f\r\n\xa0\ufeff\u2028\u2029\u1680\u2000-\u200a\u202f\u205f\u3000"
_BEGINS_VALUE = frozenset("[]{}\"'0123456789,:")
_SPACE = re.compile(rf"[{_SPACES}]+|//[^\r\n\u2028\u2029]*|/\*[\s\S]*?\*/")
_INSIDE = {  # a string's text up to its end; it matches anything, so it never backtracks
    mark: re.compile(rf"[^{mark}\\\r\n]*(?:\\(?:\r\n|[\s\S])[^{mark}\\\r\n]*)*") for mark in ('"', "'")
}
_ESCAPE = re.compile(r"\\(\r\n|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|0(?![0-9])|[\s\S])")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_DIGITS = tuple("0123456789")
_LINE_ENDS = ("\r\n", "\r", "\n", "\u2028", "\u2029")  # after a backslash, these are removed
_NUMBER = re.compile(
    r"([+-]?)(?:(0[xX][0-9A-Fa-f]+)|((?:(?:0(?![0-9])|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]*)(?:[eE][+-]?[0-9]*)?)"
    r"|(Infinity|NaN))"
)
_NAME = re.compile(r"[A-Za-z$_][A-Za-z0-9$_]*")


def end_of_space(text: str, at: int) -> int:
    """Return the position after the white space and comments that begin at a position."""
    if text[at : at + 1] in _BEGINS_VALUE:
        return at  # no white space, the usual case
    while found := _SPACE.match(text, at):
        at = found.end()
    return at


def read_value(text: str, at: int, words: Words, depth: int) -> tuple[Any, int]:
    """Read the value at a position; return it with the position after it. Raises Unreadable if there is none.

    Text after the value is ignored. A value nested deeper than `depth` raises Unreadable.
    """
    first = text[at : at + 1]
    if first in ("[", "{"):
        if depth == 0:
            raise Unreadable("nested too deep")
        return (_list if first == "[" else _object)(text, at + 1, words, depth - 1)
    if first in _INSIDE:
        return _string(text, at)
    if first.isalpha():
        for word, value in words.items():
            if text.startswith(word, at):
                return value, at + len(word)
    return _number(text, at)


def _list(text: str, at: int, words: Words, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = end_of_space(text, at)
    while text[at : at + 1] != "]":
        value, at = read_value(text, at, words, depth)
        found.append(value)
        at = _next(text, at, "]")
    return found, at + 1


def _object(text: str, at: int, words: Words, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = end_of_space(text, at)
    while text[at : at + 1] != "}":
        key, at = _string(text, at) if text[at : at + 1] in _INSIDE else _name(text, at)
        at = end_of_space(text, at)
        if text[at : at + 1] != ":":
            raise Unreadable("a key without a colon")
        found[key], at = read_value(text, end_of_space(text, at + 1), words, depth)
        at = _next(text, at, "}")
    return found, at + 1


def _next(text: str, at: int, end: str) -> int:
    """Return the position of the next member after a comma, or of the closing bracket."""
    at = end_of_space(text, at)
    if text[at : at + 1] == ",":
        return end_of_space(text, at + 1)
    if text[at : at + 1] != end:
        raise Unreadable("neither a comma nor the end")
    return at


def _string(text: str, at: int) -> tuple[str, int]:
    found = _INSIDE[text[at]].match(text, at + 1)
    if not found or text[found.end() : found.end() + 1] != text[at]:
        raise Unreadable("a string without an end")
    inside = found[0]
    return (_ESCAPE.sub(_unescaped, inside) if "\\" in inside else inside), found.end() + 1


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if escape in _LINE_ENDS:
        return ""
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape in "xu123456789" or (escape == "0" and found.string[found.end() : found.end() + 1] in _DIGITS):
        raise Unreadable("an escape that is none")
    return _ESCAPED.get(escape, escape)


def _number(text: str, at: int) -> tuple[int | float, int]:
    found = _NUMBER.match(text, at)
    if not found:
        raise Unreadable("no value")
    sign, hexadecimal, decimal, word = found.groups()
    negative = sign == "-"
    try:
        if hexadecimal:
            if len(hexadecimal) > LONGEST_HEXADECIMAL:
                raise Unreadable("a number of thousands of digits")
            value: int | float = int(hexadecimal, 16)
        elif word:
            value = math.inf if word == "Infinity" else math.nan
        else:
            value = int(decimal) if decimal.isdecimal() else float(decimal)
    except ValueError as bad:
        raise Unreadable("a number that is none, or has thousands of digits") from bad
    return (-value if negative else value), found.end()


def _name(text: str, at: int) -> tuple[str, int]:
    """Read a key without quotes."""
    found = _NAME.match(text, at)
    parts = [found[0]] if found else []
    at = found.end() if found else at
    while at < len(text):
        if text[at] == "\\" and (escape := _ESCAPE.match(text, at)) and len(escape[1]) == 5:
            parts.append(chr(int(escape[1][1:], 16)))
            at = escape.end()
        elif (continues_name(text[at]) or text[at] in "\u200c\u200d") if parts else begins_name(text[at]):
            parts.append(text[at])
            at += 1
        else:
            break
    if not parts:
        raise Unreadable("no key")
    return "".join(parts), at
