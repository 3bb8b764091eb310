"""The viewer asked within the test's own process: what a browser sends, and what it is given."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from harness.verbs import Project
from harness.view.app import make_app
from harness.view.site import Site

PORT = 7654
HOST = f"127.0.0.1:{PORT}"


@dataclass(frozen=True)
class Given:
    """An answer of the server: its status, its headers and its text."""

    status: int
    headers: dict[str, str]
    text: str


def site_of(store: Path, labeller: str = "") -> Site:
    """Give the site of a store in a folder that is no project, perhaps to label its answers."""
    return Site(Project.at(store.parent, store), labeller=labeller)


def ask(site: Site, address: str, method: str = "GET", host: str = HOST, body: bytes = b"", **headers: str) -> Given:
    """Ask for an address as a browser does."""
    path, _, query = address.partition("?")
    sent = [
        (b"host", host.encode()),
        *((name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()),
    ]
    scope: dict[str, Any] = {
        **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http"},
        **{"path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": ""},
        **{"headers": sent, "client": ("127.0.0.1", 9), "server": ("127.0.0.1", PORT), "state": {}},
    }
    told: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        told.append(message)

    asyncio.run(make_app(site, PORT)(scope, receive, send))  # type: ignore[arg-type]
    start = told[0]
    made = b"".join(one.get("body", b"") for one in told[1:])
    return Given(start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, made.decode())
