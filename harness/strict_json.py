"""Strict parsing of JSON written by others: duplicate names in an object are refused."""

from __future__ import annotations

from typing import Any


def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of an object's pairs, as `object_pairs_hook` of json.loads; ValueError if a name stands twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
