"""Wire formats of remote providers: headers between a step and the gateway, parsed answers, errors and settings.

Log-probabilities have one format for every provider: for each token {token, logprob, top: [[token, logprob], …]}, with
the likeliest tokens at its position in `top`, the likeliest first. The functions are pure and work on bytes and JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.errors import InputError
from harness.rowtypes import Prompt

ERROR_HEADER = "x-harness-error"  # response header with the kind of an error that the gateway made itself
REPEAT_HEADER = "x-harness-repeat"  # request header: the repeat of an equal request, counted from 0
SERVED_HEADER = "x-harness-served"  # request header of an instrument: the name under which the gateway serves it


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The content of a provider's answer, in fields that are the same for every provider."""

    text: str
    finish: str
    usage: Mapping[str, int] | None
    model: str
    fingerprint: str = ""
    reasoning: str = ""  # a model's reasoning before its answer, if the provider reports it
    logprobs: Sequence[Mapping[str, Any]] | None = None  # one per token, as in a response's row; None: not reported


@dataclass(frozen=True, slots=True)
class WireFormat:
    """A wire format: the path and the body of a request, and the parser of its answer."""

    path: str
    body: Callable[[Prompt], Mapping[str, Any]]
    read: Callable[[Mapping[str, Any]], ParsedAnswer]


def escape_unprintable(text: str) -> str:
    """Escape unprintable characters with backslashes: terminal control codes, and lone surrogates."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, with U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


LONGEST_KIND, LONGEST_WORDS = 60, 500


def parse_refusal(data: bytes) -> tuple[str, str]:
    """Return the kind and the message of an HTTP error body, JSON or text, both bounded in length."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = data.decode("utf-8", "replace").strip()
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    error = found.get("error", found) if isinstance(found, dict) else found
    kind, said = "", error
    if isinstance(error, dict):
        kind = error.get("type") or error.get("code") or ""
        said = error.get("message") or error.get("detail") or ("" if kind else error)
    if isinstance(said, list):  # FastAPI's list of field errors
        said = "; ".join(_field(one) for one in said)
    text = said if isinstance(said, str) else json.dumps(said) if said else ""
    return escape_unprintable(str(kind))[:LONGEST_KIND], escape_unprintable(text)[:LONGEST_WORDS]


def _field(said: Any) -> str:
    if not isinstance(said, dict):
        return str(said)
    place = said.get("loc")
    at = ".".join(map(str, place)) if isinstance(place, list) else ""
    return ": ".join(part for part in (at, str(said.get("msg") or "")) if part)


EXTRA = "extra"  # the setting with plain JSON encoded as text, since keys hold no floats
NUMBERS = frozenset({"temperature", "top_p", "frequency_penalty", "presence_penalty"})


def translate_settings(given: Mapping[str, Any], known: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield generation settings as pairs of the provider's name (looked up in `known`) and value.

    Numbers are given as decimal text, since keys hold no floats, and become floats. The fields of `extra` are
    unchanged. Raises InputError for an unknown setting.
    """
    for name, value in given.items():
        if name == EXTRA:
            yield from json.loads(value).items()
        elif name not in known:
            raise InputError(
                f"this provider has no setting {name!r}", where="generation", next=f"use: {', '.join(sorted(known))}"
            )
        elif name in NUMBERS and isinstance(value, str):
            try:
                yield known[name], float(value)
            except ValueError:
                raise InputError(f"{name} is no number: {value!r}", where="generation", next="write 0.7") from None
        else:
            yield known[name], value


def token_usage(found: Any, prompt: tuple[str, ...], completion: str) -> Mapping[str, int] | None:
    """Return a provider's token counts as `prompt_tokens` and `completion_tokens`; None if it reports none.

    `prompt` names the provider's fields that together count the prompt, `completion` the one that counts the answer.
    """
    if not isinstance(found, dict):
        return None
    return {"prompt_tokens": sum_counts(found, *prompt), "completion_tokens": sum_counts(found, completion)}


def sum_counts(found: Any, *names: str) -> int:
    """Return the sum of the counts under some names; anything that is not a positive integer counts as 0."""
    counts = (found.get(name) for name in names) if isinstance(found, dict) else ()
    return sum(count for count in counts if isinstance(count, int) and count > 0)


FIELDS = ("logprobs", "top_logprobs")  # their names in the requests of the two formats
Read = Callable[[Mapping[str, Any]], ParsedAnswer]


def logprob_fields(count: int | None, chat: bool) -> dict[str, Any]:
    """Return the request fields that ask for the `count` likeliest tokens at each position; empty if it is None."""
    if count is None:
        return {}
    return {"logprobs": True, "top_logprobs": count} if chat else {"logprobs": count}


def with_logprobs(read: Read, count: int | None, chat: bool) -> Read:
    """Return an answer parser that also reads log-probabilities, or the given parser if `count` is None."""
    if count is None:
        return read

    def told(answer: Mapping[str, Any]) -> ParsedAnswer:
        found = answer["choices"][0].get("logprobs")
        tokens = None if found is None else _chat(found, count) if chat else _completion(found, count)
        return replace(read(answer), logprobs=tokens)

    return told


def _chat(found: Mapping[str, Any], count: int) -> list[dict[str, Any]] | None:
    """Convert the log-probabilities of a chat answer; those of a refusal are in a separate field."""
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
    """Convert one token; some servers add the chosen token to the likeliest ones, which are cut to `count`."""
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
    """Return an infinite value as text, as rows spell it: an impossible token has `-inf`."""
    return value if math.isfinite(value) else str(value)
