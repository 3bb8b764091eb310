"""The document `reanalysis` as figures and tables walk it: its leaves in order, each with the way to it.

It must never compute a value, nor know how one is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Way = tuple[str, ...]


def leaves(document: Any, depth: int, way: Way = ()) -> Iterator[tuple[Way, Mapping[str, Any]]]:
    """Give every object that lies so deep inside, with the names on the way to it; nothing where it is absent."""
    if not isinstance(document, Mapping):
        return
    if not depth:
        yield way, document
        return
    for name, value in document.items():
        yield from leaves(value, depth - 1, (*way, str(name)))


def named(way: Way) -> str:
    """Name a place for people: the figure, and what is in it."""
    return ", ".join(part.replace("_", " ") for part in way)
