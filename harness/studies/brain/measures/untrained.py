"""Models whose weights were drawn from several seeds: the best layer of each seed, then the mean over seeds.

Reads the choices of a split, not the scores of units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.studies.brain.measures.aggregation import mean


def over_seeds(chosen: Mapping[str, Mapping[str, Any]], seeds: Sequence[str]) -> dict[str, Any]:
    """Average the scores of the best layers of one untrained model drawn from several seeds, in one split.

    `seeds` are the families that are one model drawn from different seeds. A seed without a chosen layer is left out of
    the mean and listed in `left_out`. Raises InputError if there are no seeds, or if a seed is given twice or has no
    family in `chosen`.
    """
    if not seeds or len({*seeds}) < len(seeds):
        told = f"the seeds are {', '.join(seeds) or 'none'}"
        raise InputError(told, where="untrained", next="name each model of another seed once")
    if lacking := [seed for seed in seeds if seed not in chosen]:
        told = f"no layer of {lacking[0][:80]!r} was fitted"
        raise InputError(told, where="untrained", next=f"choose of: {', '.join(chosen)}")
    own = {seed: chosen[seed] for seed in seeds}
    return {
        "seeds": [*seeds],
        "layers": [_layer(one) for one in own.values()],
        "r2_by_seed": {seed: one["published"]["r2"] for seed, one in own.items()},
        **_averaged({seed: one["published"]["r2"] for seed, one in own.items()}),
        "nested": _averaged({seed: one["nested"]["r2"] for seed, one in own.items()}),
    }


def _layer(one: Mapping[str, Any]) -> int | None:
    """Return the layer that is chosen on test data; None if there is none."""
    taken = one["published"]["chosen"]
    return next((int(point["place"]) for point in one["curve"] if point["model"] == taken), None)


def _averaged(scores: Mapping[str, float | None]) -> dict[str, Any]:
    found = [score for score in scores.values() if score is not None]
    return {"r2": mean(found), "left_out": [seed for seed, score in scores.items() if score is None]}
