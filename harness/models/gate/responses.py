"""The Responses API at the gateway: validation, token counts and streaming events of its answers; pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from harness.models.gate.dialect import AnswerFormat, Value, event
from harness.models.wire import total, usage

FINISHED = ("completed", "incomplete")  # `incomplete` is an answer that a bound cut short
OWN = ("function_call", "custom_tool_call", "computer_call", "local_shell_call")  # calls that the client carries out
PARTS = {"output_text": "text", "refusal": "refusal", "reasoning_text": "text"}  # what is streamed of a part
CALLS = {
    "function_call": ("function_call_arguments", "arguments"), "custom_tool_call": ("custom_tool_call_input", "input"),
}  # fmt: skip
Named = tuple[str, dict[str, Any]]


def _flaw(found: Value) -> str:
    items = found.get("output")
    if found.get("error") or not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return "it has no `output`"
    status = found.get("status", FINISHED[0])
    return "" if status in FINISHED else f"it is {str(status)[:40]}, and not finished"


def _usage(whole: Value) -> Mapping[str, int] | None:
    return usage(whole.get("usage"), ("input_tokens",), "output_tokens")


def _cached(whole: Value) -> tuple[int, int]:
    found = whole.get("usage")
    return total(found.get("input_tokens_details") if isinstance(found, dict) else None, "cached_tokens"), 0


def _beyond(whole: Value) -> bool:
    """Whether the provider's server-side tools were used, which have prices of their own."""
    kinds = (str(item.get("type", "")) for item in whole.get("output", ()))
    return any(kind.endswith("_call") and kind not in OWN for kind in kinds)


def _events(whole: Value, asked: Value) -> Iterator[bytes]:
    """Convert a response to numbered server-sent events, from `response.created` to the one with its final status."""
    begun = {**whole, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    ended = f"response.{whole.get('status', FINISHED[0])}"
    named: Iterator[Named] = itertools.chain(
        [("response.created", {"response": begun}), ("response.in_progress", {"response": begun})],
        *(_item(index, item) for index, item in enumerate(whole["output"])),
        [(ended, {"response": whole})],
    )
    for number, (kind, value) in enumerate(named):
        yield event({"type": kind, **value, "sequence_number": number}, kind)


def _item(index: int, item: Value) -> Iterator[Named]:
    """Convert one output item to events: its start, its deltas, and the whole item."""
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


FORMAT = AnswerFormat(_flaw, _usage, _events, _cached, _beyond)
