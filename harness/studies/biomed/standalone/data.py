"""The standalone analyses of data: the published sampling, split, merge and retries, on what a caller gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import (
    AnalysisInput,
    FieldCheck,
    Flag,
    Row,
    Text,
    Texts,
    ToolOutput,
    one_of_words,
    whole_number,
)
from harness.scorers.tool import Tool
from harness.studies.biomed.data import merging, retries, sampling, splitting
from harness.studies.biomed.terms import MODES, PAPER

MOST = 1_000_000  # rows
Model = TypeVar("Model")
Amount = Annotated[int, whole_number(1, MOST)]
Seed = Annotated[int, whole_number(0, 2**32 - 1)]
Retries = Annotated[int, whole_number(1, retries.MOST_RETRIES)]
Delay = Annotated[int, whole_number(0, 10**6)]
SplitMode = Annotated[str, one_of_words("a split", *splitting.SPLITS)]
Mode = Annotated[str, one_of_words("a mode", *MODES)]


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping) and all(each is None or isinstance(each, str) for each in _ids(value))


def _ids(value: Mapping[str, Any]) -> tuple[Any, ...]:
    return value.get("uuid"), value.get("template_uuid")


def _are_rows(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) <= MOST and all(map(_is_row, value))


def _are_templates(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return False
    total = 0
    for each in value:
        if not isinstance(each, list | tuple) or len(each) != 2 or not isinstance(each[0], str):
            return False
        if not isinstance(each[1], int) or isinstance(each[1], bool) or not 0 <= each[1] <= MOST:
            return False
        total += each[1]
    return total <= MOST


_A_ROW = {"type": "object"}
_ROWS = FieldCheck(
    _are_rows, "a list of objects whose `uuid` and `template_uuid` are texts", {"type": "array", "items": _A_ROW}
)
_TABLES = FieldCheck(
    lambda value: isinstance(value, Mapping) and all(map(_are_rows, value.values())),
    "an object of lists of objects whose `uuid` is a text",
    {"type": "object", "additionalProperties": {"type": "array", "items": _A_ROW}},
)
_TEMPLATES = FieldCheck(
    _are_templates, "a list of [template, how many rows it has], a million rows at most", {"type": "array"}
)
Rows = Annotated[list[Mapping[str, Any]], _ROWS]
RowsByName = Annotated[Mapping[str, list[Mapping[str, Any]]], _TABLES]
TemplateSizes = Annotated[list[tuple[str, int]], _TEMPLATES]


class SampleSettings(Row):
    """Settings of a sample of questions per template; a setting that is not given is as published."""

    n: Amount | None = Field(default=None, description="rows of a template at most; 270")
    batch_size: Amount | None = Field(default=None, description="rows of a draw; 10")
    random_state: Seed | None = Field(default=None, description="the seed of every draw; 12")


class SplitSettings(SampleSettings):
    """Settings of a split of questions into test and train."""

    split_mode: SplitMode | None = Field(default=None, description="official (as published) or disjoint (OURS)")


class MergeSettings(Row):
    """Settings of a merge of the questions with each model's answers."""

    mode: Mode | None = Field(default=None, description="paper (as published, the default) or strict (OURS)")


class RetrySettings(Row):
    """Settings of repeated queries after failures; a setting that is not given is as published."""

    retries: Retries | None = Field(default=None, description="queries at most; 3")
    initial_delay: Delay | None = Field(default=None, description="seconds of sleep after the first failure; 2")


class DataSamplingInput(AnalysisInput, SampleSettings):
    """Input: rows in the order of their file, each with its uuid and template_uuid."""

    rows: Rows = Field(description="objects of uuid and template_uuid; a row without a template is never drawn")
    params: SampleSettings = Field(default=SampleSettings(), description="n, batch_size, random_state")


class DataSamplingOutput(ToolOutput):
    """Output: the sample."""

    uuids: list[str | None] = Field(description="of the drawn rows, in the published order")
    index: list[int] = Field(description="the first three row numbers of the sample, which begin at 0 again")


class DataSplitInput(AnalysisInput, SplitSettings):
    """Input: rows, or the number of rows of each template."""

    templates: TemplateSizes | None = Field(
        default=None, description="[template, how many rows]; their uuids are then TEMPLATE.1 and so on"
    )
    rows: Rows | None = Field(default=None, description="objects of uuid and template_uuid, instead of templates")
    params: SplitSettings = Field(default=SplitSettings(), description="split_mode, n, batch_size, random_state")


class DataSplitOutput(ToolOutput):
    """Output: test and train, and how they overlap."""

    n_total: int = Field(description="how many rows there are")
    n_test: int = Field(description="how many rows test has")
    n_train: int = Field(description="how many rows train has")
    test_uuids: list[str | None] = Field(description="of test, in the published order")
    train_uuids: list[str | None] = Field(description="of train, in the order of the file")
    train_uuids_first10: list[str | None] = Field(description="the first ten of them")
    train_uuids_last3: list[str | None] = Field(description="the last three of them")
    overlap_test_train: int = Field(description="rows of train that are in test")
    in_neither: int = Field(description="rows that are in neither")
    split_mode: str = Field(description="official or disjoint")


class DataMergeInput(AnalysisInput, MergeSettings):
    """Input: the questions, and the rows of each model's file by file name; an empty cell is null."""

    qa: Rows = Field(description="the questions: objects of the six columns; others are left out")
    by_model: RowsByName = Field(description="file name -> rows, objects of uuid and the model's own columns")
    params: MergeSettings = Field(default=MergeSettings(), description="mode")


class DataMergeOutput(ToolOutput):
    """Output: the merged table, and the counts of dropped, returned and repeated rows."""

    columns: list[str] = Field(description="in their order")
    rows: list[dict[str, Any]] = Field(description="sorted by uuid; a missing cell is null")
    dropped: int = Field(description="questions that lack a cell")
    returned: int = Field(description="rows that came back without their question, or never had one")
    repeated: int = Field(description="rows beyond the first of their uuid")


class DataRetriesInput(AnalysisInput, RetrySettings):
    """Input: a question, and a model's replies to it, query by query."""

    query: Text = Field(description="the question")
    responses: Texts = Field(description="the replies in their order")
    last_response_repeats: Flag = Field(default=True, description="whether the last reply stands for all further ones")
    params: RetrySettings = Field(default=RetrySettings(), description="retries, initial_delay")


class DataRetriesOutput(ToolOutput):
    """Output: the stored text, the number of queries, and the sleeps."""

    result: str = Field(description="the text that is stored")
    queries: int = Field(description="how often the model was asked")
    delays: list[int] = Field(description="seconds slept after each failure")


def _first(*found: Model | None, usual: Model) -> Model:
    """Return the first value that is not None, or the usual one."""
    return next((one for one in found if one is not None), usual)


def _draws(given: DataSamplingInput | DataSplitInput) -> tuple[int, int, int]:
    params = given.params
    return (
        _first(given.n, params.n, usual=sampling.PER_TEMPLATE),
        _first(given.batch_size, params.batch_size, usual=sampling.BATCH),
        _first(given.random_state, params.random_state, usual=sampling.SEED),
    )


def sampling_of(given: DataSamplingInput) -> dict[str, Any]:
    """Return the uuids of the published sample of rows."""
    places = sampling.sample_by_template([row.get("template_uuid") for row in given.rows], *_draws(given))
    return {"uuids": [given.rows[place].get("uuid") for place in places], "index": [*range(len(places))][:3]}


def split_of(given: DataSplitInput) -> dict[str, Any]:
    """Return test and train of rows, or of templates with given numbers of rows.

    Raise InputError if neither is given, or both are.
    """
    if (given.rows is None) == (given.templates is None):
        raise InputError("rows are wanted, or templates", where="templates", next="give one of the two")
    pairs = [(row.get("uuid"), row.get("template_uuid")) for row in given.rows or ()]
    pairs += [(f"{name}.{number}", name) for name, size in given.templates or () for number in range(1, size + 1)]
    mode = _first(given.split_mode, given.params.split_mode, usual=splitting.OFFICIAL)
    found = splitting.split([template for _, template in pairs], mode, *_draws(given))
    test, train = ([pairs[place][0] for place in places] for places in (found.test, found.train))
    return {
        "n_total": len(pairs),
        "n_test": len(test),
        "n_train": len(train),
        "test_uuids": test,
        "train_uuids": train,
        "train_uuids_first10": train[:10],
        "train_uuids_last3": train[-3:],
        "overlap_test_train": found.overlap,
        "in_neither": found.in_neither,
        "split_mode": mode,
    }


def merge_of(given: DataMergeInput) -> dict[str, Any]:
    """Return the merged table of questions and answers; raise InputError as `merging.merge` does."""
    found = merging.merge(given.qa, given.by_model, _first(given.mode, given.params.mode, usual=PAPER))
    return {
        "columns": list(found.columns),
        "rows": [dict(row) for row in found.rows],
        "dropped": found.dropped,
        "returned": found.returned,
        "repeated": found.repeated,
    }


def retries_of(given: DataRetriesInput) -> dict[str, Any]:
    """Return the text that the published code stores after retries, from a model's replies; InputError for too few."""
    params = given.params
    found = retries.retried(
        given.query,
        given.responses,
        repeat=given.last_response_repeats,
        retries=_first(given.retries, params.retries, usual=retries.RETRIES),
        initial_delay=_first(given.initial_delay, params.initial_delay, usual=retries.INITIAL_DELAY),
    )
    return found._asdict()


ANALYSES: Mapping[str, Tool] = {
    "biomed.sampling": Tool(
        about="Draws the published sample of rows: up to 270 a template, in batches, with one seed.",
        takes=DataSamplingInput,
        gives=DataSamplingOutput,
        run=sampling_of,
    ),
    "biomed.official_split_main": Tool(
        about="Splits rows into test and train as the published script does, or without an overlap, and counts it.",
        takes=DataSplitInput,
        gives=DataSplitOutput,
        run=split_of,
    ),
    "biomed.merge": Tool(
        about="Merges questions with the tables of answers of each model, as the published code does, or checked.",
        takes=DataMergeInput,
        gives=DataMergeOutput,
        run=merge_of,
    ),
    "biomed.retries": Tool(
        about="Gives what the published code stores of a model's replies, and how long it sleeps in between.",
        takes=DataRetriesInput,
        gives=DataRetriesOutput,
        run=retries_of,
    ),
}
