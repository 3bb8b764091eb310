"""Serving a server over the stdio wire, until the client goes away or whoever answers says that it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures.thread import ThreadPoolExecutor
from typing import Any

from mcp.server.lowlevel.server import Server

from harness_tools.lines import Refusal
from harness_tools.wire import Sink, Source

THREADS = 32


def serve(server: Server[Any], wire: tuple[int, int], refused: Callable[[Refusal], None]) -> None:
    """Serve one client; returns at the end of its input, with nothing more to write.

    Threads that still wait for another process are left behind: the process ends with them.
    """
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(THREADS))  # calls that wait for another process
    loop.run_until_complete(_serve(server, wire, refused))


async def _serve(server: Server[Any], wire: tuple[int, int], refused: Callable[[Refusal], None]) -> None:
    sink = Sink(wire[1])
    await server.run(Source(wire[0], sink, refused), sink, server.create_initialization_options())
