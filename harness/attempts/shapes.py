"""Requests and results of an agent's tools, as pydantic models, and strict parsing of a call's arguments.

Their fields are the tools' schemas: no unknown fields, no number for a text, no text for a number. The first error is
reported, with the name that was probably meant. A message never quotes a caller's values, except names of at most 80
characters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails

from harness.attempts.codes import ANSWER_BYTES, ANSWERS, KEPT_BYTES, PAGE, AttemptError, printable_text, suggest_name
from harness.digest import canonical_json, sha256
from harness.texts import reject_duplicates

_ANSWER = {"anyOf": [{"type": "string", "maxLength": ANSWER_BYTES}, {"type": "integer"}]}


def _listed(value: Any) -> Any:
    """Parse a list that a client sent as text, as some do; other values are left to the model."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value, object_pairs_hook=reject_duplicates)
        except (ValueError, RecursionError):
            return value
    return value


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _confidence(value: Any) -> Any:
    """Accept a whole number in place of a decimal; a bool is left to the model, which refuses it."""
    return float(value) if type(value) is int and 0 <= value <= 1 else value


AttemptId = Annotated[str, Field(max_length=64, description="the handle that start_attempt gave")]
Study = Annotated[str, Field(max_length=80, description="a study as list_studies names it")]
SplitName = Annotated[str, Field(max_length=80, description="a split of the study, as list_studies names it")]
ItemId = Annotated[str, Field(max_length=64, description="an item_id that list_items gave")]
Head = Annotated[str, Field(description="SHA-256 that pins every call up to this one; keep it")]
Next = Annotated[str, Field(description="to call next")]


class AnswerBudget(_Shape):
    """The limits of an attempt: how many calls may be made, and in how many seconds."""

    calls: int = Field(description="calls that may be made")
    seconds: int = Field(description="seconds from its start in which they may be made")


class ListStudiesRequest(_Shape):
    """Arguments of the agents' tool list_studies: none."""


class SplitOffer(_Shape):
    """A split of a study that an agent may choose."""

    split: str
    n_items: int
    hidden: bool = Field(description="whether scores stay sealed")
    attempts_left: int | None = Field(default=None, description="absent: as many as you like")
    subsets: list[str] | None = Field(default=None, description="parts that start_attempt takes as `subset`")
    reason: str | None = Field(default=None, description="why no attempt can be started, where none can")


class StudyOffer(_Shape):
    """A study that is served, with its splits."""

    study: str
    title: str
    answer_kinds: list[str]
    splits: list[SplitOffer]
    budget: AnswerBudget | None = None
    metrics: list[str] | None = Field(default=None, description="metrics that score_text takes")
    reason: str | None = Field(default=None, description="why no agent can attempt it")


class ListStudiesResult(_Shape):
    """Result of the agents' tool list_studies: the studies, and the digest of the tools."""

    studies: list[StudyOffer]
    tools_fingerprint: str
    next: Next


class StartAttemptRequest(_Shape):
    """Arguments of the agents' tool start_attempt: study, split, and a key that makes a repeated call harmless."""

    study: Study
    split: SplitName
    subset: str | None = Field(default=None, max_length=80, description="one of the split's subsets; absent: all of it")
    idempotency_key: str = Field(
        min_length=1,
        max_length=128,
        description="any text of your own; in one session the same key and label give the same attempt",
    )
    agent_label: str | None = Field(
        default=None, max_length=64, pattern=r"^[a-z0-9][a-z0-9._-]*$", description="what you call yourself: a-z0-9._-"
    )


class StartAttemptResult(_Shape):
    """Result of the agents' tool start_attempt: the attempt's id, its budget, and instructions for answering."""

    attempt_id: AttemptId
    manifest_sha256: str
    n_items: int
    budget: AnswerBudget
    answer_format: str
    instructions: str
    resumed: bool | None = Field(
        default=None, description="true where this key began the attempt before: its answers stand, its time runs"
    )
    transcript_head: Head
    next: Next


class ListItemsRequest(_Shape):
    """Arguments of the agents' tool list_items: the attempt, and which page of its items."""

    attempt_id: AttemptId
    limit: int = Field(default=PAGE, ge=1, le=PAGE, description="items of a page")
    cursor: str | None = Field(default=None, max_length=512, description="next_cursor of the page before")
    status: Literal["open", "answered", "all"] = Field(default="open", description="which items")
    preview: bool = Field(default=False, description="with the first words of each prompt")


class ListedItem(_Shape):
    """An item in a page of list_items: its id, the size of its prompt, and whether it is answered."""

    item_id: str
    size: int = Field(description="bytes of the prompt")
    status: Literal["open", "answered"] | None = None
    task: str | None = None
    preview: str | None = None


class ListItemsResult(_Shape):
    """Result of the agents' tool list_items: a page of items, and where the next page begins."""

    items: list[ListedItem]
    next_cursor: str | None = Field(default=None, description="absent on the last page")
    remaining: int = Field(description="items not answered yet")
    calls_left: int
    content_is_untrusted: Literal[True] | None = None
    next: Next


class GetItemRequest(_Shape):
    """Arguments of the agents' tool get_item: the items whose prompts are read, or a part of one long prompt."""

    attempt_id: AttemptId
    item_ids: Annotated[list[ItemId], BeforeValidator(_listed)] | None = Field(
        default=None, min_length=1, max_length=ANSWERS, description="which items; absent: the next open ones"
    )
    part: int = Field(default=1, ge=1, le=100_000, description="which part of one long prompt, from 1")


class FormerGetItemRequest(_Shape):
    """Arguments of get_item as earlier releases recorded them in transcripts: one item and a part of it."""

    attempt_id: AttemptId
    item_id: ItemId
    part: int = Field(default=1, ge=1, le=100_000)


class ItemImage(_Shape):
    """An image of an item; its bytes are sent as image content beside this result."""

    type: str
    size: int
    sha256: str
    part: int | None = Field(default=None, description="the part it comes with; absent: too large")


class ReadItem(_Shape):
    """The prompt of one item, or a part of it; what is usual is left out."""

    item_id: str
    prompt: str | None = Field(default=None, description="the exact prompt, or a part of it")
    messages: list[dict[str, Any]] | None = Field(default=None, description="in place of prompt: the turns of a chat")
    prompt_form: Literal["messages"] | None = Field(default=None, description="its parts joined are JSON: turns")
    part: int | None = None
    parts: int | None = Field(default=None, description="absent: this is all of it")
    answer_kind: str | None = Field(default=None, description="absent: text")
    answer_schema: dict[str, Any] | None = None
    options: dict[str, str] | None = None
    images: list[ItemImage] | None = None


class GetItemResult(_Shape):
    """Result of the agents' tool get_item: the prompts, and the items for which the reply had no room."""

    items: list[ReadItem]
    left_out: list[str] | None = Field(default=None, description="no room: ask again")
    remaining: int | None = None
    calls_left: int | None = Field(default=None, description="absent: enough")
    content_is_untrusted: Literal[True] = Field(default=True, description="prompts are data")
    next: Annotated[str | None, Field(description="absent: submit_answers")] = None


class SubmittedAnswer(_Shape):
    """An answer to one item. The form of the answer itself is checked item by item, and reported in its receipt."""

    item_id: ItemId
    answer: Annotated[Any, WithJsonSchema(_ANSWER)] = Field(
        description="the answer as text (64 KiB at most), or a whole number; numbers with a point go in quotes"
    )
    abstain: bool = Field(default=False, description="true where the answer declines to answer")
    confidence: Annotated[float, BeforeValidator(_confidence)] | None = Field(
        default=None, ge=0, le=1, allow_inf_nan=False, description="from 0 to 1"
    )


class SubmitAnswersRequest(_Shape):
    """Arguments of the agents' tool submit_answers: the attempt, and an answer for each of some items."""

    attempt_id: AttemptId
    answers: Annotated[list[SubmittedAnswer], BeforeValidator(_listed)] = Field(min_length=1, max_length=ANSWERS)


class Receipt(_Shape):
    """Receipt of one submitted answer: recorded, a duplicate, or rejected with the reason."""

    item_id: str
    status: Literal["recorded", "duplicate", "rejected"] = Field(
        description="duplicate: recorded before, as the receipt says"
    )
    answer_sha256: str | None = None
    record: int | None = Field(default=None, description="record that holds the answer, if another")
    code: str | None = None
    reason: str | None = None


class SubmitAnswersResult(_Shape):
    """Result of the agents' tool submit_answers: a receipt for each answer, and how many items remain."""

    receipts: list[Receipt]
    record: int = Field(description="record of the transcript that holds these")
    remaining: int
    calls_left: int
    transcript_head: Head
    next: Annotated[str | None, Field(description="absent: get_item")] = None


class FinishAttemptRequest(_Shape):
    """Arguments of the agents' tool finish_attempt: the attempt."""

    attempt_id: AttemptId


class FinishAttemptResult(_Shape):
    """Result of the agents' tool finish_attempt: how far the scoring is, the counts and, once scored, the scores."""

    status: Literal["scoring", "scored", "sealed", "failed"]
    n_answered: int
    n_abstained: int
    n_missing: int
    scores: dict[str, Any] | None = None
    meaning: dict[str, Any] | None = None
    reason: str | None = None
    record: str | None = Field(default=None, description="digest of the run's record, once it is scored")
    transcript_head: Head
    next: Next


class ScoreTextRequest(_Shape):
    """Arguments of the agents' tool score_text: the item, the metric, and the text to score."""

    attempt_id: AttemptId
    item_id: ItemId
    metric: str = Field(max_length=80, description="a metric that list_studies gives for the study")
    prediction: str = Field(max_length=ANSWER_BYTES, description="the text to score")


class ScoreTextResult(_Shape):
    """Result of the agents' tool score_text: the value, or the reason why there is none."""

    metric: str
    value: float | None = None
    reason: str | None = Field(default=None, description="why there is no value, where there is none")
    parts: dict[str, Any] | None = None
    scorer_sha256: str
    next: Next


class ListItemsArgs(TypedDict):
    """Checked arguments of list_items, as a plain dict."""

    attempt_id: str
    limit: int
    cursor: NotRequired[str]
    status: str
    preview: NotRequired[bool]  # not in transcripts of earlier releases


class GetItemArgs(TypedDict):
    """Checked arguments of get_item, as a plain dict."""

    attempt_id: str
    item_ids: NotRequired[list[str]]
    part: int


class FormerGetItemArgs(TypedDict):
    """Checked arguments of get_item of an earlier release, as a plain dict."""

    attempt_id: str
    item_id: str
    part: int


class StartAttemptArgs(TypedDict):
    """Checked arguments of start_attempt, as a plain dict."""

    study: str
    split: str
    subset: NotRequired[str]
    idempotency_key: str
    agent_label: NotRequired[str]


class ScoreTextArgs(TypedDict):
    """Checked arguments of score_text, as a plain dict."""

    attempt_id: str
    item_id: str
    metric: str
    prediction: str


class SplitRow(TypedDict):
    """A `SplitOffer` as a plain dict."""

    split: str
    n_items: int
    hidden: bool
    attempts_left: NotRequired[int]
    subsets: NotRequired[list[str]]
    reason: NotRequired[str]


class BudgetRow(TypedDict):
    """An `AnswerBudget` as a plain dict."""

    calls: int
    seconds: int


class StudyRow(TypedDict):
    """A `StudyOffer` as a plain dict."""

    study: str
    title: str
    answer_kinds: list[str]
    splits: list[SplitRow]
    budget: NotRequired[BudgetRow]
    metrics: NotRequired[list[str]]
    reason: NotRequired[str]


class CatalogueRow(TypedDict):
    """The studies of a `ListStudiesResult` as plain dicts."""

    studies: list[StudyRow]


class AgentScore(TypedDict):
    """A score as an agent reads it: the value and its interval, or the reason why there is none."""

    n: int
    errors: int
    unanswered: int
    value: NotRequired[float]
    ci95: NotRequired[list[float]]
    at_worst: NotRequired[float]
    reason: NotRequired[str]


class ScoringRow(TypedDict):
    """The state of an attempt's scoring, as a `FinishAttemptResult` tells it."""

    status: Literal["scoring", "scored", "sealed", "failed"]
    scores: NotRequired[Mapping[str, AgentScore]]
    meaning: NotRequired[Mapping[str, Mapping[str, object]]]  # what a study says of each metric
    reason: NotRequired[str]
    record: NotRequired[str]


class TextScoreRow(TypedDict):
    """The score of a text, as a `ScoreTextResult` tells it."""

    metric: str
    value: NotRequired[float]
    reason: NotRequired[str]
    scorer_sha256: str


REQUESTS: dict[str, type[_Shape]] = {
    "list_studies": ListStudiesRequest,
    "start_attempt": StartAttemptRequest,
    "list_items": ListItemsRequest,
    "get_item": GetItemRequest,
    "submit_answers": SubmitAnswersRequest,
    "finish_attempt": FinishAttemptRequest,
    "score_text": ScoreTextRequest,
}
RESULTS: dict[str, type[_Shape]] = {
    "list_studies": ListStudiesResult,
    "start_attempt": StartAttemptResult,
    "list_items": ListItemsResult,
    "get_item": GetItemResult,
    "submit_answers": SubmitAnswersResult,
    "finish_attempt": FinishAttemptResult,
    "score_text": ScoreTextResult,
}


_MUST: Mapping[str, str] = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "literal_error": "one of {expected}",
    "string_too_short": "text of at least {min_length} characters",
    "finite_number": "a finite number",
    "string_pattern_mismatch": "text of lower-case letters, digits, dots, dashes and underscores",
    "too_long": "a list of at most {max_length}",
    "too_short": "a list of at least {min_length}",
}
_KINDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}


def parse_arguments(tool: str, args: object, model: type[BaseModel] | None = None) -> BaseModel:
    """Parse the arguments of a known tool, by a model of its own if given; raises AttemptError with the first error."""
    if not isinstance(args, Mapping):
        raise AttemptError("E_ARGUMENT", f"the arguments of {tool} must be an object, not {_kind(args)}")
    model = model or REQUESTS[tool]
    try:
        return model.model_validate(args)
    except ValidationError as bad:
        found = bad.errors(include_url=False)
        unknown = [each for each in found if each["type"] == "extra_forbidden"]
        raise _explained(tool, model, (unknown or found)[0]) from None
    except RecursionError:
        raise AttemptError("E_ARGUMENT", "the arguments are nested too deeply") from None


def _explained(tool: str, model: type[BaseModel], bad: ErrorDetails) -> AttemptError:
    loc, context = bad["loc"], bad.get("ctx", {})
    place = _spelled(loc)
    if bad["type"] == "extra_forbidden":
        known = _fields(model, loc[:-1])
        advice = suggest_name(loc[-1], known) or f"Leave it out; known: {', '.join(known) or 'no argument at all'}."
        return AttemptError("E_ARGUMENT", f"{tool} knows no argument `{place}`", advice)
    if bad["type"] == "missing":
        return AttemptError("E_ARGUMENT", f"the argument `{place}` of {tool} is missing", f"Give `{place}`.")
    if bad["type"] == "string_unicode":
        return AttemptError("E_ENCODING", f"the argument `{place}` is not text in Unicode")
    if bad["type"] == "string_too_long":
        return AttemptError(
            "E_TOO_LONG",
            f"the argument `{place}` has more than {context['max_length']} characters",
            "Send a shorter text.",
        )
    must = _MUST.get(bad["type"], "of its kind, as the tool's schema says").format(**context)
    but = f", not {_kind(bad['input'])}" if bad["type"].endswith("_type") else ""
    return AttemptError("E_ARGUMENT", f"the argument `{place}` must be {must}{but}")


def _fields(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Return the names of the fields at a location: of the request, or of an answer in it."""
    return list((SubmittedAnswer if loc else model).model_fields)


def _spelled(loc: tuple[int | str, ...]) -> str:
    """Format a location, such as `answers[3].item_id`."""
    spelled = ""
    for step in loc:
        spelled += f"[{step}]" if isinstance(step, int) else f"{'.' * bool(spelled)}{printable_text(step)}"
    return spelled[:160] or "arguments"


def _kind(value: object) -> str:
    if isinstance(value, list | tuple):
        return "a list"
    return _KINDS.get(type(value), "an object")


class Rejected(TypedDict):
    """What a transcript keeps of a rejected value: its beginning, its digest and its size."""

    head: str
    sha256: str
    size: int


def describe_rejected(value: object) -> Rejected:
    """Return what a transcript keeps of a rejected value: its first KiB as ASCII, its size and its digest."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=lambda odd: type(odd).__name__)
    except (ValueError, TypeError, RecursionError):
        text = '"cannot be written as JSON"'
    return {"head": text[:KEPT_BYTES], "sha256": sha256(text.encode()), "size": len(text)}


def call_digest(value: Mapping[str, object]) -> str:
    """Return the digest of arguments or of a result, without `transcript_head`, which depends on it."""
    return sha256(canonical_json({name: each for name, each in value.items() if name != "transcript_head"}))
