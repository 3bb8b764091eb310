"""A client that is no library: lines to a server's standard input, replies from its output, in any order."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support import REPOSITORY

TESTS = Path(__file__).resolve().parent
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}
PATIENCE = 300  # seconds: what takes longer hangs, however busy the machine is


def environment(**more: str) -> dict[str, str]:
    """Give the environment in which a server finds the harness and these tests."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(TESTS)]), **more}


class WireClient:
    """A server process and its wire."""

    def __init__(self, words: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
            env=env or environment(), start_new_session=True,
        )  # fmt: skip
        self.seen: list[bytes] = []  # every line that left the server
        self.said: list[bytes] = []  # what it wrote to stderr
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._kept: dict[Any, dict[str, Any]] = {}
        self._number = 0
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._hear)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.seen.append(line)
            self._lines.put(line)
        self._lines.put(b"")

    def _hear(self) -> None:
        assert self.process.stderr
        self.said.extend(self.process.stderr)

    def send(self, line: bytes) -> None:
        """Send a line as it is."""
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def reply(self, known: object = None) -> dict[str, Any]:
        """Wait for the answer under an id; others that come are kept."""
        while known not in self._kept:
            line = self._lines.get(timeout=PATIENCE)
            assert line, b"".join(self.said).decode()[-3000:]
            message = json.loads(line)
            self._kept[message.get("id")] = message
        return self._kept.pop(known)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Make a request and wait for its answer."""
        return self.reply(self.begin(method, **params))

    def begin(self, method: str, **params: Any) -> int:
        """Make a request and give its id."""
        self._number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode())
        return self._number

    def hello(self) -> WireClient:
        """Shake hands as clients of the older protocols do."""
        assert "result" in self.ask("initialize", **HELLO)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self

    def call(self, tool: str, **args: Any) -> dict[str, Any]:
        """Call a tool and give its data, or its error as data; a call that takes longer than one may is made again."""
        end = time.monotonic() + 60
        while (found := self.call_once(tool, **args)).get("retryable") and (
            tool == "start_attempt" or "still at work" in found["message"]
        ):
            if time.monotonic() > end:
                break
            time.sleep(0.2)
        return found

    def call_once(self, tool: str, **args: Any) -> dict[str, Any]:
        """Call a tool and give its data, or its error as data."""
        answer = self.ask("tools/call", name=tool, arguments=args)
        assert "result" in answer, answer
        result = answer["result"]
        found: dict[str, Any] = result["_meta"]["error"] if result.get("isError") else result["structuredContent"]
        return found

    def end(self) -> int:
        """End the input, and give the exit code of the server."""
        assert self.process.stdin
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        for thread in self._threads:  # until all that it wrote has been read
            thread.join(PATIENCE)
        return code

    def __enter__(self) -> WireClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # what it watched over, a tracer's server, ends with its input
            self.process.stdin.close()
        for thread in self._threads:
            thread.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
