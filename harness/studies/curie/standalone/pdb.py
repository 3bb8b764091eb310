"""The standalone scorer `curie.pdb`: an answer to the PDB task against the right sequence, in paper or strict mode.

Does not run programs. It says which program an answer contains; the caller runs that program in a sandbox and adds the
outcome to the row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AbsentValue, Row, Text, ToolOutput, one_of_words
from harness.scorers.tool import ForeignProgram, Tool
from harness.studies.curie.code.pdb_programs import LIMITS, program
from harness.studies.curie.code.pdb_scores import score
from harness.studies.curie.scoring.sequences_strict import LEVEL, PRIMARY
from harness.studies.curie.tasks import MODES, PAPER


class PdbInput(Row):
    """Input: an answer, the right sequence, the prompt with the structure, and the outcome of the answer's program."""

    model_response: Text = Field(description="what a model said: FASTA, or a program between ```python and ```")
    ground_truth_text: Text = Field(default="", description="the ground-truth file, or its preprocessed text")
    ground_truth: dict[str, Any] | None = Field(default=None, description="the same as an object, instead of its text")
    prompt_text: Text = Field(default="", description="what the model was asked: a program reads its first ATOM and on")
    mode: Annotated[str, one_of_words("a mode", *MODES)] = Field(
        default=PAPER, description="paper (as published, the default) or strict (OURS)"
    )
    trial: dict[str, Any] | None = Field(
        default=None, description="what came of the answer's program: outcome (done, failed, …) and stdout"
    )


class PdbOutput(ToolOutput):
    """Output: the primary metric, whether a sequence could be read, and all measurements."""

    value: float | AbsentValue = Field(description="identity_ratio in paper mode, chance_corrected in strict mode")
    outcome: Literal["valid", "invalid", "missing", "gold_invalid"] = Field(description="missing is a blank answer")
    detail: dict[str, Any] = Field(description="metrics by name, mode, version; by_code: a program answered")
    chance_level: float | AbsentValue | None = Field(default=None, description="strict: mean of 100 shuffles")
    chance_corrected: float | AbsentValue | None = Field(default=None, description="strict: 0 is chance, 1 is equal")


def _program(given: PdbInput) -> tuple[str, str] | None:
    return program(given.model_response, _document(given), given.mode)


def _document(given: PdbInput) -> str:
    """Return the input of a program: the prompt from its first ATOM on, where the structure begins."""
    return given.prompt_text[max(0, given.prompt_text.find("ATOM")) :]


def _run(given: PdbInput) -> Mapping[str, Any]:
    if given.ground_truth is None and "ground_truth_text" not in given.model_fields_set:
        raise InputError("no right sequence is given", where="ground_truth_text", next="give it, or `ground_truth`")
    truth = given.ground_truth_text if given.ground_truth is None else json.dumps(given.ground_truth)
    found = score(given.model_response, truth, _document(given), given.trial, given.mode)
    metrics = found["detail"]["metrics"]
    return {**found, **{name: metrics[name] for name in (LEVEL, PRIMARY) if name in metrics}}


SCORERS: Mapping[str, Tool] = {
    "curie.pdb": Tool(
        about="Compares a protein's sequence in an answer with the right one (CURIE, PDB).",
        takes=PdbInput,
        gives=PdbOutput,
        run=_run,
        foreign=ForeignProgram(_program, "trial", LIMITS),
    ),
}
