"""Families of tests and the false discovery rate (Benjamini and Hochberg) within each, as each generation defines them.

In P, a family is participant x network x experiment, for every network. In H, it is a participant in the language
network, with the participant's experiments merged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.stats import benjamini_hochberg
from harness.studies.brain.measures.aggregation import require_generation
from harness.studies.brain.terms import LANGUAGE, P

ALPHA = 0.05


class UnitFamily(NamedTuple):
    """A family of units, by index, whose p-values are corrected together for multiple testing."""

    participant: str
    network: str
    experiment: str  # empty if experiments are merged or there is none
    units: tuple[int, ...]


def families(
    participants: Sequence[str], networks: Sequence[str], generation: str, experiments: Sequence[str] = ()
) -> list[UnitFamily]:
    """Group units into families for multiple-testing correction: by participant, network and experiment.

    Raises InputError for an unknown generation and for lists of unequal lengths.
    """
    require_generation(generation)
    experiments = experiments or [""] * len(participants)
    if not len(participants) == len(networks) == len(experiments):
        told = f"{len(participants)} participants, {len(networks)} networks, {len(experiments)} experiments"
        raise InputError(told, where="participants", next="give one of each for every unit")
    found: dict[tuple[str, str, str], list[int]] = {}
    for unit, (participant, network, experiment) in enumerate(zip(participants, networks, experiments, strict=True)):
        if generation == P or network == LANGUAGE:
            found.setdefault((participant, network, experiment if generation == P else ""), []).append(unit)
    return [UnitFamily(*name, tuple(units)) for name, units in sorted(found.items())]


def corrected(p: Sequence[float], found: Sequence[UnitFamily]) -> list[float | None]:
    """Correct units' p-values for the false discovery rate within each family; None for units without a family.

    A p-value of NaN counts as 1 and still counts in the size of its family. Raises InputError for a p-value outside 0
    to 1.
    """
    values = [1.0 if isnan(one) else float(one) for one in p]
    if (wrong := next((place for place, one in enumerate(values) if not 0 <= one <= 1), None)) is not None:
        raise InputError(f"the p-value of unit {wrong} is {values[wrong]}", where="p", next="give numbers from 0 to 1")
    q: list[float | None] = [None] * len(values)
    for family in found:
        for unit, value in zip(family.units, benjamini_hochberg([values[unit] for unit in family.units]), strict=True):
            q[unit] = value
    return q


def counted(p: Sequence[float], found: Sequence[UnitFamily], null: Collection[int] = ()) -> dict[str, Any]:
    """Count units with p < .05 in each family, uncorrected and corrected, and the shares over all families.

    The share of zero units is None. A row names its experiment if its family has one. `null` are units in which a
    simulation planted nothing; they count in their families and once more separately.
    """
    q = corrected(p, found)

    def below(units: Iterable[int]) -> dict[str, int]:
        listed = list(units)
        raw = sum(p[unit] < ALPHA for unit in listed)
        return {"units": len(listed), "raw": raw, "fdr": sum((q[unit] or 0.0) < ALPHA for unit in listed)}

    rows: list[dict[str, Any]] = []
    for one in found:
        more = {"experiment": one.experiment} if one.experiment else {}
        rows.append({"participant": one.participant, "network": one.network, **more, **below(one.units)})
    apart = {"null": below(unit for one in found for unit in one.units if unit in null)} if null else {}
    return {"families": rows, **shares(rows), **apart}


def shares(rows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """Return the share of all families' units with p < .05, uncorrected and corrected; None if there are no units."""
    units = sum(int(row["units"]) for row in rows)
    return {f"{name}_share": sum(int(row[name]) for row in rows) / units if units else None for name in ("raw", "fdr")}
