"""Log-probabilities in OpenAI's two wire formats: how they are asked for, and how they become those of a row.

A row has them in one shape whoever answered: one a token, {token, logprob, top: [[token, logprob], …]}, the likeliest
first. It must never know a connection or a benchmark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from harness.models.wire import Said, whole

FIELDS = ("logprobs", "top_logprobs")  # what the two formats call them in a question
Read = Callable[[Mapping[str, Any]], Said]


def asked(count: int | None, chat: bool) -> dict[str, Any]:
    """Give the fields of a question that asks for so many of the likeliest tokens; none where nobody asked."""
    if count is None:
        return {}
    return {"logprobs": True, "top_logprobs": count} if chat else {"logprobs": count}


def reader(read: Read, count: int | None, chat: bool) -> Read:
    """Give what reads an answer and, where they were asked for, its log-probabilities; others are left alone."""
    if count is None:
        return read

    def told(answer: Mapping[str, Any]) -> Said:
        found = answer["choices"][0].get("logprobs")
        tokens = None if found is None else _chat(found, count) if chat else _completion(found, count)
        return replace(read(answer), logprobs=tokens)

    return told


def _chat(found: Mapping[str, Any], count: int) -> list[dict[str, Any]] | None:
    """Read those of a chat; a refusal has its own where an answer has none."""
    tokens = found.get("content") or found.get("refusal")
    if tokens is None:
        return None if found.get("content") is None else []

    def top(token: Mapping[str, Any]) -> Iterable[tuple[Any, Any]]:
        return ((one["token"], one["logprob"]) for one in token["top_logprobs"])

    return [_token(one["token"], one["logprob"], top(one), count) for one in tokens]


def _completion(found: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    columns = (found["tokens"], found["token_logprobs"], found["top_logprobs"])
    return [_token(token, log, top.items(), count) for token, log, top in zip(*columns, strict=True)]


def _token(token: Any, log: Any, top: Iterable[tuple[Any, Any]], count: int) -> dict[str, Any]:
    """Spell one token; some servers tell the chosen one beside the likeliest, which are cut to what was asked."""
    said = sorted(((_name(one), _number(value)) for one, value in top), key=lambda pair: -pair[1])
    return {
        "token": _name(token),
        "logprob": _row(_number(log)),
        "top": [[one, _row(own)] for one, own in said[:count]],
    }


def _name(token: Any) -> str:
    if not isinstance(token, str):
        raise TypeError("a token is a string")
    return whole(token)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise TypeError("a log-probability is a number")
    return float(value)


def _row(value: float) -> float | str:
    """Write what is not finite as rows do: a token that cannot come has `-inf`."""
    return value if math.isfinite(value) else str(value)
