"""The indicators and what they are made of as analyses that work alone: over the command line, in a test, for an agent.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.stats import is_number
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.generality import generality
from harness.studies.reliability.measures.stability import stability
from harness.studies.reliability.measures.values import measures
from harness.studies.reliability.terms import BINS, GUESSED, Counts, are_labels, counted
from harness.studies.reliability.tools.fields import MOST, numbers, same_length, sequence, texts, whole, wholes


def bins_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Show how items are cut into bins, so that the rule can be checked without a model."""
    ids, difficulties = _items(given)
    found = cut(ids, difficulties, whole(given, "n_bins", BINS))
    return {
        "bin_of_item": found.of_item,
        "bin_sizes": [len(each) for each in found.members],
        "bin_mean_difficulty": found.difficulty,
    }


def stability_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the stability of one group of labels from counts, instance by instance."""
    return stability(wholes(given, "positives_per_instance"), wholes(given, "prompts_per_instance"))


def generality_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the generality of one curve."""
    h, psi, kmin = numbers(given, "h"), numbers(given, "psi"), given.get("kmin", 0.0)
    if kmin is not None and not is_number(kmin):
        raise InputError("`kmin` is not a finite number", where="kmin", next="give the lower limit of h, or null")
    return generality(h, psi, kmin)


def indicators_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give everything of one model on one benchmark: from labels to bins, rates, indicators and correlations."""
    ids, difficulties = _items(given)
    labels = sequence(given, "labels")
    same_length({"ids": ids, "labels": labels})
    most = whole(given, "prompts", MOST)
    counts = [_counts(each, place, most) for place, each in enumerate(labels)]
    discount = _discount(given)
    bins = cut(ids, difficulties, whole(given, "n_bins", BINS))
    return {**measures(bins, difficulties, counts, discount), "discount": discount}


def _items(given: Mapping[str, Any]) -> tuple[Sequence[str], list[float]]:
    ids, difficulties = texts(given, "ids"), numbers(given, "difficulty")
    same_length({"ids": ids, "difficulty": difficulties})
    if len(set(ids)) != len(ids):
        raise InputError("two items have the same id", where="ids", next="give each item once")
    return ids, difficulties


def _counts(labels: Any, place: int, most: int) -> Counts:
    if not are_labels(labels):
        raise InputError(
            f"`labels` of item {place} is no text of c, a and i", where="labels", next="leave out what was not scored"
        )
    if len(labels) > most:
        raise InputError(f"item {place} has {len(labels)} labels of {most} prompts", where="prompts")
    return counted(labels)


def _discount(given: Mapping[str, Any]) -> float:
    """Read what guessing finds: a number, or the word that this is the benchmark where the study discounts it."""
    science = given.get("science", given.get("benchmark") == "science")
    if not isinstance(science, bool):
        raise InputError("`science` is neither true nor false", where="science", next="give true for the discount")
    share = given.get("discount", GUESSED["science"] if science else 0.0)
    if not is_number(share) or not 0 <= share <= 1:
        raise InputError("`discount` is not a share", where="discount", next="give a number from 0 to 1, as 0.25")
    return float(share)


_ITEMS = {"ids": "texts", "difficulty": "a number an id", "n_bins": "how many bins; 30 where left out"}

_BINS = Tool(
    about="Cuts items into bins of equal size by difficulty, ties by id as text.",
    takes=_ITEMS,
    gives={
        "bin_of_item": "the bin of each item, from 0",
        "bin_sizes": "items a bin",
        "bin_mean_difficulty": "mean difficulty of each bin",
    },
    run=bins_of,
)

ANALYSES: Mapping[str, Tool] = {
    "reliability.bins": _BINS,
    "reliability.equal_size_bins": _BINS,
    "reliability.stability": Tool(
        about="Gives prompting stability: how far the wordings of an instance are answered alike.",
        takes={
            "positives_per_instance": "how many prompts of each instance are in the group (correct; or incorrect)",
            "prompts_per_instance": "how many of its prompts were scored",
        },
        gives={
            "s_pos, s_neg": "chance that another prompt of the instance agrees with one in, or not in, the group",
            "stability, scaled": "their mean, 0.5 to 1; and as published, 0 to 100",
            "degenerate": "whether all or none are in the group",
            "mean, between_instance_variance": "of the shares in the group, weighted by prompts",
            "noise_floor, corrected": "what pure noise reaches on the scale of 100, and the value with it taken away",
        },
        run=stability_of,
    ),
    "reliability.generality": Tool(
        about="Gives area, spread and generality of a curve of success over difficulty, and the indicator made of it.",
        takes={
            "h": "difficulties, on whatever scale",
            "psi": "success at each, 0 to 1",
            "kmin": "the lower limit of h, 0 where left out; null for the first h",
        },
        gives={
            "area, capability, expected_difficulty": "of the piecewise linear curve; null where undefined",
            "spread, generality": "V, and 1/V; null where infinite",
            "indicator": "100 / (1 + V)",
            "degenerate": "whether there is one difficulty only, or success always, or never",
        },
        run=generality_of,
    ),
    "reliability.indicators": Tool(
        about="Gives the six indicators of one model on one benchmark from its labels, and all they are made of.",
        takes={
            **_ITEMS,
            "labels": "an id's labels, one of c, a, i a prompt, as a text or a list; fewer where some were not scored",
            "prompts": "the most labels an item can have; may be left out",
            "discount": "share of non-avoidant answers that guessing finds, for the concordances alone; 0",
            "science": "true, or `benchmark` science: the discount is 0.25",
        },
        gives={
            "counts, correct, avoidant, incorrect": "labels in all, and their shares",
            "bin_of_item, bin_mean_difficulty, bin_rate": "the bins, and the rates of c, a, i in each",
            "psi_correctness, psi_prudence": "the two curves, less the discount",
            "indicators": "correctness_ and prudence_ proportion, stability and concordance, 0 to 100",
            "spearman_difficulty_vs_rate, spearman_difficulty_vs_item_rate": "over bins, over items; null if constant",
            "ultracrepidarianism": "i / (a + i); null where there is neither",
            "stability, concordance": "what these indicators are made of, and what noise and a flat curve reach",
            "n_items, n_scored, degenerate": "what the values rest on",
        },
        run=indicators_of,
    ),
}
