"""pass@k and majority votes over several answers to one prompt.

Works on the text that was read of each answer and its score; independent of models, scorers and questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

RIGHT, WRONG = 1.0, 0.0


class SampledAnswer(NamedTuple):
    """One of several answers to a prompt: the text that was read from it, if any, and its score."""

    read: str | None
    value: float


class Vote(NamedTuple):
    """The outcome of a majority vote over answers: its score, whether texts tied, and the unreadable answers."""

    value: float
    tied: bool
    unread: int


def pass_at(k: int, right: int, of: int) -> float:
    """Return pass@k: the share of draws of `k` answers out of `of` with one of the `right` ones (Chen et al., 2021).

    Exact up to its one division; 1 <= k <= of.
    """
    return 1.0 - float(Fraction(math.comb(of - right, k), math.comb(of, k)))


def sizes(most: int) -> tuple[int, ...]:
    """Return the values of k for which pass@k is reported: powers of two, and the largest number of answers."""
    return tuple(sorted({*(2**power for power in range(most.bit_length()) if 2**power <= most), most}))


def are_verdicts(values: Iterable[float]) -> bool:
    """Whether all scores are 0 or 1, so that an answer either passes or fails."""
    return set(values) <= {RIGHT, WRONG}


def vote(answers: Sequence[SampledAnswer]) -> Vote:
    """Return the outcome of a majority vote: the text that was read most often wins, and its score counts.

    If several texts tie, each wins equally often, so the mean of their scores counts. An answer that could not be read
    has no vote; if no answer could be read, the mean of all scores counts. Equal texts should have equal scores; if
    they do not, the mean of their scores counts.
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
    """Return the mean; if all values are equal, exactly that value."""
    return values[0] if len(set(values)) == 1 else math.fsum(values) / len(values)
