"""The gateway's HTTP: reads what clients of any provider send, however hostile, and writes what they can read.

A client's own key is looked at only where it has to be the gateway's own token. Of what does not stand in the body, the
headers that change an answer become a part of the request; those of another provider are refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.errors import InputError
from harness.models.gate.desk import Call, Desk
from harness.models.gate.dialect import Dialect, Form, Question
from harness.models.gate.shapes import Reply, Wrong, error, models
from harness.models.tape.line import REPEATS, no_number
from harness.models.wire import REPEAT, SERVED

if TYPE_CHECKING:
    from aiohttp import web

LARGEST = 32 << 20  # bytes of a request
SMALL = 1 << 20
LARGE_AT_ONCE = 8  # requests of more than that; the others wait, and the gateway's memory is bounded
SLOWEST = 60.0  # seconds in which a request must be here
LONGEST_HEADER = 4096  # signs of a header that goes upstream
MOST = 1024  # requests at once; a client that opens more is told to come back
LIST = "/v1/models"
TRAVEL = ("stream", "stream_options")  # how an answer is to come, which is between a client and us


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
        self._dialects = desk.settings.dialects
        self._paths = list(dict.fromkeys(path for dialect in self._dialects for path in dialect.questions))

    def app(self) -> web.Application:
        """Give the application for aiohttp's server."""
        from aiohttp import web  # noqa: PLC0415 - heavy

        app = web.Application(client_max_size=LARGEST)
        app.router.add_route("*", "/{path:.*}", self._handle)
        return app

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web  # noqa: PLC0415 - heavy

        self._now += 1
        try:
            reply, events = await self._reply(request)
        finally:
            self._now -= 1
        if events:
            return await self._streamed(request, events)
        return web.Response(
            status=reply.status, body=reply.body, headers=dict(reply.headers), content_type="application/json"
        )

    async def _reply(self, request: web.Request) -> tuple[Reply, Sequence[bytes]]:
        """Give what a client is told, and the events of it where it asked for a stream."""
        dialect = self._likely(request.path)
        try:
            self._let_in(request)
            if request.method == "GET" and request.path == LIST:
                return Reply(200, models(self._dialects, self.desk.roster.providers)), ()
            async with self._large if _large(request) else contextlib.nullcontext():
                body = await self._body(request)
                call = self._call(request, body)
                dialect = call.account.served.dialect
                reply = await self.desk.answer(call)
            streamed = reply.fine and body.get("stream") is True
            return reply, _events(dialect.form(call.question), reply, body) if streamed else ()
        except Refused as bad:
            return error(dialect, bad.wrong), ()
        except InputError as bad:  # it has no canonical form, and so no name on a tape
            return error(dialect, Wrong(400, "invalid_request_error", str(bad))), ()

    def _let_in(self, request: web.Request) -> None:
        """Turn away who does not show the token, where one is asked for: a port is open to the whole machine."""
        token = self.desk.settings.token
        shown = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if token and not hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode()):
            message = (
                "this gateway knows its clients by the stand-in key that it printed. Next: export that as your key"
            )
            raise Refused(401, "not_let_in", message)

    def _likely(self, path: str) -> Dialect:
        """Give the dialect of whoever asks, as far as a path tells: the first that has such questions."""
        asked = (each for each in self._dialects if any(path.startswith(begin) for begin in each.questions))
        return next(asked, self._dialects[0])

    async def _streamed(self, request: web.Request, events: Sequence[bytes]) -> web.StreamResponse:
        from aiohttp import web  # noqa: PLC0415 - heavy

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
        """Read a question's body, if it is one."""
        from aiohttp import web  # noqa: PLC0415 - heavy

        if request.path not in self._paths or request.method != "POST":
            served = ", ".join(f"POST {path}" for path in self._paths)
            raise Refused(
                404, "not_served", f"{request.method} {request.path[:200]} is not served; use one of: {served}"
            )
        if self.closing:
            raise Refused(503, "closing", "the gateway is being closed; what was answered is kept. Next: run again")
        if self._now > MOST:
            raise Refused(503, "busy", f"more than {MOST} requests at once. Next: ask fewer at a time")
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
            body = json.loads(data, parse_constant=no_number)
        except (ValueError, RecursionError) as bad:
            raise Refused(400, "invalid_request_error", f"the body is not JSON: {str(bad)[:200]}") from None
        if not isinstance(body, dict):
            raise Refused(400, "invalid_request_error", "the body is not a JSON object")
        return body

    def _call(self, request: web.Request, body: Mapping[str, Any]) -> Call:
        """Check that a question is one that a served model can be asked at this path."""
        name, roster = body.get("model"), self.desk.roster
        account = roster.find(name, request.path, request.headers.get(SERVED))
        if account is None:
            here, why = roster.here(request.path), f"no model {json.dumps(name)[:100]} is served here"
            if isinstance(name, str) and name in roster.named:
                why = f"{name} is a model of {roster.named[name].served.provider}"
            of = ", ".join(sorted(set(here.values())))
            raise Refused(400, "unknown_model", f"{why}; those of {of}: {', '.join(sorted(here))}")
        dialect = account.served.dialect
        question = dialect.questions[request.path]
        _check(question, dialect.form(question), request.path, body)
        more = {"path": request.path} if question.apart else {}
        if headers := self._headers(request, dialect):
            more["headers"] = headers
        asked = {key: value for key, value in body.items() if key not in TRAVEL}
        again = request.headers.get("x-stainless-retry-count", "0") not in ("", "0")
        return Call(account, question, asked, more, _repeat(request), again)

    def _headers(self, request: web.Request, dialect: Dialect) -> dict[str, str]:
        """Give the headers that change an answer, each with its words once and in order: so they are one request."""
        found: dict[str, str] = {}
        for name in (name for each in self._dialects for name in each.headers if name in request.headers):
            if name not in dialect.headers:
                raise Refused(400, "beta", f"the header {name} means nothing to this provider. Next: ask without it")
            words = {word.strip() for said in request.headers.getall(name) for word in said.split(",")} - {""}
            text = ",".join(sorted(words))
            if not (text.isascii() and text.isprintable() and len(text) <= LONGEST_HEADER):
                raise Refused(400, "beta", f"the header {name} holds what no header of this provider holds")
            found |= {name: text} if words else {}
        return found


def _check(question: Question, form: Form, path: str, body: Mapping[str, Any]) -> None:
    """Refuse what is no question of this path, or could not be answered here."""
    if question.needs not in body or (question.never and question.never in body):
        never = f" and no `{question.never}`" if question.never else ""
        raise Refused(400, "invalid_request_error", f"{path} needs `{question.needs}`{never}")
    if question.later and body.get(question.later):
        message = f"`{question.later}` asks for an answer that comes later, which cannot be taped. Next: ask without it"
        raise Refused(400, "invalid_request_error", message)
    if form.events is None and body.get("stream") is True:
        raise Refused(400, "no_stream", f"{path} is answered in one piece. Next: ask without `stream`")


def _repeat(request: web.Request) -> int | None:
    """Read which asking of the same this is, where a client counts itself."""
    said = request.headers.get(REPEAT)
    if said is not None and not (said.isascii() and said.isdigit() and len(said) <= 10 and int(said) < REPEATS):
        raise Refused(400, "invalid_request_error", "X-Harness-Repeat is a whole number below 2^32")
    return None if said is None else int(said)


def _events(form: Form, reply: Reply, asked: Mapping[str, Any]) -> Sequence[bytes]:
    """Take an answer apart; one that is odd inside can be had in one piece only."""
    assert form.events  # or it was refused
    try:
        return list(form.events(json.loads(reply.body), asked))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise Refused(502, "no_stream", "this answer cannot be made a stream of. Next: ask without `stream`") from None


def _large(request: web.Request) -> bool:
    """Whether a request may be large: it says so, or does not say how large it is."""
    size = request.content_length
    return request.can_read_body and (size is None or size > SMALL or "content-encoding" in request.headers)
