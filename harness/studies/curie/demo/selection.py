"""What makers of the demo share that choose from a table: which records are made, and where a paper tells its answer.

It must never know a field of science, nor what a section says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from harness import seeds
from harness.errors import InputError
from harness.studies.curie.demo.documents import Section

WORDS: Mapping[str, int] = {"easy": 700, "medium": 1000, "hard": 1300}  # about as long is a paper of each level
_T = TypeVar("_T")


def first(table: Sequence[_T], count: int, what: str) -> Sequence[_T]:
    """Give the first `count` of a table; InputError for a count below one, or above what the table holds."""
    if not 1 <= count <= len(table):
        raise InputError(
            f"the demo has {len(table)} {what}, and {count} were asked for",
            where="count",
            next=f"ask for 1 to {len(table)}",
        )
    return table[:count]


def named(index: int) -> str:
    """Give the id of record `index`, counted from 0: a number, since a name would tell the answer."""
    return f"demo-{index + 1:03d}"


def stream(seed: int, purpose: str, record: str) -> seeds.Stream:
    """Open the stream of draws of one record for one purpose, which depends on no other record."""
    return seeds.stream(seeds.derive(seed, f"curie.demo.{purpose}", record))


def laid(source: seeds.Stream, told: Sequence[Section], others: Sequence[Section], level: str) -> list[Section]:
    """Lay the sections that tell the answer among the others at drawn places, each in its order.

    In a hard paper they may stand apart; in any other they stay together.
    """
    if level == "hard":
        places = sorted(seeds.below(source, len(others) + 1) for _ in told)
    else:
        places = [seeds.below(source, len(others) + 1)] * len(told)
    found = list(others)
    for place, section in reversed(list(zip(places, told, strict=True))):
        found.insert(place, section)
    return found


def generated(seed: int) -> dict[str, Any]:
    """Give what an item's `meta` says of any record that was made for the demo."""
    return {"source": "generated", "seed": seed, "generator_version": "1"}


def written(seed: int, text: str, told_at: int) -> dict[str, Any]:
    """Give what it says of a paper besides: its length, and where it begins to tell the answer, in percent."""
    return {**generated(seed), "told_at": told_at, "words": len(text.split())}
