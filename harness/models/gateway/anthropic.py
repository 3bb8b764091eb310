"""Anthropic's API at the gateway: the endpoints for messages and token counts, described as one value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.models.gateway.dialect import AnswerFormat, Dialect, Endpoint, Sdk, Value, client_options, encode_event
from harness.models.wire import sum_counts, token_usage

PROMPT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")  # including cached prompt tokens
ENDING = ("stop_reason", "stop_sequence", "stop_details", "container")  # fields known only at a message's end
COUNTED = ("output_tokens", *PROMPT, "server_tool_use", "output_tokens_details")


def _connect(key: str, url: str, http: Mapping[str, Any]) -> Sdk:
    import anthropic  # noqa: PLC0415 - heavy

    client = anthropic.AsyncAnthropic(**client_options(anthropic, key, url, http), open_telemetry=False)
    return Sdk(anthropic, client, {})


def _flaw(found: Value) -> str:
    blocks = found.get("content")
    whole = isinstance(blocks, list) and all(isinstance(block, dict) for block in blocks)
    return "" if whole and not found.get("error") else "it has no `content`"


def _usage(whole: Value) -> Mapping[str, int] | None:
    return token_usage(whole.get("usage"), PROMPT, "output_tokens")


def _cached(whole: Value) -> tuple[int, int]:
    found = whole.get("usage")
    return sum_counts(found, "cache_read_input_tokens"), sum_counts(found, "cache_creation_input_tokens")


def _beyond(whole: Value) -> bool:
    """Whether the provider's server-side tools were used, which have prices of their own."""
    found = whole.get("usage")
    counts = found.get("server_tool_use") if isinstance(found, dict) else None
    return isinstance(counts, dict) and any(counts.values())


def _count(found: Value) -> str:
    return "" if isinstance(found.get("input_tokens"), int) else "it has no `input_tokens`"


def _error(kind: str, message: str) -> Value:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _events(whole: Value, asked: Value) -> Iterator[bytes]:
    """Yield the server-sent events of a whole message, from `message_start` to `message_stop`."""
    counts = whole.get("usage") or {}
    empty = {key: None for key in ENDING if key in whole}
    yield _event("message_start", message={**whole, **empty, "content": [], "usage": {**counts, "output_tokens": 0}})
    for index, block in enumerate(whole["content"]):
        start, deltas = _block(block)
        yield _event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {key: whole[key] for key in ENDING if key in whole}
    counted = {"output_tokens": 0, **{key: counts[key] for key in COUNTED if key in counts}}
    yield _event("message_delta", delta=ended, usage=counted)
    yield _event("message_stop")


def _event(kind: str, **value: Any) -> bytes:
    return encode_event({"type": kind, **value}, kind)


def _block(block: Value) -> tuple[Value, list[Value]]:
    """Split a content block into its start event and its deltas; a kind that is never streamed starts whole."""
    kind = block.get("type")
    if kind == "text":
        cited = block.get("citations")
        deltas: list[Value] = [{"type": "text_delta", "text": block.get("text", "")}]
        deltas += [{"type": "citations_delta", "citation": one} for one in cited or ()]
        return {**block, "text": "", **({"citations": []} if cited else {})}, deltas
    if kind == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": block.get("thinking", "")}]
        deltas += [{"type": "signature_delta", "signature": block.get("signature", "")}]
        return {**block, "thinking": "", "signature": ""}, deltas
    if isinstance(block.get("input"), dict):
        deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        return {**block, "input": {}}, deltas
    return block, []


def _entry(name: str, provider: str) -> Value:
    return {"id": name, "type": "model", "created_at": "1970-01-01T00:00:00Z", "display_name": name}


def _page(names: Sequence[str]) -> Value:
    first, last = (names[0], names[-1]) if names else (None, None)
    return {"has_more": False, "first_id": first, "last_id": last}


DIALECT = Dialect(
    endpoints={
        "/v1/messages": Endpoint("/v1/messages", requires="messages", forbids="prompt"),
        "/v1/messages/count_tokens": Endpoint(
            "/v1/messages/count_tokens",
            requires="messages",
            answer_format=AnswerFormat(_count, lambda whole: None, free=True),
            path_in_name=True,
        ),
    },
    connect=_connect,
    flaw=_flaw,
    usage=_usage,
    cached=_cached,
    extra_cost=_beyond,
    error=_error,
    events=_events,
    entry=_entry,
    page=_page,
    bounds=("max_tokens",),
    headers=("anthropic-beta",),
    ambient=("ANTHROPIC_",),
)
