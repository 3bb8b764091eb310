"""Averages scores of units to one number, by participant, as the paper does (P) or as its repository does (H).

P counts a score that is not finite as 0 and clips each unit at 0. H drops NaN, counts an infinite score as 0, averages
the signed scores of a participant in an experiment, and clips that average. Sums are exact, so the order of units does
not matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.brain.terms import GENERATIONS, LANGUAGE, P

Array = Any  # a numpy array


@dataclass(frozen=True)
class UnitTable:
    """Participant, network and experiment of each score in an array; a unit has one score per experiment."""

    participants: tuple[str, ...]
    networks: tuple[str, ...]
    experiments: tuple[str, ...]  # empty texts if there is only one experiment
    signal: tuple[bool, ...]  # of a simulation: whether anything but noise was planted; true for all others

    def __post_init__(self) -> None:
        """Raise InputError unless all lists have the same length."""
        for name in ("networks", "experiments", "signal"):
            if len(getattr(self, name)) != len(self.participants):
                told = f"{len(getattr(self, name))} {name} stand beside {len(self.participants)} participants"
                raise InputError(told, where=name, next="give one for each unit")

    def counted(self, network: str = LANGUAGE, *, signal: bool = True) -> Array:
        """Return a boolean mask of the scores that belong to a network: of units with signal, or of those without."""
        import numpy as np  # noqa: PLC0415

        return np.array(
            [one == network and planted == signal for one, planted in zip(self.networks, self.signal, strict=True)],
            bool,
        )

    def everyone(self) -> list[str]:
        """Return the participants in sorted order."""
        return sorted({*self.participants})


class AveragedScore(NamedTuple):
    """A score averaged over participants, with the participants' own scores and the counts behind it."""

    score: float | None  # None if no participant has one
    participants: Mapping[str, float]
    units: Mapping[str, int]  # number of scores of each participant
    left_out: Sequence[str]  # participants without a score
    degenerate: int  # number of scores that are not finite


def aggregate(scores: Array, units: UnitTable, generation: str, counted: Array | None = None) -> AveragedScore:
    """Average scores over units, experiments and participants, in the order of the paper (P) or the repository (H).

    Without `counted`, the units of the language network count, except those of a simulation without signal. A
    participant without a score is left out and listed in `left_out`. Raises InputError for an unknown generation or a
    wrong number of scores.
    """
    require_generation(generation)
    if len(scores) != len(units.participants):
        told = f"{len(scores)} scores stand beside {len(units.participants)} units"
        raise InputError(told, where="scores", next="give one for each unit")
    if counted is None:
        counted = units.counted()
    cells: dict[str, dict[str, list[float]]] = {}
    for place in counted.nonzero()[0].tolist():
        own = cells.setdefault(units.participants[place], {})
        own.setdefault(units.experiments[place], []).append(float(scores[place]))
    found = {name: _participant(own.values(), generation) for name, own in sorted(cells.items())}
    values = {name: value for name, value in found.items() if value is not None}
    degenerate = sum(not math.isfinite(one) for own in cells.values() for each in own.values() for one in each)
    return AveragedScore(
        mean(values.values()),
        values,
        {name: sum(map(len, own.values())) for name, own in sorted(cells.items())},
        [name for name in units.everyone() if name not in values],
        degenerate,
    )


def pooled(scores: Array, counted: Array) -> float | None:
    """Return the mean score over all units, ignoring participants, clipped at 0; the paper (P) chooses layers by it.

    Scores that are not finite are dropped. Returns None if none is left.
    """
    return mean(max(one, 0.0) for one in map(float, scores[counted]) if math.isfinite(one))


def mean(values: Iterable[float]) -> float | None:
    """Return the mean of finite numbers, computed by their exact sum; None if there are none."""
    listed = list(values)
    try:
        return math.fsum(listed) / len(listed) if listed else None
    except OverflowError:  # the sum overflows a float, although the mean does not
        return math.fsum(one / len(listed) for one in listed)


def require_generation(name: str) -> None:
    """Raise InputError unless `name` is a version of the authors' method: P (paper) or H (repository)."""
    if name not in GENERATIONS:
        raise InputError(f"no generation {name!r}", where="generation", next=f"use one of: {', '.join(GENERATIONS)}")


def _participant(experiments: Iterable[Sequence[float]], generation: str) -> float | None:
    """Average one participant's experiments, without those that have no score."""
    rule = _clipped_units if generation == P else _clipped_mean
    return mean(value for scores in experiments if (value := rule(scores)) is not None)


def _clipped_units(scores: Sequence[float]) -> float | None:
    return mean(max(one, 0.0) if math.isfinite(one) else 0.0 for one in scores)


def _clipped_mean(scores: Sequence[float]) -> float | None:
    found = mean(one if math.isfinite(one) else 0.0 for one in scores if not math.isnan(one))
    return None if found is None else max(found, 0.0)
