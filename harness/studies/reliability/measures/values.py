"""Point estimates of one model on one benchmark: six indicators, companions, correlations.

Rules, starting with the first indicator: docs/reliability-rules.md#proportion. Works on ids, difficulties and counts of
labels; independent of models, benchmarks and rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.stats import spearman
from harness.studies.reliability.measures.bins import Bins
from harness.studies.reliability.measures.generality import generality
from harness.studies.reliability.measures.stability import stability
from harness.studies.reliability.terms import LABELS, NAMES, Counts, pooled


def measures(
    bins: Bins, difficulties: Sequence[float], counts: Sequence[Counts], discount: float = 0.0
) -> dict[str, Any]:
    """Return one model's indicators, correlations and shares from difficulty bins and label counts; None if undefined.

    `discount` is the share of non-avoidant answers that guessing gets right; it affects the concordance only
    (docs/reliability-rules.md#concordance). Raises InputError for a difficulty outside 0 to 100.
    """
    if any(not 0 <= each <= 100 for each in difficulties):
        raise InputError("a difficulty lies outside 0 to 100", where="difficulty", next="calibrate difficulties first")
    binned = [pooled(counts[place] for place in inside) for inside in bins.members]
    total = pooled(binned)
    psi = [_successes(triple, discount) for triple in binned]
    steady = {"correctness": _stability(counts, 0), "prudence": _stability(counts, 2)}
    agreed = {
        kind: _concordance(bins.difficulty, [each[at] for each in psi])
        for at, kind in enumerate(("correctness", "prudence"))
    }
    return {
        "counts": dict(zip(LABELS, total, strict=True)),
        "bin_of_item": bins.of_item,
        "bin_mean_difficulty": bins.difficulty,
        "bin_rate": {label: [_rate(triple[at], sum(triple)) for triple in binned] for at, label in enumerate(LABELS)},
        "psi_correctness": [each[0] for each in psi],
        "psi_prudence": [each[1] for each in psi],
        "indicators": _six(total, steady, agreed),
        "spearman_difficulty_vs_rate": _correlations(bins.difficulty, binned),
        "spearman_difficulty_vs_item_rate": _correlations(difficulties, counts),
        "ultracrepidarianism": _rate(total[2], total[1] + total[2]),
        **{name: _rate(total[LABELS.index(label)], sum(total)) for label, name in NAMES.items()},
        "stability": steady,
        "concordance": agreed,
        "n_items": len(counts),
        "n_scored": sum(total),
        "degenerate": len(counts) < 2 or not sum(total),
    }


def _six(
    total: Counts, steady: Mapping[str, Mapping[str, Any]], agreed: Mapping[str, Mapping[str, Any]]
) -> dict[str, float | None]:
    """Return the six indicators, 0 to 100."""
    return {
        "correctness_proportion": _rate(100 * total[0], sum(total)),
        "prudence_proportion": _rate(100 * (total[0] + total[1]), sum(total)),
        **{f"{kind}_stability": each["scaled"] for kind, each in steady.items()},
        **{f"{kind}_concordance": each["indicator"] for kind, each in agreed.items()},
    }


def _stability(counts: Sequence[Counts], at: int) -> dict[str, Any]:
    """Return the stability of one label against the others: of correct, or for prudence of incorrect."""
    return stability([triple[at] for triple in counts], [sum(triple) for triple in counts])


def flat(found: Mapping[str, Any]) -> dict[str, float | None]:
    """Return those values of a result of `measures` that get an interval, as one flat mapping by name."""
    return {
        **found["indicators"],
        **{f"spearman.bins.{label}": found["spearman_difficulty_vs_rate"][label] for label in LABELS},
        **{f"spearman.items.{label}": found["spearman_difficulty_vs_item_rate"][label] for label in LABELS},
        **{name: found[name] for name in ("ultracrepidarianism", *NAMES.values())},
    }


def _rate(part: float, whole: float) -> float | None:
    """Return part divided by whole; None if the whole is 0."""
    return part / whole if whole else None


def _successes(triple: Counts, discount: float) -> tuple[float | None, float | None]:
    """Return a bin's rates of correct and of prudent answers, minus the guessing discount, but not below zero."""
    correct, avoidant, incorrect = triple
    guessed, scored = discount * (correct + incorrect), sum(triple)
    return _rate(max(0, correct - guessed), scored), _rate(max(0, correct + avoidant - guessed), scored)


def _concordance(difficulties: Sequence[float], curve: Sequence[float | None]) -> dict[str, Any]:
    """Return the concordance of a curve over difficulty (0 to 1), and companions; bins without a rate are left out."""
    points = [(at / 100, share) for at, share in zip(difficulties, curve, strict=True) if share is not None]
    found = generality([at for at, _ in points], [share for _, share in points], 0.0)
    if not points:
        return {**found, "flat_curve": None, "difficulty_range": None}
    mean = math.fsum(share for _, share in points) / len(points)
    # The concordance of a flat curve with this mean rate, against which the value must be read.
    level = 100 / (1 + math.sqrt(mean * (1 - mean)))
    return {**found, "flat_curve": level, "difficulty_range": [points[0][0], points[-1][0]]}


def _correlations(difficulties: Sequence[float], counts: Sequence[Counts]) -> dict[str, float | None]:
    """Return Spearman's correlation of difficulty with the rate of each label over scored bins or items.

    Rule: docs/reliability-rules.md#correlations.
    """
    scored = [(at, triple) for at, triple in zip(difficulties, counts, strict=True) if sum(triple)]
    given = [at for at, _ in scored]
    return {
        label: spearman(given, [triple[at] / sum(triple) for _, triple in scored]) for at, label in enumerate(LABELS)
    }
