"""The parts of the summary about several answers to one item: in several wordings, and in several samples.

Works on scored prompts; independent of how scores are made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.studies.questions.measures.samples import RIGHT, are_verdicts, pass_at, sizes, vote
from harness.studies.questions.measures.scored_prompts import PendingMeans, Place, Prompt, ScoredPrompts

NO_VERDICTS = {"missing": "a score says more than right or wrong"}
NOT_READ = {"missing": "the scorer read nothing of any answer"}
Placed = list[tuple[Place, dict[str, Any]]]


def wordings(places: Mapping[Place, ScoredPrompts]) -> Placed:
    """Return the mean score of each prompt wording and their spread, by model, dataset and scorer."""
    pending, told = PendingMeans(), Placed()
    for place, found in places.items():
        if len(found.wordings) > 1:
            by_wording: dict[int, dict[Prompt, list[float]]] = {wording: {} for wording in found.wordings}
            for prompt, samples in found.samples.items():
                by_wording[prompt[1]][prompt] = [sample.value for sample in samples]
            means = {
                str(wording): pending.add(found.column(place[1], values)) for wording, values in by_wording.items()
            }
            told.append((place, {"by_wording": means, "spread": _spread([mean["value"] for mean in means.values()])}))
    pending.close()
    return told


def _spread(values: Sequence[float]) -> dict[str, float]:
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return {"low": min(values), "high": max(values), "range": max(values) - min(values), "deviation": deviation}


def samples(places: Mapping[Place, ScoredPrompts]) -> Placed:
    """Return pass@k and the majority vote's mean score, by model, dataset and scorer, for repeated answers."""
    pending, told = PendingMeans(), Placed()
    for place, found in places.items():
        if found.most > 1:
            measured = {
                "pass_at": _passes(place[1], found, pending),
                "majority": _majority(place[1], found, pending),
            }
            told.append((place, {"prompts": len(found.samples), "most": found.most, **measured}))
    pending.close()
    return told


def _passes(dataset: str, found: ScoredPrompts, pending: PendingMeans) -> dict[str, Any]:
    """Return pass@k for each k; prompts with fewer than k scored answers are left out and counted."""
    if not are_verdicts(sample.value for samples in found.samples.values() for sample in samples):
        return NO_VERDICTS
    told: dict[str, Any] = {}
    for k in sizes(found.most):
        values = {
            prompt: [pass_at(k, sum(sample.value == RIGHT for sample in samples), len(samples))]
            for prompt, samples in found.samples.items()
            if len(samples) >= k
        }
        told[str(k)] = pending.add(found.column(dataset, values))
        told[str(k)]["left_out"] = len(found.samples) - len(values)
    return told


def _majority(dataset: str, found: ScoredPrompts, pending: PendingMeans) -> dict[str, Any]:
    if not found.votes:
        return NOT_READ
    votes = {prompt: vote(samples) for prompt, samples in found.samples.items()}
    told = pending.add(found.column(dataset, {prompt: [one.value] for prompt, one in votes.items()}))
    told["ties"] = sum(one.tied for one in votes.values())
    told["unread"] = sum(one.unread for one in votes.values())
    return told
