"""Shared functions of the demo's makers that choose from a table: record selection, ids, and section order.

Independent of the field of science and of the content of sections.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from harness import seeds
from harness.errors import InputError
from harness.studies.curie.demo.documents import Section

WORDS: Mapping[str, int] = {"easy": 700, "medium": 1000, "hard": 1300}  # approximate length of a paper of each level
_T = TypeVar("_T")


def first(table: Sequence[_T], count: int, what: str) -> Sequence[_T]:
    """Return the first `count` entries of a table; raises InputError unless it has 1 to that many."""
    if not 1 <= count <= len(table):
        raise InputError(
            f"the demo has {len(table)} {what}, and {count} were asked for",
            where="count",
            next=f"ask for 1 to {len(table)}",
        )
    return table[:count]


def named(index: int) -> str:
    """Return the id `demo-NNN` of record `index`, counted from 0: a number, since a name would reveal the answer."""
    return f"demo-{index + 1:03d}"


def stream(seed: int, purpose: str, record: str) -> seeds.Stream:
    """Return a seeded random stream for one record and purpose, independent of other records."""
    return seeds.random_stream(seeds.derive_seed(seed, f"curie.demo.{purpose}", record))


def laid(source: seeds.Stream, told: Sequence[Section], others: Sequence[Section], level: str) -> list[Section]:
    """Return a paper's sections with those that hold the answer inserted at random places; both keep their order.

    In a hard paper these sections may be separated; otherwise they stay together.
    """
    if level == "hard":
        places = sorted(seeds.draw_below(source, len(others) + 1) for _ in told)
    else:
        places = [seeds.draw_below(source, len(others) + 1)] * len(told)
    found = list(others)
    for place, section in reversed(list(zip(places, told, strict=True))):
        found.insert(place, section)
    return found


def generated(seed: int) -> dict[str, Any]:
    """Return the `meta` fields that every demo record has: source, seed and generator version."""
    return {"source": "generated", "seed": seed, "generator_version": "1"}


def written(seed: int, text: str, told_at: int) -> dict[str, Any]:
    """Return the `meta` fields of an invented paper: also its length, and where its answer begins, in percent."""
    return {**generated(seed), "told_at": told_at, "words": len(text.split())}
