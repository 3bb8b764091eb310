"""Validation of claims: JSON pointers that can be followed, and a condition that can be checked.

It knows plain values; it must never know outputs or runs. What it refuses is a ValueError, which the schema words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

_OUTPUT = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")


def split(of: str) -> tuple[str, list[str]]:
    """Parse `OUTPUT#/json/pointer` (RFC 6901, not percent-encoded) into the output and the names on the way."""
    output, mark, path = of.partition("#")
    if not (mark and _OUTPUT.fullmatch(output)) or (path and not path.startswith("/")) or re.search(r"~(?![01])", path):
        raise ValueError("write OUTPUT#/path, a JSON Pointer into an output; in a name ~ is spelled ~0 and / is ~1")
    return output, [name.replace("~1", "/").replace("~0", "~") for name in path.split("/")[1:]]


def pointer(of: str) -> str:
    """Validate `OUTPUT#/json/pointer` and return it as it was written; ValueError where it cannot be followed."""
    split(of)
    return of


def require_checkable(
    count: int,
    number: tuple[str | None, str | None],
    order: tuple[str | None, bool],
    bounds: tuple[str | None, str | None],
) -> None:
    """Refuse a claim over `count` values without a condition: number and tolerance, order, or bounds."""
    published, within = number
    low, high = (None if bound is None else Decimal(bound) for bound in bounds)
    if within is not None and published is None:
        raise ValueError("a tolerance needs its number: add `published`")
    if order[0] and count < 2:
        raise ValueError("an order needs two values or more: list them in `of`")
    if order[1] and not order[0]:
        raise ValueError("`ties` says something of an order only: add `order`")
    if low is not None and high is not None and low > high:
        raise ValueError("no number is that large and that small: correct `at_least` or `at_most`")
    if within is None and not order[0] and low is None and high is None:
        how = "add `within`, how near a run must come" if published else "say `published` and `within`"
        raise ValueError(f"nothing here can be checked: {how}, or an `order`, `at_least` or `at_most`")


def require_distinct(ids: Sequence[str | None]) -> None:
    """Refuse two claims of one id."""
    named = [name for name in ids if name]
    twin = next((name for name in named if named.count(name) > 1), None)
    if twin:
        raise ValueError(f"two claims are called {twin!r}: an id names one")
