"""A hub that says what no hub says: a token goes nowhere else, and no answer makes a lock hang or crash."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from harness.errors import HarnessError, InputError, MissingError
from harness.manifest.datasets import HubData
from harness.run.locking import hub as hubs
from harness.run.locking.hub import ask_hub

FILE = {"type": "file", "path": "a.csv", "size": 3}
DATA = HubData("o/n", "main")


class _Handler(http.server.BaseHTTPRequestHandler):
    entries: Any = ()
    link = ""
    asked: list[tuple[str, Mapping[str, str]]]

    def do_GET(self) -> None:
        self.asked.append((self.path, dict(self.headers)))
        body = {"sha": "a" * 40, "id": "o/n"} if "/revision/" in self.path else self.entries
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        if self.link and "/revision/" not in self.path:
            self.send_header("Link", f'<{self.link}>; rel="next"')
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(port: int = 0, **told: Any) -> Iterator[tuple[int, list[tuple[str, Mapping[str, str]]]]]:
    """Serve answers on loopback, and give the port, and what was asked."""
    asked: list[tuple[str, Mapping[str, str]]] = []
    handler = type("Handler", (_Handler,), {**told, "asked": asked})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")


def port_and_longer_one() -> tuple[int, int]:
    """Give two free ports, of which one is the other and a digit behind it."""
    for short in range(2000, 6000):
        with contextlib.suppress(OSError), served(short), served(short * 10 + 1):
            return short, short * 10 + 1
    raise AssertionError("no such ports are free")


def test_a_further_page_is_asked_at_the_hub_alone_so_that_the_token_goes_to_no_other_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    short, long = port_and_longer_one()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{short}")
    with served(long, entries=[]) as (_, stolen), served(short, entries=[FILE], link="1/stolen") as (_, asked):
        monkeypatch.setattr(hubs, "_MOST_ENTRIES", 5)
        with pytest.raises(InputError, match="more than 5 files"):
            ask_hub(DATA)
    assert not stolen
    assert asked[-1][0].startswith("/api/datasets/o/n/tree/")


@pytest.mark.parametrize("link", ["mailto:x", "http://[x/y"])
def test_a_further_page_without_a_path_is_no_answer_of_a_hub(monkeypatch: pytest.MonkeyPatch, link: str) -> None:
    with served(entries=[FILE], link=link) as (port, _):
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
        with pytest.raises(MissingError, match="did not answer as it is known to"):
            ask_hub(DATA)


@pytest.mark.parametrize("entries", [[], {"error": "x"}])
def test_empty_pages_without_end_are_no_answer_of_a_hub(monkeypatch: pytest.MonkeyPatch, entries: Any) -> None:
    with served(entries=entries, link="/api/datasets/o/n/tree/more") as (port, asked):
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
        with pytest.raises(MissingError, match="did not answer as it is known to"):
            ask_hub(DATA)
    assert len(asked) == 2


@pytest.mark.parametrize(
    "more", [{"lfs": "x"}, {"lfs": ["oid"]}, {"size": 10**30}, {"size": -1}, {"lfs": {"size": 1 << 50}}]
)
def test_what_a_hub_states_of_a_file_lifts_no_bound_and_has_any_type(
    monkeypatch: pytest.MonkeyPatch, more: Mapping[str, Any]
) -> None:
    with served(entries=[{**FILE, **more}]) as (port, _):
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
        assert ask_hub(DATA).files["a.csv"].size in (3, None)


def test_a_password_in_the_hub_s_address_is_quoted_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://me:pa55word@127.0.0.1:1")
    with pytest.raises(HarnessError) as error:
        ask_hub(DATA)
    assert "pa55word" not in f"{error.value.what} {error.value.where} {error.value.next}"
