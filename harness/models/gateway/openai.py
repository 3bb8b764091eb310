"""OpenAI's API at the gateway: the endpoints for chat, legacy completions, responses and embeddings.

The module describes the API as one value, with the validation, token counts and streaming events of the Responses API.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.models.gateway.dialect import AnswerFormat, Dialect, Endpoint, Sdk, Value, client_options, encode_event
from harness.models.wire import sum_counts, token_usage

FINISHED = ("completed", "incomplete")  # `incomplete` is an answer that a token limit cut short
OWN = ("function_call", "custom_tool_call", "computer_call", "local_shell_call")  # calls that the client executes
PARTS = {"output_text": "text", "refusal": "refusal", "reasoning_text": "text"}  # the streamed field of a part
CALLS = {
    "function_call": ("function_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
}
Named = tuple[str, dict[str, Any]]


def _responses_flaw(found: Value) -> str:
    items = found.get("output")
    if found.get("error") or not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return "it has no `output`"
    status = found.get("status", FINISHED[0])
    return "" if status in FINISHED else f"it is {str(status)[:40]}, and not finished"


def _responses_usage(whole: Value) -> Mapping[str, int] | None:
    return token_usage(whole.get("usage"), ("input_tokens",), "output_tokens")


def _responses_cached(whole: Value) -> tuple[int, int]:
    found = whole.get("usage")
    return sum_counts(found.get("input_tokens_details") if isinstance(found, dict) else None, "cached_tokens"), 0


def _beyond(whole: Value) -> bool:
    """Whether the provider's server-side tools were used, which have prices of their own."""
    kinds = (str(item.get("type", "")) for item in whole.get("output", ()))
    return any(kind.endswith("_call") and kind not in OWN for kind in kinds)


def _responses_events(whole: Value, asked: Value) -> Iterator[bytes]:
    """Yield the numbered server-sent events of a response, from `response.created` to the one with its final status."""
    begun = {**whole, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    ended = f"response.{whole.get('status', FINISHED[0])}"
    named: Iterator[Named] = itertools.chain(
        [("response.created", {"response": begun}), ("response.in_progress", {"response": begun})],
        *(_item(index, item) for index, item in enumerate(whole["output"])),
        [(ended, {"response": whole})],
    )
    for number, (kind, value) in enumerate(named):
        yield encode_event({"type": kind, **value, "sequence_number": number}, kind)


def _item(index: int, item: Value) -> Iterator[Named]:
    """Yield the events of one output item: its start, its deltas, and the whole item."""
    kind = item.get("type")
    at = {"item_id": item.get("id", ""), "output_index": index}
    empty: dict[str, Any] = {name: [] for name in ("content", "summary") if isinstance(item.get(name), list)}
    call, field = CALLS.get(str(kind), ("", ""))
    started = {**item, **empty, **({field: ""} if call else {})}
    if "status" in item:
        started["status"] = "in_progress"
    yield "response.output_item.added", {"output_index": index, "item": started}
    for number, part in enumerate(item.get("summary") or ()):
        here = {**at, "summary_index": number}
        yield "response.reasoning_summary_part.added", {**here, "part": {**part, "text": ""}}
        yield "response.reasoning_summary_text.delta", {**here, "delta": part["text"]}
        yield "response.reasoning_summary_text.done", {**here, "text": part["text"]}
        yield "response.reasoning_summary_part.done", {**here, "part": part}
    for number, part in enumerate(item.get("content") or ()):
        yield from _part({**at, "content_index": number}, part)
    if call:
        yield f"response.{call}.delta", {**at, "delta": item[field]}
        yield f"response.{call}.done", {**at, field: item[field], "name": item.get("name", "")}
    yield "response.output_item.done", {"output_index": index, "item": item}


def _part(at: Value, part: Value) -> Iterator[Named]:
    kind, field = part["type"], PARTS.get(part["type"], "")
    notes = part.get("annotations") or ()
    begun = {**part, **({field: ""} if field else {}), **({"annotations": []} if notes else {})}
    logged = {"logprobs": part.get("logprobs") or []} if kind == "output_text" else {}
    yield "response.content_part.added", {**at, "part": begun}
    if field:
        yield f"response.{kind}.delta", {**at, "delta": part[field], **logged}
    for number, note in enumerate(notes):
        yield "response.output_text.annotation.added", {**at, "annotation_index": number, "annotation": note}
    if field:
        yield f"response.{kind}.done", {**at, field: part[field], **logged}
    yield "response.content_part.done", {**at, "part": part}


FORMAT = AnswerFormat(_responses_flaw, _responses_usage, _responses_events, _responses_cached, _beyond)


def _connect(key: str, url: str, http: Mapping[str, Any]) -> Sdk:
    import openai  # noqa: PLC0415 - heavy

    client = openai.AsyncOpenAI(**client_options(openai, key, url, http))
    return Sdk(openai, client, {"security": {"bearer_auth": True}})


def _openai_flaw(found: Value) -> str:
    choices = found.get("choices")
    whole = isinstance(choices, list) and choices and all(isinstance(choice, dict) for choice in choices)
    return "" if whole and not found.get("error") else "it has no `choices`"


def _openai_usage(whole: Value) -> Mapping[str, int] | None:
    return token_usage(whole.get("usage"), ("prompt_tokens",), "completion_tokens")


def _openai_cached(whole: Value) -> tuple[int, int]:
    found = whole.get("usage")
    return sum_counts(found.get("prompt_tokens_details") if isinstance(found, dict) else None, "cached_tokens"), 0


def _error(kind: str, message: str) -> Value:
    return {"error": {"type": kind, "message": message, "param": None, "code": kind}}


def _openai_events(whole: Value, asked: Value) -> Iterator[bytes]:
    """Yield the server-sent chunks of a chat or legacy completion, and the end mark."""
    options = asked.get("stream_options")
    counted = isinstance(options, dict) and options.get("include_usage") is True
    chat = whole.get("object") != "text_completion"
    head = {key: value for key, value in whole.items() if key not in ("choices", "usage", "object")}
    head["object"] = "chat.completion.chunk" if chat else "text_completion"
    none = {"usage": None} if counted else {}
    for choice in whole["choices"]:
        for part in _parts(choice) if chat else (choice,):
            yield encode_event({**head, "choices": [part], **none})
    if counted:
        yield encode_event({**head, "choices": [], "usage": whole.get("usage")})
    yield b"data: [DONE]\n\n"


def _parts(choice: Value) -> Iterator[Value]:
    """Yield three deltas of a choice: its role, its content, and its finish reason."""
    message = choice.get("message") or {}
    rest = {key: value for key, value in choice.items() if key not in ("message", "finish_reason", "logprobs")}
    begun = {"role": message.get("role", "assistant"), "content": "" if message.get("content") is not None else None}
    yield {**rest, "delta": begun, "logprobs": None, "finish_reason": None}
    said = {key: value for key, value in message.items() if key != "role" and value is not None}
    if "tool_calls" in said:
        said["tool_calls"] = [{"index": index, **call} for index, call in enumerate(said["tool_calls"])]
    yield {**rest, "delta": said, "logprobs": choice.get("logprobs"), "finish_reason": None}
    yield {**rest, "delta": {}, "logprobs": None, "finish_reason": choice.get("finish_reason")}


def _entry(name: str, provider: str) -> Value:
    return {"id": name, "object": "model", "created": 0, "owned_by": provider}


def _page(names: Sequence[str]) -> Value:
    return {"object": "list"}


def _vectors(found: Value) -> str:
    rows = found.get("data")
    whole = isinstance(rows, list) and all(isinstance(row, dict) and "embedding" in row for row in rows)
    return "" if whole and not found.get("error") else "it has no `data` of embeddings"


DIALECT = Dialect(
    endpoints={
        "/v1/chat/completions": Endpoint("/chat/completions", requires="messages", forbids="prompt"),
        "/v1/completions": Endpoint("/completions", requires="prompt", forbids="messages"),
        "/v1/responses": Endpoint(
            "/responses",
            requires="input",
            forbids="messages",
            answer_format=FORMAT,
            path_in_name=True,
            deferred="background",
        ),
        "/v1/embeddings": Endpoint(
            "/embeddings", requires="input", answer_format=AnswerFormat(_vectors, _openai_usage), path_in_name=True
        ),
    },
    connect=_connect,
    flaw=_openai_flaw,
    usage=_openai_usage,
    cached=_openai_cached,
    error=_error,
    events=_openai_events,
    entry=_entry,
    page=_page,
    bounds=("max_completion_tokens", "max_output_tokens", "max_tokens"),
    headers=("openai-beta",),
    ambient=("OPENAI_",),
)
