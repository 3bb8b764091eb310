"""A stand-in of the Hugging Face hub on loopback: data sets with commits, tags, cards, gates and new names.

It answers as the hub's API does: `/api/datasets/NAME/revision/REV`, `/api/datasets/NAME/tree/REV` page by page, and
`/datasets/NAME/resolve/REV/PATH`, which leads elsewhere for files in large storage.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from harness.digest import sha256

COMMIT, OLD = "a" * 40, "b" * 40
TOKEN = "token-of-a-test"
PAGE = 2  # entries of a tree in one answer


@dataclass
class HubDataset:
    """A data set at the stand-in: files by path at each commit, what its tags mean, and who may have it."""

    commits: dict[str, dict[str, bytes]]
    tags: dict[str, str] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)
    gated: bool = False


@dataclass
class Hub:
    """The stand-in: its data sets by name, the new names of others, and every path that was asked for."""

    datasets: dict[str, HubDataset] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    tokens: list[tuple[str, str]] = field(default_factory=list)  # path and token of each request that had one
    address: str = ""


@contextlib.contextmanager
def hub_at_loopback() -> Iterator[Hub]:
    """Serve a stand-in of the hub."""
    hub = Hub()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        self.hub.asked.append(self.path)
        if token := self.headers.get("Authorization"):
            self.hub.tokens.append((self.path, token))
        parts = urlsplit(self.path)
        steps = [unquote(step) for step in parts.path.split("/")[1:]]
        if steps[0] == "stored":
            return self._send(200, _stored(self.hub, steps[1]))
        api = steps[0] == "api"
        owner, name, what, revision, *path = steps[2 if api else 1 :]
        called = f"{owner}/{name}"
        if called in self.hub.renamed:
            return self._send(307, b"", Location=self.path.replace(called, self.hub.renamed[called]))
        if called not in self.hub.datasets:
            return self._refuse(401 if not self.headers.get("Authorization") else 404, "RepoNotFound")
        found = self.hub.datasets[called]
        commit = found.tags.get(revision, revision)
        if commit not in found.commits:
            return self._refuse(404, "RevisionNotFound")
        if found.gated and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._refuse(403 if self.headers.get("Authorization") else 401, "GatedRepo")
        self._answer(called, what, commit, "/".join(path), api=api)

    def _answer(self, called: str, what: str, commit: str, path: str, *, api: bool) -> None:
        found, parts = self.hub.datasets[called], urlsplit(self.path)
        files = found.commits[commit]
        if not api:
            data = files[path]
            if _large(data):
                return self._send(302, b"", Location=f"/stored/{sha256(data)}")
            return self._send(200, data)
        if what == "revision":
            told = {"id": called, "sha": commit, "cardData": found.card, "gated": "manual" if found.gated else False}
            return self._send(200, json.dumps(told).encode())
        start = int(parse_qs(parts.query).get("cursor", ["0"])[0])
        tree = [_entry(name, data) for name, data in sorted(files.items())]
        onward = f"{self.hub.address}{parts.path}?recursive=true&cursor={start + PAGE}"
        more = {"Link": f'<{onward}>; rel="next"'} if start + PAGE < len(tree) else {}
        return self._send(200, json.dumps(tree[start : start + PAGE]).encode(), **more)

    def _refuse(self, code: int, error: str) -> None:
        self._send(code, b'{"error": "no"}', **{"X-Error-Code": error})

    def _send(self, code: int, body: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, quote(value, safe='/:?&=<>;" -') if name == "Location" else value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def _large(data: bytes) -> bool:
    return len(data) > 200


def _entry(path: str, data: bytes) -> dict[str, Any]:
    large = {"lfs": {"oid": sha256(data), "size": len(data)}} if _large(data) else {}
    return {"type": "file", "path": path, "size": len(data), "oid": "0" * 40, **large}


def _stored(hub: Hub, digest: str) -> bytes:
    every = (data for one in hub.datasets.values() for files in one.commits.values() for data in files.values())
    return next(data for data in every if sha256(data) == digest)
