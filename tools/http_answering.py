"""The answering process over HTTP: the MCP server that agents call, each as its own principal.

Entry point of `python -m harness_tools.http_answering PIPE LISTENING RULES PROFILE [UID]`, which the supervisor starts.
Like the process over stdio it has a pipe and open files, but no path of the project or the store. Each principal has a
session, a log and threads of its own, so that nobody waits for another one's calls, and requests to the supervisor that
carry its name. It ends when its supervisor ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from typing import TYPE_CHECKING, Any

from harness_tools.child_start import claim_connection, lazy_packages, paused_collection

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server

    from harness.attempts.calls import AgentReply, CallFacts
    from harness_tools.lines import Refusal
    from harness_tools.sessions import CallSession

with paused_collection():  # an agent waits for this
    lazy_packages("mcp", "mcp.server")
    import anyio._backends._asyncio  # noqa: F401 - else imported when it is first used, perhaps as another user
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from harness.attempts.codes import AttemptError
    from harness.attempts.tokens import Token
    from harness_tools.answering import become_user, shut_in_process
    from harness_tools.http_door import PATH, DoorRules
    from harness_tools.http_guard import AT_ONCE, FRESH, Caller, Guard
    from harness_tools.http_wire import HttpWire, Message, Scope
    from harness_tools.pipe_backend import PipeAnswer, PipeBackend, PipeClient
    from harness_tools.server import build_shared_server
    from harness_tools.sessions import open_session, refusals_into
    from harness_tools.tool_table import profile_tools, tools_fingerprint

MOST_CALLERS = 256
MOST_WAITING = 2 * AT_ONCE  # requests to the supervisor that one principal may have open
MOST_LEFT = 2 * AT_ONCE  # outcomes of calls that took too long, which are kept for one principal until it asks again
NO_PROGRESS = ("answer", "audit", "operate")  # profiles whose calls send nothing before their reply


class CallerPipe:
    """The pipe to the supervisor as one principal may use it: requests carry its name, and their number is limited."""

    def __init__(self, pipe: PipeClient, principal: str) -> None:
        self._pipe, self._principal = pipe, principal
        self._lock = threading.Lock()
        self._waiting = 0
        self._left: OrderedDict[str, None] = OrderedDict()
        self.call, self.left = pipe.call, pipe.left

    def ask_again(self, key: str, operation: str, **fields: Any) -> PipeAnswer:
        """Do as `PipeClient.ask_again` does, for this principal alone."""
        mine = f"{self._principal} {key}"
        with self._counted():
            with self._lock:
                self._left.pop(mine, None)
            try:
                return self._pipe.ask_again(mine, operation, **fields, principal=self._principal)
            except AttemptError as bad:
                if bad.name == "E_BUSY":  # its outcome waits for the next such call, which may never come
                    self._leave(mine)
                raise

    def _leave(self, key: str) -> None:
        """Keep the outcome of a call for the next one, and drop the oldest if there are too many."""
        with self._lock:
            self._left[key] = None
            gone = [self._left.popitem(last=False)[0] for _ in range(len(self._left) - MOST_LEFT)]
        for each in gone:
            self._pipe.forget(each)

    def send(self, operation: str, **fields: Any) -> Future[PipeAnswer]:
        """Do as `PipeClient.send` does, for this principal."""
        return self._pipe.send(operation, **fields, principal=self._principal)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            if self._waiting >= MOST_WAITING:
                what = "too many calls of yours are still at work"
                raise AttemptError("E_BUSY", what, "Repeat the call in a second.")
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1


class CallerBackend:
    """Backend of the server's gate for the calls of one principal."""

    def __init__(self, session: CallSession, backend: PipeBackend) -> None:
        self._session, self._backend = session, backend
        self.threads: Executor | None = ThreadPoolExecutor(AT_ONCE)
        self.refused = refusals_into(session)

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call may take long; calls on items of an attempt that is open here do not."""
        if tool in ("list_items", "get_item", "submit_answers"):
            name = arguments.get("attempt_id")
            return not (isinstance(name, str) and self._session.holds(name))
        return True

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        """Answer a tool call of this principal, within the seconds that a call may take."""
        with self._backend.call():
            return self._session.call(tool, arguments, facts)


class HttpCallers:
    """The principals that call over HTTP: their sessions, and the tokens by which they are known."""

    def __init__(self, pipe: PipeClient, profile: str, fingerprint: str) -> None:
        self._pipe, self._profile, self._fingerprint = pipe, profile, fingerprint
        self._tokens: Mapping[str, Token] = {}
        self._read = -FRESH
        self._reading, self._admitting = asyncio.Lock(), asyncio.Lock()
        self._admitted = 0

    async def tokens(self) -> Mapping[str, Token]:
        """Return the tokens of the store by their digests, at most a second old."""
        if time.monotonic() - self._read >= FRESH:
            async with self._reading:
                if time.monotonic() - self._read >= FRESH:
                    answer = await asyncio.wrap_future(self._pipe.send("tokens"))
                    self._tokens = {one["sha256"]: _token(one) for one in answer.data}
                    self._read = time.monotonic()
        return self._tokens

    async def admit(self, caller: Caller) -> None:
        """Open a session for a principal, unless it has one."""
        async with self._admitting:
            if caller.backend is None:
                caller.backend = await self._session(caller.name)

    async def _session(self, principal: str) -> CallerBackend:
        if self._admitted >= MOST_CALLERS:
            raise AttemptError("E_BUSY", "this server has as many principals as it can have")
        self._admitted += 1
        pipe = CallerPipe(self._pipe, principal)
        hello = await asyncio.wrap_future(pipe.send("hello", tools=self._fingerprint))
        backend = PipeBackend(pipe)
        return CallerBackend(open_session(self._profile, hello.files[0], backend, self._fingerprint), backend)

    def refused(self, caller: Caller, refusal: Refusal) -> None:
        """Write to the principal's log that a message of it was refused, and why."""
        if caller.backend is not None:
            caller.backend.refused(refusal)


def _token(told: Mapping[str, Any]) -> Token:
    return Token(told["sha256"], told["principal"], tuple(told["scopes"]), told["expires"])


def answering_backend(ctx: ServerRequestContext[Any, Any]) -> CallerBackend:
    """Return who answers a call: the backend of the principal that the guard found for its request."""
    assert ctx.request is not None  # over HTTP there always is one
    backend: CallerBackend = ctx.request.scope["caller"].backend
    return backend


async def _serve(server: Server[Any], listening: socket.socket, rules: DoorRules, profile: str, end: _Ends) -> None:
    manager = StreamableHTTPSessionManager(server, stateless=True, json_response=profile in NO_PROGRESS)
    async with manager.run():
        await _warm(manager, server)
        end.become()
        guard = Guard(rules, profile, HttpCallers(end.pipe, profile, end.fingerprint), manager.handle_request)
        await HttpWire(guard).serve(listening)


async def _warm(manager: StreamableHTTPSessionManager, server: Server[Any]) -> None:
    """Answer a request of either era without a client, so that everything that the SDK imports late is imported."""
    for era, params in (("2025-11-25", {}), ("2026-07-28", _MODERN)):
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
        head = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        head |= {"mcp-protocol-version": era, "mcp-method": "tools/list"}
        scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": PATH,
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in head.items()],
        }
        waiting = [json.dumps(asked).encode()]

        async def receive(waiting: list[bytes] = waiting) -> Message:
            if not waiting:
                await asyncio.sleep(3600)
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}

        async def send(_: Message) -> None:
            pass

        await manager.handle_request(scope, receive, send)


_MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "start", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


class _Ends:
    """What the process is given: its pipe, and the user that it becomes."""

    def __init__(self, pipe: socket.socket, uids: Sequence[str], fingerprint: str) -> None:
        self._socket, self._uids, self.fingerprint = pipe, uids, fingerprint

    def become(self) -> None:
        """Become the agent's user, shut this process in, and begin to speak with the supervisor."""
        for uid in self._uids:
            become_user(int(uid))
        shut_in_process()
        self.pipe = PipeClient(self._socket, ended=lambda: os._exit(0))


def _version() -> str:
    try:
        return metadata.version("repro-harness")
    except metadata.PackageNotFoundError:
        return ""


def main(argv: Sequence[str]) -> None:
    """Serve clients over HTTP at a listening socket, as the process that answers calls."""
    claim_connection()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal; the supervisor ends this process
    pipe, listening = socket.socket(fileno=int(argv[0])), socket.socket(fileno=int(argv[1]))
    rules, profile = DoorRules.from_text(argv[2]), argv[3]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # three files an attempt, and one a connection
    listening.setblocking(False)
    fingerprint = tools_fingerprint(profile_tools(profile))
    server = build_shared_server(profile, answering_backend, _version())
    asyncio.run(_serve(server, listening, rules, profile, _Ends(pipe, argv[4:], fingerprint)))


if __name__ == "__main__":
    main(sys.argv[1:])
