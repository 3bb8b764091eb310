"""pass@k and the vote of the majority, over several answers to one prompt.

It knows what was read of each answer and what that is worth; it must never know a model, a scorer or a question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

RIGHT, WRONG = 1.0, 0.0


class SampledAnswer(NamedTuple):
    """One answer of several: what was read of it, if anything was, and its score."""

    read: str | None
    value: float


class Vote(NamedTuple):
    """Outcome of a vote: the score of what won, whether several things tied, and how many answers could not be read."""

    value: float
    tied: bool
    unread: int


def pass_at(k: int, right: int, of: int) -> float:
    """Give the share of draws of `k` answers out of `of` that hold one of the `right` ones (Chen et al., 2021).

    It is exact up to its one division; 1 <= k <= of.
    """
    return 1.0 - float(Fraction(math.comb(of - right, k), math.comb(of, k)))


def sizes(most: int) -> tuple[int, ...]:
    """Give the numbers of answers for which pass@k is told: powers of two, and all."""
    return tuple(sorted({*(2**power for power in range(most.bit_length()) if 2**power <= most), most}))


def are_verdicts(values: Iterable[float]) -> bool:
    """Whether scores say right or wrong and nothing between, so that an answer can pass."""
    return set(values) <= {RIGHT, WRONG}


def vote(answers: Sequence[SampledAnswer]) -> Vote:
    """Let the answers to one prompt vote: what is read most often wins, and its score counts.

    Of several that tie, each wins equally often: the mean of their scores counts. An answer that could not be read
    has no vote, and where none has one, the mean of all counts. What is read alike should be scored alike; where it
    is not, the mean of its scores counts.
    """
    ballots: dict[str, list[float]] = {}
    for answer in answers:
        if answer.read is not None:
            ballots.setdefault(answer.read, []).append(answer.value)
    unread = sum(answer.read is None for answer in answers)
    if not ballots:
        return Vote(_mean([answer.value for answer in answers]), tied=False, unread=unread)
    most = max(map(len, ballots.values()))
    first = [_mean(values) for values in ballots.values() if len(values) == most]
    return Vote(_mean(first), tied=len(first) > 1, unread=unread)


def _mean(values: Sequence[float]) -> float:
    """Give the mean; of values that are all alike exactly their value."""
    return values[0] if len(set(values)) == 1 else math.fsum(values) / len(values)
