"""The JSON Schema keywords that check one value alone, and the types of values.

Independent of how schemas are combined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from harness.studies.questions.scoring import search

ALL_OF = "allOf"
ONE_IN: Mapping[str, Callable[[int], bool]] = {"anyOf": lambda met: met > 0, "oneOf": lambda met: met == 1}


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return is_number(value) and (isinstance(value, int) or (math.isfinite(value) and value == int(value)))


TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": _whole,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


class Keyword(NamedTuple):
    """One keyword of JSON Schema: a check of its value in a schema, and a function that finds violations in JSON."""

    what: str
    sound: Callable[[Any], bool]
    off: Callable[[Any, Any, Mapping[str, Any]], str]


def _count(said: Any) -> bool:
    return _whole(said) and said >= 0


def _bound(kind: type, most: bool, measure: Callable[[Any], Any] = len) -> Keyword:
    def off(said: Any, value: Any, part: Mapping[str, Any]) -> str:
        if not isinstance(value, kind) or (measure(value) <= said if most else measure(value) >= said):
            return ""
        return f"{measure(value)} is {'more' if most else 'less'} than {said}"

    return Keyword("a whole number from 0 up", _count, off)


def _limit(met: Callable[[Any, Any], bool], word: str) -> Keyword:
    def off(said: Any, value: Any, part: Mapping[str, Any]) -> str:
        return "" if not is_number(value) or met(value, said) else f"not {word} {said}"

    return Keyword("a number", is_number, off)


def _multiple(said: Any, value: Any, part: Mapping[str, Any]) -> str:
    if not is_number(value):
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return f"no multiple of {said}"
    return "" if _exact(value) % _exact(said) == 0 else f"no multiple of {said}"


def _exact(number: int | float) -> Fraction:
    """Return a number as it is written in decimals: 0.1 is a tenth."""
    return Fraction(number) if isinstance(number, int) else Fraction(Decimal(repr(number)))


def _required(said: Any, value: Any, part: Mapping[str, Any]) -> str:
    lacking = [name for name in said if name not in value] if isinstance(value, dict) else []
    return f"{lacking[0][:60]!r} is missing" if lacking else ""


def _unique(said: Any, value: Any, part: Mapping[str, Any]) -> str:
    if not said or not isinstance(value, list) or len({_spelled(one) for one in value}) == len(value):
        return ""
    return "two entries are alike"


def _enum(said: Any, value: Any, part: Mapping[str, Any]) -> str:
    return "" if _spelled(value) in {_spelled(one) for one in said} else "none of the values that are allowed"


def _const(said: Any, value: Any, part: Mapping[str, Any]) -> str:
    return "" if _spelled(value) == _spelled(said) else "another value than the one that is allowed"


def _pattern(said: Any, value: Any, part: Mapping[str, Any]) -> str:
    return "" if not isinstance(value, str) or search.is_found(said, value) else "the pattern is not found"


def _spelled(value: Any) -> str:
    """Return a text that is the same for values that JSON Schema considers equal: 1 is 1.0, and true is not 1."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{name!r}:{_spelled(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_spelled, value)) + "]"
    if is_number(value) and _whole(value):
        return str(int(value))
    return repr(value)


def _names(said: Any) -> bool:
    return isinstance(said, list) and all(isinstance(one, str) for one in said)


CHECKS: Mapping[str, Keyword] = {
    "enum": Keyword("a list", lambda said: isinstance(said, list), _enum),
    "const": Keyword("a value", lambda said: True, _const),
    "required": Keyword("a list of names", _names, _required),
    "minProperties": _bound(dict, most=False),
    "maxProperties": _bound(dict, most=True),
    "minItems": _bound(list, most=False),
    "maxItems": _bound(list, most=True),
    "uniqueItems": Keyword("true or false", lambda said: isinstance(said, bool), _unique),
    "minLength": _bound(str, most=False),
    "maxLength": _bound(str, most=True),
    "pattern": Keyword("a text", lambda said: isinstance(said, str), _pattern),
    "minimum": _limit(lambda value, said: value >= said, "at least"),
    "maximum": _limit(lambda value, said: value <= said, "at most"),
    "exclusiveMinimum": _limit(lambda value, said: value > said, "more than"),
    "exclusiveMaximum": _limit(lambda value, said: value < said, "less than"),
    "multipleOf": Keyword("a number above 0", lambda said: is_number(said) and said > 0, _multiple),
}
