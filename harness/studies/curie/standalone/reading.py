"""Standalone analyses of what is read: ground truths, predictions, the two files of a response.

Independent of where the input comes from and where results go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import AbsentValue, AnalysisInput, Text, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.curie.reading.dft_items import parameters, set_aside, structures
from harness.studies.curie.reading.ground_truth import filtered_mpv, parsed_mpv, preprocess
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.predictions import predictions_dft, predictions_mpv
from harness.studies.curie.reading.responses import failure_path, read_response
from harness.studies.curie.scoring.found import missing, plain

READERS = ("mpve", "dft")


class PreprocessInput(AnalysisInput):
    """Input: a ground-truth file, and the domain and prompt that it belongs to."""

    ground_truth_file_text: Text = Field(description="the ground-truth file")
    task: Text = Field(description="the domain: dft, mpve, hfe …")
    prompt: Text = Field(description="the published prompt, without .txt")


class PreprocessOutput(ToolOutput):
    """Output: the text that the paper passes to every metric."""

    result: str | AbsentValue = Field(description="the text; missing where the notebook raises")


class MpvGroundTruthInput(AnalysisInput):
    """Input: a ground truth of MPV."""

    ground_truth_text: Text = Field(description="the ground-truth file, or its preprocessed text")


class MpvGroundTruthOutput(ToolOutput):
    """Output: the items that the paper shows to the judge, and those that its unused filter would keep."""

    parse: list[Any] | AbsentValue = Field(
        description="in the order of index, without it; missing: the notebook raises"
    )
    filter: list[Any] | AbsentValue = Field(description="those of band gaps and refractive indices")


class DftGroundTruthInput(AnalysisInput):
    """Input: a ground truth of DFT."""

    ground_truth_text: Text = Field(description="the ground-truth file")


class DftGroundTruthOutput(ToolOutput):
    """Output: the items that strict mode compares with (D1, D2), which are read from the program in the file."""

    structures: list[Any] | AbsentValue = Field(description="the gold of DFT-S; missing: the file has no program")
    parameters: list[Any] | AbsentValue = Field(description="the gold of DFT-P")
    set_aside: dict[str, int] | AbsentValue = Field(description="other statements by class, broken ones as unreadable")


class LlmsimParseInput(AnalysisInput):
    """Input: an answer that should be a list of objects."""

    text: Text = Field(description="what a model said")
    reader: Annotated[str, one_of_words("a reader", *READERS)] = Field(description="mpve, or dft for DFT-S and DFT-P")
    repair: Text | None = Field(
        default=None, description="dft: what a model replies when it is asked to repair the answer"
    )


class LlmsimParseOutput(ToolOutput):
    """Output: what the paper uses as the predictions."""

    result: Any = Field(description="a list as a rule; missing where the notebook raises, or no model replied")
    repairs: int = Field(description="how often a model had to repair the answer: 0 or 1")


class ReadResponseInput(AnalysisInput):
    """Input: the two files of a published response, or the one that exists."""

    task: Text = Field(description="the domain: pdb must say what was asked")
    files: dict[str, str] = Field(description="texts by state: success, failure")
    model: Text = Field(
        default="model", description="the model's folder: a failure of command-r-plus may be a response"
    )


class ReadResponseOutput(ToolOutput):
    """Output: the combined content of the files."""

    response: str | AbsentValue = Field(description="what the model said; missing where the notebook skips the record")
    exception: str | AbsentValue = Field(description="what went wrong")
    prompt: str | AbsentValue = Field(description="what was asked, of pdb")


def _spelled(value: Any) -> Any:
    """Return a value with its numbers as rows hold them: `nan`, `inf` and `-inf` are texts."""
    if isinstance(value, Mapping):
        return {key: _spelled(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_spelled(one) for one in value]
    return plain(value) if isinstance(value, float) else value


def _or_missing(read: Callable[..., Any], *texts: str | None) -> Any:
    try:
        return _spelled(read(*texts))
    except Unreadable as bad:
        return missing(str(bad))


def _preprocess(given: PreprocessInput) -> Mapping[str, Any]:
    return {"result": _or_missing(preprocess, given.ground_truth_file_text, given.task, given.prompt)}


def _mpv_ground_truth(given: MpvGroundTruthInput) -> Mapping[str, Any]:
    text = given.ground_truth_text
    return {"parse": _or_missing(parsed_mpv, text), "filter": _or_missing(filtered_mpv, text)}


def _dft_ground_truth(given: DftGroundTruthInput) -> Mapping[str, Any]:
    readers = {"structures": structures, "parameters": parameters, "set_aside": lambda text: dict(set_aside(text))}
    return {name: _or_missing(read, given.ground_truth_text) for name, read in readers.items()}


def _llmsim_parse(given: LlmsimParseInput) -> Mapping[str, Any]:
    if given.reader == READERS[0]:
        return {"result": _or_missing(predictions_mpv, given.text), "repairs": 0}
    try:
        return {"result": _spelled(predictions_dft(given.text)), "repairs": 0}
    except Unreadable:
        return {"result": _or_missing(predictions_dft, given.text, given.repair), "repairs": 1}


def _read_response(given: ReadResponseInput) -> Mapping[str, Any]:
    path = f"inference_outputs/{given.task}/prompt/{given.model}/success/record.json"
    places = {"success": path, "failure": failure_path(path)}
    files = {places[state]: text for state, text in given.files.items() if state in places}
    try:
        found = read_response(path, files)
    except Unreadable as bad:
        return dict.fromkeys(("response", "exception", "prompt"), missing(str(bad)))
    return {"response": found.text, "exception": found.exception, "prompt": found.prompt}


ANALYSES: Mapping[str, Tool] = {
    "curie.preprocess": Tool(
        about="Prepares a ground-truth file as the CURIE notebook does for all its metrics.",
        takes=PreprocessInput,
        gives=PreprocessOutput,
        run=_preprocess,
    ),
    "curie.mpv_ground_truth": Tool(
        about="Reads the items of a ground truth of MPV as the CURIE notebook does.",
        takes=MpvGroundTruthInput,
        gives=MpvGroundTruthOutput,
        run=_mpv_ground_truth,
    ),
    "curie.dft_ground_truth": Tool(
        about="Reads the structures and parameter sets of a ground truth of DFT as strict mode does (OURS).",
        takes=DftGroundTruthInput,
        gives=DftGroundTruthOutput,
        run=_dft_ground_truth,
    ),
    "curie.llmsim_parse": Tool(
        about="Reads the predictions of an answer as the CURIE notebook does.",
        takes=LlmsimParseInput,
        gives=LlmsimParseOutput,
        run=_llmsim_parse,
    ),
    "curie.read_response": Tool(
        about="Reads a published response of CURIE out of its two files.",
        takes=ReadResponseInput,
        gives=ReadResponseOutput,
        run=_read_response,
    ),
}
