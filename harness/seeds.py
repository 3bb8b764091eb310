"""Random numbers, in one place: seeds are derived from the purpose of a draw, never from order, shard or batch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from harness.digest import canonical_json, sha256
from harness.errors import InputError

Stream = random.Random
_T = TypeVar("_T")


def derive_seed(seed: int, purpose: str, item: str = "", template: int = 0, sample: int = 0) -> int:
    """Derive the 64-bit seed of one draw: the first 8 bytes of SHA-256 of canonical [seed, purpose, item, …]."""
    return int(sha256(canonical_json([seed, purpose, item, template, sample]))[:16], 16)


def unit_number(seed: int) -> float:
    """Map a derived seed to a number in [0, 1) with 53 bits, for one Bernoulli draw."""
    return (seed >> 11) / 2**53


def random_stream(seed: int) -> Stream:
    """Return a generator for draws of many values; use it through `below` alone, whose algorithm is pinned here."""
    return random.Random(seed)  # noqa: S311 - reproducible on purpose; nothing secret is drawn


def draw_sample(source: Stream, items: Sequence[_T], count: int) -> list[_T]:
    """Draw `count` items without replacement, or all if there are not that many."""
    rest = list(items)
    return [rest.pop(draw_below(source, len(rest))) for _ in range(min(count, len(rest)))]


def draw_below(source: Stream, bound: int) -> int:
    """Draw uniformly from 0..bound-1 by rejection on raw bits, which Python promises never to change.

    Raises InputError for a bound below 1.
    """
    if bound < 1:
        raise InputError(f"there is nothing to draw below {bound}", next="draw from what holds something")
    bits = (bound - 1).bit_length()
    while True:
        value = source.getrandbits(bits) if bits else 0
        if value < bound:
            return value
