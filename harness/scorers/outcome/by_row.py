"""The standalone labelling of responses on all five benchmarks: one row in, one labelled row out.

It knows the rows of every benchmark; it must never know where rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, RootModel, model_validator

from harness.errors import InputError
from harness.scorers.given import checked
from harness.scorers.outcome import rows_choice, rows_text
from harness.scorers.outcome.result import LabelResult
from harness.scorers.outcome.rows_choice import Locality, Science
from harness.scorers.outcome.rows_text import Addition, Anagram, Transforms

BENCHMARKS: Mapping[str, Callable[[Mapping[str, Any]], LabelResult]] = {**rows_text.ROWS, **rows_choice.ROWS}


class BenchmarkRow(
    RootModel[Annotated[Addition | Anagram | Locality | Science | Transforms, Field(discriminator="benchmark")]]
):
    """Input: a response with what was asked, a tagged union over the five benchmarks."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        if "benchmark" not in given:
            raise InputError("the field `benchmark` is missing", where="benchmark", next=f"use one of: {_NAMES}")
        if given["benchmark"] not in [*BENCHMARKS]:
            what = f"no rules for benchmark {given['benchmark']!r:.80}"
            raise InputError(what, where="benchmark", next=f"use one of: {_NAMES}")
        return given


_NAMES = ", ".join(BENCHMARKS)


def score_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Validate and label one row, and give the fields of its label; InputError names the field that is wrong."""
    return labelled(checked(BenchmarkRow, row))


def labelled(row: BenchmarkRow) -> dict[str, Any]:
    """Label one validated row, and give the fields of its label and evidence."""
    return row.root.outcome().row()
