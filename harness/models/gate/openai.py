"""OpenAI's API at the gateway: the endpoints for chat, legacy completions, responses and embeddings.

It describes the API as one value; it never holds a key or decides a retry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.models.gate import responses
from harness.models.gate.dialect import AnswerFormat, Dialect, Endpoint, Value, event
from harness.models.gate.sdk import Sdk, client_options
from harness.models.wire import total, usage


def _connect(key: str, url: str, http: Mapping[str, Any]) -> Sdk:
    import openai  # noqa: PLC0415 - heavy

    client = openai.AsyncOpenAI(**client_options(openai, key, url, http))
    return Sdk(openai, client, {"security": {"bearer_auth": True}})


def _flaw(found: Value) -> str:
    choices = found.get("choices")
    whole = isinstance(choices, list) and all(isinstance(choice, dict) for choice in choices)
    return "" if whole and not found.get("error") else "it has no `choices`"


def _usage(whole: Value) -> Mapping[str, int] | None:
    return usage(whole.get("usage"), ("prompt_tokens",), "completion_tokens")


def _cached(whole: Value) -> tuple[int, int]:
    found = whole.get("usage")
    return total(found.get("prompt_tokens_details") if isinstance(found, dict) else None, "cached_tokens"), 0


def _error(kind: str, message: str) -> Value:
    return {"error": {"type": kind, "message": message, "param": None, "code": kind}}


def _events(whole: Value, asked: Value) -> Iterator[bytes]:
    """Convert a chat or legacy completion to server-sent chunks, and the end mark."""
    options = asked.get("stream_options")
    counted = isinstance(options, dict) and options.get("include_usage") is True
    chat = whole.get("object") != "text_completion"
    head = {key: value for key, value in whole.items() if key not in ("choices", "usage", "object")}
    head["object"] = "chat.completion.chunk" if chat else "text_completion"
    none = {"usage": None} if counted else {}
    for choice in whole["choices"]:
        for part in _parts(choice) if chat else (choice,):
            yield event({**head, "choices": [part], **none})
    if counted:
        yield event({**head, "choices": [], "usage": whole.get("usage")})
    yield b"data: [DONE]\n\n"


def _parts(choice: Value) -> Iterator[Value]:
    """Split a choice into three deltas: its role, its content, and its finish reason."""
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
            answer_format=responses.FORMAT,
            path_in_name=True,
            deferred="background",
        ),
        "/v1/embeddings": Endpoint(
            "/embeddings", requires="input", answer_format=AnswerFormat(_vectors, _usage), path_in_name=True
        ),
    },
    connect=_connect,
    flaw=_flaw,
    usage=_usage,
    cached=_cached,
    error=_error,
    events=_events,
    entry=_entry,
    page=_page,
    bounds=("max_completion_tokens", "max_output_tokens", "max_tokens"),
    headers=("openai-beta",),
    ambient=("OPENAI_",),
)
