"""Many requests in flight: a step that asks a local server through the gateway against a bare client on asyncio.

The server is a process of its own that answers each request after a while, as a model does. Run as a script, this file
is that server. Step, gateway and server share this machine, so a figure is that of its processors as well.
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
from typing import Any

IN_FLIGHT = 64
MODEL = "slow"
SECONDS = 60
KEY = "BENCH_KEY"
ROUNDS = {True: 24, False: 6}  # full, quick: answers that each of those in flight gets in turn
DELAYS = ((1.0, 0.9), (0.05, None))  # seconds until an answer, and the least share of a bare client's throughput
ANSWER = json.dumps({
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL, "system_fingerprint": "fp",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "a word"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
}).encode()  # fmt: skip
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER


class Slow(asyncio.Protocol):
    """Answers every whole request with the same bytes, after a delay."""

    delay = 0.0

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
            asyncio.get_running_loop().call_later(self.delay, self.transport.write, HTTP)


async def serve(delay: float) -> None:
    """Serve until stdin ends; the port is the first line."""
    Slow.delay = delay
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Slow, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextlib.contextmanager
def slow_server(delay: float) -> Iterator[str]:
    """Run the server beside us."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(delay)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.communicate(timeout=SECONDS)


@contextlib.contextmanager
def gateway(url: str, socket: Path) -> Iterator[None]:
    """Run a gateway beside us whose model has so many requests in flight."""
    limits = {"concurrency": IN_FLIGHT}
    served = {"provider": "openai", "base_url": url, "key": KEY, "mode": "live", "limits": limits}
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.models.gateway.gateway"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin and process.stdout
    try:
        process.stdin.write(json.dumps({"socket": str(socket), "models": {MODEL: served}}).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        yield
    finally:
        process.communicate(timeout=SECONDS)


async def bare(url: str, count: int) -> float:
    """Ask so often with aiohttp alone, always so many in flight; gives the answers a second."""
    import aiohttp

    numbers = iter(range(count))
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def work() -> None:
            for number in numbers:
                body = {"model": MODEL, "messages": [{"role": "user", "content": f"Question {number}"}]}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    assert (await response.json())["choices"]

        begun = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
        return count / (time.perf_counter() - begun)


def through(socket: Path, folder: Path, count: int) -> float:
    """Run a step that asks so often through a gateway, as a run does; gives the answers a second."""
    from harness.models.providers.openai import respond

    folder.mkdir()
    prompts = [{"item": f"i{number:06d}", "template": 0, "text": f"Question {number}"} for number in range(count)]
    (folder / "prompts").write_text("".join(json.dumps(row) + "\n" for row in prompts))
    os.environ |= {"HARNESS_GATEWAY": str(socket), "HARNESS_AT_ONCE": str(IN_FLIGHT)}
    params = {"model": "m", "id": MODEL, "seeds": [0], "generation": {}}
    begun = time.perf_counter()
    respond(params, {"prompts": folder / "prompts"}, folder)
    seconds = time.perf_counter() - begun
    told = json.loads((folder / "inference").read_bytes())
    assert told["finish"] == {"stop": count}, told
    return count / seconds


def flight_rows(work: Path, size: Any) -> list[Any]:
    """Measure a bare client and a step in turns, at each delay."""
    from bench.costs import FULL
    from bench.measure import Missing
    from bench.table import Row

    try:
        import aiohttp  # noqa: F401
        import openai  # noqa: F401
    except ImportError as bad:
        raise Missing(f"there is no {bad.name}; pip install 'repro-harness[gateway]'") from bad
    count, rows = IN_FLIGHT * ROUNDS[size is FULL], []
    for delay, mark in DELAYS:
        with tempfile.TemporaryDirectory(prefix="bench-") as short, slow_server(delay) as url:
            socket = Path(short) / "socket"
            with gateway(url, socket):
                through(socket, work / f"flight-{delay}-first", IN_FLIGHT)  # connections, both SDKs
                ours, theirs = [], []
                for turn in range(max(3, size.repeats)):
                    ours.append(through(socket, work / f"flight-{delay}-{turn}", count))
                    theirs.append(asyncio.run(bare(url, count)))
        slower = tuple(other / mine for mine, other in zip(ours, theirs, strict=True))
        each = f"{IN_FLIGHT} in flight, a server that answers after {delay:g} s"
        what = f"throughput of a bare client against a step through the gateway, {each}"
        rows.append(Row("flight", what, slower, None if mark is None else 1 / mark))
        rows += [Row("flight", f"answers through the gateway, {each}", tuple(ours), unit="/s")]
        rows += [Row("flight", f"answers to a bare client, {each}", tuple(theirs), unit="/s")]
    return rows


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
