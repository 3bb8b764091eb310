"""What the fits of a run contain for every unit: scores of a model, of the best of many subsets, and the unit's place.

Reads the fan-ins `fits` and `units` of a step that draws figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.brain.measures import fits
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.measures.starring import star
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.rowtypes import RecordedUnit

Array = Any  # a numpy array
FITS, UNITS = "fits", "units"  # optional inputs


@dataclass(frozen=True)
class MeasuredUnits:
    """The fits of every dataset and split, and the recorded units of every dataset."""

    splits: tuple[SplitFits, ...]
    recorded: Mapping[str, Sequence[RecordedUnit]]

    def by_column(self, found: SplitFits, scores: Array) -> Array:
        """Return one score for each recorded unit, the mean over its experiments; NaN if it has none."""
        import numpy as np  # noqa: PLC0415

        total, counted = np.zeros(found.recorded), np.zeros(found.recorded)
        for part, own in zip(found.experiments, found.parts(scores), strict=True):
            known = np.isfinite(own)
            total[part.done[known]] += own[known]
            counted[part.done[known]] += 1
        return np.divide(total, counted, out=np.full(found.recorded, np.nan), where=counted > 0)


def measured(run: BrainRun, inputs: Mapping[str, Path]) -> MeasuredUnits:
    """Read the fits of a run, one file per group, and the units of each dataset in the order of the groups.

    Returns no units if either input is missing. Raises InputError if the number of files is wrong, and for whatever
    `measures.fits.read` refuses.
    """
    names = list(dict.fromkeys(str(group["dataset"]) for group in run.groups))
    if FITS not in inputs or UNITS not in inputs:
        return MeasuredUnits((), {})
    params = {"groups": run.groups, "datasets": names}
    splits = fits.read(params, inputs)
    parts = rows.parts(inputs[UNITS])
    return MeasuredUnits(
        tuple(splits), {name: list(rows.read(path, RecordedUnit)) for name, path in zip(names, parts, strict=True)}
    )


def best_of(found: SplitFits, models: Sequence[str]) -> Array:
    """Return each unit's highest score over some models."""
    return star([found.r2(model) for model in models])
