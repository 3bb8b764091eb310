"""How an analysis that works alone reads a caller's fields: each is there and of its kind, or the caller is told.

It knows kinds of values; it must never know what a field means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.stats import is_number


def field(given: Mapping[str, Any], name: str) -> Any:
    """Give a field that must be there."""
    if name not in given:
        raise InputError(f"the field `{name}` is missing", where=name, next=f"give `{name}`")
    return given[name]


def sequence(given: Mapping[str, Any], name: str) -> Sequence[Any]:
    """Give a field that is a list."""
    value = field(given, name)
    if not isinstance(value, list | tuple):
        raise InputError(f"the field `{name}` is not a list", where=name, next=f"give `{name}` as a list")
    return value


def texts(given: Mapping[str, Any], name: str) -> list[str]:
    """Give a field that is a list of texts."""
    values = sequence(given, name)
    if not all(isinstance(value, str) for value in values):
        raise InputError(f"`{name}` holds something else than texts", where=name, next="give texts")
    return list(values)


def numbers(given: Mapping[str, Any], name: str) -> list[float]:
    """Give a field that is a list of finite numbers."""
    values = sequence(given, name)
    if not all(is_number(value) for value in values):
        raise InputError(
            f"`{name}` holds something else than finite numbers", where=name, next="give numbers up to 1e15"
        )
    return list(values)


def wholes(given: Mapping[str, Any], name: str) -> list[int]:
    """Give a field that is a list of whole numbers, none below zero."""
    values = sequence(given, name)
    if not all(whole(value, 0) for value in values):
        raise InputError(f"`{name}` holds something else than counts", where=name, next="give whole numbers from 0 up")
    return list(values)


def count(given: Mapping[str, Any], name: str, otherwise: int) -> int:
    """Give a field that is a positive whole number, or what it is where left out."""
    value = given.get(name, otherwise)
    if not whole(value, 1):
        raise InputError(f"`{name}` is not a positive whole number", where=name, next="give a whole number from 1 up")
    return int(value)


def whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number that can count something."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= 2**53


def same_length(given: Mapping[str, Sequence[Any]]) -> None:
    """Refuse lists that should go side by side and do not."""
    (first, values), *others = given.items()
    for name, more in others:
        if len(more) != len(values):
            raise InputError(
                f"`{first}` holds {len(values)} values but `{name}` {len(more)}", where=name, next="give one of each"
            )
