"""Zero-padded item ids of a dataset."""

from __future__ import annotations


def ids(prefix: str, count: int) -> list[str]:
    """Return `count` item ids, `prefix-00000` and so on, zero-padded so that sorting them as text sorts by number."""
    width = max(5, len(str(count - 1)))
    return [f"{prefix}-{number:0{width}d}" for number in range(count)]
