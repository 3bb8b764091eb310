"""HTTP calls to providers: one attempt each, which ends in a complete answer or a typed failure.

Beside them: which failed calls are retried and after which delay (exponential backoff, with jitter drawn from the
request's digest), and the replies that a client sees, in the format of its provider's API. A call never follows a
redirect, and never reads more than its limits allow.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import json
import math
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from harness import seeds
from harness.errors import HarnessError, MissingError
from harness.models.gateway.dialect import AnswerFormat, Connection, Dialect, Endpoint
from harness.models.gateway.settings import Keys, ServedModel, TokenUsage, encoded_forms
from harness.models.wire import ERROR_HEADER, parse_refusal

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply to a client: status, body and headers; not yet sent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""  # of an error
    refused: bool = False  # by the provider, for good

    @property
    def fine(self) -> bool:
        """Whether it is a model's answer and no error."""
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
    """Make an error reply in the provider's format, marked so that an SDK that gets it does not retry by itself."""
    body = json.dumps(dialect.error(wrong.kind, wrong.message)).encode()
    return Reply(wrong.status, body, {ERROR_HEADER: wrong.kind, "x-should-retry": "false"}, wrong.kind)


def refusal_reply(dialect: Dialect, status: int, kind: str, body: bytes) -> Reply:
    """Pass on a provider's refusal: its status and body, or an error reply where the body is no JSON object."""
    try:
        readable = isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        readable = False
    if not readable:
        said = parse_refusal(body)[1] or f"the provider answered HTTP {status}, with nothing to be read"
        return replace(error_reply(dialect, GatewayError(status, kind, said)), refused=True)
    return Reply(status, body, {"x-should-retry": "false"}, kind, refused=True)


def model_list(dialects: Iterable[Dialect], providers: Mapping[str, str]) -> bytes:
    """Make the body of the list of models, readable by the clients of every dialect."""
    names, spoken = sorted(providers), tuple(dialects)
    page = _merged(dialect.page(names) for dialect in spoken)
    data = [_merged(dialect.entry(name, providers[name]) for dialect in spoken) for name in names]
    return json.dumps({**page, "data": data}).encode()


def _merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}


AGAIN = frozenset({408, 409, 425, 429})
LONGEST_ASKED = 120.0  # longest Retry-After that is obeyed, in seconds
LONGEST_BACKOFF = 30.0


def transient(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a retry may succeed, by the HTTP status; the header `x-should-retry` takes precedence."""
    word = headers.get("x-should-retry", "").strip().lower()
    if word in ("true", "false"):
        return word == "true"
    return status in AGAIN or status >= 500


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Read how many seconds the provider asks to wait from its headers, at most 120; None where they do not say.

    They are `retry-after-ms`, and `retry-after` as a number or as a date, which counts from the header `date`.
    """
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return min(seconds, LONGEST_ASKED)
    then, now = _instant(headers.get("retry-after", "")), _instant(headers.get("date", ""))
    if then is None or now is None:  # a date is held against the provider's own clock, not against ours
        return None
    return min(max(then - now, 0.0), LONGEST_ASKED)


def _instant(date: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None


def backoff(first: float, attempt: int, request: str, repeat: int) -> float:
    """Compute the seconds before the next attempt: `first`, doubled at each attempt up to 30, with jitter.

    The jitter takes between half and all of that, by the request's digest, its repeat and the attempt.
    """
    longest = min(first * 2.0**attempt, LONGEST_BACKOFF)
    return longest * (0.5 + 0.5 * seeds.unit(seeds.derive(0, "gateway.backoff", request, attempt, repeat)))


LARGEST = 64 << 20  # bytes of an answer
LARGEST_REFUSAL = 256 << 10  # bytes that are read of an answer that is an error
PASSED_ON = 64 << 10  # bytes of a refusal that a client is given
_AMBIENT = ("_LOG", "_CUSTOM_HEADERS", "_ADMIN_KEY", "_BASE_URL", "_AUTH_TOKEN", "_API_KEY", "_WEBHOOK_SECRET")


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """A provider's complete answer: its exact bytes, and the tokens it used."""

    body: bytes
    used: TokenUsage
    priced: bool = True  # whether its tokens say all that it cost


class FailedAttempt(Exception):  # noqa: N818 - it is what a call ended in
    """A failed attempt: kind, message, whether and when to retry, HTTP status (0: none) and a refusal's body."""

    def __init__(self, kind: str, what: str, *, again: bool = True, wait: float | None = None, status: int = 0) -> None:
        super().__init__(what)
        self.kind, self.what, self.again, self.wait, self.status = kind, what, again, wait, status
        self.body = b""  # of a refusal that is passed on as it is


def clear_sdk_variables(dialects: Iterable[Dialect]) -> None:
    """Delete the environment variables that the dialects' SDKs read on their own: keys, URLs, headers and logging.

    Those that choose an account (an organisation, a project) change no answer and stay.
    """
    begins = tuple(begin for dialect in dialects for begin in dialect.ambient)
    for name in list(os.environ):
        if name.startswith(begins) and name.endswith(_AMBIENT):
            del os.environ[name]


class Upstream:
    """The pool of connections to providers; an SDK is loaded and a key looked up when first needed.

    It never retries.
    """

    def __init__(self, keys: Keys, timeout: float, concurrency: int, named: Iterable[str] = ()) -> None:
        self._keys, self._timeout, self._concurrency = keys, timeout, concurrency
        self._named = frozenset(named)  # every key that this gateway may use
        self._secrets: dict[bytes, str] = {}  # the forms in which a key could go out or come back, and its name
        self._connections: dict[tuple[Dialect, str, str], Connection] = {}
        self._loading = asyncio.Lock()

    async def call(
        self, served: ServedModel, endpoint: Endpoint, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> ProviderReply:
        """Send one request and return the complete answer, or raise FailedAttempt.

        A request that holds one of the gateway's API keys is not sent, and an answer that holds one is not returned;
        keys shorter than 12 characters are not looked for.
        """
        connection = await self._connection(served)
        import aiohttp  # noqa: PLC0415 - heavy
        import httpx2  # noqa: PLC0415 - heavy

        content = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if name := self._secret(content + "\n".join(headers.values()).encode()):
            raise FailedAttempt(
                "key_in_request", f"this request holds the key {name}: it goes to nobody, and onto no tape", again=False
            )
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._opened(connection, endpoint.upstream, content, headers)
                data = await _read(response)
        except (TimeoutError, httpx2.TimeoutException):
            raise FailedAttempt("timeout", f"no whole answer in {self._timeout:g} s") from None
        except httpx2.DecodingError:
            raise FailedAttempt("encoding", "the answer's bytes are not in the encoding that it names") from None
        except (httpx2.HTTPError, httpx2.StreamError):
            raise FailedAttempt("cut", "the connection was cut in the middle of an answer") from None
        except (aiohttp.ClientError, OSError):  # what the transport does not translate
            raise FailedAttempt("protocol", "what came is not HTTP") from None
        if self._secret(data):
            raise FailedAttempt("key_in_answer", "the answer repeats the key, and is not given to anybody", again=False)
        return _whole(served.dialect.format_of(endpoint), endpoint.upstream, data)

    async def _opened(
        self, connection: Connection, path: str, content: bytes, headers: Mapping[str, str]
    ) -> httpx2.Response:
        """Send a request; returns a successful JSON response whose body is not yet read."""
        import httpx2  # noqa: PLC0415 - heavy

        try:
            response = await connection.post(path, content, headers)
        except httpx2.ConnectTimeout:  # so this transport calls all that ends a connection
            raise FailedAttempt("connection", "the provider cannot be reached, or hung up") from None
        except httpx2.TimeoutException:
            raise
        except httpx2.RequestError as bad:
            raise FailedAttempt("connection", f"the provider cannot be reached ({type(bad).__name__})") from None
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
        data: bytes = response.content
        if len(data) > PASSED_ON or self._secret(data):
            data = b""
        said = ": ".join(part for part in (f"the provider answered HTTP {status}", *parse_refusal(data)) if part)
        bad = FailedAttempt(
            f"http_{status}", said, again=transient(status, headers), wait=asked_wait(headers), status=status
        )
        bad.body = data
        return bad

    def _secret(self, data: bytes) -> str:
        """Find the name of a key that occurs in some bytes; empty where none does."""
        return next((name for form, name in self._secrets.items() if form in data), "")

    def _learn(self, names: Iterable[str]) -> None:
        """Register the encodings of keys, to look for them in traffic; a missing key is skipped."""
        for name in names:
            with contextlib.suppress(HarnessError):
                self._secrets |= dict.fromkeys(encoded_forms(self._keys.find(name)), name)

    async def _connection(self, served: ServedModel) -> Connection:
        place = (served.dialect, served.base_url, served.key)
        async with self._loading:
            if place not in self._connections:
                try:
                    key = self._keys.find(served.key)
                except HarnessError as bad:
                    raise FailedAttempt("missing_key", one_line(bad), again=False) from None
                self._learn({served.key, *self._named})
                self._connections[place] = await asyncio.to_thread(
                    self._connect, served, key
                )  # what is taped need not wait
        return self._connections[place]

    def _connect(self, served: ServedModel, key: str) -> Connection:
        try:
            import httpx2  # noqa: PLC0415 - heavy

            http = {
                "timeout": httpx2.Timeout(self._timeout, connect=min(self._timeout, 30.0)),
                "limits": httpx2.Limits(max_connections=self._concurrency),
                "headers": {"Accept-Encoding": "identity", "Content-Type": "application/json"},
                "follow_redirects": False,
                "event_hooks": {"response": [_bound]},
            }
            return served.dialect.connect(key, served.base_url, http)
        except ImportError as bad:
            raise MissingError(f"there is no {bad.name}", next="pip install 'llm-harness[gateway]'") from bad

    async def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            await connection.close()


async def _bound(response: httpx2.Response) -> None:
    """Truncate the body of an error response: the SDKs read all of it."""
    import httpx2  # noqa: PLC0415 - heavy

    if response.status_code < 300:
        return
    inner: Any = response.stream

    class Bounded(httpx2.AsyncByteStream):  # type: ignore[misc]  # mypy does not look into this library
        async def __aiter__(self) -> AsyncIterator[bytes]:
            room = LARGEST_REFUSAL
            async for block in inner:
                yield block[:room]
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
    """Validate a body as a complete answer: JSON, and of the shape that its endpoint has."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise FailedAttempt("invalid_json", "the answer is not JSON, or was cut") from None
    flaw = answer_format.flaw(found) if isinstance(found, dict) else "it is no JSON object"
    if flaw:
        raise FailedAttempt("shape", f"the answer is no answer of {path}: {flaw}")
    counted, cache = answer_format.usage(found), answer_format.cached(found)
    used = TokenUsage((counted or {}).get("prompt_tokens", 0), (counted or {}).get("completion_tokens", 0), *cache)
    priced = answer_format.free or (counted is not None and not answer_format.extra_cost(found))
    return ProviderReply(data, used, priced)
