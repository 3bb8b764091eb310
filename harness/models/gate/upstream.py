"""One attempt at a provider through its official SDK: a complete answer, or a failure that says what it was.

The SDKs neither retry nor follow redirects here, and no more of an answer is read than is allowed.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import HarnessError, MissingError
from harness.models.gate.keys import Keys, spellings
from harness.models.gate.retry import asked_wait, transient
from harness.models.gate.settings import Served

if TYPE_CHECKING:
    import httpx2

LARGEST = 64 << 20  # bytes of an answer
LARGEST_REFUSAL = 256 << 10  # bytes that are read of an answer that is an error
PASSED_ON = 64 << 10  # bytes of a refusal that a client is given
_AMBIENT = ("_LOG", "_CUSTOM_HEADERS", "_ADMIN_KEY", "_BASE_URL", "_AUTH_TOKEN", "_API_KEY", "_WEBHOOK_SECRET")


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer: its exact bytes, and what it used."""

    body: bytes
    prompt: int
    completion: int


class Failure(Exception):  # noqa: N818 - it is what a call ended in
    """An attempt without an answer."""

    def __init__(self, kind: str, what: str, *, again: bool = True, wait: float | None = None, status: int = 0) -> None:
        super().__init__(what)
        self.kind, self.what, self.again, self.wait, self.status = kind, what, again, wait, status
        self.body = b""  # of a refusal that is passed on as it is


@dataclass(frozen=True, slots=True)
class _Client:
    """An SDK's client for one place and key."""

    sdk: Any
    asks: Any
    options: Mapping[str, Any]
    secrets: tuple[bytes, ...]


def forget_ambient() -> None:
    """Take from this process's environment what the SDKs would read on their own: nothing but the settings counts."""
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "ANTHROPIC_")) and name.endswith(_AMBIENT):
            del os.environ[name]


class Upstream:
    """The providers as the gateway reaches them; an SDK is loaded and a key read when a request needs them."""

    def __init__(self, keys: Keys, timeout: float, concurrency: int) -> None:
        self._keys, self._timeout, self._concurrency = keys, timeout, concurrency
        self._clients: dict[tuple[str, str, str], _Client] = {}
        self._loading = asyncio.Lock()

    async def ask(self, served: Served, path: str, body: Mapping[str, Any]) -> Answer:
        """Ask once; raises Failure."""
        client = await self._client(served)
        import aiohttp  # noqa: PLC0415 - heavy
        import httpx2  # noqa: PLC0415 - heavy

        try:
            async with asyncio.timeout(self._timeout):
                response = await self._post(client, path, body)
                data = await _read(response)
        except (TimeoutError, httpx2.TimeoutException):
            raise Failure("timeout", f"no whole answer in {self._timeout:g} s") from None
        except httpx2.DecodingError:
            raise Failure("encoding", "the answer's bytes are not in the encoding that it names") from None
        except (httpx2.HTTPError, httpx2.StreamError):
            raise Failure("cut", "the connection was cut in the middle of an answer") from None
        except (aiohttp.ClientError, OSError):  # what the SDK's transport does not translate
            raise Failure("protocol", "what came is not HTTP") from None
        if any(one in data for one in client.secrets):
            raise Failure("key_in_answer", "the answer repeats the key, and is not given to anybody", again=False)
        return _whole(served.provider, path, data)

    async def _post(self, client: _Client, path: str, body: Mapping[str, Any]) -> httpx2.Response:
        import httpx2  # noqa: PLC0415 - heavy

        content = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        sdk = client.sdk
        try:
            response: httpx2.Response = await client.asks.post(
                path,
                cast_to=httpx2.Response,
                content=content,
                options={"headers": {"Accept-Encoding": "identity"}, "max_retries": 0, **client.options},
                stream=True,
                stream_cls=sdk.AsyncStream[Any],
            )
        except sdk.APITimeoutError as bad:
            if isinstance(bad.__cause__, httpx2.ConnectTimeout):  # so this transport calls all that ends a connection
                raise Failure("connection", "the provider cannot be reached, or hung up") from None
            raise Failure("timeout", f"no answer in {self._timeout:g} s") from None
        except sdk.APIStatusError as bad:
            raise self._refusal(bad.response) from None
        except sdk.APIConnectionError as bad:
            cause = type(bad.__cause__).__name__ if bad.__cause__ else "no connection"
            raise Failure("connection", f"the provider cannot be reached ({cause})") from None
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            await response.aclose()
            raise Failure("content_type", f"the answer is {kind[:80] or 'nothing named'} and not application/json")
        return response

    def _refusal(self, response: httpx2.Response) -> Failure:
        """Say what a status other than 2xx means."""
        status, headers = response.status_code, {name.lower(): value for name, value in response.headers.items()}
        if 300 <= status <= 399:
            return Failure(
                "redirect", f"the provider sent us elsewhere (HTTP {status}); keys go nowhere else", again=False
            )
        bad = Failure(
            f"http_{status}",
            f"the provider answered HTTP {status}",
            again=transient(status, headers),
            wait=asked_wait(headers),
            status=status,
        )
        data: bytes = response.content
        secrets = [one for client in self._clients.values() for one in client.secrets]
        if len(data) <= PASSED_ON and not any(one in data for one in secrets):
            bad.body = data
        return bad

    async def _client(self, served: Served) -> _Client:
        place = (served.provider, served.base_url, served.key)
        async with self._loading:
            if place not in self._clients:
                try:
                    key = self._keys.find(served.key)
                except HarnessError as bad:
                    raise Failure("missing_key", str(bad), again=False) from None
                self._clients[place] = await asyncio.to_thread(self._new, served, key)  # what is on tape need not wait
        return self._clients[place]

    def _new(self, served: Served, key: str) -> _Client:
        try:
            import httpx2  # noqa: PLC0415 - heavy

            if served.provider == "openai":
                import openai as sdk  # noqa: PLC0415 - heavy
            else:
                import anthropic as sdk  # noqa: PLC0415 - heavy
        except ImportError as bad:
            raise MissingError(f"there is no {bad.name}", next="pip install 'llm-harness[gateway]'") from bad
        timeout = httpx2.Timeout(self._timeout, connect=min(self._timeout, 30.0))
        http = sdk.DefaultAioHttpClient(  # half the work of the SDKs' usual transport
            timeout=timeout,
            limits=httpx2.Limits(max_connections=self._concurrency),
            follow_redirects=False,
            event_hooks={"response": [_bound]},
        )
        given: dict[str, Any] = {
            "api_key": key,
            "base_url": served.base_url,
            "timeout": timeout,
            "max_retries": 0,
            "http_client": http,
        }
        if served.provider == "openai":
            return _Client(sdk, sdk.AsyncOpenAI(**given), {"security": {"bearer_auth": True}}, spellings(key))
        return _Client(sdk, sdk.AsyncAnthropic(**given, open_telemetry=False), {}, spellings(key))

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.asks.close()


async def _bound(response: httpx2.Response) -> None:
    """Let no error be longer than anybody reads: the SDKs take in whatever comes."""
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
                raise Failure("too_large", f"the answer is larger than {LARGEST >> 20} MiB", again=False)
    finally:
        await response.aclose()
    return b"".join(blocks)


def _whole(provider: str, path: str, data: bytes) -> Answer:
    """Take a body as an answer only if it is one: JSON, and of the shape that was asked for."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Failure("invalid_json", "the answer is not JSON, or was cut") from None
    part = "content" if provider == "anthropic" else "choices"
    if not isinstance(found, dict) or not isinstance(found.get(part), list) or found.get("error"):
        raise Failure("shape", f"the answer is no answer of {path}: it has no `{part}`")
    usage = found.get("usage")
    return Answer(data, *tokens(usage if isinstance(usage, dict) else {}))


def tokens(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Count the tokens that either provider says it used; what was read from or put in a cache is prompt."""
    prompt = ("prompt_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    completion = ("completion_tokens", "output_tokens")

    def total(names: tuple[str, ...]) -> int:
        found = (usage.get(name) for name in names)
        return sum(count for count in found if isinstance(count, int) and count > 0)

    return total(prompt), total(completion)
