"""A whole answer as the stream of events that the provider would have sent: what a client puts together is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Value = Mapping[str, Any]


def _data(value: Value) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def openai(whole: Value, *, usage: bool) -> Iterator[bytes]:
    """Give the chunks of a chat or legacy completion, and the mark of their end."""
    chat = whole.get("object") != "text_completion"
    head = {key: value for key, value in whole.items() if key not in ("choices", "usage", "object")}
    head["object"] = "chat.completion.chunk" if chat else "text_completion"
    none = {"usage": None} if usage else {}
    for choice in whole["choices"]:
        for part in _parts(choice) if chat else (choice,):
            yield _data({**head, "choices": [part], **none})
    if usage:
        yield _data({**head, "choices": [], "usage": whole.get("usage")})
    yield b"data: [DONE]\n\n"


def _parts(choice: Value) -> Iterator[Value]:
    """Give a choice as three deltas: whose it is, what it says, and why it ended."""
    message = choice.get("message") or {}
    rest = {key: value for key, value in choice.items() if key not in ("message", "finish_reason", "logprobs")}
    begun = {"role": message.get("role", "assistant"), "content": "" if message.get("content") is not None else None}
    yield {**rest, "delta": begun, "logprobs": None, "finish_reason": None}
    said = {key: value for key, value in message.items() if key != "role" and value is not None}
    if "tool_calls" in said:
        said["tool_calls"] = [{"index": index, **call} for index, call in enumerate(said["tool_calls"])]
    yield {**rest, "delta": said, "logprobs": choice.get("logprobs"), "finish_reason": None}
    yield {**rest, "delta": {}, "logprobs": None, "finish_reason": choice.get("finish_reason")}


ENDING = ("stop_reason", "stop_sequence", "stop_details", "container")  # what is known at a message's end only
COUNTED = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "server_tool_use",
    "output_tokens_details",
)


def anthropic(whole: Value) -> Iterator[bytes]:
    """Give the events of a message, from `message_start` to `message_stop`."""
    usage = whole.get("usage") or {}
    empty = {key: None for key in ENDING if key in whole}
    begun = {**whole, **empty, "content": [], "usage": {**usage, "output_tokens": 0}}
    yield _event("message_start", message=begun)
    for index, block in enumerate(whole["content"]):
        start, deltas = _block(block)
        yield _event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {key: whole[key] for key in ENDING if key in whole}
    counted = {"output_tokens": 0, **{key: usage[key] for key in COUNTED if key in usage}}
    yield _event("message_delta", delta=ended, usage=counted)
    yield _event("message_stop")


def _event(kind: str, **value: Any) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **value})


def _block(block: Value) -> tuple[Value, list[Value]]:
    """Take a block apart: what it begins as, and what is added to it; one that is never streamed begins whole."""
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
