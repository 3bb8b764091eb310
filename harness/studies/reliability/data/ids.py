"""Zero-padded item ids of a dataset; it must never know an item."""

from __future__ import annotations


def ids(prefix: str, count: int) -> list[str]:
    """Give zero-padded ids, so that their order as text is that of their numbers."""
    width = max(5, len(str(count - 1)))
    return [f"{prefix}-{number:0{width}d}" for number in range(count)]
