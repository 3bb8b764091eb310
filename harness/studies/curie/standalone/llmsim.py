"""The standalone scorers `curie.llmsim_mpv` and `curie.llmsim_dft`: an answer by a judge's replies, in either mode.

The judge's replies are part of the input; no judge is asked here. Independent of where rows come from and where results
go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AbsentValue, Row, Text, Texts, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.curie.scoring import llmsim, llmsim_strict
from harness.studies.curie.tasks import MODES, PAPER, TASKS

_DFT = {TASKS[name].prompt: name for name in ("dft-s", "dft-p")}
_MPV = ("mpv", "mpv-non-trivial", "mpv-specific")
OUTPUTS = "what the judge replied, one text a gold item in the order in which paper or strict mode asks"


class LlmsimMpvInput(Row):
    """Input: an answer with properties, the right ones, and the judge's replies."""

    model_response: Text = Field(description="what a model said: a JSON list of properties")
    ground_truth_text: Text = Field(description="the ground-truth file, or its preprocessed text")
    judge_outputs: Texts = Field(default=[], description=OUTPUTS)
    task: Annotated[str, one_of_words("a task", *_MPV)] = Field(
        default=_MPV[0], description="strict: mpv-specific looks at band gaps and refractive indices alone"
    )
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper (as published, the default) or strict (OURS)"
    )


class LlmsimDftInput(Row):
    """Input: an answer with structures or parameters, the ground-truth file, and the judge's replies."""

    model_response: Text = Field(description="what a model said: a JSON list of structures or of parameter sets")
    ground_truth_file_text: Text = Field(description="the ground-truth file, with the program in it")
    prompt: Annotated[str, one_of_words("a prompt of DFT-S or DFT-P", *_DFT)] = Field(
        description="which of the two was asked"
    )
    judge_outputs: Texts = Field(
        default=[],
        description=f"{OUTPUTS}; paper: first the repairs of what cannot be read, ground truth before answer",
    )
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper (as published, the default) or strict (OURS)"
    )


class LlmsimOutput(ToolOutput):
    """Output: F1 of matched items, whether the answer could be read, and all measurements."""

    value: float | str | AbsentValue = Field(description="f1; nan as a text")
    outcome: Literal["valid", "invalid", "missing", "gold_invalid"] = Field(description="missing is a blank answer")
    detail: dict[str, Any] = Field(
        description="metrics by name, mode, version; strict: pairs (places of gold item and prediction), set_aside"
    )
    judge_errors: int | None = Field(default=None, description="strict: replies without a readable object")


def _mpv(row: LlmsimMpvInput) -> Mapping[str, Any]:
    if row.mode == PAPER:
        return llmsim.score(row.task, row.ground_truth_text, row.model_response, row.judge_outputs, prepared=True)
    return _strict(row.task, row.ground_truth_text, row.model_response, row.judge_outputs)


def _dft(row: LlmsimDftInput) -> Mapping[str, Any]:
    task, truth = _DFT[row.prompt], row.ground_truth_file_text
    if row.mode != PAPER:
        return _strict(task, truth, row.model_response, row.judge_outputs)
    needed = llmsim.repairs(task, truth, row.model_response)
    if len(row.judge_outputs) < len(needed):
        raise InputError("a repair has no reply", where="judge_outputs", next=f"begin with: {', '.join(needed)}")
    repaired = dict(zip(needed, row.judge_outputs, strict=False))
    return llmsim.score(task, truth, row.model_response, row.judge_outputs[len(needed) :], repaired)


def _strict(task: str, truth: str, response: str, outputs: Sequence[str]) -> dict[str, Any]:
    found = llmsim_strict.score(task, truth, response, outputs)
    detail = found["detail"]
    return {**found, **{name: detail[name] for name in ("judge_errors",) if name in detail}}


SCORERS: Mapping[str, Tool] = {
    "curie.llmsim_mpv": Tool(
        about="Counts the properties of an answer that a judge finds among the right ones (CURIE, MPV: LLMSim).",
        takes=LlmsimMpvInput,
        gives=LlmsimOutput,
        run=_mpv,
    ),
    "curie.llmsim_dft": Tool(
        about="Counts the structures or parameters of an answer that a judge finds among the right ones (CURIE, DFT).",
        takes=LlmsimDftInput,
        gives=LlmsimOutput,
        run=_dft,
    ),
}
