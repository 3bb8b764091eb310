"""How scores of units become one number: by participants, as the paper averages (P) or as its repository does (H).

P counts what is no finite number as 0 and clips each unit at 0. H drops NaN, counts an infinite score as 0, averages
the signed scores of a participant in an experiment, and clips that. Sums are exact, so no order of units matters. It
must never know a model or what the scores are of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.studies.brain.terms import GENERATIONS, LANGUAGE, P

Array = Any  # of numpy


@dataclass(frozen=True)
class UnitTable:
    """Whose scores stand in an array, a value a score; a unit stands once for each experiment that it was part of."""

    participants: tuple[str, ...]
    networks: tuple[str, ...]
    experiments: tuple[str, ...]  # empty texts where there is one alone
    signal: tuple[bool, ...]  # of a simulation: whether anything but noise was planted; true of all others

    def __post_init__(self) -> None:
        """Check the lengths; InputError where they part."""
        for name in ("networks", "experiments", "signal"):
            if len(getattr(self, name)) != len(self.participants):
                told = f"{len(getattr(self, name))} {name} stand beside {len(self.participants)} participants"
                raise InputError(told, where=name, next="give one for each unit")

    def counted(self, network: str = LANGUAGE, *, signal: bool = True) -> Array:
        """Give which scores are of a network, as a mask: of units with signal, or of those without."""
        import numpy as np  # noqa: PLC0415

        return np.array(
            [one == network and planted == signal for one, planted in zip(self.networks, self.signal, strict=True)],
            bool,
        )

    def everyone(self) -> list[str]:
        """List the participants in sorted order."""
        return sorted({*self.participants})


class AveragedScore(NamedTuple):
    """A score averaged over participants, and what went into it."""

    score: float | None  # None where nobody has one
    participants: Mapping[str, float]
    units: Mapping[str, int]  # scores that were looked at, of each participant
    left_out: Sequence[str]  # participants without a score
    degenerate: int  # scores that are no finite numbers


def aggregate(scores: Array, units: UnitTable, generation: str, counted: Array | None = None) -> AveragedScore:
    """Average scores over the units, the own experiments of a participant, and participants, by a generation's rule.

    Without `counted` the units of the language network count, those of a simulation without signal excepted. A
    participant without a score is left out and named. InputError for an unknown generation or another number of scores.
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
    """Average scores over units, whoever they are of, clipped at 0: by this the paper (P) chooses a layer.

    What is no finite number is dropped; None where nothing is left.
    """
    return mean(max(one, 0.0) for one in map(float, scores[counted]) if math.isfinite(one))


def mean(values: Iterable[float]) -> float | None:
    """Average finite numbers by their exact sum; None where there are none."""
    listed = list(values)
    try:
        return math.fsum(listed) / len(listed) if listed else None
    except OverflowError:  # of a sum that is no float, while its mean is one
        return math.fsum(one / len(listed) for one in listed)


def require_generation(name: str) -> None:
    """Refuse what is no generation by an InputError."""
    if name not in GENERATIONS:
        raise InputError(f"no generation {name!r}", where="generation", next=f"use one of: {', '.join(GENERATIONS)}")


def _participant(experiments: Iterable[Sequence[float]], generation: str) -> float | None:
    """Average one participant's experiments, those without a score left out."""
    rule = _clipped_units if generation == P else _clipped_mean
    return mean(value for scores in experiments if (value := rule(scores)) is not None)


def _clipped_units(scores: Sequence[float]) -> float | None:
    return mean(max(one, 0.0) if math.isfinite(one) else 0.0 for one in scores)


def _clipped_mean(scores: Sequence[float]) -> float | None:
    found = mean(one if math.isfinite(one) else 0.0 for one in scores if not math.isnan(one))
    return None if found is None else max(found, 0.0)
