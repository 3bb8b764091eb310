"""The standalone scorer `curie.rouge`: a whole answer against a reference text, in paper or strict mode.

Independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AbsentValue, Row, Text, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.curie.scoring import rouge, rouge_strict
from harness.studies.curie.scoring.found import GOLD_INVALID, without
from harness.studies.curie.tasks import MODES, PAPER, STRICT, TASKS


class CurieRougeInput(Row):
    """Input: an answer and its reference; in strict mode also a task and a ground-truth file, which R3 reads."""

    prediction: Text = Field(description="what a model said, raw")
    reference: Text = Field(default="", description="what it is compared with: in paper mode the preprocessed text")
    task: Annotated[str, one_of_words("a task", *TASKS)] | None = Field(
        default=None, description="strict: whose reference is taken from ground_truth_text"
    )
    ground_truth_text: Text = Field(default="", description="strict, with task: the ground-truth file's text")
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper (as published, the default) or strict (OURS)"
    )


class CurieRougeOutput(ToolOutput):
    """Output: rougeLsum, which the paper calls ROUGE-L, and the other two, from 0 to 100."""

    value: float | AbsentValue = Field(description="rougeLsum, 0 to 100")
    outcome: Literal["valid", "missing", "gold_invalid"] = Field(description="missing is a blank answer")
    detail: dict[str, Any] = Field(description="metrics by name, mode, version")


def _run(row: CurieRougeInput) -> Mapping[str, Any]:
    if row.mode == STRICT and row.task:
        return rouge_strict.score(row.task, row.prediction, row.ground_truth_text)
    if "reference" not in row.model_fields_set:
        raise InputError("no reference is given", where="reference", next="give it; strict: or task, ground_truth_text")
    if row.mode == STRICT and not row.reference.strip():
        return without(STRICT, rouge.METRICS, GOLD_INVALID, "the reference: nothing in it to compare with")
    return rouge.score(row.prediction, row.reference, row.mode)


SCORERS: Mapping[str, Tool] = {
    "curie.rouge": Tool(
        about="Counts ROUGE-1, -2 and -Lsum of an answer as the published code of CURIE does, from 0 to 100.",
        takes=CurieRougeInput,
        gives=CurieRougeOutput,
        run=_run,
    ),
}
