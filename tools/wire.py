"""The stdio wire of the answering process, and the loop that serves a client over it until the client goes away.

Guarded lines come in and answers go out, over descriptors that nothing else can write. It replaces the SDK's stdio
transport, which reads lines of any length and leaves unreadable ones unanswered. A thread reads, and the event loop
writes. The amount read ahead is bounded, so that a client that floods the wire must wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures.thread import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from mcp.server.lowlevel.server import Server
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCRequest
from pydantic_core import PydanticSerializationError

from harness.attempts.codes import AttemptError
from harness_tools.lines import Id, LongLine, Message, Refusal, parse_line, read_lines

KEPT_SIZE = 1024  # bytes that are counted for a line that is too long
AHEAD = 8 << 20  # bytes that are read ahead at most
AT_ONCE = 128  # requests that are answered at a time
LAST = 1.5  # seconds for open requests after the input has ended; the client may still wait for answers, or have gone


class _Stream:
    """The methods that the SDK needs of both its streams."""

    async def aclose(self) -> None:
        """Do nothing: the descriptor is closed when the process ends."""

    async def __aenter__(self) -> Self:
        """Return the stream itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the stream."""
        await self.aclose()


class Sink(_Stream):
    """Writer to the client: writes each message as one whole line."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self.gone = False
        self.unanswered: set[Id] = set()
        self.answered = asyncio.Event()  # set whenever an answer was written

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message; if it cannot be written as text, write an error with the same id."""
        try:
            line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        except (PydanticSerializationError, UnicodeEncodeError):
            known = getattr(item.message, "id", None)
            error = AttemptError("E_INTERNAL", "the answer could not be written")
            await self.refuse(Refusal(-32603, error, known, 0))
            return
        self.put(line.encode() + b"\n")
        self.forget(getattr(item.message, "id", None))

    def forget(self, known: Id) -> None:
        """Stop waiting for the answer to a request that the client sent."""
        self.unanswered.discard(known)
        self.answered.set()

    async def refuse(self, refusal: Refusal) -> None:
        """Write the answer to a line that is not a message."""
        self.put(json.dumps(refusal.answer(), ensure_ascii=True).encode() + b"\n")

    def put(self, line: bytes) -> None:
        """Write a line; do nothing if the client has gone."""
        rest = memoryview(line)
        while rest and not self.gone:
            try:
                rest = rest[os.write(self._sink, rest) :]
            except OSError:
                self.gone = True


class Source(_Stream):
    """Reader from the client: yields messages for the SDK; a refused line is answered here and not passed on."""

    def __init__(self, source: int, sink: Sink, refused: Callable[[Refusal], None]) -> None:
        self._sink, self._refused = sink, refused
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[Message | Refusal | None, int]] = asyncio.Queue()
        self._room, self._ahead, self._over = threading.Condition(), 0, False
        threading.Thread(target=self._read, args=(source,), name="wire", daemon=True).start()

    def _read(self, source: int) -> None:
        try:
            for line in read_lines(source):
                size = KEPT_SIZE if isinstance(line, LongLine) else len(line)
                if (found := parse_line(line)) is not None:
                    with self._room:
                        self._room.wait_for(lambda: self._ahead < AHEAD)
                        self._ahead += size
                    self._post(found, size)
        except OSError:
            pass  # a broken wire counts as ended
        self._post(None, 0)

    def _post(self, found: Message | Refusal | None, size: int) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended before the wire
            self._loop.call_soon_threadsafe(self._queue.put_nowait, (found, size))

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message of the client."""
        return await self.__anext__()

    def __aiter__(self) -> Source:
        """Return the stream itself."""
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        """Return the next message; after the last one, give open requests time to be answered, then stop."""
        while not (self._sink.gone or self._over):
            found, size = await self._queue.get()
            with self._room:
                self._ahead -= size
                self._room.notify()
            if found is None:
                self._over = True  # the SDK iterates twice: for the first request, and for the rest
                await self._fewer_than(1, LAST)
                break
            if isinstance(found, Refusal):
                self._refused(found)
                await self._sink.refuse(found)
                continue
            if found["method"] == "notifications/cancelled":
                known = (found.get("params") or {}).get("requestId")
                if isinstance(known, str | int):
                    self._sink.forget(known)
            elif "id" in found:
                await self._fewer_than(AT_ONCE, None)
                self._sink.unanswered.add(found["id"])
            return _message(found)
        raise StopAsyncIteration

    async def _fewer_than(self, most: int, seconds: float | None) -> None:
        """Wait until fewer than `most` requests are without an answer, or `seconds` have passed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while len(self._sink.unanswered) >= most and not self._sink.gone:
                    self._sink.answered.clear()
                    await self._sink.answered.wait()


def _message(found: Message) -> SessionMessage:
    """Convert a message that passed the guard to the SDK's type."""
    kind = JSONRPCRequest if "id" in found else JSONRPCNotification
    return SessionMessage(kind.model_validate(found, by_name=False))


THREADS = 32


def serve_client(server: Server[Any], wire: tuple[int, int], refused: Callable[[Refusal], None]) -> None:
    """Serve one client by an MCP server; return when the client's input has ended and all is written.

    Threads that still wait for another process are not waited for; they end with this process.
    """
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(THREADS))  # calls that wait for another process
    loop.run_until_complete(_serve(server, wire, refused))


async def _serve(server: Server[Any], wire: tuple[int, int], refused: Callable[[Refusal], None]) -> None:
    sink = Sink(wire[1])
    await server.run(Source(wire[0], sink, refused), sink, server.create_initialization_options())
