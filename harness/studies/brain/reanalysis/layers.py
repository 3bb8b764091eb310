"""The published curves over layers: the best layer of each split, and the correlation of the two splits' curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.studies.brain.measures.curves import with_and_without_first
from harness.studies.brain.reanalysis.collection import (
    DIFFERS,
    EXACT,
    NOT_DERIVABLE,
    ROUNDING,
    PublishedResults,
    PublishedScores,
)
from harness.studies.brain.reanalysis.naming import COMBINED
from harness.studies.brain.reanalysis.people import BOTH, ONE_ALONE
from harness.studies.brain.terms import CONTIGUOUS, EXP1, EXP2, PEREIRA, SHUFFLED

ALL = "all"  # the key of a data set without experiments


def curves(found: PublishedResults) -> dict[str, Any]:
    """Return each published layer curve with its best layer, and the correlation of the two splits' curves.

    The keys are figure, data set, experiment, metric and model.
    """
    document: dict[str, Any] = {}
    for curve in found.curves:
        at = document.setdefault(curve.figure, {}).setdefault(curve.dataset, {})
        at = at.setdefault(curve.experiment or ALL, {}).setdefault(curve.metric, {}).setdefault(curve.label, {})
        if curve.split in at:  # published in two files, which are compared elsewhere
            continue
        best = best_layer(curve.scores)
        at[curve.split] = {
            "file": curve.path,
            "scores": dict(curve.scores),
            "best": int(best),
            "best_score": curve.scores[best],
            "chosen": _chosen(found, curve, int(best)),
        }
        if CONTIGUOUS in at and SHUFFLED in at:
            at["correlations"] = _together(at[SHUFFLED]["scores"], at[CONTIGUOUS]["scores"])
    _combined(found, document)
    return document


def best_layer(scores: Mapping[str, float]) -> str:
    """Return the layer with the highest score, the first of equals."""
    return max(sorted(scores, key=int), key=lambda layer: scores[layer])


def _together(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, Any]:
    places = sorted({int(layer) for layer in (*one, *other)})
    values = ([scores.get(str(place)) for place in places] for scores in (one, other))
    return dict(with_and_without_first(places, *values))


def _chosen(found: PublishedResults, curve: PublishedScores, best: int) -> dict[str, Any]:
    """Compare the best layer with the layers that were published as chosen, by file; empty if there is none."""
    told: dict[str, Any] = {}
    for choice in found.choices:
        own = (choice["model"], choice["pooling"], choice["dataset"], choice["experiment"], choice["metric"])
        same = own == (*curve.of, curve.dataset, curve.experiment, curve.metric) and choice["split"] == curve.split
        if same and choice["is"] == "layer":
            agreed = EXACT if int(choice["value"]) == best else DIFFERS
            told[choice["path"].rpartition("/")[2]] = {"layer": int(choice["value"]), "verdict": agreed}
            found.note(curve.path, choice["path"], f"best layer of {curve.model}, {curve.split}", agreed)
    return told


def _combined(found: PublishedResults, document: dict[str, Any]) -> None:
    """Compare curves of both experiments of Pereira together with each experiment's, by all possible averages."""
    known = {
        (one.figure, one.metric, one.model, one.split, one.experiment): one
        for one in found.curves
        if one.dataset == PEREIRA
    }
    for (figure, metric, model, split, experiment), curve in known.items():
        parts = [known.get((figure, metric, model, split, one)) for one in (EXP1, EXP2)]
        first, second = parts
        if experiment != COMBINED or first is None or second is None:
            continue
        shared = [layer for layer in curve.scores if layer in first.scores and layer in second.scores]
        tried = {
            name: max(
                abs(weight * first.scores[one] + (1 - weight) * second.scores[one] - curve.scores[one])
                for one in shared
            )
            for name, weight in _weights().items()
        }
        rule = min(tried, key=lambda name: tried[name])
        # A mean over participants of their own means cannot be derived from two curves, so this is not a difference.
        judged = EXACT if tried[rule] <= ROUNDING else NOT_DERIVABLE
        at = document[figure][PEREIRA][COMBINED][metric][curve.label][split]
        at["from_experiments"] = {"rule": rule, "difference": tried[rule], "verdict": judged}
        for part in (first, second):
            found.note(curve.path, part.path, f"{model}: {rule}", judged, tried[rule])


def _weights() -> dict[str, float]:
    """Return the weight of the first experiment for each possible average of two curves of means."""
    first, second = (len(BOTH) + len(ONE_ALONE[one]) for one in (EXP1, EXP2))
    return {"mean of the two experiments": 0.5, "mean over the participants of both": first / (first + second)}
