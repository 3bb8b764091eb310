"""The vectorised form of `values.measures`: values of all models in many bootstrap resamples.

Rule: docs/reliability-rules.md#uncertainty. Works on counts of labels as arrays. `defined.defined` is the definition:
tests compare the two, on the labels as they are and on resampled ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.kit.resample import Array, ratio
from harness.stats import bin_edges
from harness.studies.reliability.measures.replicate_bins import binned, concordance
from harness.studies.reliability.measures.replicate_items import PreparedItems, item_correlations, prepare, stabilities
from harness.studies.reliability.terms import BINS, LABELS, NAMES, SIX, Counts

CELLS = 1_000_000  # numbers of a working array; limits the memory, whatever the input


@dataclass(frozen=True)
class SortedCounts:
    """Label counts of all models on a benchmark as one array, with the items sorted by difficulty."""

    order: list[int]  # the position of each instance in the table
    difficulty: Array  # [instance]
    counts: Array  # [instance, model, label]


def sorted_counts(
    ids: Sequence[str], difficulties: Sequence[float], counts: Iterable[Sequence[Counts]]
) -> SortedCounts:
    """Return the label counts of several models as one array, its instances sorted by difficulty, then id."""
    order = sorted(range(len(ids)), key=lambda place: (difficulties[place], ids[place]))
    labels = np.array(list(counts), np.int32).transpose(1, 0, 2)[order]
    return SortedCounts(order, np.array(difficulties, np.float64)[order], labels)


def replicate(given: SortedCounts, drawn: Array, bins: int = BINS, discount: float = 0.0) -> dict[str, Array]:
    """Compute every value in each bootstrap resample: an array [resample, model] by name, NaN where undefined.

    `drawn` is [resample, instance]: how often each instance of the table is drawn in each resample.
    """
    size, models = given.counts.shape[:2]
    rows = max(1, CELLS // (size + bins * models))
    items, edges, weights = prepare(given.difficulty, given.counts), bin_edges(size, bins), drawn[:, given.order]
    parts = [
        _some(given, items, edges, weights[start : start + rows], discount) for start in range(0, len(weights), rows)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _some(
    given: SortedCounts, items: PreparedItems, edges: Sequence[int], weights: Array, discount: float
) -> Mapping[str, Array]:
    cut = binned(given.difficulty, given.counts, edges, weights)
    total = cut.counts.sum(axis=1)
    scored, (correct, avoidant, incorrect) = total.sum(axis=2), (total[..., at] for at in range(len(LABELS)))
    steady, agreed = stabilities(items, weights, total), concordance(cut, discount)
    over_items = item_correlations(items, weights)
    found = (
        100 * ratio(correct, scored),
        100 * ratio(correct + avoidant, scored),
        steady[..., 0],
        steady[..., 1],
        agreed[..., 0],
        agreed[..., 1],
    )
    return {
        **dict(zip(SIX, found, strict=True)),
        **{f"spearman.items.{label}": over_items[..., at] for at, label in enumerate(LABELS)},
        "ultracrepidarianism": ratio(incorrect, avoidant + incorrect),
        **{name: ratio(total[..., LABELS.index(label)], scored) for label, name in NAMES.items()},
    }
