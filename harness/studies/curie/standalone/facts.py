"""The standalone scorers of the five tasks that strict mode scores by facts, and the published code by ROUGE.

Independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.rowtypes import Found
from harness.scorers.given import AbsentValue, Row, Text, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.curie.reading.ground_truth import preprocess
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring import facts_code, facts_geo, facts_hfd, facts_hfe, facts_qecc, rouge, rouge_strict
from harness.studies.curie.scoring.found import GOLD_INVALID, without
from harness.studies.curie.tasks import MODES, PAPER, TASKS

RULES: Mapping[str, Callable[[str, str], Found]] = {
    "geo": facts_geo.score,
    "qecc": facts_qecc.score,
    "hfe": facts_hfe.score,
    "hfd": facts_hfd.score,
    "dft-c": facts_code.score,
}


class FactsInput(Row):
    """Input: an answer, and the text of its record's ground-truth file."""

    model_response: Text = Field(description="what a model said, raw")
    ground_truth_text: Text = Field(description="the ground-truth file's text (JSON5)")
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper (ROUGE, as published, the default) or strict (facts, OURS)"
    )


class FactsOutput(ToolOutput):
    """Output: rougeLsum from 0 to 100 in paper mode, the F1 of facts from 0 to 1 in strict mode."""

    value: float | AbsentValue = Field(description="paper: rougeLsum, 0 to 100; strict: facts_f1, 0 to 1")
    outcome: Literal["valid", "invalid", "missing", "gold_invalid"] = Field(
        description="missing is a blank answer, invalid an unusable one, gold_invalid an unusable ground truth"
    )
    detail: dict[str, Any] = Field(description="metrics by name, mode, version; strict: some facts missed and extra")


def _run(task: str, row: FactsInput) -> Mapping[str, Any]:
    if row.mode == PAPER:
        return _paper(task, row)
    found = RULES[task](row.model_response, row.ground_truth_text)
    words = rouge_strict.score(task, row.model_response, row.ground_truth_text)
    metrics = {**found["detail"]["metrics"], **words["detail"]["metrics"]}
    return {**found, "detail": {**found["detail"], "metrics": metrics}}


def _paper(task: str, row: FactsInput) -> Mapping[str, Any]:
    try:
        reference = preprocess(row.ground_truth_text, TASKS[task].domain, TASKS[task].prompt)
    except Unreadable as bad:
        return without(PAPER, rouge.METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    return rouge.score(row.model_response, reference, PAPER)


SCORERS: Mapping[str, Tool] = {
    f"curie.{task.replace('-', '_')}": Tool(
        about=f"Scores {TASKS[task].about}: by ROUGE as published, or by the facts stated (strict, OURS).",
        takes=FactsInput,
        gives=FactsOutput,
        run=partial(_run, task),
    )
    for task in RULES
}
