"""A model on loopback that answers each map with one box, refuses what it cannot see, and keeps what it was sent.

It speaks OpenAI's wire format.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

KEY = "sk-boxing-1"
BOX = '{"W": -5, "S": 50, "E": 10, "N": 60}'
BLIND = "I cannot see any map."


class BoxingProvider(http.server.BaseHTTPRequestHandler):
    """The model."""

    protocol_version = "HTTP/1.1"
    bodies: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.bodies.append(body)
        said = BOX if images_of(body) else BLIND
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        whole = {"id": "one", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
        data = json.dumps(whole).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep still."""


def _parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    content = body["messages"][-1]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def text_of(body: dict[str, Any]) -> str:
    """Give the text of a request."""
    return "".join(part["text"] for part in _parts(body) if part["type"] == "text")


def images_of(body: dict[str, Any]) -> list[str]:
    """Give the images of a request, as they were sent."""
    return [part["image_url"]["url"] for part in _parts(body) if part["type"] == "image_url"]


@contextmanager
def boxing() -> Iterator[Any]:
    """Run one of its own on a free port."""
    kind: Any = type("One", (BoxingProvider,), {"bodies": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        kind.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield kind
        finally:
            server.shutdown()
            thread.join()
