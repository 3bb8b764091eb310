"""HTTP calls to providers: one attempt each, which ends in a complete answer or a typed failure.

The module also decides which failed calls are retried and after which delay (exponential backoff, with jitter drawn
from the request's digest), and makes the replies that a client sees, in the format of its provider's API. A call does
not follow redirects, and does not read more than its limits allow.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import json
import math
import os
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from harness import seeds
from harness.errors import HarnessError, MissingError
from harness.models.gateway.dialect import AnswerFormat, Connection, Dialect, Endpoint
from harness.models.gateway.limits import HUNG_UP
from harness.models.gateway.settings import Keys, ServedModel, TokenUsage, encoded_forms
from harness.models.wire import ERROR_HEADER, LONGEST_WORDS, escape_unprintable, parse_refusal

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply to a client: status, body and headers; not yet sent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""  # the kind of an error
    refused: bool = False  # finally refused by the provider

    @property
    def fine(self) -> bool:
        """Whether the reply is a model's answer, not an error."""
        return not self.kind and 200 <= self.status <= 299


@dataclass(frozen=True, slots=True)
class GatewayError:
    """An error that the gateway returns instead of an answer: HTTP status, kind and message."""

    status: int
    kind: str
    message: str


def one_line(bad: HarnessError) -> str:
    """Format an error of the harness in one line, since some clients escape line breaks."""
    where = f" ({bad.where})" if bad.where else ""
    return f"{bad.what}{where}" + (f". Next: {bad.next}" if bad.next else "")


def error_reply(dialect: Dialect, wrong: GatewayError) -> Reply:
    """Return an error reply in the provider's format, marked so that an SDK does not retry it."""
    body = json.dumps(dialect.error(wrong.kind, wrong.message)).encode()
    return Reply(wrong.status, body, {ERROR_HEADER: wrong.kind, "x-should-retry": "false"}, wrong.kind)


def refusal_reply(dialect: Dialect, status: int, kind: str, body: bytes) -> Reply:
    """Return a provider's refusal: its status and body, or an error reply if the body is not a JSON object."""
    try:
        readable = isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        readable = False
    if not readable:
        said = parse_refusal(body)[1] or f"the provider answered HTTP {status}, with nothing to be read"
        return replace(error_reply(dialect, GatewayError(status, kind, said)), refused=True)
    return Reply(status, body, {"x-should-retry": "false"}, kind, refused=True)


def model_list(dialects: Iterable[Dialect], providers: Mapping[str, str]) -> bytes:
    """Return the body of the list of models, readable by the clients of every dialect."""
    names, spoken = sorted(providers), tuple(dialects)
    page = _merged(dialect.page(names) for dialect in spoken)
    data = [_merged(dialect.entry(name, providers[name]) for dialect in spoken) for name in names]
    return json.dumps({**page, "data": data}).encode()


def _merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}


AGAIN = frozenset({408, 409, 425, 429})
LONGEST_ASKED = 120.0  # longest Retry-After that is obeyed, in seconds
LONGEST_BACKOFF = 30.0


def is_transient(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a retry may succeed, by the HTTP status; the header `x-should-retry` takes precedence."""
    word = headers.get("x-should-retry", "").strip().lower()
    if word in ("true", "false"):
        return word == "true"
    return status in AGAIN or status >= 500


def requested_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the provider's headers ask to wait, at most 120; None if they do not say.

    The headers are `retry-after-ms`, and `retry-after` as a number or as a date relative to the header `date`.
    """
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return min(seconds, LONGEST_ASKED)
    then, now = _instant(headers.get("retry-after", "")), _instant(headers.get("date", ""))
    if then is None or now is None:  # a date is compared with the provider's clock, not with ours
        return None
    return min(max(then - now, 0.0), LONGEST_ASKED)


def _instant(date: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None


def backoff_seconds(first: float, attempt: int, request: str, repeat: int) -> float:
    """Return the seconds before the next attempt: `first`, doubled at each attempt up to 30, with jitter.

    The jitter reduces this to between half and all of it, by the request's digest, its repeat and the attempt.
    """
    longest = min(first * 2.0**attempt, LONGEST_BACKOFF)
    return longest * (0.5 + 0.5 * seeds.unit_number(seeds.derive_seed(0, "gateway.backoff", request, attempt, repeat)))


LARGEST = 64 << 20  # bytes of an answer
LONGEST_CONNECT = 10.0  # seconds within which a provider must accept a connection
MOST_CONNECTIONS = 1024  # of one provider; each model has its own bound of requests at once
MOST_TOKENS = 1 << 40  # counted of one answer; sums of longer numbers could not be written
LARGEST_REFUSAL = 256 << 10  # most bytes read of an error response
DEFLATED, LARGEST_GROWTH = ("gzip", "deflate"), 64  # encodings that are undone; what they make of a refusal's byte
PIECE = 1 << 14  # compressed bytes that are undone at a time
PASSED_ON = 64 << 10  # most bytes of a refusal passed on to a client
_AMBIENT = ("_LOG", "_CUSTOM_HEADERS", "_ADMIN_KEY", "_BASE_URL", "_AUTH_TOKEN", "_API_KEY", "_WEBHOOK_SECRET")


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """A provider's complete answer: its exact bytes, and the tokens it used."""

    body: bytes
    used: TokenUsage
    priced: bool = True  # whether the price of its tokens is its whole cost


class FailedAttempt(Exception):  # noqa: N818 - the outcome of a call
    """A failed attempt: kind, message, whether and when to retry, HTTP status (0: none) and the body of a refusal."""

    def __init__(self, kind: str, what: str, *, again: bool = True, wait: float | None = None, status: int = 0) -> None:
        super().__init__(what)
        self.kind, self.what, self.again, self.wait, self.status = kind, what, again, wait, status
        self.body = b""  # of a refusal that is passed on unchanged


def clear_sdk_variables(dialects: Iterable[Dialect]) -> None:
    """Delete the environment variables that the dialects' SDKs read on their own: keys, URLs, headers and logging.

    Variables that choose an account (an organisation, a project) do not change answers and are kept.
    """
    begins = tuple(begin for dialect in dialects for begin in dialect.ambient)
    for name in list(os.environ):
        if name.startswith(begins) and name.endswith(_AMBIENT):
            del os.environ[name]


class Upstream:
    """The pool of connections to providers; an SDK and a key are loaded when first needed. No retries."""

    def __init__(self, keys: Keys, timeout: float, named: Iterable[str] = ()) -> None:
        self._keys, self._timeout = keys, timeout
        self._named = frozenset(named)  # every key that this gateway may use
        self._secrets: dict[bytes, str] = {}  # the forms in which a key could occur in traffic, with its name
        self._connections: dict[tuple[Dialect, str, str, float], Connection] = {}
        self._loading = asyncio.Lock()

    async def call(
        self, served: ServedModel, endpoint: Endpoint, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> ProviderReply:
        """Send one request and return the complete answer, or raise FailedAttempt.

        A request that contains one of the gateway's API keys is not sent, and an answer that contains one is not
        returned. Keys shorter than 12 characters are not searched for.
        """
        connection, timeout = await self._connection(served), self._timeout_of(served)
        import aiohttp  # noqa: PLC0415 - heavy
        import httpx2  # noqa: PLC0415 - heavy

        content = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if name := self._secret(content + "\n".join(headers.values()).encode()):
            raise FailedAttempt(
                "key_in_request", f"this request holds the key {name}: it goes to nobody, and onto no tape", again=False
            )
        try:
            async with asyncio.timeout(timeout):
                response = await self._opened(connection, endpoint.upstream, content, headers)
                data = await _read(response)
        except (TimeoutError, httpx2.TimeoutException):
            raise FailedAttempt("timeout", f"no whole answer in {timeout:g} s") from None
        except httpx2.DecodingError:
            raise FailedAttempt("encoding", "the answer's bytes are not in the encoding that it names") from None
        except (httpx2.HTTPError, httpx2.StreamError):
            raise FailedAttempt("cut", "the connection was cut in the middle of an answer") from None
        except (aiohttp.ClientError, OSError):  # errors that the transport does not translate
            raise FailedAttempt("protocol", "what came is not HTTP") from None
        if self._secret(data):
            raise FailedAttempt("key_in_answer", "the answer repeats the key, and is not given to anybody", again=False)
        return _whole(served.dialect.format_of(endpoint), endpoint.upstream, data)

    async def _opened(
        self, connection: Connection, path: str, content: bytes, headers: Mapping[str, str]
    ) -> httpx2.Response:
        """Send a request and return a successful JSON response whose body is not yet read."""
        import httpx2  # noqa: PLC0415 - heavy

        try:
            response = await connection.post(path, content, headers)
        except httpx2.RequestError as bad:
            if isinstance(bad, httpx2.TimeoutException) and not isinstance(bad, httpx2.ConnectTimeout):
                raise
            raise _unreached(bad) from None  # this transport calls anything that ends a connection a ConnectTimeout
        except UnicodeError:  # raised where a host's name is made ready for the look-up
            raise FailedAttempt("connection", "no connection (this is no name of a host)") from None
        if not response.is_success:
            await response.aread()
            raise self._refusal(response)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            await response.aclose()
            raise FailedAttempt(
                "content_type", f"the answer is {kind[:80] or 'nothing named'} and not application/json"
            )
        return response

    def _refusal(self, response: httpx2.Response) -> FailedAttempt:
        """Classify an HTTP status other than 2xx: redirect, refusal, or transient error."""
        status, headers = response.status_code, {name.lower(): value for name, value in response.headers.items()}
        if 300 <= status <= 399:
            return FailedAttempt(
                "redirect", f"the provider sent us elsewhere (HTTP {status}); keys go nowhere else", again=False
            )
        if not 400 <= status <= 599:
            return FailedAttempt("protocol", f"what came is no answer of HTTP: its status is {status}")
        data: bytes = response.content
        if len(data) > PASSED_ON or self._secret(data):
            data = b""
        said = ": ".join(part for part in (f"the provider answered HTTP {status}", *parse_refusal(data)) if part)
        bad = FailedAttempt(
            f"http_{status}", said, again=is_transient(status, headers), wait=requested_wait(headers), status=status
        )
        bad.body = data
        return bad

    def _secret(self, data: bytes) -> str:
        """Return the name of a key that occurs in some bytes; empty if none does."""
        return next((name for form, name in self._secrets.items() if form in data), "")

    def _learn(self, names: Iterable[str]) -> None:
        """Register the encodings of keys, to search for them in traffic; a missing key is skipped."""
        for name in names:
            with contextlib.suppress(HarnessError):
                self._secrets |= dict.fromkeys(encoded_forms(self._keys.find(name)), name)

    def _timeout_of(self, served: ServedModel) -> float:
        return served.limits.timeout or self._timeout

    async def _connection(self, served: ServedModel) -> Connection:
        place = (served.dialect, served.base_url, served.key, self._timeout_of(served))
        async with self._loading:
            if place not in self._connections:
                try:
                    key = self._keys.find_for(served.key, served.base_url)
                except HarnessError as bad:
                    raise FailedAttempt("missing_key", one_line(bad), again=False) from None
                self._learn({served.key, *self._named})
                self._connections[place] = await asyncio.to_thread(
                    self._connect, served, key
                )  # answers from a tape need not wait
        return self._connections[place]

    def _connect(self, served: ServedModel, key: str) -> Connection:
        try:
            import httpx2  # noqa: PLC0415 - heavy

            timeout = self._timeout_of(served)
            http = {
                "timeout": httpx2.Timeout(timeout, connect=min(timeout / 2, LONGEST_CONNECT)),
                "limits": httpx2.Limits(max_connections=MOST_CONNECTIONS),
                "headers": {"Accept-Encoding": "identity", "Content-Type": "application/json"},
                "follow_redirects": False,
                "event_hooks": {"response": [_bound]},
            }
            return served.dialect.connect(key, served.base_url, http)
        except ImportError as bad:
            raise MissingError(f"there is no {bad.name}", next="pip install 'repro-harness[gateway]'") from bad

    async def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            await connection.close()


def _unreached(bad: BaseException) -> FailedAttempt:
    """Return the failure of an attempt that got no answer, in the words of the operating system, or of the library."""
    import aiohttp  # noqa: PLC0415 - heavy

    cause = bad.__cause__ or bad
    if isinstance(cause, aiohttp.ConnectionTimeoutError):
        return FailedAttempt("connection", "no connection was accepted in time")
    found = getattr(cause, "certificate_error", None) or getattr(cause, "os_error", None) or cause
    said = str(found)
    if isinstance(found, OSError) and not isinstance(found, ssl.SSLError):
        said = os.strerror(found.errno) if found.errno and found.errno > 0 else found.strerror or said
    words = escape_unprintable(said)[:LONGEST_WORDS].lower() or type(cause).__name__
    if isinstance(cause, aiohttp.ClientConnectionError) and not isinstance(cause, aiohttp.ClientConnectorError):
        return FailedAttempt(HUNG_UP, f"the connection ended without an answer ({words})")
    return FailedAttempt("connection", f"no connection ({words})")


async def _bound(response: httpx2.Response) -> None:
    """Limit the body of an error response, because the SDKs read all of it, and what compressed bytes can grow to.

    No compression was asked for. One of the usual kind is undone, in small pieces; bytes in any other stay as they are.
    A refusal is read as UTF-8 whatever it says, because Python has charsets that fail, or decompress.
    """
    import httpx2  # noqa: PLC0415 - heavy

    packed = response.headers.get("content-encoding", "").strip().lower() in DEFLATED
    if not packed:
        response.headers.pop("content-encoding", None)
        if response.status_code < 300:
            return
    if response.status_code >= 300:
        response.headers["content-type"] = response.headers.get("content-type", "").partition(";")[0]
    most = LARGEST if response.status_code < 300 else LARGEST_REFUSAL // LARGEST_GROWTH if packed else LARGEST_REFUSAL
    inner: Any = response.stream

    class Bounded(httpx2.AsyncByteStream):  # type: ignore[misc]  # mypy does not look into this library
        async def __aiter__(self) -> AsyncIterator[bytes]:
            room = most
            async for block in inner:
                for start in range(0, min(len(block), room), PIECE):
                    yield block[start : min(start + PIECE, room)]
                room -= len(block)
                if room <= 0:
                    return

        async def aclose(self) -> None:
            await inner.aclose()

    response.stream = Bounded()


async def _read(response: httpx2.Response) -> bytes:
    blocks, size = [], 0
    try:
        async for block in response.aiter_bytes():
            blocks.append(block)
            size += len(block)
            if size > LARGEST:
                raise FailedAttempt("too_large", f"the answer is larger than {LARGEST >> 20} MiB", again=False)
    finally:
        await response.aclose()
    return b"".join(blocks)


def _whole(answer_format: AnswerFormat, path: str, data: bytes) -> ProviderReply:
    """Validate a body as a complete answer: JSON in the format of its endpoint; raises FailedAttempt."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise FailedAttempt("invalid_json", "the answer is not JSON, or was cut") from None
    flaw = answer_format.flaw(found) if isinstance(found, dict) else "it is no JSON object"
    if flaw:
        raise FailedAttempt("shape", f"the answer is no answer of {path}: {flaw}")
    counted, cache = answer_format.usage(found), answer_format.cached(found)
    counts = (counted or {}).get("prompt_tokens", 0), (counted or {}).get("completion_tokens", 0), *cache
    used = TokenUsage(*(min(count, MOST_TOKENS) for count in counts))
    priced = answer_format.free or (counted is not None and not answer_format.extra_cost(found))
    return ProviderReply(data, used, priced)
