"""Fields of a row that somebody wrote by hand: read, or refused by name.

It knows types; it must never know a benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError


def text(row: Mapping[str, Any], name: str) -> str:
    """Give a field that must be text."""
    value = _given(row, name)
    if not isinstance(value, str):
        raise InputError(
            f"the field `{name}` is not text but {type(value).__name__}", where=name, next=f"give `{name}` as a string"
        )
    return value


def texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Give a field that must be a list of texts."""
    values = _given(row, name)
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise InputError(f"the field `{name}` is not a list of texts", where=name, next=f"give `{name}` as strings")
    return tuple(values)


def _given(row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise InputError(f"the field `{name}` is missing", where=name, next=f"give `{name}` in every row")
    return row[name]
