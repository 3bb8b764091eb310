"""The gateway's HTTP: reads what clients of either provider send, however hostile, and writes what they can read.

A client's own key is never looked at. What would change an answer and does not stand in the body is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from harness.errors import InputError
from harness.models.gate import sse
from harness.models.gate.desk import Call, Desk
from harness.models.gate.shapes import Reply, Wrong, error, models

if TYPE_CHECKING:
    from aiohttp import web

LARGEST = 32 << 20  # bytes of a request
SMALL = 1 << 20
LARGE_AT_ONCE = 8  # requests of more than that; the others wait, and the gateway's memory is bounded
SLOWEST = 60.0  # seconds in which a request must be here
MOST = 1024  # requests at once; a client that opens more is told to come back
REPEATS = 1 << 32
PATHS: Mapping[
    str, tuple[str, str, str, str]
] = {  # ours -> provider, the SDK's, the field it needs, one it may not have
    "/v1/chat/completions": ("openai", "/chat/completions", "messages", "prompt"),
    "/v1/completions": ("openai", "/completions", "prompt", "messages"),
    "/v1/messages": ("anthropic", "/v1/messages", "messages", "prompt"),
}
TRAVEL = ("stream", "stream_options")
BETAS = ("anthropic-beta", "openai-beta")


class Refused(Exception):  # noqa: N818 - what a client is told
    """A request that goes nowhere."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.wrong = Wrong(status, kind, message)


class Web:
    """The door to a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.closing, self._now = desk, False, 0
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)

    def app(self) -> web.Application:
        """Give the application for aiohttp's server."""
        from aiohttp import web  # noqa: PLC0415 - heavy

        app = web.Application(client_max_size=LARGEST)
        app.router.add_route("*", "/{path:.*}", self._handle)
        return app

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web  # noqa: PLC0415 - heavy

        provider = "anthropic" if request.path.startswith("/v1/messages") else "openai"
        self._now += 1
        room = self._large if _large(request) else contextlib.nullcontext()
        try:
            if request.method == "GET" and request.path == "/v1/models":
                listed = models(self.desk.settings.models)
                return web.Response(body=listed, content_type="application/json")
            async with room:
                body = await self._body(request)
                reply = await self.desk.answer(self._call(request, body))
        except Refused as bad:
            reply, body = error(provider, bad.wrong), {}
        except InputError as bad:  # it has no canonical form, and so no name on a tape
            reply, body = error(provider, Wrong(400, "invalid_request_error", str(bad))), {}
        finally:
            self._now -= 1
        if reply.fine and body.get("stream") is True:
            return await self._streamed(request, provider, reply, body)
        return web.Response(
            status=reply.status, body=reply.body, headers=dict(reply.headers), content_type="application/json"
        )

    async def _streamed(
        self, request: web.Request, provider: str, reply: Reply, body: Mapping[str, Any]
    ) -> web.StreamResponse:
        from aiohttp import web  # noqa: PLC0415 - heavy

        whole = json.loads(reply.body)
        options = body.get("stream_options")
        usage = isinstance(options, dict) and options.get("include_usage") is True
        events = sse.anthropic(whole) if provider == "anthropic" else sse.openai(whole, usage=usage)
        headers = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
        response = web.StreamResponse(headers=headers)
        try:
            await response.prepare(request)
            for event in events:
                await response.write(event)
            await response.write_eof()
        except ConnectionError:  # the client went away; its answer is kept
            pass
        return response

    async def _body(self, request: web.Request) -> dict[str, Any]:
        """Read a request's body as JSON that has one meaning only."""
        from aiohttp import web  # noqa: PLC0415 - heavy

        if request.path not in PATHS or request.method != "POST":
            served = ", ".join(f"POST {path}" for path in PATHS)
            raise Refused(
                404, "not_served", f"{request.method} {request.path[:200]} is not served; use one of: {served}"
            )
        if self.closing:
            raise Refused(503, "closing", "the gateway is being closed; what was answered is kept. Next: run again")
        if self._now > MOST:
            raise Refused(503, "busy", f"more than {MOST} requests at once. Next: ask fewer at a time")
        for name in BETAS:
            if name in request.headers:
                raise Refused(
                    400, "beta", f"the header {name} changes answers, and no tape knows headers. Next: ask without it"
                )
        try:
            async with asyncio.timeout(SLOWEST):
                data = await request.read()
        except web.HTTPRequestEntityTooLarge:
            raise Refused(413, "too_large", f"a request has at most {LARGEST >> 20} MiB") from None
        except TimeoutError:
            raise Refused(408, "too_slow", f"the request was not here after {SLOWEST:g} s") from None
        except (web.HTTPException, ConnectionError, ValueError):
            raise Refused(400, "unreadable", "the request broke off, or is not encoded as it says") from None
        try:
            body = json.loads(data, parse_constant=_no_number)
        except (ValueError, RecursionError) as bad:
            raise Refused(400, "invalid_request_error", f"the body is not JSON: {str(bad)[:200]}") from None
        if not isinstance(body, dict):
            raise Refused(400, "invalid_request_error", "the body is not a JSON object")
        return body

    def _call(self, request: web.Request, body: Mapping[str, Any]) -> Call:
        """Check that a request is one that a served model of this provider can be asked."""
        provider, path, needs, never = PATHS[request.path]
        name, known = body.get("model"), self.desk.settings.models
        names = ", ".join(sorted(one for one, served in known.items() if served.provider == provider)) or "none"
        if not isinstance(name, str) or name not in known:
            shown = json.dumps(name)[:100]
            raise Refused(400, "unknown_model", f"no model {shown} is served here; those of {provider}: {names}")
        if known[name].provider != provider:
            raise Refused(400, "unknown_model", f"{name} is a model of {known[name].provider}; those here: {names}")
        if needs not in body or never in body:
            raise Refused(400, "invalid_request_error", f"{request.path} needs `{needs}` and no `{never}`")
        asked = {key: value for key, value in body.items() if key not in TRAVEL}
        repeat = request.headers.get("x-harness-repeat")
        if repeat is not None and not (repeat.isascii() and repeat.isdigit() and int(repeat[:12]) < REPEATS):
            raise Refused(400, "invalid_request_error", "X-Harness-Repeat is a whole number below 2^32")
        again = request.headers.get("x-stainless-retry-count", "0") not in ("", "0")
        return Call(name, path, asked, None if repeat is None else int(repeat), again)


def _large(request: web.Request) -> bool:
    """Whether a request may be large: it says so, or does not say how large it is."""
    size = request.content_length
    return request.can_read_body and (size is None or size > SMALL or "content-encoding" in request.headers)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
