"""Remembers what short texts gave: a refusal often comes back word for word, and need not be read for every item.

It knows lengths; it must never know what is read in a text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, TypeVarTuple

SHORT = 16_384  # characters; what is longer rarely comes again, and would fill the memory
More = TypeVarTuple("More")
Read = TypeVar("Read")


def remembered(most: int) -> Callable[[Callable[[str, *More], Read]], Callable[[str, *More], Read]]:
    """Make a pure function of a text remember its last `most` results, of short texts only."""

    def remember(read: Callable[[str, *More], Read]) -> Callable[[str, *More], Read]:
        again = lru_cache(maxsize=most)(read)

        @wraps(read)
        def reading(text: str, /, *more: *More) -> Read:
            return again(text, *more) if len(text) <= SHORT else read(text, *more)

        return reading

    return remember
