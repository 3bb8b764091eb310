"""Omega of a language model beside what is fitted together with it: one number a split, with what it hides.

It must never know how scores are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.studies.brain.measures.findings_fits import LanguageFits
from harness.studies.brain.measures.naming import bands
from harness.studies.brain.measures.omegas import OmegaScores, omegas


def shared_omega(one: LanguageFits, spaces: Sequence[str]) -> dict[str, Any]:
    """Give omega of the model with all these bands, of the one without the language model, and of that alone.

    Empty where one of the three was not fitted. Participants without a score are left out, and counted.
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
