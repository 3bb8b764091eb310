"""Fields that somebody gave by hand: read, or refused by name.

It knows types; it must never know a scorer or what a field means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError


def field(given: Mapping[str, Any], name: str, how: str = "") -> Any:
    """Give a field that must be there."""
    if name not in given:
        raise InputError(f"the field `{name}` is missing", where=name, next=f"give `{name}`{how}")
    return given[name]


def text(row: Mapping[str, Any], name: str) -> str:
    """Give a field that must be text."""
    value = field(row, name)
    if not isinstance(value, str):
        raise InputError(
            f"the field `{name}` is not text but {type(value).__name__}", where=name, next=f"give `{name}` as a string"
        )
    return value


def texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Give a field that must be a list of texts."""
    values = field(row, name)
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise InputError(f"the field `{name}` is not a list of texts", where=name, next=f"give `{name}` as strings")
    return tuple(values)
