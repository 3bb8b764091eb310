"""The input and output fields of the standalone analyses of tests: errors and p-values with gaps, and their units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import (
    MOST,
    UNBOUNDED,
    AnalysisInput,
    Axes,
    Flag,
    Text,
    Texts,
    ToolOutput,
    UncheckedList,
    one_of_words,
    whole_number,
)
from harness.studies.brain.measures.blocks import SCANS
from harness.studies.brain.nulls import sizes
from harness.studies.brain.terms import BLANK, EXP1, FEDORENKO, GENERATIONS, PEREIRA, SPLITS, P

MOST_FAMILIES = 1000
Names = Annotated[list[Any], UncheckedList(list[Any])]


@dataclass(frozen=True)
class AxesWithGaps(Axes):
    """A pydantic field annotation for an array that may contain NaN, which is null or `nan` in JSON."""

    @property
    def what(self) -> str:
        """The shape in words, for error messages."""
        of = "numbers, with null where there is none"
        return f"a list of {of}" if self.count == 1 else f"rows, all of one length, of {of}"

    def _read(self, value: Any) -> Any:
        import numpy as np  # noqa: PLC0415 - heavy

        if not isinstance(value, np.ndarray):
            flat = super()._read(_filled(value, 0.0))  # checks its shape and its other numbers
            value = np.array(_filled(value, None), np.float64).reshape(flat.shape)
        if value.ndim != self.count or value.dtype.kind not in "iuf":
            raise self._no()
        return value


def _filled(value: Any, gap: float | None) -> Any:
    """Return nested lists with `gap` in place of each number that is not finite or, without a gap, with its float."""
    if isinstance(value, list | tuple):
        return [_filled(one, gap) for one in value]
    odd = isinstance(value, float) and not isfinite(value)
    if value is None or odd or (isinstance(value, str) and value in UNBOUNDED):
        return float("nan" if value is None else value) if gap is None else gap
    return value


Errors = Annotated[Any, AxesWithGaps(2)]


class PublishedTestsInput(AnalysisInput):
    """Input: squared errors [row, unit] of the four models, and the names of their units and rows."""

    se_intercept: Errors = Field(description="of the training mean")
    se_simple: Errors = Field(description="of the simple features")
    se_llm: Errors = Field(description="of the language model")
    se_full: Errors = Field(description="of both together")
    subject: Names = Field(description="the participant of each unit")
    network: Texts = Field(description="the network of each unit; those of `language` are tested")
    block_label: Names = Field(description="the block of each row")


class PublishedTestsOutput(ToolOutput):
    """Output: p-values of the language units, sorted by participant, and the best model's errors."""

    plain_pval: Any = Field(description="both against the simple one, over rows, corrected in each participant")
    plain_pval_orig: Any = Field(description="the same, raw")
    plain_pval_LLM_sig: Any = Field(description="the language model against the mean, over rows, corrected")  # noqa: N815
    plain_pval_LLM_sig_orig: Any = Field(description="the same, raw")  # noqa: N815
    plain_subject: list[Any] = Field(description="the participant of each")
    blocked_pval: Any = Field(description="both against the simple one, over means of blocks, corrected")
    blocked_pval_orig: Any = Field(description="the same, raw")
    blocked_pval_LLM_sig: Any = Field(description="the language model against the mean, over blocks, corrected")  # noqa: N815
    blocked_pval_LLM_sig_orig: Any = Field(description="the same, raw")  # noqa: N815
    blocked_subject: list[Any] = Field(description="the participant of each")
    select_lower_error: Any = Field(description="[row, unit] of the best of mean, language model and both, all units")


class BlockTestInput(AnalysisInput):
    """Input: squared errors of two models, and the label of each row's block or fold."""

    errors: Errors = Field(description="of the model that may be better, [row, unit]; null where there is none")
    against: Errors = Field(description="of the other model")
    labels: Names | None = Field(
        default=None, description="the block or fold of each row, as texts or numbers; without, rows are compared"
    )
    stories: Texts | None = Field(default=None, description="of Blank, instead of labels: the story of each row")
    scans: Annotated[int, whole_number(1)] = Field(
        default=SCANS, description="of Blank: how many rows a block has at most"
    )
    order: Annotated[Any, Axes(1, whole=True)] = Field(
        default=None, description="where errors stand in fold order: the row of each, by which labels are permuted"
    )
    omit: Flag = Field(default=False, description="whether rows with NaN are left out of a unit (generation H)")


class BlockTestOutput(ToolOutput):
    """Output: a p-value per unit, and what was compared."""

    p: Any = Field(description="one-sided: small where `errors` are lower; 1 where no test is possible")
    blocks: list[Any] | None = Field(default=None, description="labels in the order of the means; not of rows")
    means: Any = Field(default=None, description="of errors, [block, unit]")
    means_against: Any = Field(default=None, description="of the other's errors, [block, unit]")
    misaligned_p: Any = Field(
        default=None, description="with labels left in row order, as the repository seems to do; given an order"
    )


class FdrInput(AnalysisInput):
    """Input: p-values of units, and the participant and network of each."""

    p: Annotated[Any, AxesWithGaps(1)] = Field(description="a p-value a unit; null or nan counts as 1")
    participants: Texts = Field(description="of each unit")
    networks: Texts = Field(description="of each unit")
    experiments: Texts | None = Field(default=None, description="of each unit, where there are several")
    generation: Annotated[str, one_of_words("a generation", *GENERATIONS)] = Field(
        default=P, description="P: every participant, network and experiment; H: language, experiments merged"
    )


class FdrOutput(ToolOutput):
    """Output: corrected p-values, and counts below .05."""

    q: list[float | None] = Field(description="corrected within the family; null for a unit of none")
    families: list[dict[str, Any]] = Field(
        description="participant, network, units, raw, fdr; experiment if it has one"
    )
    raw_share: float | None = Field(description="of all tested units, those with p < .05")
    fdr_share: float | None = Field(description="of all tested units, those with q < .05")


class LowestErrorInput(AnalysisInput):
    """Input: squared errors of several models, by name."""

    errors: Mapping[str, Errors] = Field(
        description="[row, unit] of each model, in the order in which ties are settled"
    )


class LowestErrorOutput(ToolOutput):
    """Output: the best model of each unit."""

    chosen: list[str] = Field(description="the name of the model with the lowest mean squared error, a unit")
    lowest: Any = Field(description="its whole column of errors, [row, unit]")


class SizeOfTestInput(AnalysisInput):
    """Input: the dataset whose rows are simulated, and the size of the simulation."""

    layout: Annotated[str, one_of_words("a dataset's rows", PEREIRA, FEDORENKO, BLANK)] = Field(
        description="whose rows: pereira, fedorenko or blank"
    )
    experiment: Text = Field(default=EXP1, description="of Pereira: 384 or 243")
    split: Annotated[str, one_of_words("a split", *SPLITS, "")] = Field(default="", description="both, where left out")
    families: Annotated[int, whole_number(1, MOST_FAMILIES)] = Field(
        default=40, description="of units that are simulated"
    )
    units: Annotated[int, whole_number(1, MOST_FAMILIES)] = Field(default=sizes.UNITS, description="in a family")
    columns: Annotated[int, whole_number(1, MOST_FAMILIES)] = Field(
        default=sizes.COLUMNS, description="of a band of noise"
    )
    alphas: Texts = Field(default=[*sizes.ALPHAS], description="penalties that are tried, as texts")
    seed: Annotated[int, whole_number(-MOST)] = Field(default=0, description="of the simulation")


class SizeOfTestOutput(ToolOutput):
    """Output: by split, null, pair of models and level, the shares of units and of families with a hit."""

    contiguous: dict[str, Any] | None = Field(default=None, description="raw, family, their errors, families, units")
    shuffled: dict[str, Any] | None = Field(default=None, description="the same of shuffled splits")
