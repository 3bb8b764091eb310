"""The guard of the HTTP door: refuses what may not come in, before the SDK or a session sees it.

In this order: the headers Host and Origin (a web page that a browser was tricked into, DNS rebinding), path and method,
the user at the other end, the token and its scope, the rate, the size and the time of the body, and the message in it.
A refusal says what to do next, and nothing of the project. Independent of tools and attempts.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from harness.attempts.codes import AttemptError
from harness.attempts.tokens import Token, digest_of_token
from harness_tools.http_door import PATH, DoorRules
from harness_tools.http_wire import Application, Message, Scope
from harness_tools.lines import INVALID_REQUEST, MOST, Refusal, has_surrogates, parse_line

AT_ONCE = 64  # requests of one principal that are answered at a time
BURST = 5.0  # seconds of its rate that a principal may use at once
PACED = 1.0  # seconds that a request may wait for its turn; one that must wait longer is refused
STRANGERS = 20.0  # refused requests a second, of all clients together, that are answered at all
FRESH = 1.0  # seconds after which tokens are read again: so long a revoked one may still be used
LONGEST_TOKEN = 200
RATE_LIMITED = -32029

Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]


class Pace:
    """A rate limit for requests, which may be exceeded for a moment."""

    def __init__(self, rate: float, burst: float = BURST) -> None:
        self._rate, self._most = rate, rate * burst
        self._left, self._at = self._most, time.monotonic()

    def wait(self) -> float:
        """Count one request; return the seconds to wait before it may go on, or -1, uncounted, if that is too long."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        wait = max(0.0, (1 - self._left) / self._rate)
        if wait > PACED:
            return -1
        self._left -= 1
        return wait


@dataclass
class Caller:
    """A principal that calls over HTTP: its rate limit, and its requests that are being answered."""

    name: str
    pace: Pace
    at_once: int = 0  # its requests that are being answered
    backend: Any = None  # who answers its calls, once the first one came


class Callers(Protocol):
    """Interface by which the HTTP guard looks up tokens and opens sessions."""

    async def tokens(self) -> Mapping[str, Token]:
        """Return the tokens of the store by their digests."""

    async def admit(self, caller: Caller) -> None:
        """Open a principal's session, unless it has one; raise AttemptError if there are too many."""

    def refused(self, caller: Caller, refusal: Refusal) -> None:
        """Write to the principal's log that a message of it was refused, and why."""


@dataclass(frozen=True)
class DeniedError(Exception):
    """Raised for an HTTP request that is refused: its status, a sentence, what to do next, and headers."""

    status: int
    what: str
    next: str
    headers: tuple[tuple[bytes, bytes], ...] = ()
    rpc: int = INVALID_REQUEST


@dataclass
class Guard:
    """ASGI application that checks host, origin, token and rate of each request before it passes it to another."""

    rules: DoorRules
    profile: str
    callers: Callers
    inner: Application
    _known: dict[str, Caller] = field(default_factory=dict)
    _strangers: Pace = field(default_factory=lambda: Pace(STRANGERS))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it in."""
        try:
            caller = await self._caller(scope)
        except DeniedError as denied:
            if denied.status not in (404, 405) and (wait := self._strangers.wait()):
                await asyncio.sleep(wait if wait > 0 else PACED)  # guesses are slow
            await _answer(send, denied)
            return
        try:
            if caller.at_once >= AT_ONCE or (wait := caller.pace.wait()) < 0:
                raise _limited()
            caller.at_once += 1
            try:
                if wait:
                    await asyncio.sleep(wait)
                await self._let_in(caller, scope, receive, send)
            finally:
                caller.at_once -= 1
        except DeniedError as denied:
            await _answer(send, denied)

    async def _let_in(self, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body and the message in it, and pass the request on with both."""
        await self._admit(caller)
        body = await self._body(caller, scope, receive)
        if body is None:
            return
        message = parse_line(body)
        if isinstance(message, dict) and b"\\u" in body and has_surrogates(message):  # the SDK parses the bytes again
            error = AttemptError("E_ENCODING", "the message holds a lone surrogate")
            message = Refusal(INVALID_REQUEST, error, message.get("id"), len(body))
        if isinstance(message, Refusal):
            self.callers.refused(caller, message)
            data = json.dumps(message.answer(), separators=(",", ":")).encode()
            await _reply(send, 400, data)
            return
        if message is None and not body.strip():
            raise DeniedError(400, "the request has no body", "Send one JSON-RPC message.")
        scope["caller"] = caller
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return waiting.pop() if waiting else await receive()

        await self.inner(scope, replay, send)

    async def _admit(self, caller: Caller) -> None:
        try:
            await self.callers.admit(caller)
        except AttemptError as bad:
            raise DeniedError(503, bad.what, bad.next) from None

    async def _body(self, caller: Caller, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body of a request; None if its client has gone."""
        declared = _header(scope, b"content-length")
        pieces, size = [], int(declared) if declared and declared.isdecimal() else 0
        while size <= MOST:
            part = await receive()
            if part["type"] == "http.disconnect":
                return None
            pieces.append(part["body"])
            size = max(size, sum(map(len, pieces)))
            if not part["more_body"]:
                return b"".join(pieces)
        error = AttemptError("E_TOO_LARGE", f"a message of {size} bytes was dropped: at most {MOST} are read")
        self.callers.refused(caller, Refusal(INVALID_REQUEST, error, None, size))
        raise DeniedError(413, error.what, error.next)

    async def _caller(self, scope: Scope) -> Caller:
        """Return who calls, or raise DeniedError."""
        self._check_address(scope)
        uid = None
        if self.rules.agent_uid is not None:
            uid = scope["connection"].uid()
            if uid != self.rules.agent_uid:
                what = "this server answers one user of this machine alone"
                raise DeniedError(403, what, "Connect as that user, from this machine.")
        tokens = await self.callers.tokens()
        secret = _header(scope, b"authorization")
        if secret is not None or tokens or not self.rules.loopback:
            return self._known_as(self._token(secret, tokens).caller)
        uid = scope["connection"].uid() if uid is None else uid
        if uid is None or uid not in (self.rules.own_uid, self.rules.agent_uid):
            raise DeniedError(403, "without a token this server answers the user who started it alone", _ASK)
        return self._known_as(f"local:{uid}")

    def _check_address(self, scope: Scope) -> None:
        if (_header(scope, b"host") or "").lower() not in self.rules.hosts:
            raise DeniedError(421, "this server is not called so", "Use the address that its operator gave.")
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if any(value.decode("latin-1").lower() not in self.rules.origins for value in origins):
            raise DeniedError(403, "this origin may not call", "Call from a program, not from a web page.")
        if scope["path"] != PATH:
            raise DeniedError(404, "there is nothing here", f"POST to {PATH}.")
        if scope["method"] != "POST":
            allowed = ((b"allow", b"POST"),)
            raise DeniedError(405, "requests are POSTed, one message each", f"POST to {PATH}.", allowed)

    def _token(self, secret: str | None, tokens: Mapping[str, Token]) -> Token:
        """Return the live token of a header that may use this profile."""
        kind, _, text = (secret or "").partition(" ")
        text = text.strip()
        if kind.lower() != "bearer" or not 0 < len(text) <= LONGEST_TOKEN:
            raise DeniedError(401, "this server needs a token", _ASK, _bearer(""))
        found = tokens.get(digest_of_token(text))
        if found is None:
            raise DeniedError(401, "this token is not known here", _ASK, _bearer("invalid_token"))
        if not found.is_live():
            raise DeniedError(401, "this token has expired", _ASK, _bearer("invalid_token"))
        if self.profile not in found.scopes:
            what = f"this token is not for the profile {self.profile}"
            raise DeniedError(403, what, _ASK, _bearer("insufficient_scope"))
        return found

    def _known_as(self, name: str) -> Caller:
        return self._known.setdefault(name, Caller(name, Pace(self.rules.rate)))


_ASK = "Ask its operator for a token (`harness tokens add`), and send it as `Authorization: Bearer TOKEN`."


def _bearer(error: str) -> tuple[tuple[bytes, bytes], ...]:
    value = 'Bearer realm="harness"' + (f', error="{error}"' if error else "")
    return ((b"www-authenticate", value.encode()),)


def _limited() -> DeniedError:
    headers = ((b"retry-after", b"1"),)
    return DeniedError(429, "these are too many requests at once", "Wait a second.", headers, RATE_LIMITED)


def _header(scope: Scope, name: bytes) -> str | None:
    """Return a header that stands once; an empty text if it occurs twice, which matches no value."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return None if not found else found[0] if len(found) == 1 else ""


async def _answer(send: Send, denied: DeniedError) -> None:
    error = {"code": denied.rpc, "message": f"{denied.what}. Next: {denied.next}"}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}, separators=(",", ":")).encode()
    await _reply(send, denied.status, body, denied.headers)


async def _reply(send: Send, status: int, body: bytes, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body, "more_body": False})
