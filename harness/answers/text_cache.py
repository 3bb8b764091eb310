"""An LRU cache for pure functions of short texts, because a refusal is often repeated word for word."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, TypeVarTuple

SHORT = 16_384  # characters; longer texts rarely repeat, and would fill the memory
More = TypeVarTuple("More")
Read = TypeVar("Read")


def cached_by_text(most: int) -> Callable[[Callable[[str, *More], Read]], Callable[[str, *More], Read]]:
    """Return a decorator that caches a pure function of a text: an LRU cache of `most` results, without long texts."""

    def remember(read: Callable[[str, *More], Read]) -> Callable[[str, *More], Read]:
        again = lru_cache(maxsize=most)(read)

        @wraps(read)
        def reading(text: str, /, *more: *More) -> Read:
            return again(text, *more) if len(text) <= SHORT else read(text, *more)

        return reading

    return remember
