"""Measured coverage: how often intervals contain the true value in simulations, by indicator and number of items.

The models and items are simulated; the true value is the value on a million items. The figures were printed by
tests/bench/reliability_intervals.py. Independent of labels, models and benchmark names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.resample import LEVEL

ENOUGH = 0.92  # docs/reliability-rules.md#coverage
Range = tuple[float, float]  # the lowest and the highest coverage among the simulated models
MEASURED: Mapping[str, Mapping[int, Range]] = {  # for intervals of 95 %
    "proportion": {30: (0.91, 0.94), 100: (0.94, 0.95), 200: (0.93, 0.96), 400: (0.93, 0.95), 1500: (0.93, 0.95)},
    "stability": {30: (0.80, 0.95), 100: (0.88, 0.95), 200: (0.92, 0.95), 400: (0.93, 0.95), 1500: (0.93, 0.95)},
    "concordance": {30: (0.75, 0.87), 100: (0.88, 0.93), 200: (0.91, 0.94), 400: (0.92, 0.95), 1500: (0.93, 0.95)},
    "spearman": {30: (0.93, 0.98), 100: (0.93, 0.96), 200: (0.94, 0.95), 400: (0.94, 0.96), 1500: (0.93, 0.95)},
}


def kind_of(name: str) -> str:
    """Return which kind of interval a value has, by its name: stability, concordance, spearman, or proportion."""
    what = "spearman" if name.startswith("spearman") else name.rpartition("_")[2]
    return what if what in MEASURED else "proportion"


def holds_from(kind: str) -> int:
    """Return the smallest simulated number of items from which on a kind of interval covers often enough."""
    short = [items for items, (lowest, _) in MEASURED[kind].items() if lowest < ENOUGH]
    return min(items for items in MEASURED[kind] if items > max(short, default=0))


def table() -> dict[str, Any]:
    """Return the simulated coverage of all kinds of intervals, as fields for a document."""
    return {
        kind: {"held": {str(items): list(held) for items, held in measured.items()}, "holds_from": holds_from(kind)}
        for kind, measured in MEASURED.items()
    }


def note(name: str, items: int) -> dict[str, Any]:
    """Return a warning field `coverage` for an interval over too few items; an empty mapping if they are enough.

    It holds the simulation's result at the largest simulated number of items that is not above the given one.
    """
    kind = kind_of(name)
    enough = holds_from(kind)
    if items >= enough:
        return {}
    at = max((size for size in MEASURED[kind] if size <= items), default=min(MEASURED[kind]))
    simulated = {"nominal": LEVEL, "simulated": list(MEASURED[kind][at]), "at_items": at}
    return {"coverage": {**simulated, "holds_from": enough}}
