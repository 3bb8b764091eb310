"""The standalone analyses of the indicators: bins, stability, generality, and all six indicators of a model.

Works on the fields that a caller passes; independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.generality import generality
from harness.studies.reliability.measures.stability import stability
from harness.studies.reliability.measures.values import measures
from harness.studies.reliability.standalone import indicators_fields as fields
from harness.studies.reliability.standalone.fields import same_length
from harness.studies.reliability.terms import GUESSED, Counts, counted


def bins_of(given: fields.ItemsInput) -> dict[str, Any]:
    """Cut items into bins of equal size by difficulty; return each item's bin, and sizes and mean difficulties."""
    _check(given)
    found = cut(given.ids, given.difficulty, given.n_bins)
    return {
        "bin_of_item": found.of_item,
        "bin_sizes": [len(each) for each in found.members],
        "bin_mean_difficulty": found.difficulty,
    }


def stability_of(given: fields.StabilityInput) -> dict[str, Any]:
    """Return the prompting stability of one group of labels from counts for each instance."""
    return stability(given.positives_per_instance, given.prompts_per_instance)


def generality_of(given: fields.GeneralityInput) -> dict[str, Any]:
    """Return area, spread, generality and indicator of one curve of success over difficulty."""
    return generality(given.h, given.psi, given.kmin)


def indicators_of(given: fields.IndicatorsInput) -> dict[str, Any]:
    """Return one model's reliability indicators on one benchmark from its labels: bins, rates, correlations.

    Raises InputError for lists of different lengths, a duplicate id, or more labels than prompts.
    """
    _check(given)
    same_length({"ids": given.ids, "labels": given.labels})
    counts = [_counts(each, place, given.prompts) for place, each in enumerate(given.labels)]
    science = given.benchmark == "science" if given.science is None else given.science
    discount = float((GUESSED["science"] if science else 0.0) if given.discount is None else given.discount)
    bins = cut(given.ids, given.difficulty, given.n_bins)
    return {**measures(bins, given.difficulty, counts, discount), "discount": discount}


def _check(given: fields.ItemsInput) -> None:
    same_length({"ids": given.ids, "difficulty": given.difficulty})
    if len(set(given.ids)) != len(given.ids):
        raise InputError("two items have the same id", where="ids", next="give each item once")


def _counts(labels: str | Sequence[str], place: int, most: int) -> Counts:
    if len(labels) > most:
        raise InputError(f"item {place} has {len(labels)} labels of {most} prompts", where="prompts")
    return counted(labels)


_BINS = Tool(
    about="Cuts items into bins of equal size by difficulty, ties by id as text.",
    takes=fields.ItemsInput,
    gives=fields.BinsOutput,
    run=bins_of,
)

ANALYSES: Mapping[str, Tool] = {
    "reliability.bins": _BINS,
    "reliability.equal_size_bins": _BINS,
    "reliability.stability": Tool(
        about="Gives prompting stability: how far the wordings of an instance are answered alike.",
        takes=fields.StabilityInput,
        gives=fields.StabilityOutput,
        run=stability_of,
    ),
    "reliability.generality": Tool(
        about="Gives area, spread and generality of a curve of success over difficulty, and the indicator made of it.",
        takes=fields.GeneralityInput,
        gives=fields.GeneralityOutput,
        run=generality_of,
    ),
    "reliability.indicators": Tool(
        about="Gives the six indicators of one model on one benchmark from its labels, and all they are made of.",
        takes=fields.IndicatorsInput,
        gives=fields.IndicatorsOutput,
        run=indicators_of,
    ),
}
