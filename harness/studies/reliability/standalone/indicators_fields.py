"""Input and output models of the indicators' standalone analyses.

Defines names and types of fields only.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import (
    MOST,
    AnalysisInput,
    Counts,
    Flag,
    Number,
    Numbers,
    Texts,
    ToolOutput,
    list_of_values,
    whole_number,
)
from harness.studies.reliability.standalone.fields import LABELS, Share
from harness.studies.reliability.terms import BINS

MEMBERS = "the bins, and the rates of c, a, i in each"
COUNTED = "labels in all, and their shares"
CURVES = "the two curves, less the discount"
SPEARMAN = "over bins, over items; null if constant"
MADE_OF = "what these indicators are made of, and what noise and a flat curve reach"
RESTS = "what the values rest on"
CHANCE = "chance that another prompt of the instance agrees with one in, or not in, the group"
SCALED = "their mean, 0.5 to 1; and as published, 0 to 100"
WEIGHTED = "of the shares in the group, weighted by prompts"
NOISE = "what pure noise reaches on the scale of 100, and the value with it taken away"
AREA = "of the piecewise linear curve; null where undefined"
SPREAD = "V, and 1/V; null where infinite"
GUESSED = "true, or `benchmark` science: the discount is 0.25"
Values = dict[str, float | None]


class ItemsInput(AnalysisInput):
    """Input: items with their difficulties, and the number of bins."""

    ids: Texts = Field(description="texts")
    difficulty: Numbers = Field(description="a number an id")
    n_bins: Annotated[int, whole_number(1)] = Field(default=BINS, description="how many bins; 30 where left out")


class BinsOutput(ToolOutput):
    """Output: the bin of each item, and each bin's size and mean difficulty."""

    bin_of_item: list[int] = Field(description="the bin of each item, from 0")
    bin_sizes: list[int] = Field(description="items a bin")
    bin_mean_difficulty: list[float] = Field(description="mean difficulty of each bin")


class StabilityInput(AnalysisInput):
    """Input: the number of each instance's answers that are in a group of labels."""

    positives_per_instance: Counts = Field(
        description="how many prompts of each instance are in the group (correct; or incorrect)"
    )
    prompts_per_instance: Counts = Field(description="how many of its prompts were scored")


class StabilityOutput(ToolOutput):
    """Output: prompting stability of one group of labels, its components, and the values to compare it with."""

    s_pos: float | None = Field(description=CHANCE)
    s_neg: float | None = Field(description=CHANCE)
    stability: float | None = Field(description=SCALED)
    scaled: float | None = Field(description=SCALED)
    degenerate: bool = Field(description="whether all or none are in the group")
    mean: float | None = Field(description=WEIGHTED)
    between_instance_variance: float | None = Field(description=WEIGHTED)
    noise_floor: float | None = Field(description=NOISE)
    corrected: float | None = Field(description=NOISE)


class GeneralityInput(AnalysisInput):
    """Input: a curve of success over difficulty."""

    h: Numbers = Field(description="difficulties, on whatever scale")
    psi: Numbers = Field(description="success at each, 0 to 1")
    kmin: Number | None = Field(default=0.0, description="the lower limit of h, 0 where left out; null for the first h")


class GeneralityOutput(ToolOutput):
    """Output: area, spread and generality of the curve, and the indicator made of them."""

    area: float | None = Field(description=AREA)
    capability: float | None = Field(description=AREA)
    expected_difficulty: float | None = Field(description=AREA)
    spread: float | None = Field(description=SPREAD)
    generality: float | None = Field(description=SPREAD)
    indicator: float | None = Field(description="100 / (1 + V)")
    degenerate: bool = Field(description="whether there is one difficulty only, or success always, or never")


class IndicatorsInput(ItemsInput):
    """Input: items with the labels of one model on one benchmark."""

    labels: Annotated[list[Any], list_of_values(LABELS, "a list of texts of c, a and i")] = Field(
        description="an id's labels, one of c, a, i a prompt, as a text or a list; fewer where some were not scored"
    )
    prompts: Annotated[int, whole_number(1, MOST)] = Field(
        default=MOST, description="the most labels an item can have; may be left out"
    )
    discount: Share | None = Field(
        default=None, description="share of non-avoidant answers that guessing finds, for the concordances alone; 0"
    )
    science: Flag | None = Field(default=None, description=GUESSED)
    benchmark: Any = Field(default=None, description=GUESSED)


class IndicatorsOutput(ToolOutput):
    """Output: all indicators of one model on one benchmark."""

    counts: dict[str, int] = Field(description=COUNTED)
    correct: float | None = Field(description=COUNTED)
    avoidant: float | None = Field(description=COUNTED)
    incorrect: float | None = Field(description=COUNTED)
    bin_of_item: list[int] = Field(description=MEMBERS)
    bin_mean_difficulty: list[float] = Field(description=MEMBERS)
    bin_rate: Any = Field(description=MEMBERS)
    psi_correctness: list[float | None] = Field(description=CURVES)
    psi_prudence: list[float | None] = Field(description=CURVES)
    indicators: Values = Field(description="correctness_ and prudence_ proportion, stability and concordance, 0 to 100")
    spearman_difficulty_vs_rate: Values = Field(description=SPEARMAN)
    spearman_difficulty_vs_item_rate: Values = Field(description=SPEARMAN)
    ultracrepidarianism: float | None = Field(description="i / (a + i); null where there is neither")
    stability: dict[str, Any] = Field(description=MADE_OF)
    concordance: dict[str, Any] = Field(description=MADE_OF)
    n_items: int = Field(description=RESTS)
    n_scored: int = Field(description=RESTS)
    degenerate: bool = Field(description=RESTS)
    discount: float = Field(description="what was taken for guessed")
