"""Log-probabilities in OpenAI's two wire formats (chat and completions): request fields, and conversion to rows.

A row has them in one shape for every provider: for each token {token, logprob, top: [[token, logprob], …]}, where
`top` holds the likeliest tokens in its place, the likeliest first. It never knows a connection or a benchmark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from harness.models.wire import ParsedAnswer, replace_surrogates

FIELDS = ("logprobs", "top_logprobs")  # their names in the requests of the two formats
Read = Callable[[Mapping[str, Any]], ParsedAnswer]


def request_fields(count: int | None, chat: bool) -> dict[str, Any]:
    """Make the request fields that ask for the `count` likeliest tokens in each place; empty where it is None."""
    if count is None:
        return {}
    return {"logprobs": True, "top_logprobs": count} if chat else {"logprobs": count}


def with_logprobs(read: Read, count: int | None, chat: bool) -> Read:
    """Wrap an answer parser so that it also reads log-probabilities; the parser itself where `count` is None."""
    if count is None:
        return read

    def told(answer: Mapping[str, Any]) -> ParsedAnswer:
        found = answer["choices"][0].get("logprobs")
        tokens = None if found is None else _chat(found, count) if chat else _completion(found, count)
        return replace(read(answer), logprobs=tokens)

    return told


def _chat(found: Mapping[str, Any], count: int) -> list[dict[str, Any]] | None:
    """Convert the log-probabilities of a chat answer; those of a refusal stand in a field of their own."""
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
    """Convert one token; some servers add the chosen token to the likeliest, which are cut to `count`."""
    said = sorted(((_name(one), _number(value)) for one, value in top), key=lambda pair: -pair[1])
    return {
        "token": _name(token),
        "logprob": _row(_number(log)),
        "top": [[one, _row(own)] for one, own in said[:count]],
    }


def _name(token: Any) -> str:
    if not isinstance(token, str):
        raise TypeError("a token is a string")
    return replace_surrogates(token)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise TypeError("a log-probability is a number")
    return float(value)


def _row(value: float) -> float | str:
    """Encode an infinite value as rows do: an impossible token has the text `-inf`."""
    return value if math.isfinite(value) else str(value)
