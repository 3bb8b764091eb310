"""An LRU cache for pure functions of short texts: a refusal often comes back word for word, and is read once.

It knows lengths; it must never know what is read in a text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, TypeVarTuple

SHORT = 16_384  # characters; what is longer rarely comes again, and would fill the memory
More = TypeVarTuple("More")
Read = TypeVar("Read")


def cached_by_text(most: int) -> Callable[[Callable[[str, *More], Read]], Callable[[str, *More], Read]]:
    """Decorate a pure function of a text with an LRU cache of `most` results; long texts are never cached."""

    def remember(read: Callable[[str, *More], Read]) -> Callable[[str, *More], Read]:
        again = lru_cache(maxsize=most)(read)

        @wraps(read)
        def reading(text: str, /, *more: *More) -> Read:
            return again(text, *more) if len(text) <= SHORT else read(text, *more)

        return reading

    return remember
