"""Scores of participants as published in tables, and recomputed from the scores of single units if both are present.

The rule is generation H's: the mean over a participant's units, undefined scores left out, clipped at 0. A participant
of both experiments of Pereira was averaged over them after clipping, which cannot be derived from an array of merged
units. How far the two values may differ is unknown, so only an exchange of participants counts as an error there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from harness.studies.brain.measures.aggregation import UnitTable, aggregate, mean
from harness.studies.brain.reanalysis.collection import (
    DIFFERS,
    EXACT,
    NOT_DERIVABLE,
    ROUNDING,
    PublishedResults,
    PublishedScores,
)
from harness.studies.brain.reanalysis.naming import FIGURE2, OASM, SIMPLE, ModelColumn
from harness.studies.brain.reanalysis.people import BOTH, in_order
from harness.studies.brain.terms import LANGUAGE, PEREIRA, H, P

NEARER, HALF = 10, 2  # OURS: an exchange must make the differences so many times smaller


def participants(found: PublishedResults) -> dict[str, Any]:
    """Return each published column of participants' scores beside the same scores averaged from its units.

    The keys are figure, data set, metric, split and model.
    """
    document: dict[str, Any] = {}
    for column in found.columns:
        scores = dict(column.scores)
        entry: dict[str, Any] = {
            "file": column.path,
            "published": scores,
            "mean": mean(scores.values()),
            "participants": len(scores),
        }
        if source := source_of(found, column):
            entry["recomputed"] = held = _held(column, source)
            found.note(column.path, source.path, column.label, held["verdict"], held["difference"])
        at = document.setdefault(column.figure, {}).setdefault(column.place, {}).setdefault(column.metric, {})
        at.setdefault(column.split, {})[column.label] = entry
    return document


def source_of(found: PublishedResults, column: PublishedScores) -> PublishedScores | None:
    """Return the array of units from which a table's column should follow; None if it is absent."""
    for units in found.units:
        same = (units.place, units.metric, units.network) == (column.place, column.metric, column.network)
        if same and units.split == column.split and model_of(units) == column.of:
            return units
    return None


def by_participant(units: PublishedScores, generation: str = H) -> dict[str, float]:
    """Average unit scores by participant, as the paper (P) or the repository (H) does within one experiment."""
    count = len(units.participants)
    table = UnitTable(units.participants, (LANGUAGE,) * count, ("",) * count, (True,) * count)
    return dict(aggregate(units.units, table, generation).participants)


def single_units(found: PublishedResults) -> dict[str, Any]:
    """Return the averages that follow from each published array of unit scores: by both methods, and the plain mean."""
    document: dict[str, Any] = {}
    for units in found.units:
        finite = [one for one in units.units if math.isfinite(one)]
        own = by_participant(units)
        clipped = by_participant(units, P)
        at = document.setdefault(units.figure, {}).setdefault(units.place, {}).setdefault(units.metric, {})
        at[units.label] = {
            "file": units.path,
            "split": units.split,
            "units": len(units.units),
            "undefined": len(units.units) - len(finite),
            "participants": own,
            "mean": mean(own.values()),
            "clipped_first": {"participants": clipped, "mean": mean(clipped.values())},
            "units_mean": mean(finite),
            "units_mean_clipped": mean(max(one, 0.0) for one in finite),
        }
    return document


def model_of(units: PublishedScores) -> ModelColumn:
    """Return the encoding model of a published array of unit scores; the simple model of figure 2 is OASM."""
    told = units.of
    if told.base == SIMPLE and units.figure.split("-")[0] == FIGURE2:
        return told._replace(base=OASM, pooling="")
    return told


def _held(column: PublishedScores, units: PublishedScores) -> dict[str, Any]:
    """Compare a table's column with the units: exact, not derivable or different, for each participant."""
    own = _matched(column, units)
    differences = {one: abs(own[one] - column.scores[one]) for one in column.scores if one in own}
    wrong = {one: value for one, value in differences.items() if value > ROUNDING}
    swapped = exchanged({one: column.scores[one] for one in differences}, own)
    merging = BOTH if (column.dataset, column.experiment) == (PEREIRA, "") else frozenset[str]()
    merged = {one: value for one, value in wrong.items() if one in merging and one not in swapped}
    other = [one for one in column.scores if one not in own or (one in wrong and one not in merged)]
    rest = max((value for one, value in differences.items() if one not in merged), default=None)
    return {
        "from": units.path,
        "model": units.model,
        "participants": own,
        "mean": mean(own.values()),
        "differences": differences,
        "difference": rest,
        "exact": len(differences) - len(wrong),
        "not_derivable": merged,
        "not_derivable_difference": max(merged.values(), default=None),
        "differs": other,
        "swapped": swapped,
        "verdict": DIFFERS if other else NOT_DERIVABLE if merged else EXACT,
    }


def _matched(column: PublishedScores, units: PublishedScores) -> dict[str, float]:
    """Return recomputed scores under the table's names, matched by order if the names differ; others are left out."""
    own, names = by_participant(units), in_order({*units.participants})
    alike = {*names} == column.scores.keys()
    return {
        theirs: own[ours]
        for theirs, ours in zip(names if alike else in_order(column.scores), names, strict=True)
        if ours in own
    }


def exchanged(published: Mapping[str, float], own: Mapping[str, float]) -> list[str]:
    """Return the participants whose published scores are swapped: each has the score recomputed for the other.

    Participants at the same rank in both orders form a pair; no other pairing has smaller differences. Participants who
    exchange values count if the exchange makes their differences many times smaller, or if it halves them and gives one
    of them exactly another's number.
    """
    theirs, ours = (sorted(published, key=lambda one: (values[one], one)) for values in (published, own))
    place = dict(zip(theirs, ours, strict=True))
    found: set[str] = set()
    for first in published:
        ring = [first]
        while (after := place[ring[-1]]) != first:
            ring.append(after)
        apart = [abs(published[one] - own[one]) for one in ring]
        moved = [abs(published[one] - own[place[one]]) for one in ring]
        very = any(new <= ROUNDING < old for new, old in zip(moved, apart, strict=True))
        if math.fsum(apart) > ROUNDING and math.fsum(moved) * (HALF if very else NEARER) <= math.fsum(apart):
            found.update(ring)
    return [one for one in published if one in found]
