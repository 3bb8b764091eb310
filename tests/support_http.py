"""A server over HTTP as an operator starts it, and a client that is no library: it sends bytes and reads bytes."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support_wire import PATIENCE, environment

LEGACY, MODERN = "2025-11-25", "2026-07-28"
TYPES = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class HttpServer:
    """A server process over HTTP, and where it listens."""

    def __init__(self, folder: Path, *words: str, env: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "harness_tools", "--project", str(folder), "--http", "0", *words]
        self.process = subprocess.Popen(
            command, cwd="/", env=env or environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        self.said: list[bytes] = []
        self._clients: list[HttpClient] = []
        self._told = threading.Event()
        self.url = ""
        threading.Thread(target=self._hear, daemon=True).start()
        assert self._told.wait(PATIENCE) and self.url, b"".join(self.said)[-3000:]
        self.port = int(re.search(r":(\d+)/", self.url)[1])  # type: ignore[index]

    def _hear(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(rb"served at (http://\S+)", line):
                self.url = found[1].decode()
                self._told.set()
        self._told.set()

    def client(self, token: str = "", **more: Any) -> HttpClient:
        """Make a client of this server."""
        self._clients.append(HttpClient(self.port, token, **more))
        return self._clients[-1]

    def end(self) -> int:
        """Tell the server to end, and give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end()
        for client in self._clients:
            client.close()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()


class HttpClient:
    """One connection at a time to a server, kept while the server keeps it."""

    def __init__(self, port: int, token: str = "", *, era: str = LEGACY, host: str = "127.0.0.1") -> None:
        self.port, self.era = port, era
        self.headers = dict(TYPES) | ({"authorization": f"Bearer {token}"} if token else {})
        self._wire = http.client.HTTPConnection(host, port, timeout=PATIENCE)
        self._number = 0
        self.seen: list[bytes] = []  # the head and body of every reply

    def send(
        self, body: bytes, method: str = "POST", path: str = "/mcp", headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Make one request as it is given; gives status, headers and body of the reply."""
        self._wire.request(method, path, body, {**self.headers, **(headers or {})})
        reply = self._wire.getresponse()
        data = reply.read()
        told = {name.lower(): value for name, value in reply.getheaders()}
        self.seen.append(json.dumps(told).encode() + b"\n" + data)
        return reply.status, told, data

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Make one request of the protocol, and give the message of the reply."""
        self._number += 1
        head = {"mcp-protocol-version": self.era}
        if self.era == MODERN:
            head |= {"mcp-method": method} | ({"mcp-name": params["name"]} if "name" in params else {})
            told = "io.modelcontextprotocol/"
            meta = {f"{told}protocolVersion": self.era, f"{told}clientCapabilities": {}}
            params = {**params, "_meta": {**meta, f"{told}clientInfo": {"name": "wire", "version": "1"}}}
        asked = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        status, _, data = self.send(json.dumps(asked).encode(), headers=head)
        message: dict[str, Any] = json.loads(data)
        assert message.get("id") in (self._number, None), message
        return {**message, "status": status}

    def call(self, tool: str, **args: Any) -> dict[str, Any]:
        """Call a tool, again while the server is busy; gives its data, or its error as data."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.ask("tools/call", name=tool, arguments=args)
            assert "result" in answer, answer
            result = answer["result"]
            if not result.get("isError"):
                data: dict[str, Any] = result["structuredContent"]
                return data
            error: dict[str, Any] = result["_meta"]["error"]
            if "still at work" not in error["message"] or time.monotonic() > end:
                return error
            time.sleep(0.2)

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()


def raw(port: int, pieces: Sequence[bytes], pause: float = 0.0, patience: float = PATIENCE) -> bytes:
    """Send bytes over a new connection, with pauses between; gives all that came until the server closed it."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as wire:
        try:
            for piece in pieces:
                wire.sendall(piece)
                time.sleep(pause)
        except OSError:
            pass  # it closed while we wrote
        came = b""
        try:
            while data := wire.recv(65536):
                came += data
        except ConnectionError:
            pass
        return came
