"""One attempt at a provider: a complete answer, or a failure that says what it was.

What the provider speaks is its dialect's to say. No redirect is followed, and no more is read than is allowed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import HarnessError, MissingError
from harness.models.gate.dialect import Connection, Dialect
from harness.models.gate.keys import Keys, spellings
from harness.models.gate.retry import asked_wait, transient
from harness.models.gate.settings import Served, Used
from harness.models.wire import words

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
    used: Used


class Failure(Exception):  # noqa: N818 - it is what a call ended in
    """An attempt without an answer."""

    def __init__(self, kind: str, what: str, *, again: bool = True, wait: float | None = None, status: int = 0) -> None:
        super().__init__(what)
        self.kind, self.what, self.again, self.wait, self.status = kind, what, again, wait, status
        self.body = b""  # of a refusal that is passed on as it is


def forget_ambient(dialects: Iterable[Dialect]) -> None:
    """Take from this process's environment what the SDKs would read on their own: whom, where and how to ask.

    Which of a person's accounts is asked (an organisation, a project) changes no answer, and is left to them.
    """
    begins = tuple(begin for dialect in dialects for begin in dialect.ambient)
    for name in list(os.environ):
        if name.startswith(begins) and name.endswith(_AMBIENT):
            del os.environ[name]


class Upstream:
    """The providers as the gateway reaches them; an SDK is loaded and a key read when a request needs them."""

    def __init__(self, keys: Keys, timeout: float, concurrency: int, named: Iterable[str] = ()) -> None:
        self._keys, self._timeout, self._concurrency = keys, timeout, concurrency
        self._named = frozenset(named)  # every key that this gateway may use
        self._secrets: dict[bytes, str] = {}  # the forms in which a key could go out or come back, and its name
        self._reached: dict[tuple[Dialect, str, str], Connection] = {}
        self._loading = asyncio.Lock()

    async def ask(self, served: Served, path: str, body: Mapping[str, Any]) -> Answer:
        """Ask once; raises Failure."""
        connection = await self._reach(served)
        import aiohttp  # noqa: PLC0415 - heavy
        import httpx2  # noqa: PLC0415 - heavy

        content = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if name := self._secret(content):
            raise Failure(
                "key_in_request", f"this request holds the key {name}: it goes to nobody, and onto no tape", again=False
            )
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._opened(connection, path, content)
                data = await _read(response)
        except (TimeoutError, httpx2.TimeoutException):
            raise Failure("timeout", f"no whole answer in {self._timeout:g} s") from None
        except httpx2.DecodingError:
            raise Failure("encoding", "the answer's bytes are not in the encoding that it names") from None
        except (httpx2.HTTPError, httpx2.StreamError):
            raise Failure("cut", "the connection was cut in the middle of an answer") from None
        except (aiohttp.ClientError, OSError):  # what the transport does not translate
            raise Failure("protocol", "what came is not HTTP") from None
        if self._secret(data):
            raise Failure("key_in_answer", "the answer repeats the key, and is not given to anybody", again=False)
        return _whole(served.dialect, path, data)

    async def _opened(self, connection: Connection, path: str, content: bytes) -> httpx2.Response:
        """Ask, and give an answer whose body may be read."""
        import httpx2  # noqa: PLC0415 - heavy

        try:
            response = await connection.post(path, content)
        except httpx2.ConnectTimeout:  # so this transport calls all that ends a connection
            raise Failure("connection", "the provider cannot be reached, or hung up") from None
        except httpx2.TimeoutException:
            raise
        except httpx2.RequestError as bad:
            raise Failure("connection", f"the provider cannot be reached ({type(bad).__name__})") from None
        if not response.is_success:
            await response.aread()
            raise self._refusal(response)
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
        data: bytes = response.content
        if len(data) > PASSED_ON or self._secret(data):
            data = b""
        said = ": ".join(part for part in (f"the provider answered HTTP {status}", *words(data)) if part)
        bad = Failure(f"http_{status}", said, again=transient(status, headers), wait=asked_wait(headers), status=status)
        bad.body = data
        return bad

    def _secret(self, data: bytes) -> str:
        """Name the key that stands in what goes out or comes back; nothing where none does."""
        return next((name for form, name in self._secrets.items() if form in data), "")

    def _learn(self, names: Iterable[str]) -> None:
        """Learn the forms of keys; one that is not there cannot be anywhere."""
        for name in names:
            with contextlib.suppress(HarnessError):
                self._secrets |= dict.fromkeys(spellings(self._keys.find(name)), name)

    async def _reach(self, served: Served) -> Connection:
        place = (served.dialect, served.base_url, served.key)
        async with self._loading:
            if place not in self._reached:
                try:
                    key = self._keys.find(served.key)
                except HarnessError as bad:
                    raise Failure("missing_key", f"{bad.what}. Next: {bad.next}", again=False) from None
                self._learn({served.key, *self._named})
                self._reached[place] = await asyncio.to_thread(
                    self._connect, served, key
                )  # what is taped need not wait
        return self._reached[place]

    def _connect(self, served: Served, key: str) -> Connection:
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
        for connection in self._reached.values():
            await connection.close()


async def _bound(response: httpx2.Response) -> None:
    """Let no error be longer than anybody reads: the dialects take in whatever comes."""
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


def _whole(dialect: Dialect, path: str, data: bytes) -> Answer:
    """Take a body as an answer only if it is one: JSON, and of the shape that was asked for."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Failure("invalid_json", "the answer is not JSON, or was cut") from None
    flaw = dialect.flaw(found) if isinstance(found, dict) else "it is no JSON object"
    if flaw:
        raise Failure("shape", f"the answer is no answer of {path}: {flaw}")
    used, cache = dialect.usage(found) or {}, dialect.cached(found)
    return Answer(data, Used(used.get("prompt_tokens", 0), used.get("completion_tokens", 0), *cache))
