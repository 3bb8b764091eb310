"""The ids of the items of a dataset; it must never know an item."""

from __future__ import annotations


def ids(prefix: str, count: int) -> list[str]:
    """Give so many items numbers, so that the order of their ids as text is that of the numbers."""
    width = max(5, len(str(count - 1)))
    return [f"{prefix}-{number:0{width}d}" for number in range(count)]
