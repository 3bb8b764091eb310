"""API dialects: a provider's API described as one value; a new provider defines one.

The value may be defined in the provider's own file, since nothing heavy is imported here. In every dialect a request
names its model in the field `model` of its body.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import httpx2


Value = Mapping[str, Any]


class Connection(Protocol):
    """A connection to a provider at one URL with one key; it does not retry or follow a redirect."""

    async def post(self, path: str, content: bytes, headers: Mapping[str, str]) -> httpx2.Response:
        """Send one POST and return the response, whatever its status, perhaps not yet read; raises httpx2's errors."""
        ...

    async def close(self) -> None:
        """Close the open sockets."""
        ...


def costs_tokens_only(whole: Value) -> bool:
    """Return False for any answer, whose only cost is then its tokens. The default of `extra_cost`."""
    return False


@dataclass(frozen=True, eq=False)
class AnswerFormat:
    """The format of an endpoint's answers: functions that validate, count, price and stream one."""

    flaw: Callable[[Value], str]  # why a body is not a valid answer; empty if it is one
    usage: Callable[[Value], Mapping[str, int] | None]  # the tokens of an answer, as a response's row has them
    events: Callable[[Value, Value], Iterator[bytes]] | None = None  # server-sent events; None: never streamed
    cached: Callable[[Value], tuple[int, int]] = lambda whole: (0, 0)  # prompt tokens read from a cache, written to one
    extra_cost: Callable[[Value], bool] = costs_tokens_only  # whether it cost more than its tokens, unpriced here
    free: bool = False  # whether it costs nothing, and counts no tokens


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An API endpoint: its path at the provider, answer format, and the fields a request must or may not have."""

    upstream: str
    requires: str  # the field that holds the prompt
    forbids: str = ""  # a field that only another endpoint has
    answer_format: AnswerFormat | None = None  # if it differs from the dialect's
    path_in_name: bool = (
        False  # whether another endpoint accepts the same body, so that the path is part of the request's digest
    )
    deferred: str = ""  # a field that requests a background answer


@dataclass(frozen=True, eq=False)
class Dialect:
    """The dialect of a provider's API: its endpoints, answers, errors and connection; without keys or limits."""

    endpoints: Mapping[str, Endpoint]  # by the path at which clients reach the gateway
    connect: Callable[[str, str, Value], Connection]  # with a key, at a URL, by these settings of httpx2's client
    flaw: Callable[[Value], str]  # why a body is not a valid answer; empty if it is one
    usage: Callable[[Value], Mapping[str, int] | None]  # the tokens of an answer, as a response's row has them
    error: Callable[[str, str], Value]  # the body of an error, from its kind and its message
    events: Callable[[Value, Value], Iterator[bytes]]  # server-sent events of an answer, from it and its request
    entry: Callable[[str, str], Value]  # a model in the list of models, from its name and its provider's
    page: Callable[[Sequence[str]], Value] = lambda names: {}  # further fields of that list, from all names
    cached: Callable[[Value], tuple[int, int]] = lambda whole: (0, 0)  # prompt tokens read from a cache, written to one
    extra_cost: Callable[[Value], bool] = costs_tokens_only
    bounds: tuple[str, ...] = ()  # the fields that limit an answer's tokens; the first one present counts
    headers: tuple[str, ...] = ()  # client headers that change an answer; sent upstream and part of the digest
    ambient: tuple[str, ...] = ()  # prefixes of environment variables that its SDK would read on its own

    def format_of(self, endpoint: Endpoint) -> AnswerFormat:
        """Return the answer format of an endpoint: its own, or the dialect's."""
        return endpoint.answer_format or AnswerFormat(self.flaw, self.usage, self.events, self.cached, self.extra_cost)


def encode_event(value: Value, name: str = "") -> bytes:
    """Encode a JSON value as one server-sent event, with the event's name if given."""
    named = f"event: {name}\n".encode() if name else b""
    return named + b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def client_options(sdk: ModuleType, key: str, url: str, http: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constructor arguments of an SDK's client: key, URL, timeout, an aiohttp transport and no retries."""
    return {
        "api_key": key,
        "base_url": url,
        "timeout": http["timeout"],
        "max_retries": 0,
        "http_client": sdk.DefaultAioHttpClient(**http),
    }


class Sdk:
    """A connection that wraps an SDK's asynchronous client."""

    def __init__(self, sdk: ModuleType, client: Any, options: Mapping[str, Any]) -> None:
        self._sdk, self._client, self._options = sdk, client, options

    async def post(self, path: str, content: bytes, headers: Mapping[str, str]) -> httpx2.Response:
        """Send one POST; an HTTP error is returned as a response, a lost connection raised as an httpx2 error."""
        import httpx2  # noqa: PLC0415 - heavy

        try:
            response: httpx2.Response = await self._client.post(
                path,
                cast_to=httpx2.Response,
                content=content,
                options={"max_retries": 0, "headers": dict(headers), **self._options},
                stream=True,
                stream_cls=self._sdk.AsyncStream[Any],
            )
        except self._sdk.APIStatusError as bad:
            refused: httpx2.Response = bad.response
            return refused
        except self._sdk.APIConnectionError as bad:
            cause = bad.__cause__
            lost = cause if isinstance(cause, httpx2.RequestError) else httpx2.NetworkError(repr(cause))
            raise lost from lost.__cause__  # what the operating system said
        return response

    async def close(self) -> None:
        """Close the client's connections."""
        await self._client.close()
