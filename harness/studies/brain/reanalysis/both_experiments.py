"""The means of Pereira's tables, derived from the two experiments' curves over layers (OURS, and exact).

A participant of both experiments has the mean of two scores; other participants have one score. The table's sum
therefore follows from the scores of the best layers of both curves. If one curve is absent, its best score is implied.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from harness.studies.brain.measures.aggregation import mean
from harness.studies.brain.reanalysis.collection import PublishedResults, PublishedScores, verdict
from harness.studies.brain.reanalysis.layers import best_layer
from harness.studies.brain.reanalysis.people import BOTH, ONE_ALONE
from harness.studies.brain.terms import EXP1, EXP2, LANGUAGE, PEREIRA


def both_experiments(found: PublishedResults) -> dict[str, Any]:
    """Compare each published score of Pereira's two experiments together with the model's layer curve."""
    document: dict[str, Any] = {}
    for column in found.columns:
        if (column.dataset, column.experiment, column.network) != (PEREIRA, "", LANGUAGE):
            continue
        curves = {curve.experiment: curve for curve in found.curves if _same(curve, column)}
        best = {name: curves[name].scores[best_layer(curves[name].scores)] for name in (EXP1, EXP2) if name in curves}
        if not best or not (BOTH | {*ONE_ALONE[EXP1], *ONE_ALONE[EXP2]}) <= column.scores.keys():
            continue
        entry = _entry(column.scores, best)
        for curve in curves.values():
            if "difference" in entry and curve.experiment in best:
                found.note(
                    column.path,
                    curve.path,
                    f"{column.label}: mean from the best layers",
                    entry["verdict"],
                    entry["difference"],
                )
        at = document.setdefault(column.figure, {}).setdefault(column.metric, {}).setdefault(column.split, {})
        at[column.label] = {"file": column.path, "best": best, **entry}
    return document


def _same(curve: PublishedScores, column: PublishedScores) -> bool:
    about = (curve.dataset, curve.metric, curve.split, curve.of)
    return about == (column.dataset, column.metric, column.split, column.of)


def _entry(scores: Mapping[str, float], best: Mapping[str, float]) -> dict[str, Any]:
    """Compute the table's mean from both curves, or an absent curve's best score from the table and the other curve."""
    both = 2 * math.fsum(scores[name] for name in BOTH)  # the sum over both experiments, for participants of both
    alone = {name: math.fsum(scores[one] for one in people) for name, people in ONE_ALONE.items()}
    counts = {name: len(BOTH) + len(people) for name, people in ONE_ALONE.items()}
    summed = {name: counts[name] * value - alone[name] for name, value in best.items()}
    if len(summed) == 2:
        following = (math.fsum(summed.values()) / 2 + math.fsum(alone.values())) / len(scores)
        difference = abs(following - (mean(scores.values()) or 0.0))
        return {"mean": following, "difference": difference, "verdict": verdict(difference)}
    [known] = summed
    other = EXP2 if known == EXP1 else EXP1
    return {"implied_best": {other: (both - summed[known] + alone[other]) / counts[other]}}
