"""The choices of generation H in a family: the layer or width with the best score, by metric and experiment.

The authors' repository keeps one choice for R2 and another for Pearson's r. Both are made on test data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from harness.studies.brain.measures import choosing
from harness.studies.brain.measures.aggregation import aggregate
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.terms import H

Array = Any  # a numpy array
BY_METRIC = "by_metric"  # key in the document `choices`, in generation H only
R2, PEARSON = "r2", "pearson"


def by_metric(found: SplitFits, models: Sequence[str]) -> dict[str, Any]:
    """Return the best model of a family in each experiment by R2 and by Pearson's r, and its score over experiments.

    The score is None if an experiment has no model with a score.
    """
    metrics = {R2: found.r2, PEARSON: found.pearson}
    return {name: _chosen(found, models, scores_of) for name, scores_of in metrics.items()}


def _chosen(found: SplitFits, models: Sequence[str], scores_of: Callable[[str], Array]) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415 - heavy

    scores = [scores_of(model) for model in models]
    counted, of = found.units.counted(), np.array(found.units.experiments)
    together = np.full(len(of), np.nan)
    chosen: dict[str, str | None] = {}
    ties = 0
    for part in found.experiments:
        own = of == part.experiment
        taken, tied = choosing.choose([aggregate(one, found.units, H, counted & own).score for one in scores])
        chosen[part.experiment] = None if taken is None else models[taken]
        ties += tied
        if taken is not None:
            together[own] = scores[taken][own]
    score = None if None in chosen.values() else aggregate(together, found.units, H).score
    return {"chosen": chosen, "score": score, "near_ties": ties}
