"""Findings of models that differ only in the seed of their weights: each number's mean over the seeds.

Reads the findings of each seed, not the fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.studies.brain.measures.aggregation import mean
from harness.studies.brain.measures.findings_rows import highest
from harness.studies.brain.terms import CONTIGUOUS

Finding = Mapping[str, Any]


def over_seeds(found: Mapping[str, Finding], seeds: Sequence[str], choices: Mapping[str, Any]) -> dict[str, Any]:
    """Average the findings on one model drawn from several seeds, and count for each layer how many seeds chose it.

    `choices` are those of the dataset, by split. Left out are numbers that a seed lacks, texts that differ between
    seeds, and entries that only some seeds have. The mean of percentages is the mean of the seeds' own percentages.
    Layers are counted in contiguous splits. Raises InputError if there is no seed, or a seed has no findings.
    """
    if not seeds:
        raise InputError("a set has no seed", where="untrained", next="name each model of another seed")
    if lacking := [seed for seed in seeds if seed not in found]:
        told = f"nothing was found of {lacking[0][:80]!r}"
        raise InputError(told, where="untrained", next=f"choose of: {', '.join(found)}")
    averaged = _averaged([found[seed] for seed in seeds])
    if "subsets" in averaged:
        averaged["highest_subset"] = highest(averaged["subsets"])
    r2 = averaged.get("alone", {}).get(CONTIGUOUS, {}).get("r2")
    if r2 is not None:
        averaged["r2"] = r2
    return {**averaged, "seeds": [*seeds], "layers": _layers(found, seeds, choices.get(CONTIGUOUS, {}))}


def _layers(found: Mapping[str, Finding], seeds: Sequence[str], choices: Mapping[str, Any]) -> dict[str, int]:
    """Count the seeds that chose each layer for the model alone; a layer that no seed chose counts 0."""
    known = {int(point["place"]) for seed in seeds for point in choices.get(seed, {}).get("curve", ())}
    taken = [found[seed].get("alone", {}).get(CONTIGUOUS, {}).get("layer") for seed in seeds]
    return {str(layer): taken.count(layer) for layer in sorted(known | {one for one in taken if one is not None})}


def _averaged(parts: Sequence[Finding]) -> dict[str, Any]:
    """Average the numbers that all parts have under the same key; keep a text if it is the same in all parts."""
    first, *others = parts
    found: dict[str, Any] = {}
    for key, value in first.items():
        if not all(key in other for other in others):
            continue
        values = [part[key] for part in parts]
        if all(isinstance(one, Mapping) for one in values):
            found[key] = _averaged(values)
        elif all(_is_number(one) for one in values):
            found[key] = mean(values)
        elif isinstance(value, str) and len({repr(one) for one in values}) == 1:
            found[key] = value
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
