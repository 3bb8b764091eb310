"""Omega of a language model and the features fitted together with it: one number per split, and what it hides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.studies.brain.measures.findings_fits import LanguageFits
from harness.studies.brain.measures.naming import bands
from harness.studies.brain.measures.omegas import OmegaScores, omegas


def shared_omega(one: LanguageFits, spaces: Sequence[str]) -> dict[str, Any]:
    """Return omega, the share of a language model's score that other features explain, from three fitted models.

    Empty if one of the three was not fitted. Participants without a score are left out and listed.
    """
    known = {frozenset(bands(model)): model for model in reversed(one.models) if "!" not in model}
    wanted = (frozenset(spaces) - {one.band}, frozenset([one.band]), frozenset(spaces))
    if not all(each in known for each in wanted):
        return {}
    names = [known[each] for each in wanted]
    averaged = [one.average(one.r2(model)).participants for model in names]
    missing = float("nan")
    people = one.found.units.everyone()
    result = omegas({name: OmegaScores(*(own.get(name, missing) for own in averaged)) for name in people})
    return {
        "simple": names[0],
        "banded": names[2],
        "omega": result.omega,
        "without_empty": result.without_empty,
        "clipped": result.clipped,
        "degenerate": len(result.degenerate),
        "participants": dict(result.participants),
        "left_out": list(result.left_out),
    }
