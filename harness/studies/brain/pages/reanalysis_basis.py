"""The document `reanalysis` as figures and tables read it: its leaves in order, each with its path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Way = tuple[str, ...]


def leaves(document: Any, depth: int, way: Way = ()) -> Iterator[tuple[Way, Mapping[str, Any]]]:
    """Yield every object at this depth, with the names on its path; nothing if the document is absent."""
    if not isinstance(document, Mapping):
        return
    if not depth:
        yield way, document
        return
    for name, value in document.items():
        yield from leaves(value, depth - 1, (*way, str(name)))


def named(way: Way) -> str:
    """Return a path as words for readers: the figure, and what is in it."""
    return ", ".join(part.replace("_", " ") for part in way)
