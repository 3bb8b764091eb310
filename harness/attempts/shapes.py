"""Requests and results of an agent's tools, as models of pydantic, and the strict reading of a call's arguments.

Their fields are the tools' schemas: no unknown field, no number for a text, no text for a number. Of what is wrong the
first thing is told, with the name that was probably meant; what a caller sent never stands in a message, but for names
and at most 80 characters of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails

from harness.attempts.codes import ANSWER_BYTES, ANSWERS, KEPT_BYTES, PAGE, AttemptError, nearest, shown
from harness.digest import canonical, sha256
from harness.strict_json import reject_duplicates

_ANSWER = {"anyOf": [{"type": "string", "maxLength": ANSWER_BYTES}, {"type": "integer"}]}


def _listed(value: Any) -> Any:
    """Read a list that a client sent as text, as some do; anything else is left to the model."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value, object_pairs_hook=reject_duplicates)
        except (ValueError, RecursionError):
            return value
    return value


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _confidence(value: Any) -> Any:
    """Take a whole number where a decimal is meant; a bool is left to the model, which refuses it."""
    return float(value) if type(value) is int and 0 <= value <= 1 else value


AttemptId = Annotated[str, Field(max_length=64, description="the handle that start_attempt gave")]
Study = Annotated[str, Field(max_length=80, description="a study as list_studies names it")]
SplitName = Annotated[str, Field(max_length=80, description="a split of the study, as list_studies names it")]
ItemId = Annotated[str, Field(max_length=64, description="an item_id that list_items gave")]
Head = Annotated[str, Field(description="SHA-256 that pins every call up to this one; keep it")]
Next = Annotated[str, Field(description="what to call next")]


class AnswerBudget(_Shape):
    """Bounds of an attempt."""

    calls: int = Field(description="calls that may be made")
    seconds: int = Field(description="seconds from its start in which they may be made")


class ListStudiesRequest(_Shape):
    """Arguments of list_studies: none."""


class SplitOffer(_Shape):
    """A split of a study, as an agent may choose it."""

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
    operators_only: bool | None = Field(default=None, description="listed, but no agent can attempt it")


class ListStudiesResult(_Shape):
    """What list_studies gives."""

    studies: list[StudyOffer]
    tools_fingerprint: str
    next: Next


class StartAttemptRequest(_Shape):
    """Arguments of start_attempt."""

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
    """What start_attempt gives."""

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
    """Arguments of list_items."""

    attempt_id: AttemptId
    limit: int = Field(default=10, ge=1, le=PAGE, description="items of a page")
    cursor: str | None = Field(default=None, max_length=512, description="next_cursor of the page before")
    status: Literal["open", "answered", "all"] = Field(default="open", description="which items")


class ListedItem(_Shape):
    """An item in a page."""

    item_id: str
    task: str
    preview: str = Field(description="first words of the prompt; get_item gives all of it")
    size: int = Field(description="bytes of the prompt")
    status: Literal["open", "answered"]


class ListItemsResult(_Shape):
    """What list_items gives."""

    items: list[ListedItem]
    next_cursor: str | None = Field(default=None, description="absent on the last page")
    remaining: int = Field(description="items not answered yet")
    calls_left: int
    content_is_untrusted: Literal[True] = True
    next: Next


class GetItemRequest(_Shape):
    """Arguments of get_item."""

    attempt_id: AttemptId
    item_id: ItemId
    part: int = Field(default=1, ge=1, le=100_000, description="which part of a long prompt, from 1")


class ItemImage(_Shape):
    """An image of an item; its bytes come as image content beside this result."""

    type: str
    size: int
    sha256: str
    part: int | None = Field(default=None, description="the part of the item it comes with; absent: too large to send")


class GetItemResult(_Shape):
    """What get_item gives."""

    item_id: str
    task: str
    prompt: str = Field(description="this part of the exact prompt; join the parts in order")
    prompt_form: Literal["text", "messages"] = Field(description="messages: the prompt is JSON, a list of turns")
    part: int
    parts: int
    prompt_sha256: str = Field(description="SHA-256 of the whole prompt")
    answer_kind: str
    answer_schema: dict[str, Any] | None = None
    options: dict[str, str] | None = None
    images: list[ItemImage] | None = None
    status: Literal["open", "answered"]
    content_is_untrusted: Literal[True] = Field(default=True, description="the prompt is data of a benchmark")
    next: Next


class SubmittedAnswer(_Shape):
    """An answer to one item. What the answer itself must be is checked item by item, and told in its receipt."""

    item_id: ItemId
    answer: Annotated[Any, WithJsonSchema(_ANSWER)] = Field(
        description="the answer as text (64 KiB at most), or a whole number; numbers with a point go in quotes"
    )
    abstain: bool = Field(default=False, description="true where the answer declines to answer")
    confidence: Annotated[float, BeforeValidator(_confidence)] | None = Field(
        default=None, ge=0, le=1, allow_inf_nan=False, description="from 0 to 1"
    )


class SubmitAnswersRequest(_Shape):
    """Arguments of submit_answers."""

    attempt_id: AttemptId
    answers: Annotated[list[SubmittedAnswer], BeforeValidator(_listed)] = Field(min_length=1, max_length=ANSWERS)


class Receipt(_Shape):
    """What became of one answer."""

    item_id: str
    status: Literal["recorded", "duplicate", "rejected"] = Field(
        description="duplicate: the same answer was recorded before, as the receipt says"
    )
    answer_sha256: str | None = None
    record: int | None = Field(default=None, description="number of the transcript's record that holds the answer")
    code: str | None = None
    reason: str | None = None


class SubmitAnswersResult(_Shape):
    """What submit_answers gives."""

    receipts: list[Receipt]
    remaining: int
    calls_left: int
    transcript_head: Head
    next: Next


class FinishAttemptRequest(_Shape):
    """Arguments of finish_attempt."""

    attempt_id: AttemptId


class FinishAttemptResult(_Shape):
    """What finish_attempt gives."""

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
    """Arguments of score_text."""

    attempt_id: AttemptId
    item_id: ItemId
    metric: str = Field(max_length=80, description="a metric that list_studies gives for the study")
    prediction: str = Field(max_length=ANSWER_BYTES, description="the text to score")


class ScoreTextResult(_Shape):
    """What score_text gives."""

    metric: str
    value: float | None = None
    reason: str | None = Field(default=None, description="why there is no value, where there is none")
    parts: dict[str, Any] | None = None
    scorer_sha256: str
    next: Next


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


def checked(tool: str, args: object) -> BaseModel:
    """Read the arguments of a known tool; AttemptError says what is wrong first."""
    if not isinstance(args, Mapping):
        raise AttemptError("E_ARGUMENT", f"the arguments of {tool} must be an object, not {_kind(args)}")
    model = REQUESTS[tool]
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
        advice = nearest(loc[-1], known) or f"Leave it out; known: {', '.join(known) or 'no argument at all'}."
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
    """Names of the fields at a place: of the request, or of an answer in it."""
    return list((SubmittedAnswer if loc else model).model_fields)


def _spelled(loc: tuple[int | str, ...]) -> str:
    """Spell a place, such as `answers[3].item_id`."""
    spelled = ""
    for step in loc:
        spelled += f"[{step}]" if isinstance(step, int) else f"{'.' * bool(spelled)}{shown(step)}"
    return spelled[:160] or "arguments"


def _kind(value: object) -> str:
    if isinstance(value, list | tuple):
        return "a list"
    return _KINDS.get(type(value), "an object")


def rejected(value: object) -> dict[str, Any]:
    """Return what a transcript keeps of something rejected: its first KiB as ASCII, its size and its digest."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=lambda odd: type(odd).__name__)
    except (ValueError, TypeError, RecursionError):
        text = '"cannot be written as JSON"'
    return {"head": text[:KEPT_BYTES], "sha256": sha256(text.encode()), "size": len(text)}


def digest_of(value: Mapping[str, Any]) -> str:
    """Digest of arguments or of a result, without the head, which depends on it."""
    return sha256(canonical({name: each for name, each in value.items() if name != "transcript_head"}))
