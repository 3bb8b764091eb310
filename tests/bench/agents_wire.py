"""The line client that times servers of tools over stdio: it does nothing but write lines and read them."""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

LEGACY = "2025-11-25"
Call = tuple[str, Mapping[str, Any]]


class Wire:
    """A server over stdio and its line client; `begun` is when its process was started."""

    def __init__(self, words: Sequence[str], cwd: Path) -> None:
        from bench.peers import environment

        self.begun, self.numbers = time.perf_counter(), itertools.count(1)
        self.process = subprocess.Popen(
            list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd,
            env=environment(cwd),
        )  # fmt: skip
        about = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", about)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        from bench.measure import Failed

        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the server is gone")
        found: dict[str, Any] = json.loads(line)
        if "error" in found or found.get("result", {}).get("isError"):
            raise Failed(f"a call failed: {line[:500]!r}")
        return found

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Make one request, and give its result."""
        self._write({"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": params})
        result: dict[str, Any] = self._read()["result"]
        return result

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool, and give its data."""
        data: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]
        return data

    def timed(self, calls: Sequence[Call], in_flight: int = 1) -> list[float]:
        """Make calls, always so many at once; gives the seconds of each."""
        waiting, seconds, rest = dict[int, float](), list[float](), iter(calls)

        def send(tool: str, arguments: Mapping[str, Any]) -> None:
            number = next(self.numbers)
            waiting[number] = time.perf_counter()
            params = {"name": tool, "arguments": arguments}
            self._write({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

        for one in itertools.islice(rest, in_flight):
            send(*one)
        while waiting:
            number = self._read()["id"]
            seconds.append(time.perf_counter() - waiting.pop(number))
            for one in itertools.islice(rest, 1):
                send(*one)
        return seconds

    def memory(self) -> float:
        """Give the memory of the server and the process that answers, in MiB; other children work for a while only."""
        answering = [pid for pid in _family(self.process.pid) if pid == self.process.pid or _answers(pid)]
        return sum(_resident(pid) for pid in answering)

    def close(self) -> None:
        """End the server as a client does that goes away."""
        self.process.communicate(timeout=60)


def _family(pid: int) -> Iterator[int]:
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from _family(int(child))


def _answers(pid: int) -> bool:
    return b"answering" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
