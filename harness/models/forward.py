"""The forwarder: a port of this machine that leads to the gateway's Unix socket, for code that knows only addresses.

Inside a container without network, `OPENAI_BASE_URL=f"{url}/v1"` and `ANTHROPIC_BASE_URL=url` make unmodified
third-party code speak to the gateway. It hands on bytes both ways and knows nothing of what they mean.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

HOST = "127.0.0.1"
MOST = 256  # connections at once; those that come beyond wait
BLOCK = 1 << 16


@contextlib.contextmanager
def offered(socket: Path | str) -> Iterator[str]:
    """Offer a Unix socket at `http://127.0.0.1:PORT` for as long as the block lasts."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(_listen(str(socket)))
    port: int = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, name="forwarder", daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _listen(socket: str) -> asyncio.Server:
    room = asyncio.Semaphore(MOST)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with room:
            try:
                there, back = await asyncio.open_unix_connection(socket)
            except OSError:  # the gateway is gone: the client sees its connection end
                await _close(writer)
                return
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
            await _close(back)
            await _close(writer)

    return await asyncio.start_server(connected, HOST, 0)


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Hand on bytes until their end, and then the end."""
    with contextlib.suppress(OSError):
        while block := await source.read(BLOCK):
            target.write(block)
            await target.drain()
        target.write_eof()


async def _close(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        writer.close()
        await writer.wait_closed()


async def _end(server: asyncio.Server) -> None:
    """Take no more connections, and end those that are open."""
    server.close()
    open_ones = asyncio.all_tasks() - {asyncio.current_task()}
    for task in open_ones:
        task.cancel()
    await asyncio.gather(*open_ones, return_exceptions=True)
