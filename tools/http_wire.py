"""The HTTP/1.1 wire of the answering process: connections with deadlines and limits, given to an ASGI application.

h11 parses. A connection whose head, body, answer or reading of the answer takes longer than its time is closed, so a
client that is slow, or gone, holds nothing for long. No more is read of a connection than is asked for, and if there
are too many connections, the one that has waited longest without a request makes room. Independent of MCP, tokens and
principals.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast

import h11

from harness.peers import Address, peer_uid

LOG = logging.getLogger(__name__)
HEAD, IDLE, BODY, ANSWER, WRITE = 10.0, 75.0, 20.0, 30.0, 20.0  # seconds
LAST = 1.0  # seconds that a client whose request was cut short may still send
MOST = 256  # connections
HEAD_BYTES = 16 << 10  # of a request's line and headers
BUFFER = 256 << 10  # bytes of an answer that wait for a slow reader before the rest must wait, too

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Application = Callable[[Scope, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class SlowClientError(Exception):
    """Raised for a client that takes too long to send a part of its request."""


class HttpWire:
    """The HTTP server's connections, at most so many at a time; an idle one is closed for a new one."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._connections: dict[Connection, None] = {}  # those that waited longest first

    async def serve(self, listening: socket.socket) -> None:
        """Serve clients until this task is cancelled."""
        server = await asyncio.get_running_loop().create_server(lambda: Connection(self), sock=listening)
        async with server:
            await server.serve_forever()

    def take(self, connection: Connection) -> bool:
        """Add a connection, for which an idle one is closed if there are too many; return False if none is idle."""
        if len(self._connections) >= MOST:
            idle = next((one for one in self._connections if not one.answering), None)
            if idle is None:
                return False
            idle.abort()
            self.drop(idle)
        self._connections[connection] = None
        return True

    def drop(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self._connections.pop(connection, None)

    def rest(self, connection: Connection) -> None:
        """Note that a connection begins to wait for its next request."""
        if connection in self._connections:
            del self._connections[connection]
            self._connections[connection] = None


class Connection(asyncio.Protocol):
    """One HTTP connection: requests are read one after the other, each answered whole before the next."""

    def __init__(self, wire: HttpWire) -> None:
        self._wire = wire
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        self._came, self._lost, self._room = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._room.set()
        self._fresh = True  # nothing came of the next request yet
        self._uid: tuple[int | None] | None = None
        self._ending = False
        self.answering = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to serve, or turn the client away if there is no room."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=BUFFER)
        self.ours: Address = self._transport.get_extra_info("sockname")[:2]
        self.theirs: Address = self._transport.get_extra_info("peername")[:2]
        if not self._wire.take(self):
            self._transport.write(b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            self._transport.close()
            return
        self._transport.pause_reading()  # until something is wanted
        self._task = asyncio.get_running_loop().create_task(self._serve())

    def data_received(self, data: bytes) -> None:
        """Take bytes that arrived, and stop reading until the request is worked on."""
        if self._ending:
            return
        self._fresh = False
        self._transport.pause_reading()
        self._http.receive_data(data)
        self._came.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake everything that waits for the client; a call under way goes on, since it may be recorded already."""
        self._wire.drop(self)
        for event in (self._lost, self._came, self._room):
            event.set()

    def pause_writing(self) -> None:
        """Stop sending, because the client reads too slowly."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Go on sending, because the client has read what was sent."""
        self._room.set()

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def uid(self) -> int | None:
        """Return the user id at the other end; None if that is not on this machine."""
        if self._uid is None:
            self._uid = (peer_uid(self.ours, self.theirs),)
        return self._uid[0]

    async def _serve(self) -> None:
        try:
            while await self._request():
                self._wire.rest(self)
        except SlowClientError:
            self._refuse(408)
        except h11.RemoteProtocolError as bad:
            self._refuse(bad.error_status_hint)
        except Exception:  # the application answers its own errors, so this is a defect; the client is not told of it
            LOG.exception("a request was not answered")
            self._refuse(500)
        finally:
            await self._end()

    async def _end(self) -> None:
        """Close the connection, after what a client still sends was read for a moment: else it may miss the answer."""
        self._ending = True
        if self._http.our_state in (h11.DONE, h11.MUST_CLOSE) and not self._lost.is_set():
            with contextlib.suppress(OSError, TimeoutError):
                self._transport.write_eof()
                self._transport.resume_reading()
                async with asyncio.timeout(LAST):
                    await self._lost.wait()
        self._transport.abort() if self._lost.is_set() else self._transport.close()
        asyncio.get_running_loop().call_later(WRITE, self._transport.abort)  # if nobody reads the last bytes

    async def _request(self) -> bool:
        """Answer one request; return whether the connection can take another."""
        first = time.monotonic() + IDLE
        event = await self._event(first, begun=HEAD)
        if not isinstance(event, h11.Request):
            return False
        self.answering = True
        exchange = _Exchange(self, event)
        try:
            async with asyncio.timeout(BODY + ANSWER):
                await self._wire.application(exchange.scope, exchange.receive, exchange.send)
        except TimeoutError:
            raise SlowClientError from None
        self.answering = False
        if self._lost.is_set() or self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        self._fresh = not self._http.trailing_data[0]
        return True

    async def _event(self, until: float, begun: float = 0.0) -> Any:
        """Return the next event; None if the client has gone. Once it has begun, it may take `begun` seconds more."""
        fresh = self._fresh
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._lost.is_set():
                return None
            if self._http.they_are_waiting_for_100_continue:
                self.write(h11.InformationalResponse(status_code=100, headers=[]))
            self._came.clear()
            self._transport.resume_reading()
            try:
                async with asyncio.timeout(max(0.0, until - time.monotonic())):
                    await self._came.wait()
            except TimeoutError:
                if self._fresh:
                    return None  # it never began: closed without a word
                raise SlowClientError from None
            if fresh and begun and not self._fresh:
                fresh, until = False, time.monotonic() + begun
        return event

    async def body(self, until: float) -> tuple[bytes, bool]:
        """Return the next bytes of a request's body, and whether there are more; raises SlowClientError."""
        event = await self._event(until)
        if isinstance(event, h11.Data):
            return bytes(event.data), True
        if event is None or isinstance(event, h11.ConnectionClosed):
            raise ConnectionError
        return b"", False

    async def gone(self) -> None:
        """Wait until the client has gone."""
        if not self._lost.is_set():
            self._transport.resume_reading()
        await self._lost.wait()

    def write(self, event: Any) -> None:
        """Send an event; nothing happens if the client has gone."""
        data = self._http.send(event)
        if data and not self._lost.is_set():
            self._transport.write(data)

    async def drained(self) -> None:
        """Wait until the client has read most of what was sent; a client that reads too slowly is cut off."""
        try:
            async with asyncio.timeout(WRITE):
                await self._room.wait()
        except TimeoutError:
            self.abort()

    def _refuse(self, status: int) -> None:
        """Answer with a bare status, if no answer has begun."""
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not self._lost.is_set():
            head = [(b"connection", b"close"), (b"content-length", b"0")]
            self.write(h11.Response(status_code=status, headers=head))
            self.write(h11.EndOfMessage())


class _Exchange:
    """A request and its answer, in the form of ASGI."""

    def __init__(self, connection: Connection, asked: h11.Request) -> None:
        self._connection = connection
        self._until = time.monotonic() + BODY
        self._more = True
        path, _, query = asked.target.partition(b"?")
        self.scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": asked.http_version.decode(),
            "method": asked.method.decode(),
            "scheme": "http",
            "path": path.decode("latin-1"),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in asked.headers],
            "client": connection.theirs,
            "server": connection.ours,
            "state": {},
            "connection": connection,
        }

    async def receive(self) -> Message:
        """Return the next part of the body; after the last one, wait until the client goes."""
        if not self._more:
            await self._connection.gone()
            return {"type": "http.disconnect"}
        try:
            data, self._more = await self._connection.body(self._until)
        except ConnectionError:
            self._more = False
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": data, "more_body": self._more}

    async def send(self, message: Message) -> None:
        """Send a part of the answer, and wait until there is room for more."""
        if message["type"] == "http.response.start":
            headers = [(name, value) for name, value in message.get("headers", ()) if name.lower() != b"connection"]
            headers += [(b"connection", b"close")] if self._more else []  # an unread body: nothing can follow it
            self._connection.write(h11.Response(status_code=message["status"], headers=headers))
            return
        if message.get("body"):
            self._connection.write(h11.Data(data=message["body"]))
        if not message.get("more_body", False):
            self._connection.write(h11.EndOfMessage())
        await self._connection.drained()
