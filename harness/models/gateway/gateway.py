"""The gateway process: an HTTP proxy on a Unix socket between steps and model providers.

Only this process has API keys. It retries, limits rates and spending, and records or replays answers on tapes. `python
-m harness.models.gateway.gateway` reads its settings as one line of JSON on stdin, and writes `{"ready":true}` when it
listens. The server validates untrusted requests of clients, and writes replies or streams. A client's own key is only
compared with the gateway's token, if one is set, and never goes upstream. In addition to the body, the headers (and for
some endpoints the path) that change an answer become part of a request, and so does the address of a server that is not
the provider's own.

Each request is answered by its model's mode: `replay` uses the tape alone, `live` the provider alone, and `record` asks
the provider for an answer that is not on the tape, and records it. A request is identified by its account, digest and
repeat. Two equal requests at the same time make one call upstream.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import HarnessError, InputError, MissingError
from harness.models.gateway.dialect import AnswerFormat, Dialect, Endpoint
from harness.models.gateway.limits import Account, Accounts, RateLimiter, estimate_tokens, find_recorded
from harness.models.gateway.settings import MOST, GateSettings, Keys, ServedModel, is_loopback, parse_settings
from harness.models.gateway.upstream import (
    FailedAttempt,
    GatewayError,
    Reply,
    Upstream,
    backoff_seconds,
    clear_sdk_variables,
    error_reply,
    model_list,
    one_line,
    refusal_reply,
)
from harness.models.tape.line import REPEATS, SERVER, prepare_exchange, reject_nan
from harness.models.tape.tape import Recorder, Tape, Taped, request_digest, value_at
from harness.models.wire import ERROR_HEADER, REPEAT_HEADER, SERVED_HEADER

if TYPE_CHECKING:
    from aiohttp import web


class RepeatCounter:
    """A repeat counter for each request digest; a number that got no answer is reused for the next equal request."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._free: dict[str, set[int]] = {}

    def take(self, digest: str, again: bool) -> int:
        """Return a repeat number for a request: the lowest one given back, else the next.

        A client that retries (`again`) gets the last number taken, unless that was given back.
        """
        taken, free = self._next.get(digest, 0), self._free.get(digest)
        if again and taken and not (free and taken - 1 in free):
            return taken - 1
        if free:
            repeat = min(free)
            free.remove(repeat)
            if not free:
                del self._free[digest]
            return repeat
        self._next[digest] = taken + 1
        return taken

    def give_back(self, digest: str, repeat: int) -> None:
        """Return a repeat number that got no answer to the counter; the next equal request takes it."""
        self._free.setdefault(digest, set()).add(repeat)


HERE = Path(__file__).parent
WRITERS = 16  # threads that write tapes; threads that wait for the disk at the same time share a sync


@dataclass(frozen=True, slots=True)
class Call:
    """A client's request, parsed and checked, not yet answered."""

    account: Account  # of the model
    endpoint: Endpoint
    body: Mapping[str, Any]  # without the fields that only affect how the answer is sent
    more: Mapping[str, Any]  # other things that change the answer: a path, headers; mostly empty
    repeat: int | None = None
    again: bool = False  # the client retries a request that got no answer


@dataclass(frozen=True, slots=True)
class _Named:
    call: Call
    digest: str
    repeat: int

    @property
    def served(self) -> ServedModel:
        return self.call.account.served


class Dispatcher:
    """The dispatcher of calls; in mode `record`, an answer is on its tape before any client gets it."""

    def __init__(self, settings: GateSettings, upstream: Upstream) -> None:
        self.settings, self._upstream = settings, upstream
        self.accounts = Accounts(settings)
        self._recorders = {path: Recorder(path) for path in self.accounts.tape_folders("record")}
        self._tapes = {path: Tape.open(path) for path in self.accounts.tape_folders("replay") - self._recorders.keys()}
        self._writers = ThreadPoolExecutor(WRITERS, "tape")
        self._running: dict[tuple[Account, str, int], asyncio.Task[Reply]] = {}
        self._repeats = RepeatCounter()
        self._closed_tapes: dict[Path, str] = {}  # tapes that can no longer be written, and why

    async def answer(self, call: Call) -> Reply:
        """Answer a call with a reply: the model's answer, or an error in the format of the provider's clients.

        A call upstream is completed, and in mode `record` recorded, even if the client disconnects.
        """
        served, usage = call.account.served, call.account.usage
        usage.requests += 1
        digest = request_digest(served.provider, call.body, call.more)
        repeat = self._repeats.take(digest, call.again) if call.repeat is None else call.repeat
        name = (call.account, digest, repeat)  # an instrument and a model may send equal requests
        task = self._running.get(name)
        if task is None:
            task = asyncio.create_task(self._resolve(_Named(call, digest, repeat)))
            self._running[name] = task
            task.add_done_callback(lambda _: self._running.pop(name, None))
        try:
            reply = await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            reply = self._wrong(served, 503, "closing", "the gateway is being closed; what was answered is kept")
        if reply.fine:
            call.account.breaker.record_success()
        else:
            usage.refused += reply.refused
            usage.errors[reply.kind] += 1
            if call.repeat is None:
                self._repeats.give_back(digest, repeat)
        return reply

    async def _resolve(self, named: _Named) -> Reply:
        """Answer an identified request; an error of the tape becomes an error reply."""
        try:
            return await (self._ask(named) if named.served.mode == "live" else self._kept(named))
        except HarnessError as bad:
            status = 400 if isinstance(bad, InputError) else 500
            return self._wrong(named.served, status, bad.name.replace("-", "_"), one_line(bad))
        except RecursionError:
            return self._wrong(named.served, 400, "invalid_request_error", "the request is nested too deeply")
        except Exception as bad:  # a defect, or what a library did not translate; a client gets an error that it reads
            reply = self._wrong(named.served, 500, "defect", _defect(bad, named.call))
            return replace(reply, headers={**reply.headers, ERROR_HEADER: "busy"})  # the next run asks it again

    async def _kept(self, named: _Named) -> Reply:
        """Answer from the tape; a missing answer is requested only in mode `record`."""
        served = named.served
        assert served.tape
        tape = self._recorders[served.tape] if served.tape in self._recorders else self._tapes[served.tape]
        call = named.call
        if taped := find_recorded(served, call.body, call.more, lambda digest: tape.find(digest, named.repeat)):
            call.account.usage.replayed += 1
            call.account.usage.by.add_recorded(served, taped)
            return Reply(taped.status, taped.response)
        if served.mode == "replay":
            return await self._missed(named)
        if served.tape in self._closed_tapes:
            return self._wrong(served, 500, "tape_shut", self._closed_tapes[served.tape])
        prepare_exchange(
            served.provider, call.body, named.repeat, 200, b"{}", call.more
        )  # raises before the call if the request cannot be taped
        reply = await self._ask(named)
        return await self._tape(named, reply) if reply.fine else reply

    async def _missed(self, named: _Named) -> Reply:
        """Return the error for a request that is not on the tape; it names the nearest one and what differs."""
        served = named.served
        assert served.tape
        tape = self._tapes[served.tape] if served.tape in self._tapes else Tape.open(served.tape)  # one being recorded
        loop = asyncio.get_running_loop()
        call = named.call
        near = await loop.run_in_executor(self._writers, tape.nearest, served.provider, call.body, call.more)
        taped, fields = near or (None, [])
        message = f"request {named.digest[:12]}, repeat {named.repeat}, of {call.account.model} is not on the tape"
        mend = "record it, or correct the request"
        if taped is None:
            message += ", which is empty"
        elif taped.redacted and not fields:
            message += "; it stands there redacted, and an answer that was changed is given to nobody"
        elif fields == [f"/{SERVER}"]:
            message += f"; it was asked of another server, {taped.server or 'which the line does not name'}"
            mend = "record it, or name that server: `same_as` of a model, `--upstream` of `harness gateway`"
        elif fields:
            message += f"; the nearest taped request differs in {', '.join(fields[:20])}: {_shown(taped, fields[0])}"
        else:
            message += f"; it is there with repeat {taped.repeat}"
        return self._wrong(served, 404, "tape_miss", f"{message[:4000]}. Next: {mend}")

    async def _tape(self, named: _Named, reply: Reply) -> Reply:
        assert named.served.tape
        recorder, call = self._recorders[named.served.tape], named.call
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._writers,
                recorder.add,
                named.served.provider,
                call.body,
                named.repeat,
                reply.status,
                reply.body,
                call.more,
                "" if SERVER in call.more else named.served.address,
            )
        except HarnessError as bad:
            if not isinstance(bad, InputError):
                self._closed_tapes[named.served.tape] = one_line(bad)  # pay for no answer that cannot be stored
            raise
        call.account.usage.recorded += 1
        return reply

    async def _ask(self, named: _Named) -> Reply:
        """Call the provider within the limits, with retries of transient failures."""
        call, served, account = named.call, named.served, named.call.account
        usage, limiter = account.usage, account.limiter
        estimate = estimate_tokens(served.dialect.bounds, call.body) if served.limits.tokens_per_minute else 0
        retries = self.settings.retries if served.limits.retries is None else served.limits.retries
        for attempt in range(retries + 1):
            await account.outage.pause(limiter.admit(estimate))
            try:
                async with account.slots:
                    if why := account.stop_reason():
                        return self._wrong(served, 400, "refused", f"{account.model} {why}")
                    if limiter.exhausted:
                        return self._wrong(served, 402, "budget_spent", _budget_spent(account.model, limiter))
                    began, headers = time.monotonic(), call.more.get("headers", {})
                    answer = await self._upstream.call(served, call.endpoint, call.body, headers)
            except FailedAttempt as bad:
                account.record_failure(bad.kind, bad.what, bad.status, began, again=bad.again)
                if not bad.again or attempt == retries:
                    return self._failed(served, bad, attempt + 1)
                if bad.wait is not None and bad.status == 429:
                    limiter.hold_back(bad.wait)
                usage.retries += 1
                await account.outage.pause(self._pause(bad, attempt, named))
            else:
                account.record_answer(time.monotonic() - began)
                limiter.charge(answer.used, estimate)
                usage.live += 1
                usage.by.add_live(served, answer.body)
                usage.add(answer.used, priced=answer.priced or served.prices is None)
                return Reply(200, answer.body)
        raise AssertionError("the last attempt returns")

    def _pause(self, bad: FailedAttempt, attempt: int, named: _Named) -> float:
        own = backoff_seconds(self.settings.backoff, attempt, named.digest, named.repeat)
        return own if bad.wait is None else bad.wait + own / 10  # equal Retry-After, yet not back at once

    def _failed(self, served: ServedModel, bad: FailedAttempt, attempts: int) -> Reply:
        if bad.again:
            status = 504 if bad.kind == "timeout" else 503
            tried = f"{attempts} attempt{'s' * (attempts != 1)}"
            do = "start the server, or correct its address" if bad.kind == "connection" else "run again later"
            message = f"no answer after {tried}; the last: {bad.kind}: {bad.what}. Next: {do}"
            return self._wrong(served, status, "retries_exhausted", message)
        if bad.status:
            return refusal_reply(served.dialect, bad.status, bad.kind, bad.body)
        status = {"missing_key": 401, "key_in_request": 400}.get(bad.kind, 502)
        return self._wrong(served, status, bad.kind, bad.what)

    def _wrong(self, served: ServedModel, status: int, kind: str, message: str) -> Reply:
        return error_reply(served.dialect, GatewayError(status, kind, message))

    async def finish(self, seconds: float) -> None:
        """Wait at most `seconds` for the requests that are under way, then cancel those that remain."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=seconds)
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def close(self) -> None:
        """Close the tapes being recorded; every recorded answer is already durable."""
        self._writers.shutdown()
        for recorder in self._recorders.values():
            recorder.close()


def _defect(bad: Exception, call: Call) -> str:
    """Return what an unexpected exception is and where it was raised, without its words: they may hold a key."""
    frames = [frame for frame in traceback.extract_tb(bad.__traceback__) if Path(frame.filename).parent == HERE]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    what = f"{type(bad).__module__}.{type(bad).__qualname__}".removeprefix("builtins.")
    message = f"the gateway failed while it answered a request to {call.account.model}: {what}{place}"
    return f"{message}. Next: check the model's `base_url`; if it is right, report this as a defect of the harness"


def _budget_spent(model: str, limiter: RateLimiter) -> str:
    spent = f"{limiter.spent.normalize():f}"
    return f"{spent} dollars are spent on {model}, and no more is allowed. Next: raise `dollars`, or run again later"


def _shown(near: Taped, pointer: str) -> str:
    """Return the value of the nearest request at the first field that differs, for an error."""
    value = value_at({"provider": near.provider, "body": near.body, **near.more}, pointer)
    return f"{value.decode()[:300]} there" if value else "nothing there"


LARGEST = 32 << 20  # bytes of a request
SMALL = 1 << 20
LARGE_AT_ONCE = 8  # requests larger than SMALL at once; further ones wait, which bounds the gateway's memory
SLOWEST = 60.0  # seconds within which a request must arrive
LONGEST_HEADER = 4096  # characters of a header that goes upstream
LIST = "/v1/models"
TRAVEL = ("stream", "stream_options")  # fields that only affect how an answer is sent


class RejectedRequest(Exception):  # noqa: N818 - becomes a reply to the client
    """A client request that is rejected with an HTTP status, a kind and a message.

    Raised before dispatch, or if the answer cannot be converted to the stream that the client asked for.
    """

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.wrong = GatewayError(status, kind, message)


class Server:
    """The HTTP application of the gateway; it validates requests and passes calls to the dispatcher."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.dispatcher, self.closing, self._now = dispatcher, False, 0
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)
        self._dialects = dispatcher.settings.dialects
        self._paths = list(dict.fromkeys(path for dialect in self._dialects for path in dialect.endpoints))

    def app(self) -> web.Application:
        """Return the application for aiohttp's server."""
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
        """Return the reply to a request, and its server-sent events if the client asked for a stream."""
        dialect = self._likely(request.path)
        try:
            self._require_token(request)
            if request.method == "GET" and request.path == LIST:
                return Reply(200, model_list(self._dialects, self.dispatcher.accounts.providers)), ()
            async with self._large if _large(request) else contextlib.nullcontext():
                body = await self._body(request)
                call = self._call(request, body)
                dialect = call.account.served.dialect
                reply = await self.dispatcher.answer(call)
            streamed = reply.fine and body.get("stream") is True
            return reply, _events(dialect.format_of(call.endpoint), reply, body) if streamed else ()
        except RejectedRequest as bad:
            return error_reply(dialect, bad.wrong), ()
        except InputError as bad:  # it has no canonical form, and so no digest
            return error_reply(dialect, GatewayError(400, "invalid_request_error", str(bad))), ()

    def _require_token(self, request: web.Request) -> None:
        """Reject a request without the token (HTTP 401), if one is set, because any local process can reach a port."""
        token = self.dispatcher.settings.token
        shown = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if token and not hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode()):
            message = (
                "this gateway knows its clients by the stand-in key that it printed. Next: export that as your key"
            )
            raise RejectedRequest(401, "not_let_in", message)

    def _likely(self, path: str) -> Dialect:
        """Return the likely dialect of a client by the request path, for errors before its model is known."""
        asked = (each for each in self._dialects if any(path.startswith(begin) for begin in each.endpoints))
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
        except ConnectionError:  # the client disconnected; its answer is kept
            pass
        return response

    async def _body(self, request: web.Request) -> dict[str, Any]:
        """Return the parsed body of a request; rejects a wrong path, a body that is too large, or not a JSON object."""
        from aiohttp import web  # noqa: PLC0415 - heavy

        if request.path not in self._paths or request.method != "POST":
            served = ", ".join(f"POST {path}" for path in self._paths)
            raise RejectedRequest(
                404, "not_served", f"{request.method} {request.path[:200]} is not served; use one of: {served}"
            )
        if self.closing:
            raise RejectedRequest(
                503, "closing", "the gateway is being closed; what was answered is kept. Next: run again"
            )
        if self._now > MOST:
            raise RejectedRequest(503, "busy", f"more than {MOST} requests at once. Next: ask fewer at a time")
        try:
            async with asyncio.timeout(SLOWEST):
                data = await request.read()
        except web.HTTPRequestEntityTooLarge:
            raise RejectedRequest(413, "too_large", f"a request has at most {LARGEST >> 20} MiB") from None
        except TimeoutError:
            raise RejectedRequest(408, "too_slow", f"the request was not here after {SLOWEST:g} s") from None
        except (web.HTTPException, ConnectionError, ValueError):
            raise RejectedRequest(400, "unreadable", "the request broke off, or is not encoded as it says") from None
        try:
            body = json.loads(data, parse_constant=reject_nan)
        except (ValueError, RecursionError) as bad:
            raise RejectedRequest(400, "invalid_request_error", f"the body is not JSON: {str(bad)[:200]}") from None
        if not isinstance(body, dict):
            raise RejectedRequest(400, "invalid_request_error", "the body is not a JSON object")
        return body

    def _call(self, request: web.Request, body: Mapping[str, Any]) -> Call:
        """Convert a request to a call; rejects a model that is not served at this path."""
        name, accounts = body.get("model"), self.dispatcher.accounts
        account = accounts.find(name, request.path, request.headers.get(SERVED_HEADER))
        if account is None:
            here, why = accounts.models_at(request.path), f"no model {json.dumps(name)[:100]} is served here"
            if isinstance(name, str) and name in accounts.named:
                why = f"{name} is a model of {accounts.named[name].served.provider}"
            of = ", ".join(sorted(set(here.values())))
            raise RejectedRequest(400, "unknown_model", f"{why}; those of {of}: {', '.join(sorted(here))}")
        dialect = account.served.dialect
        endpoint = dialect.endpoints[request.path]
        _check(endpoint, dialect.format_of(endpoint), request.path, body)
        more: dict[str, Any] = {**account.served.part_of_call(request.path)}
        if headers := self._headers(request, dialect):
            more["headers"] = headers
        asked = {key: value for key, value in body.items() if key not in TRAVEL}
        again = request.headers.get("x-stainless-retry-count", "0") not in ("", "0")
        return Call(account, endpoint, asked, more, _repeat(request), again)

    def _headers(self, request: web.Request, dialect: Dialect) -> dict[str, str]:
        """Return the headers that change an answer, normalised, so that equal requests have equal digests."""
        found: dict[str, str] = {}
        for name in (name for each in self._dialects for name in each.headers if name in request.headers):
            if name not in dialect.headers:
                raise RejectedRequest(
                    400, "beta", f"the header {name} means nothing to this provider. Next: ask without it"
                )
            words = {word.strip() for said in request.headers.getall(name) for word in said.split(",")} - {""}
            text = ",".join(sorted(words))
            if not (text.isascii() and text.isprintable() and len(text) <= LONGEST_HEADER):
                raise RejectedRequest(400, "beta", f"the header {name} holds what no header of this provider holds")
            found |= {name: text} if words else {}
        return found


def _check(endpoint: Endpoint, answer_format: AnswerFormat, path: str, body: Mapping[str, Any]) -> None:
    """Reject a request with the wrong fields for its endpoint, or with one that cannot be taped."""
    if endpoint.requires not in body or (endpoint.forbids and endpoint.forbids in body):
        forbids = f" and no `{endpoint.forbids}`" if endpoint.forbids else ""
        raise RejectedRequest(400, "invalid_request_error", f"{path} needs `{endpoint.requires}`{forbids}")
    if endpoint.deferred and body.get(endpoint.deferred):
        message = f"`{endpoint.deferred}` asks for an answer that comes later, which cannot be taped"
        message += ". Next: ask without it"
        raise RejectedRequest(400, "invalid_request_error", message)
    if answer_format.events is None and body.get("stream") is True:
        raise RejectedRequest(400, "no_stream", f"{path} is answered in one piece. Next: ask without `stream`")


def _repeat(request: web.Request) -> int | None:
    """Return the value of the repeat header, by which a client numbers equal requests itself; None without one."""
    said = request.headers.get(REPEAT_HEADER)
    if said is not None and not (said.isascii() and said.isdigit() and len(said) <= 10 and int(said) < REPEATS):
        raise RejectedRequest(400, "invalid_request_error", "X-Harness-Repeat is a whole number below 2^32")
    return None if said is None else int(said)


def _events(answer_format: AnswerFormat, reply: Reply, asked: Mapping[str, Any]) -> Sequence[bytes]:
    """Convert an answer to server-sent events; rejects one whose structure cannot be streamed."""
    assert answer_format.events  # otherwise the request was rejected before
    try:
        return list(answer_format.events(json.loads(reply.body), asked))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise RejectedRequest(
            502, "no_stream", "this answer cannot be made a stream of. Next: ask without `stream`"
        ) from None


def _large(request: web.Request) -> bool:
    """Whether a request may be large: by its length, or because it declares none."""
    size = request.content_length
    return request.can_read_body and (size is None or size > SMALL or "content-encoding" in request.headers)


LONGEST_LINE = 1 << 20  # bytes of the settings
STDIN = 0


def main() -> int:
    """Run the gateway until stdin ends or a signal comes, print its summary or error, and return the exit code."""
    keys = Keys(os.environ)
    _allow_files()
    try:
        settings = parse_settings(_first_line())
        lacking = _lacking(settings, keys)
        clear_sdk_variables(settings.dialects)
        summary = asyncio.run(_serve(settings, keys, lacking))
    except HarnessError as bad:
        _say(bad.as_data())
        return bad.code
    _say(summary)
    return 0


def _allow_files() -> None:
    """Raise the number of open files that the system allows by default, which each request needs two of."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * MOST if hard == resource.RLIM_INFINITY else min(hard, 4 * MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _lacking(settings: GateSettings, keys: Keys) -> list[str]:
    """Return the names of missing API keys; raises MissingError if the settings require the keys at the start."""
    if settings.keys == "late":
        return []
    asking = [served for served in settings.served if served.mode != "replay"]
    names = {served.key: served.base_url for served in asking}
    names |= {served.key: served.base_url for served in asking if not is_loopback(served.base_url)}
    missed: dict[str, MissingError] = {}
    for name, url in names.items():
        try:
            keys.find_for(name, url)
        except MissingError as bad:
            missed[name] = bad
    if missed and (settings.keys == "all" or len(missed) == len(names)):
        what, last = " and ".join(bad.what for bad in missed.values()), [*missed.values()][-1]
        raise MissingError(what, where=last.where, next="; or ".join(bad.next for bad in missed.values()))
    return list(missed)


def _first_line() -> bytes:
    """Read stdin up to the first line break, and not a byte further."""
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < LONGEST_LINE:
        byte = os.read(STDIN, 1)
        if not byte:
            break
        line += byte
    return bytes(line)


def _say(value: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")
        sys.stdout.flush()
    except (BrokenPipeError, ValueError):  # the reader is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


async def _serve(settings: GateSettings, keys: Keys, lacking: list[str]) -> dict[str, Any]:
    try:
        from aiohttp import web  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("the gateway needs aiohttp", next="pip install 'repro-harness[gateway]'") from bad
    stop = asyncio.Event()
    asked = asyncio.Event()
    _watch_stdin(stop, asked)
    named = [served.key for served in settings.served]
    upstream = Upstream(keys, settings.timeout, named)
    dispatcher = Dispatcher(settings, upstream)
    server = Server(dispatcher)
    runner = web.AppRunner(server.app(), access_log=None, handle_signals=False, shutdown_timeout=1.0)
    try:
        await runner.setup()
        try:
            site = web.UnixSite(runner, settings.socket, backlog=MOST)
            await site.start()
            settings.socket.chmod(0o666)  # a container has another user; the folder that holds the socket is private
        except OSError as bad:
            raise InputError(
                f"the socket cannot be made: {bad.strerror}", where="socket", next="name a path in a folder of yours"
            ) from bad
        _say({"ready": True, **({"lacking": lacking} if lacking else {})})
        reporting = asyncio.create_task(_report(dispatcher, asked))
        await stop.wait()
        reporting.cancel()
        server.closing = True
        await site.stop()
        settings.socket.unlink(missing_ok=True)
        await dispatcher.finish(settings.grace)
    finally:
        await runner.cleanup()
        dispatcher.close()
        await upstream.close()
    return dispatcher.accounts.summary()


async def _report(dispatcher: Dispatcher, asked: asyncio.Event) -> None:
    """Print the current counters each time stdin asks for them."""
    while await asked.wait():
        asked.clear()
        _say({"now": dispatcher.accounts.summary()["models"]})


def _watch_stdin(stop: asyncio.Event, asked: asyncio.Event) -> None:
    """Set `stop` at the end of stdin or at a termination signal, and `asked` at any other input on stdin."""
    loop = asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(one, stop.set)

    def watch() -> None:
        with contextlib.suppress(OSError):  # a terminal that hung up
            while os.read(STDIN, 65536):
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(asked.set)
        with contextlib.suppress(RuntimeError):  # the loop has ended for another reason
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=watch, name="stdin", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
