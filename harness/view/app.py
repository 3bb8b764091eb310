"""The server of the pages: it answers this machine alone, reads only, and lets a browser load nothing from elsewhere.

A request is refused unless its Host is a name of this machine with the port that is listened on, which another name
that leads here (DNS rebinding) is not; unless the kernel says that it comes from the user who started the server, or
from root; and unless its Origin, if it has one, is the same. Only while somebody labels answers are forms taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.kit.pages import el
from harness.peers import peer_uid
from harness.view import answers, labels, more, runs
from harness.view.look import SCRIPT, STYLE, whole_page
from harness.view.runs import RunFollower
from harness.view.site import Site

HOST = "127.0.0.1"
NAMES = ("127.0.0.1", "localhost", "[::1]")
METHODS = ("GET", "HEAD")
MOST = 1 << 14  # bytes of a form that is sent
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
FOREIGN = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"  # of what a study drew
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none, a browser names no Origin where a form is sent
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TURN = 0.5  # seconds between two looks at what is under way
LONGEST = 3600.0  # seconds that a page is told of it; it then asks again
HTML = "text/html; charset=utf-8"


class Guard:
    """Middleware that refuses requests of other users, hosts and methods, and adds security headers to answers.

    Without `users` every user of this machine is let in. With `writes` forms may be sent, which name their Origin.
    """

    def __init__(self, app: ASGIApp, port: int, users: Collection[int] | None, *, writes: bool) -> None:
        self.app, self.users, self.methods = app, users, (*METHODS, *(("POST",) if writes else ()))
        self.hosts = frozenset((*(f"{name}:{port}" for name in NAMES), *(NAMES if port == 80 else ())))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        flaw, status = self._flaw(scope)
        if flaw:
            await Response(f"{flaw}\n", status, HEADERS, "text/plain")(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message.setdefault("headers", [])}
                more_headers = ((name.lower().encode(), value.encode()) for name, value in HEADERS.items())
                message["headers"] += [one for one in more_headers if one[0] not in given]
            await send(message)

        await self.app(scope, receive, with_headers)

    def _flaw(self, scope: Scope) -> tuple[str, int]:
        """Return why a request is refused, and the status of the answer; empty if it is not."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        host, origins = headers.get("host", []), headers.get("origin", [])
        posted, site = scope["method"] == "POST", headers.get("sec-fetch-site", ["none"])[0]
        rules = (
            (
                len(host) == 1 and host[0].lower() in self.hosts,
                421,
                "this server is asked by another name than its own",
            ),
            (
                self._is_known(scope),
                403,
                "this server answers the user who started it; --anyone answers every user here",
            ),
            (scope["method"] in self.methods, 405, "these pages are only read"),
            (len(origins) == 1 or not posted, 403, "this was sent by no page of this server"),
            (
                all(one == f"http://{host[0]}" for one in origins if host),
                403,
                "this was asked by a page of another origin",
            ),
            (site in ("none", "same-origin"), 403, "this was asked by a page of another site"),
        )
        return next(((flaw, status) for true, status, flaw in rules if not true), ("", 200))

    def _is_known(self, scope: Scope) -> bool:
        """Whether a request comes from a user who is let in, as the kernel says."""
        return self.users is None or peer_uid(scope["server"], scope["client"]) in self.users


Handler = Callable[[Request], Awaitable[Response]]


def _page(make: Callable[..., bytes], *, query: bool = True) -> Handler:
    """Return the handler of a page that a function makes of the site, the parts of the path, and the query."""

    async def handle(request: Request) -> Response:
        parts: Mapping[str, Any] = request.path_params
        more_args = (dict(request.query_params),) if query else ()
        try:
            made = await run_in_threadpool(make, request.app.state.site, *parts.values(), *more_args)
        except HarnessError as bad:
            return _error(bad)
        return Response(made, media_type=HTML)

    return handle


def _error(bad: HarnessError) -> Response:
    status = 404 if isinstance(bad, InputError | MissingError) else 500 if isinstance(bad, DamageError) else 409
    told = [el("p", bad.what, class_="note bad")]
    told += [el("p", el("span", "where: ", class_="soft"), bad.where)] if bad.where else []
    told += [el("p", el("span", "next: ", class_="soft"), bad.next)] if bad.next else []
    return Response(whole_page("This is not here", *told), status, media_type=HTML)


async def _output(request: Request) -> Response:
    site, (run, output) = request.app.state.site, (request.path_params["run"], request.path_params["output"])
    try:
        if "raw" not in request.query_params:
            return Response(await run_in_threadpool(runs.output_page, site, run, output), media_type=HTML)
        data, kind = await run_in_threadpool(runs.raw_output, site, run, output)
    except HarnessError as bad:
        return _error(bad)
    return Response(data, media_type=kind, headers={"Content-Security-Policy": FOREIGN})


def _static(text: str, kind: str) -> Handler:
    async def handle(_: Request) -> Response:
        return Response(text, media_type=kind)

    return handle


def _events(told: Callable[[], Mapping[str, Any]], request: Request) -> StreamingResponse:
    """Return a stream of what is under way, as server-sent events, until it is over or no client listens."""

    async def lines() -> AsyncIterator[str]:
        last, begun = "", asyncio.get_running_loop().time()
        while asyncio.get_running_loop().time() - begun < LONGEST and not await request.is_disconnected():
            said = await run_in_threadpool(told)
            text = json.dumps(said)
            yield f"data: {text}\n\n" if text != last else ": still\n\n"
            last = text
            if said["over"]:
                return
            await asyncio.sleep(TURN)

    return StreamingResponse(lines(), media_type="text/event-stream")


async def _live(request: Request) -> Response:
    """Follow a run that has not ended."""
    site, run = request.app.state.site, request.path_params["run"]
    try:
        await run_in_threadpool(site.known, run)
    except HarnessError as bad:
        return _error(bad)
    follower = RunFollower(site.store, run)

    def told() -> Mapping[str, Any]:
        follower.read_on()
        return follower.document()

    return _events(told, request)


async def _indexing(request: Request) -> Response:
    """Follow the making of a run's index."""
    site, run = request.app.state.site, request.path_params["run"]
    try:
        await run_in_threadpool(site.known, run)
    except HarnessError as bad:
        return _error(bad)
    return _job(request, "index", str(site.store.root), run)


def _job(request: Request, *words: str) -> Response:
    job = request.app.state.site.jobs.start(*words)

    def told() -> Mapping[str, Any]:
        return {"done": job.said.get("done", 0), "total": job.said.get("total", 0), "text": job.text, "over": job.over}

    return _events(told, request)


async def _working(request: Request) -> Response:
    """Follow other work of a process beside the server, which a page began."""
    words = tuple(request.query_params.getlist("word"))
    if words not in request.app.state.site.jobs:
        return _error(InputError("no page began this work", next="open the page that shows it"))
    return _job(request, *words)


def _form(work: Callable[..., str | tuple[str, bytes]]) -> Handler:
    """Return the handler of a form that is sent: it leads to a page, or shows one."""

    async def handle(request: Request) -> Response:
        site, data = request.app.state.site, b""
        async for piece in request.stream():
            data += piece
            if len(data) > MOST:
                return Response("this form is too long\n", 413, media_type="text/plain")
        given = dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=10))
        if not secrets.compare_digest(given.get("token", "").encode(), site.token.encode()):
            return _error(InputError("this form is of an earlier start", next="open its page again, and send it there"))
        try:
            done = await run_in_threadpool(work, site, *request.path_params.values(), given)
        except HarnessError as bad:
            return _error(bad)
        address, shown = done if isinstance(done, tuple) else (done, b"")
        return RedirectResponse(address, 303) if address else Response(shown, 409, media_type=HTML)

    return handle


STATIC = [
    Route("/style.css", _static(STYLE, "text/css")),
    Route("/view.js", _static(SCRIPT, "text/javascript")),
    Route("/working", _working),
    Route("/runs/{run}/indexing", _indexing),
]
LABEL_ROUTES = [
    Route("/", _page(labels.desks_page, query=False)),
    Route("/label/{run}", _page(labels.run_desks_page, query=False)),
    Route("/label/{run}/{scorer}", _page(labels.desk_page), methods=["GET"]),
    Route("/label/{run}/{scorer}", _form(labels.take_label), methods=["POST"]),
    Route("/label/{run}/{scorer}/finish", _form(labels.finish_labels), methods=["POST"]),
    Route("/label/{run}/{scorer}/agreement", _page(labels.agreement_page, query=False)),
    *STATIC,
]
ROUTES = [
    Route("/", _page(runs.runs_page)),
    Route("/runs/{run}", _page(runs.run_page, query=False)),
    Route("/runs/{run}/live", _live),
    Route("/runs/{run}/outputs/{output}", _output),
    Route("/runs/{run}/answers", _page(answers.answers_page)),
    Route("/runs/{run}/answers/{number}", _page(answers.answer_page)),
    Route("/compare", _page(more.compare_page)),
    Route("/compare/item", _page(more.item_page)),
    Route("/claims", _page(more.claims_page)),
    Route("/attempts", _page(more.attempts_page)),
    Route("/attempts/{attempt}", _page(more.attempt_page)),
    Route("/doctor", _page(more.doctor_page)),
    *STATIC,
]


def make_app(site: Site, port: int, users: Collection[int] | None = None) -> ASGIApp:
    """Return the application that serves a site on a port to some users of this machine, or to all of them."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        site.jobs.end()

    app = Starlette(routes=LABEL_ROUTES if site.labeller else ROUTES, lifespan=lifespan)
    app.state.site = site
    return Guard(app, port, users, writes=bool(site.labeller))


def serve_site(site: Site, port: int, ready: Callable[[str], None], *, anyone: bool = False) -> None:
    """Serve a site on a port of this machine, any free one if it is 0, until it is interrupted.

    Only this process' user and root are answered, unless `anyone` of this machine is to be.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((HOST, port))
        except OSError as bad:
            raise MissingError(
                f"port {port} cannot be listened on: {bad.strerror}", where=HOST, next="name another with --port, or 0"
            ) from bad
        door.listen(128)
        place = door.getsockname()[1]
        users = None if anyone else {os.geteuid(), 0}
        config = uvicorn.Config(make_app(site, place, users), log_level="error", access_log=False, server_header=False,
                                date_header=False, timeout_graceful_shutdown=1, lifespan="on")  # fmt: skip
        ready(f"http://{HOST}:{place}/")
        uvicorn.Server(config).run(sockets=[door])
