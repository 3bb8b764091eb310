"""How often the intervals hold the value they are about, as simulations measured it, by indicator and number of items.

Simulated models on simulated items: what an interval is about is the same value on a million items. It holds figures
that tests/bench/reliability_intervals.py printed; it must never know a label, a model or a benchmark's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.resample import LEVEL

ENOUGH = 0.92  # docs/reliability-rules.md#coverage
Range = tuple[float, float]  # the lowest and the highest share of intervals that hold, among the simulated models
MEASURED: Mapping[str, Mapping[int, Range]] = {  # of an interval of 95 %
    "proportion": {30: (0.91, 0.94), 100: (0.94, 0.95), 200: (0.93, 0.96), 400: (0.93, 0.95), 1500: (0.93, 0.95)},
    "stability": {30: (0.80, 0.95), 100: (0.88, 0.95), 200: (0.92, 0.95), 400: (0.93, 0.95), 1500: (0.93, 0.95)},
    "concordance": {30: (0.75, 0.87), 100: (0.88, 0.93), 200: (0.91, 0.94), 400: (0.92, 0.95), 1500: (0.93, 0.95)},
    "spearman": {30: (0.93, 0.98), 100: (0.93, 0.96), 200: (0.94, 0.95), 400: (0.94, 0.96), 1500: (0.93, 0.95)},
}


def kind_of(name: str) -> str:
    """Give the kind of a value by its name in `values.flat`: stability, concordance, spearman, or else proportion."""
    what = "spearman" if name.startswith("spearman") else name.rpartition("_")[2]
    return what if what in MEASURED else "proportion"


def holds_from(kind: str) -> int:
    """Give the number of items from which on, wherever it was measured, intervals of a kind hold often enough."""
    short = [items for items, (lowest, _) in MEASURED[kind].items() if lowest < ENOUGH]
    return min(items for items in MEASURED[kind] if items > max(short, default=0))


def table() -> dict[str, Any]:
    """Give all that was measured, and the number of items from which on intervals hold, as fields of a document."""
    return {
        kind: {"held": {str(items): list(held) for items, held in measured.items()}, "holds_from": holds_from(kind)}
        for kind, measured in MEASURED.items()
    }


def note(name: str, items: int) -> dict[str, Any]:
    """Give the field `coverage` of a value on too few items for its interval to hold; nothing where they are enough.

    It is what simulation found at the largest simulated number of items that is not above theirs.
    """
    kind = kind_of(name)
    enough = holds_from(kind)
    if items >= enough:
        return {}
    at = max((size for size in MEASURED[kind] if size <= items), default=min(MEASURED[kind]))
    simulated = {"nominal": LEVEL, "simulated": list(MEASURED[kind][at]), "at_items": at}
    return {"coverage": {**simulated, "holds_from": enough}}
