"""A third way of speaking, as the file of a new provider would hold it, and a toy provider that speaks it."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from harness.models.gateway.dialect import Dialect, Endpoint, Value, encode_event

PLACE = "models.toy:DIALECT"  # `tests` is on the path of a gateway that is to find it


class Plain:
    """A connection without any SDK: the key is a header of its own."""

    def __init__(self, key: str, url: str, settings: Mapping[str, Any]) -> None:
        import httpx2

        self._client = httpx2.AsyncClient(base_url=url, **settings)
        self._client.headers["X-Toy-Key"] = key

    async def post(self, path: str, content: bytes, headers: Mapping[str, str]) -> Any:
        asked = self._client.build_request("POST", path, content=content, headers=dict(headers))
        return await self._client.send(asked, stream=True)

    async def close(self) -> None:
        await self._client.aclose()


def _events(whole: Value, asked: Value) -> Iterator[bytes]:
    for letter in whole["reply"]:
        yield encode_event({"letter": letter}, "toy")


DIALECT = Dialect(
    endpoints={"/toy/ask": Endpoint("/ask", requires="riddle")},
    connect=Plain,
    flaw=lambda found: "" if isinstance(found.get("reply"), str) else "it has no `reply`",
    usage=lambda whole: {"prompt_tokens": whole["cost"], "completion_tokens": 1},
    error=lambda kind, message: {"toy": kind, "says": message},
    events=_events,
    entry=lambda name, provider: {"id": name, "by": provider},
    bounds=("letters",),
)


@contextmanager
def toy_provider() -> Iterator[Any]:
    """Run a provider that speaks it on loopback; `asked` are the questions and keys that came."""

    class Provider(http.server.BaseHTTPRequestHandler):
        asked: ClassVar[list[tuple[str, Any, str | None]]] = []
        url: ClassVar[str]

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.asked.append((self.path, body, self.headers["X-Toy-Key"]))
            status = 418 if body["riddle"] == "tea" else 200
            said = (
                {"reply": f"{len(self.asked)} {body['riddle'][::-1]}", "cost": 3} if status == 200 else {"toy": "pot"}
            )
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Keep still."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        Provider.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Provider
        server.shutdown()
        thread.join()
