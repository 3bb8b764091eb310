"""Synthetic papers (OURS): what must be told stands at seeded places among sentences that tell nothing.

It must never know a task, a gold value, a prompt or a scorer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from harness import seeds
from harness.errors import InputError

LEVELS = ("easy", "medium", "hard")  # OURS: record 1 is easy, record 2 medium, record 3 hard, record 4 easy …
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a paper: its heading, the paragraphs it must hold in their order, and whether filler may join them."""

    heading: str
    told: tuple[str, ...] = ()
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Draw:
    """What a record is drawn from: its id, its place in the set, its level, and its own stream of numbers."""

    id: str
    index: int
    level: str
    source: seeds.Stream

    @property
    def rank(self) -> int:
        """Give 0 for easy, 1 for medium, 2 for hard."""
        return LEVELS.index(self.level)


def draws(params: Mapping[str, Any], purpose: str) -> list[Draw]:
    """Give `count` draws from `seed`, each independent of all others; InputError for a count below 1."""
    seed, count = params["seed"], params["count"]
    if count < 1:
        raise InputError(f"{count} records are none", where="count", next="make at least one record")
    return [
        Draw(f"demo-{at + 1:03d}", at, LEVELS[at % 3], seeds.stream(seeds.derive(seed, purpose, str(at))))
        for at in range(count)
    ]


def one(source: seeds.Stream, choices: Sequence[_T]) -> _T:
    """Draw one of some choices."""
    return choices[seeds.below(source, len(choices))]


def shuffled(source: seeds.Stream, items: Iterable[_T]) -> list[_T]:
    """Give the items in a drawn order."""
    every = list(items)
    return seeds.sample(source, every, len(every))


def turn(seed: int, purpose: str, index: int, choices: Sequence[_T]) -> _T:
    """Give choice `index` of a seeded order of the choices, in rounds, so that none comes twice before all came once.

    It depends on the seed and the index alone, never on how many records are made.
    """
    around, at = divmod(index, len(choices))
    return shuffled(seeds.stream(seeds.derive(seed, f"{purpose}.turn", str(around))), choices)[at]


def sentences(block: str) -> tuple[str, ...]:
    """Read a block of text that has a sentence on each line; empty lines are none."""
    return tuple(line.strip() for line in block.split("\n") if line.strip())


def paper(source: seeds.Stream, title: str, sections: Sequence[Section], filler: Sequence[str], words: int) -> str:
    """Write a paper of about `words` words: what is told keeps its order, and filler falls anywhere around it.

    No sentence of the filler stands twice; where they run out the paper stays shorter.
    """
    rest = shuffled(source, filler)
    bodies = [list(section.told) for section in sections]
    open_ones = [body for body, section in zip(bodies, sections, strict=True) if section.filled]
    while rest and sum(len(text.split()) for body in bodies for text in body) < words:
        size = 3 + seeds.below(source, 3)
        body = one(source, open_ones)
        body.insert(seeds.below(source, len(body) + 1), " ".join(rest[:size]))
        del rest[:size]
    parts = [f"{section.heading}\n\n" + "\n\n".join(body) for section, body in zip(sections, bodies, strict=True)]
    return "\n\n".join([title, *(part.strip() for part in parts)]) + "\n"


def place(text: str, passage: str) -> int:
    """Give how far into a text a passage of it begins, in whole percent."""
    return 100 * text.index(passage) // max(1, len(text))
