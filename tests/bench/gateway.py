"""What the gateway costs: calls of the SDK through it against the same calls made directly, in turns, and a replay.

The provider is a local server that answers at once, in a process of its own. Run as a script, this file is that server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

IN_FLIGHT = 32
MODEL = "fast"
CALLS = {True: 1_000, False: 300}  # full, quick
SECONDS = 30
ANSWER = json.dumps({
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL, "system_fingerprint": "fp",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "word " * 200}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 200, "total_tokens": 300},
}).encode()  # fmt: skip
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER


class Fast(asyncio.Protocol):
    """Answers every whole request with the same bytes."""

    def connection_made(self, transport: Any) -> None:
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        size = int(next(x for x in head.lower().split(b"\r\n") if x.startswith(b"content-length:")).split(b":")[1])
        if len(body) >= size:
            self.buffer = body[size:]
            self.transport.write(HTTP)


async def serve() -> None:
    """Serve until stdin ends; the port is the first line."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Fast, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextlib.contextmanager
def fast_server() -> Iterator[str]:
    """Run the server beside us."""
    process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.communicate(timeout=SECONDS)


@contextlib.contextmanager
def gateway(url: str, mode: str, socket: Path, work: Path) -> Iterator[None]:
    """Run a gateway beside us, in front of a server."""
    tape = {} if mode == "live" else {"tape": str(work / "gateway-tape")}
    served = {"provider": "openai", "base_url": url, "key": "BENCH_KEY", "mode": mode, **tape}
    env = {**os.environ, "BENCH_KEY": "sk-bench-0123456789abcdef"}
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.models.gateway.gateway"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    assert process.stdin and process.stdout
    try:
        settings = {"socket": str(socket), "models": {MODEL: served}, "concurrency": IN_FLIGHT}
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        yield
    finally:
        process.communicate(timeout=SECONDS)


class Caller:
    """The official SDK, asking directly or over a socket."""

    def __init__(self, url: str, socket: Path | None) -> None:
        import httpx2
        import openai

        transport = httpx2.AsyncHTTPTransport(uds=str(socket)) if socket else None
        http = httpx2.AsyncClient(transport=transport, timeout=SECONDS)
        self.client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=http)

    async def call(self, number: int) -> float:
        """Ask once; gives its seconds."""
        begun = time.perf_counter()
        content = f"Add {number} and {number}. " + "Think step by step. " * 20
        await self.client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])
        return time.perf_counter() - begun

    async def many(self, count: int, first: int) -> float:
        """Ask so often, always so many in flight; gives the seconds of all."""
        numbers = iter(range(first, first + count))

        async def work() -> None:
            for number in numbers:
                await self.call(number)

        begun = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
        return time.perf_counter() - begun


async def _turns(url: str, socket: Path, count: int, repeats: int) -> tuple[list[float], list[float], list[float]]:
    """Ask directly and through the gateway in turns: the ratio of all, the difference of one, the rate through it."""
    direct, through = Caller(url, None), Caller("http://gateway/v1", socket)
    for caller in (direct, through):
        await caller.many(IN_FLIGHT * 2, 0)  # connections, the SDK, the gateway's own SDK
    ratios, apart, rates = [], [], []
    for turn in range(repeats):
        all_ours, all_theirs = await through.many(count, turn * count), await direct.many(count, turn * count)
        ratios.append(all_ours / all_theirs)
        rates.append(count / all_ours)
        pairs = [(await through.call(number), await direct.call(number)) for number in range(200)]
        apart.append(1000 * (median(ours for ours, _ in pairs) - median(theirs for _, theirs in pairs)))
    for caller in (direct, through):
        await caller.client.close()
    return ratios, apart, rates


def gateway_rows(work: Path, size: Any) -> list[Any]:
    """Measure live calls, then a recording, then its replay with the server gone."""
    from bench.costs import FULL
    from bench.measure import Missing
    from bench.table import Row

    try:
        import aiohttp  # noqa: F401
        import openai  # noqa: F401
    except ImportError as bad:
        raise Missing(f"there is no {bad.name}; pip install 'repro-harness[gateway]'") from bad
    count, repeats = CALLS[size is FULL], max(3, size.repeats)
    with tempfile.TemporaryDirectory(prefix="bench-") as short:  # the path of a socket has no room for a deep folder
        socket = Path(short) / "socket"
        with fast_server() as url:
            with gateway(url, "live", socket, work):
                ratios, apart, live = asyncio.run(_turns(url, socket, count, repeats))
            with gateway(url, "record", socket, work):
                recorded = asyncio.run(_rate(socket, count))
        with gateway(url, "replay", socket, work):
            replayed = asyncio.run(_rate(socket, count))
    what = f"wall of {count:,} calls through the gateway against direct ones, {IN_FLIGHT} in flight"
    return [
        Row("gateway", what, tuple(ratios), 2.5),
        Row("gateway", "what the gateway adds to the median call, one in flight", tuple(apart), 3.0, "ms"),
        Row("gateway", "live calls through the gateway", tuple(live), unit="/s"),
        Row("gateway", "recorded calls, each on the disk before it is answered", (recorded,), unit="/s"),
        Row("gateway", "replayed calls", (replayed,), unit="/s"),
    ]


async def _rate(socket: Path, count: int) -> float:
    caller = Caller("http://gateway/v1", socket)
    await caller.many(IN_FLIGHT, 0)  # connections; the same numbers are asked once more below, as their next repeat
    seconds = await caller.many(count, IN_FLIGHT)
    await caller.client.close()
    return count / seconds


if __name__ == "__main__":
    asyncio.run(serve())
