"""Omega: the share of what a language model explains that simple features explain too, in percent.

Omega comes from the repository, not from the paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from harness.studies.brain.measures.aggregation import mean

ALL = 100.0


class OmegaScores(NamedTuple):
    """One participant's three mean scores, from which omega is computed."""

    simple: float
    llm: float
    banded: float  # of both together


class OmegaResult(NamedTuple):
    """Omega by participant and on average, with the counts of clipped and left-out participants."""

    omega: float | None
    participants: Mapping[str, float]
    clipped: int  # participants at 100: L adds nothing to S, or L is at or below 0
    without_empty: float | None  # the mean without participants whose L is at or below 0
    degenerate: tuple[str, ...]  # those participants
    left_out: tuple[str, ...]  # participants with a score that is not finite


def omega(scores: OmegaScores) -> float:
    """Return how much of score L simple features explain, in percent: 100 (1 - (max(B, L) - S) / L), within 0..100."""
    if scores.llm <= 0:
        return ALL
    added = (max(scores.banded, scores.llm) - scores.simple) / scores.llm
    return ALL * (1 - min(max(added, 0.0), 1.0))


def omegas(scores: Mapping[str, OmegaScores]) -> OmegaResult:
    """Average omega over participants; those with a score that is not finite are left out."""
    finite = {name: own for name, own in scores.items() if all(map(math.isfinite, own))}
    found = {name: omega(own) for name, own in finite.items()}
    empty = tuple(name for name, own in finite.items() if own.llm <= 0)
    return OmegaResult(
        mean(found.values()),
        found,
        sum(value == ALL for value in found.values()),
        mean(value for name, value in found.items() if name not in empty),
        empty,
        tuple(name for name in scores if name not in finite),
    )
