"""Synthetic papers (OURS): given passages at seeded places among sentences that carry no information.

Independent of tasks, gold values, prompts and scorers.
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
    """A section of an invented paper: heading, paragraphs in order, and whether filler may be added."""

    heading: str
    told: tuple[str, ...] = ()
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Draw:
    """The random source of one invented record, with its id, index and difficulty level."""

    id: str
    index: int
    level: str
    source: seeds.Stream

    @property
    def rank(self) -> int:
        """The difficulty level as a number: 0 for easy, 1 for medium, 2 for hard."""
        return LEVELS.index(self.level)


def draws(params: Mapping[str, Any], purpose: str) -> list[Draw]:
    """Return the random sources of `count` records from `seed`, each independent of all others; InputError below 1."""
    seed, count = params["seed"], params["count"]
    if count < 1:
        raise InputError(f"{count} records are none", where="count", next="make at least one record")
    return [
        Draw(f"demo-{at + 1:03d}", at, LEVELS[at % 3], seeds.random_stream(seeds.derive_seed(seed, purpose, str(at))))
        for at in range(count)
    ]


def one(source: seeds.Stream, choices: Sequence[_T]) -> _T:
    """Draw one of several choices."""
    return choices[seeds.draw_below(source, len(choices))]


def shuffled(source: seeds.Stream, items: Iterable[_T]) -> list[_T]:
    """Return the items in a random order drawn from `source`."""
    every = list(items)
    return seeds.draw_sample(source, every, len(every))


def turn(seed: int, purpose: str, index: int, choices: Sequence[_T]) -> _T:
    """Return the choice for record `index`, in a seeded order that uses every choice before any is repeated.

    Depends only on the seed, the purpose, the index and the choices, not on the number of records.
    """
    around, at = divmod(index, len(choices))
    return shuffled(seeds.random_stream(seeds.derive_seed(seed, f"{purpose}.turn", str(around))), choices)[at]


def sentences(block: str) -> tuple[str, ...]:
    """Split a block of text with one sentence per line into its sentences; empty lines are skipped."""
    return tuple(line.strip() for line in block.split("\n") if line.strip())


def paper(source: seeds.Stream, title: str, sections: Sequence[Section], filler: Sequence[str], words: int) -> str:
    """Return a paper of about `words` words from paragraphs in order, with filler text inserted around them.

    No sentence of the filler is used twice, so the paper is shorter if the filler runs out.
    """
    rest = shuffled(source, filler)
    bodies = [list(section.told) for section in sections]
    open_ones = [body for body, section in zip(bodies, sections, strict=True) if section.filled]
    while rest and sum(len(text.split()) for body in bodies for text in body) < words:
        size = 3 + seeds.draw_below(source, 3)
        body = one(source, open_ones)
        body.insert(seeds.draw_below(source, len(body) + 1), " ".join(rest[:size]))
        del rest[:size]
    parts = [f"{section.heading}\n\n" + "\n\n".join(body) for section, body in zip(sections, bodies, strict=True)]
    return "\n\n".join([title, *(part.strip() for part in parts)]) + "\n"


def place(text: str, passage: str) -> int:
    """Return how far into a text a passage begins, in whole percent of its length."""
    return 100 * text.index(passage) // max(1, len(text))
