"""The figure of models drawn from several seeds: the score of the best layer of each seed, and the mean over seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import (
    BAR,
    BLUE,
    DIAMOND,
    ORANGE,
    MarkChart,
    MarkPanel,
    RowMark,
    mark_chart,
)
from harness.studies.brain.pages.figures_scores import COLOURS, SHIFTS
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.terms import SPLITS

MEAN = "mean over seeds"


def seeds(run: BrainRun) -> charts.Sheet:
    """Draw the score of each seed's best layer and their mean, one panel per data set and set of untrained models."""
    found: dict[tuple[str, str], dict[str, list[RowMark]]] = {}
    for dataset in run.datasets:
        for split in SPLITS:
            for name, own in run.seed_sets(dataset, split).items():
                rows = found.setdefault((dataset, name), {})
                for row, mark in _marks(own, split).items():
                    rows.setdefault(row, []).append(mark)
    panels = [MarkPanel(f"{name} in {run.title(dataset)}", "", marks) for (dataset, name), marks in found.items()]
    names = list(dict.fromkeys(name for panel in panels for name in panel.marks))
    ordered = [*(name for name in names if name != MEAN), *([MEAN] if MEAN in names else [])]
    note = f"The best layer of a seed is the highest on test data; which it is stands in the table.{run.origin()}"
    legend = (("shuffled", ORANGE, BAR), ("contiguous", BLUE, BAR), ("mean, nested (OURS)", charts.INK, DIAMOND))
    under = "R2 out of sample of the language network."
    return mark_chart(MarkChart(outputs.TITLES[outputs.SEEDS], under, ordered, panels, note, legend=legend))


def _marks(found: Any, split: str) -> Mapping[str, RowMark]:
    own: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    colour, shift = COLOURS[split], SHIFTS[split]
    each = {str(seed): RowMark(number(r2), colour, shift) for seed, r2 in section(own, "r2_by_seed").items()}
    nested = number(section(own, "nested").get("r2"))
    return {**each, MEAN: RowMark(number(own.get("r2")), colour, shift, diamond=nested)}
