"""Strict parsing of JSON written by others: duplicate names in an object are refused."""

from __future__ import annotations

from typing import Any


def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object in which a name stands twice; passed to json.loads as `object_pairs_hook`."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
