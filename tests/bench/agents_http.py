"""What the server of agents' tools costs over HTTP, beside a bare echo server of the same SDK over the same transport.

Both are spoken to by one client that keeps its connection, in turns. The echo is served as the SDK serves by default.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.agents import CALLS, ECHO, Attempt, _lay_out, echoes
from bench.agents_wire import LEGACY, Call
from bench.costs import FULL, Size
from bench.measure import Failed, ratio
from bench.peers import environment
from bench.project import HARNESS
from bench.table import Row

NAME = "agents-http"
AT_ONCE = 50
PATIENCE = 60  # seconds until a server takes a connection


class HttpPlace:
    """A server over HTTP, started on a free port; `begun` is when its process was started."""

    def __init__(self, words: Callable[[int], Sequence[str]], cwd: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            list(words(self.port)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=cwd, env=environment(cwd), start_new_session=True,
        )  # fmt: skip

    def close(self) -> None:
        """End the server."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class HttpWire:
    """A client of such a server: requests over one connection, which is kept."""

    def __init__(self, place: HttpPlace) -> None:
        self._numbers = itertools.count(1)
        self._head = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self._wire = http.client.HTTPConnection("127.0.0.1", place.port, timeout=PATIENCE)
        end = time.perf_counter() + PATIENCE
        while True:
            with contextlib.suppress(ConnectionRefusedError):
                self._wire.connect()
                break
            if time.perf_counter() > end:
                raise Failed("no server came")
            time.sleep(0.005)
        about = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", about)
        self._head["mcp-protocol-version"] = LEGACY
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: Mapping[str, Any]) -> bytes:
        self._wire.request("POST", "/mcp", json.dumps(message).encode(), self._head)
        reply = self._wire.getresponse()
        data = reply.read()
        if session := reply.getheader("mcp-session-id"):
            self._head["mcp-session-id"] = session
        if reply.status >= 300:
            raise Failed(f"a request failed: {reply.status} {data[:300]!r}")
        if (reply.getheader("content-type") or "").startswith("text/event-stream"):
            return b"".join(line[5:] for line in data.splitlines() if line.startswith(b"data:") and line[5:].strip())
        return data

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Make one request, and give its result."""
        message = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        found: dict[str, Any] = json.loads(self._send(message))
        if "error" in found or found["result"].get("isError"):
            raise Failed(f"a call failed: {str(found)[:300]}")
        result: dict[str, Any] = found["result"]
        return result

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool, again while the server is busy, and give its data."""
        while True:
            with contextlib.suppress(_Busy):
                return self._call(tool, arguments)
            time.sleep(0.1)

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            data: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]
        except Failed as bad:
            if "E_BUSY" in str(bad):
                raise _Busy from bad
            raise
        return data

    def timed(self, calls: Sequence[Call]) -> list[float]:
        """Make calls one after the other over a new connection; gives the seconds of each.

        The SDK's own server closes a connection that was idle for five seconds, while the other server was timed.
        """
        self._wire.close()
        self.ask("ping", {})
        seconds = []
        for tool, arguments in calls:
            since = time.perf_counter()
            self.ask("tools/call", {"name": tool, "arguments": arguments})
            seconds.append(time.perf_counter() - since)
        return seconds

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()


class _Busy(Exception):
    """The server is still at work on a call."""


def http_rows(work: Path, size: Size) -> list[Row]:
    """Measure our server and the echo over HTTP in turns: calls, start, and fifty attempts at once."""
    count, repeats = CALLS[size is FULL], max(3, size.repeats)
    root = _lay_out(work / "http")
    with tempfile.TemporaryDirectory(prefix="bench-") as elsewhere:

        def ours() -> HttpPlace:
            return HttpPlace(lambda port: [str(HARNESS), "serve", "--http", str(port), "--rate", "100000"], root)

        def echo() -> HttpPlace:
            return HttpPlace(lambda port: [sys.executable, str(ECHO), str(port)], Path(elsewhere))

        starts = [
            (_start(ours(), "list_studies", {}), _start(echo(), "echo", {"text": "first"})) for _ in range(repeats)
        ]
        places = ours(), echo()
        wires = HttpWire(places[0]), HttpWire(places[1])
        turns = [_turn(*wires, f"turn {number}", count) for number in range(1 + repeats)][1:]
        together, beside = _at_once(places[0], _attempted), _at_once(places[1], _echoed)
        for wire in wires:
            wire.close()
        for place in places:
            place.close()
    many = "against as many of a bare echo server over HTTP"
    return [
        *(
            Row(NAME, f"wall of {calls:,} calls of {tool} {many}", tuple(one[tool] for one in turns), 2.0)
            for tool, calls in (("list_items", count), ("get_item", count), ("submit_answers", count // 2))
        ),
        Row(NAME, "start to the first result against the echo's",
            tuple(ratio(*pair) for pair in starts), 1.1),
        Row(NAME, f"wall of {AT_ONCE} attempts at once, 4 calls each, against as many calls of the echo",
            (ratio(together, beside),)),
        Row(NAME, f"{AT_ONCE} attempts at once, started, read, answered", (together,), unit="s"),
        Row(NAME, "calls of the echo, one in flight", tuple(turn["echo"] for turn in turns), unit="/s"),
        Row(NAME, "start to the first result", tuple(mine for mine, _ in starts), unit="s"),
    ]  # fmt: skip


def _start(place: HttpPlace, tool: str, arguments: Mapping[str, Any]) -> float:
    wire = HttpWire(place)
    wire.call(tool, arguments)
    seconds = time.perf_counter() - place.begun
    wire.close()
    place.close()
    return seconds


def _turn(ours: HttpWire, echo: HttpWire, name: str, count: int) -> dict[str, float]:
    """Time each kind of call in one turn, and the echo beside it."""
    attempt = Attempt(ours, name)
    base = echo.timed(echoes(count))
    found = {"echo": count / sum(base)}
    for tool, calls in (
        ("list_items", attempt.lists(count)),
        ("get_item", attempt.gets(count)),
        ("submit_answers", attempt.submits(count // 2)),
    ):
        seconds = ours.timed(calls)
        found[tool] = ratio(sum(seconds) / len(seconds), sum(base) / len(base))
    return found


def _at_once(place: HttpPlace, work: Callable[[HttpWire, int], None]) -> float:
    """Give the seconds that fifty clients take that begin together."""
    failed: list[BaseException] = []

    def one(number: int) -> None:
        try:
            wire = HttpWire(place)
            work(wire, number)
            wire.close()
        except BaseException as bad:  # told where it is waited for
            failed.append(bad)

    clients = [threading.Thread(target=one, args=(number,)) for number in range(AT_ONCE)]
    since = time.perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    if failed:
        raise failed[0]
    return time.perf_counter() - since


def _attempted(wire: HttpWire, number: int) -> None:
    begun = wire.call("start_attempt", {"study": "bench", "split": "dev", "idempotency_key": f"at once {number}"})
    named = {"attempt_id": begun["attempt_id"]}
    wire.call("list_items", named)
    [item, *_] = wire.call("get_item", named)["items"]
    wire.call("submit_answers", {**named, "answers": [{"item_id": item["item_id"], "answer": "12"}]})


def _echoed(wire: HttpWire, number: int) -> None:
    wire.timed(echoes(4))
