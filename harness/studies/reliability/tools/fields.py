"""How an analysis that works alone reads a caller's fields: each is there and of its kind, or the caller is told.

It knows kinds of values; it must never know what a field means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.scorers.fields import field, text, texts
from harness.stats import is_number

__all__ = ["MOST", "each", "field", "numbers", "same_length", "sequence", "text", "texts", "whole", "wholes"]
MOST = 2**53  # whole numbers up to here are the same everywhere


def sequence(given: Mapping[str, Any], name: str) -> Sequence[Any]:
    """Give a field that is a list."""
    value = field(given, name)
    if not isinstance(value, list | tuple):
        raise InputError(f"the field `{name}` is not a list", where=name, next=f"give `{name}` as a list")
    return value


def each(given: Mapping[str, Any], name: str, run: Callable[[Mapping[str, Any]], Any]) -> list[Any]:
    """Give what comes of every object of a list; what is wrong with one of them is said with its place."""
    found = []
    for number, case in enumerate(sequence(given, name)):
        where = f"{name}[{number}]"
        if not isinstance(case, Mapping):
            raise InputError("a case is not an object", where=where, next="give the fields of one case each")
        try:
            found.append(run(case))
        except InputError as bad:
            raise InputError(bad.what, where=f"{where}/{bad.where}", next=bad.next) from bad
    return found


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
    if not all(_is_whole(value, 0, MOST) for value in values):
        raise InputError(f"`{name}` holds something else than counts", where=name, next="give whole numbers from 0 up")
    return list(values)


def whole(given: Mapping[str, Any], name: str, otherwise: int, least: int = 1, most: int = MOST) -> int:
    """Give a field that is a whole number within bounds, or what it is where left out."""
    value = given.get(name, otherwise)
    if not _is_whole(value, least, most):
        raise InputError(
            f"`{name}` is not a whole number from {least} up to {most}", where=name, next="give one, or leave it out"
        )
    return int(value)


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def same_length(given: Mapping[str, Sequence[Any]]) -> None:
    """Refuse lists that should go side by side and do not."""
    (first, values), *others = given.items()
    for name, more in others:
        if len(more) != len(values):
            raise InputError(
                f"`{first}` holds {len(values)} values but `{name}` {len(more)}", where=name, next="give one of each"
            )
