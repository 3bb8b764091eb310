"""A registry on loopback that answers as a test wants, honestly or not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from harness.images.image import Image
from harness.store.store import Store


@dataclass
class Asked:
    """One request that a registry was sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


Answer = tuple[int, Mapping[str, str], "bytes | Iterator[bytes]"]


@dataclass
class Registry:
    """A loopback registry that answers as a test wants."""

    host: str = ""
    answer: Callable[[Asked], Answer] = lambda asked: (404, {}, b"")
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def hostile() -> Iterator[Registry]:
    """Run one, on a free port."""
    registry = Registry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = Asked(self.command, self.path, dict(self.headers), body)
            registry.asked.append(asked)
            status, headers, content = registry.answer(asked)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.close_connection = True
            if isinstance(content, bytes):
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(content)))
                content = iter([content])
            self.end_headers()
            try:
                for piece in content:
                    self.wfile.write(piece)
            except OSError:
                pass  # who asked has heard enough

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = _any

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    registry.host = f"127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def serving(store: Store, image: Image) -> Callable[[Asked], Answer]:
    """Answer as an honest registry that holds one image."""
    blobs = {digest: store.blobs.read(digest) for digest in (image.manifest, image.config, *image.layers)}

    def answer(asked: Asked) -> Answer:
        name = asked.path.partition("?")[0].rpartition("/")[2].removeprefix("sha256:")
        data = blobs.get(image.manifest if name == "1" else name)
        return (404, {}, b"") if data is None else (200, {}, data)

    return answer


def special_at(
    answer: Callable[[Asked], Answer], part: str, special: Callable[[Asked], Answer]
) -> Callable[[Asked], Answer]:
    return lambda asked: special(asked) if part in asked.path else answer(asked)
