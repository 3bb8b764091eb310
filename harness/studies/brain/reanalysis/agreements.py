"""Values that two published files both contain: equal columns, equal arrays, and choices.

Independent of the meaning of values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from harness.studies.brain.reanalysis.collection import (
    DIFFERS,
    EXACT,
    PublishedResults,
    PublishedScores,
    verdict,
)
from harness.studies.brain.reanalysis.naming import SIMPLE

OTHER_MODEL = "another simple model"  # of Pereira: figure 5's model also has GloVe vectors, besides position and length


def agreements(found: PublishedResults) -> dict[str, Any]:
    """Compare published numbers that occur in two files: `columns`, `curves`, `arrays`, `choices`, with verdicts."""
    return {
        "columns": _columns(found.columns, found),
        "curves": _columns(found.curves, found),
        "arrays": _arrays(found),
        "choices": _choices(found),
    }


def choices(found: PublishedResults) -> dict[str, Any]:
    """Return the layers and widths that the published files name as chosen, by file and key."""
    document: dict[str, Any] = {}
    for choice in found.choices:
        own = document.setdefault(choice["path"].rpartition("/")[2], {})
        own[choice["key"]] = {"is": choice["is"], "value": choice["value"], "model": choice["model"]}
    return document


def _columns(scores: Sequence[PublishedScores], found: PublishedResults) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for one, other in combinations(scores, 2):
        if one.path == other.path or _key(one) != _key(other) or one.scores.keys() != other.scores.keys():
            continue
        difference = max(abs(one.scores[name] - other.scores[name]) for name in one.scores)
        told[_label(one, other)] = _entry(found, one, other, difference)
    return told


def _arrays(found: PublishedResults) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for one, other in combinations(found.units, 2):
        if one.path == other.path or _key(one) != _key(other) or one.participants != other.participants:
            continue
        pairs = zip(one.units, other.units, strict=True)
        apart = [abs(a - b) for a, b in pairs if math.isfinite(a) or math.isfinite(b)]
        difference = max((each if math.isfinite(each) else math.inf for each in apart), default=0.0)
        told[_label(one, other)] = _entry(found, one, other, difference)
    return told


def _choices(found: PublishedResults) -> dict[str, Any]:
    """Compare the choices of each pair of files; the keys whose choices differ are named."""
    same = ("model", "dataset", "experiment", "metric", "split", "pooling", "is")
    files: dict[str, dict[tuple[str, ...], Any]] = {}
    for choice in found.choices:
        files.setdefault(choice["path"], {})[tuple(choice[name] for name in same)] = choice
    told: dict[str, Any] = {}
    for (one, own), (other, theirs) in combinations(files.items(), 2):
        shared = [key for key in own if key in theirs]
        parted = {
            own[key]["key"]: [own[key]["value"], theirs[key]["value"]]
            for key in shared
            if own[key]["value"] != theirs[key]["value"]
        }
        if shared:
            judged = DIFFERS if parted else EXACT
            name = f"{one.rpartition('/')[2]} and {other.rpartition('/')[2]}"
            told[name] = {"shared": len(shared), "differ": parted, "verdict": judged}
            found.note(one, other, f"{len(shared)} choices that both tell", judged)
    return told


def _entry(found: PublishedResults, one: PublishedScores, other: PublishedScores, difference: float) -> dict[str, Any]:
    judged = verdict(difference)
    if judged == DIFFERS and one.of.base == SIMPLE and one.figure != other.figure:
        judged = OTHER_MODEL
    known = difference if math.isfinite(difference) else None
    found.note(one.path, other.path, f"{one.label} and {other.label}", judged, known)
    return {"files": [one.path, other.path], "difference": known, "verdict": judged}


def _label(one: PublishedScores, other: PublishedScores) -> str:
    return f"{one.place} {one.metric} {one.split}: {one.label} of {one.figure}, {other.label} of {other.figure}"


def _key(one: PublishedScores) -> tuple[Any, ...]:
    """Return what two files must share to be compared; figure 2's simple model is not that of the other figures."""
    simple = one.figure if one.of.base == SIMPLE and one.split != "contiguous" else ""
    return (one.place, one.metric, one.split, one.network, one.of, simple)
